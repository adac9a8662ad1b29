"""Expressions over a whole product of finite domains, without evaluating anything more often than its names vary.

    S(v)   the names that an instruction v depends on
    table  the values of v over the product of S(v), for what is read by instructions that depend on more
    run    elements that differ only in the fastest name; what does not depend on it is evaluated once a run

Most of a cost model's subexpressions depend on two to four of its parameters, so their tables are small; only what
depends on nearly all names runs for every element of the product. The machine's instructions are the same ones in the
same order as `Program` runs, so every value is bit-equal to its.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass._native import ffi, lib
from tunepass.diagnostics import ExpressionError
from tunepass.expr.domain import Domain, Range
from tunepass.expr.lowering import Instruction, Value
from tunepass.expr.nodes import Expr, Order
from tunepass.expr.numpy_eval import dtype_of
from tunepass.expr.numpy_ops import Array
from tunepass.expr.program import OPERANDS, Code, Program, allocate

LARGEST_TABLE = 1 << 20  # elements
LONGEST_RUN = 1 << 15  # elements of the fastest name that a run prefers at most
BLOCK = 256  # elements the machine handles at once
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Table:
    """Values of an instruction over the product of `axes` (places of names), the last one fastest."""

    axes: tuple[int, ...]
    values: Array  # 8-byte elements, flat


@dataclass(frozen=True, slots=True)
class _Part:
    """Code for elements of a product, the values it reads from tables, and those that `once` gives for each run."""

    code: Code
    inputs: tuple[Value, ...]
    once: _Part | None
    repeated: tuple[Value, ...]  # what `once` writes, in its order


class Product:
    """`exprs` over the product of `domains`; elements are numbered with the fastest name last.

    The fastest name is the last of `names`: the longest domain of a handy length. Names of permutations are refused.
    """

    def __init__(self, exprs: Iterable[Expr], domains: Mapping[str, Domain]):
        self.program = Program(exprs, domains)
        read = {name.name: name for name in self.program.inputs}
        if any(isinstance(name.type, Order) for name in read.values()):
            raise ExpressionError("permutations have no product of values")
        values = {name: _values(domain) for name, domain in domains.items()}
        self.names = _fastest_last(values)
        self.values = [
            values[name].astype(dtype_of(read[name].type)) if name in read else values[name] for name in self.names
        ]
        self.shape = tuple(len(v) for v in self.values)
        self.size = math.prod(self.shape)
        self._place = {name: i for i, name in enumerate(self.names)}
        tail = self.program.tail()
        self._axes = self._dependences()
        self._tables: dict[Value, _Table] = {}
        self._part = self._split(tail, tuple(range(len(self.names))))

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
        self._run(self._part, tuple(range(len(self.names))), first, n, [*outputs, *checked])
        return outputs

    def places(self, elements: Ints) -> Ints:
        """(n, names): the place in its domain that each name has, by the elements' numbers."""
        return np.stack(np.unravel_index(elements, self.shape), axis=1)

    def columns(self, elements: Ints) -> dict[str, Array]:
        at = self.places(elements)
        return {name: values[at[:, i]] for i, (name, values) in enumerate(zip(self.names, self.values))}

    def _dependences(self) -> list[frozenset[int]]:
        found: list[frozenset[int]] = []
        names = [name.name for name in self.program.inputs]
        for op, *words in self.program.code:
            if op in ("input", "bool_column"):
                found.append(frozenset([self._place[names[words[0]]]]))
            else:
                found.append(frozenset().union(*(found[w] for w in words[: OPERANDS[op]])))
        return found

    def _split(self, tail: list[Instruction], axes: tuple[int, ...], by_run: bool = True) -> _Part:
        """What `tail` needs over the product of `axes`. `by_run`: what the last axis does not change is cut off too."""
        cut, repeated = list[Value](), list[Value]()
        seen: set[Value] = set()
        pending = [word for op, *words in tail for word in words[: OPERANDS[op]]]
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            op, *words = self.program.code[value]
            own = self._axes[value]
            small = own < frozenset(axes) and math.prod(self.shape[i] for i in own) <= LARGEST_TABLE
            if op in ("input", "bool_column") or (own and small):
                self._tabulate(value)
                cut.append(value)
            elif by_run and own and axes[-1] not in own:
                repeated.append(value)
            else:
                pending += words[: OPERANDS[op]]
        place = {value: k for k, value in enumerate([*cut, *repeated])}
        code = [("input", place[v], 0, 0) if v in place else one for v, one in enumerate(self.program.code)]
        found = allocate(code, tail, self.program.tables, len(place))
        every = [*cut, *repeated]
        once = [("out", value, k, 0) for k, value in enumerate(repeated)]
        return _Part(
            found,
            tuple(every[i] for i in found.inputs),
            self._split(once, axes, False) if once else None,
            tuple(repeated),
        )

    def _tabulate(self, value: Value) -> None:
        if value in self._tables:
            return
        op = self.program.code[value][0]
        axes = tuple(sorted(self._axes[value]))
        if op in ("input", "bool_column"):
            values = self.values[axes[0]]
            wide = values if values.dtype == np.float64 else values.astype(np.int64)
            self._tables[value] = _Table(axes, np.ascontiguousarray(wide))
            return
        result = np.empty(math.prod(self.shape[i] for i in axes), np.int64)
        self._run(self._split([("out", value, 0, 0)], axes), axes, 0, len(result), [result])
        self._tables[value] = _Table(axes, result)

    def _run(self, part: _Part, axes: tuple[int, ...], first: int, n: int, outputs: Sequence[Array]) -> None:
        """Elements first .. first + n - 1 of the product of `axes`, whole runs."""
        shape = tuple(self.shape[i] for i in axes)
        length, runs = shape[-1], n // shape[-1]
        at = np.unravel_index(first // length + np.arange(runs), shape[:-1]) if len(shape) > 1 else ()
        place = {axis: at[k] for k, axis in enumerate(axes[:-1])}
        sources = {}
        if part.once is not None:
            made = [np.empty(runs, np.int64) for _ in part.repeated]
            views = [self._view(v, place, axes[-1], runs) for v in part.once.inputs]
            _machine(part.once.code, views, made, 1, runs)
            sources = {v: _View(m, np.arange(runs), False) for v, m in zip(part.repeated, made)}
        views = [sources.get(v) or self._view(v, place, axes[-1], runs) for v in part.inputs]
        stopped = _machine(part.code, views, outputs, length, runs)
        if stopped >= 0:
            self.program.run(self.columns(np.array([first + stopped])), 1)
            raise ExpressionError("an integer overflows")

    def _view(self, value: Value, place: Mapping[int, Ints], fastest: int, runs: int) -> _View:
        table = self._tables[value]
        offsets, stride = np.zeros(runs, np.int64), 1
        for axis in reversed(table.axes):
            if axis != fastest:
                offsets += place[axis] * stride
            stride *= self.shape[axis]
        return _View(table.values, offsets, fastest in table.axes)


@dataclass(frozen=True, slots=True)
class _View:
    """Where each run starts in a table, and whether it goes on from there or stays."""

    values: Array
    offsets: Ints
    inner: bool


def _machine(code: Code, views: Sequence[_View], outputs: Sequence[Array], length: int, runs: int) -> int:
    """Run the code; the element at which an output overflows, or -1."""
    offsets = np.stack([v.offsets for v in views]) if views else np.zeros((1, runs), np.int64)
    inner = np.array([v.inner for v in views] or [False], np.uint8)
    buffers = [ffi.from_buffer("int64_t[]", v.values) for v in views]
    results = [ffi.from_buffer(a) for a in outputs]
    stopped: int = lib.tp_vm_views(
        code.code_pointer,
        len(code.code) // 5,
        code.constant_pointer,
        code.constant_registers,
        ffi.new("int64_t *[]", buffers or [ffi.NULL]),
        ffi.from_buffer("int64_t[]", offsets),
        ffi.from_buffer("uint8_t[]", inner),
        len(views),
        code.temporaries,
        ffi.new("void *[]", results),
        length,
        runs,
        BLOCK,
    )
    if stopped == -2:
        raise MemoryError
    return stopped


def _values(domain: Domain) -> Array:
    if isinstance(domain, Range):
        raise ExpressionError("a product is taken over listed values, not over ranges")
    return np.asarray(domain)


def _fastest_last(values: Mapping[str, Array]) -> tuple[str, ...]:
    """The names as given, but the longest domain that makes a handy run is moved to the end."""
    handy = [name for name in values if len(values[name]) <= LONGEST_RUN] or list(values)
    last = max(handy, key=lambda name: len(values[name]))
    return (*(name for name in values if name != last), last)
