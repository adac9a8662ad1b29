"""Expressions over a whole product of finite domains, without evaluating anything more often than its names vary.

Most of a cost model's subexpressions depend on two to four of its parameters, so their tables are small; only what
depends on nearly all names runs for every element of the product. The machine's instructions are the same ones in the
same order as `CompiledExpressions` runs, so every value is bit-equal to its.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from tunepass.diagnostics import ExpressionError
from tunepass.expr.domain import Domain, Interval
from tunepass.expr.nodes import Expr, OrderType
from tunepass.expr.numpy_eval import dtype_of
from tunepass.expr.numpy_ops import Array
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.expr.vm.tables import Ints, Tables, dependences

LONGEST_RUN = 1 << 15  # elements of the fastest name that a run prefers at most


class CartesianProduct:
    """`exprs` over the product of `domains`; elements are numbered with the fastest name last.

    The fastest name is the last of `names`: the longest domain of a handy length. Names of permutations are refused.
    """

    def __init__(self, exprs: Iterable[Expr], domains: Mapping[str, Domain]):
        self.program = CompiledExpressions(exprs, domains)
        read = {name.name: name for name in self.program.inputs}
        if any(isinstance(name.type, OrderType) for name in read.values()):
            raise ExpressionError("permutations have no product of values")
        values = {name: _values(domain) for name, domain in domains.items()}
        self.names = _fastest_last(values)
        self.values = [
            values[name].astype(dtype_of(read[name].type)) if name in read else values[name] for name in self.names
        ]
        self.shape = tuple(len(v) for v in self.values)
        self.size = math.prod(self.shape)
        place = {name: i for i, name in enumerate(self.names)}
        tail = self.program.tail()
        axes = dependences(self.program.code, [frozenset([place[n.name]]) for n in self.program.inputs])
        self._tables = Tables(self.program.code, self.program.tables, axes, self.values)
        self._every = tuple(range(len(self.names)))
        self._part = self._tables.split(tail, self._every)

    @property
    def instructions(self) -> int:
        """How many operations run for each element, besides reading tables and what runs once a run."""
        return len(self._part.code.code) // 5

    @property
    def run_length(self) -> int:
        """Elements are evaluated in whole runs of the fastest name."""
        return self.shape[-1]

    def evaluate(self, first: int, n: int) -> list[Array]:
        """Each expression's values of elements first .. first + n - 1, both ends at multiples of `run_length`.

        An undefined element is NaN in a Real, otherwise 0. Releases the GIL while it computes.
        """
        types = [e.type for e in self.program.exprs]
        outputs = [np.empty(n, dtype_of(t)) for t in types]
        checked = [np.empty(n, np.bool_) for _ in range(self.program.checked)]
        stopped = self._tables.run(self._part, self._every, first, n, [*outputs, *checked])
        if stopped >= 0:
            self.program.run(self.columns(np.array([first + stopped])), 1)
            raise ExpressionError("an integer overflows")
        return outputs

    def places(self, elements: Ints) -> Ints:
        """(n, names): the place in its domain that each name has, by the elements' numbers."""
        return np.stack(np.unravel_index(elements, self.shape), axis=1)

    def columns(self, elements: Ints) -> dict[str, Array]:
        at = self.places(elements)
        return {name: values[at[:, i]] for i, (name, values) in enumerate(zip(self.names, self.values))}


def _values(domain: Domain) -> Array:
    if isinstance(domain, Interval):
        raise ExpressionError("a product is taken over listed values, not over ranges")
    return np.asarray(domain)


def _fastest_last(values: Mapping[str, Array]) -> tuple[str, ...]:
    """The names as given, but the longest domain that makes a handy run is moved to the end."""
    handy = [name for name in values if len(values[name]) <= LONGEST_RUN] or list(values)
    last = max(handy, key=lambda name: len(values[name]))
    return (*(name for name in values if name != last), last)
