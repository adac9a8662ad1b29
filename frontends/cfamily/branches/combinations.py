"""The combinations of parameters' values that a few conditions tell apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.nodes import Expr, Logical, Unary, free_names
from tunepass.expr.numpy_eval import Evaluated, evaluate_within
from tunepass.space.columns import Columns, Indices
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter

MOST_COMBINATIONS = 1 << 20
MOST_VALUES = 1 << 20  # of one parameter


class TooManyError(Exception):
    """More combinations than are listed."""


@dataclass(frozen=True)
class Combinations:
    """`indices` (n,) are those of each parameter's values in its domain, one for each combination."""

    parameters: tuple[Parameter, ...]
    indices: tuple[Indices, ...]

    @classmethod
    def of(cls, parameters: Sequence[Parameter], conditions: Sequence[Expr]) -> Combinations:
        """Of a parameter whose values are compared with numbers alone, one value for each outcome of the comparisons;
        the default for its own outcome. Raises TooManyError."""
        parts = {atom: None for condition in conditions for atom in _atoms(condition)}
        values = [_told_apart(parameter, list(parts)) for parameter in parameters]
        if math.prod(map(len, values)) > MOST_COMBINATIONS:
            raise TooManyError
        grid = np.meshgrid(*values, indexing="ij") if values else []
        return cls(tuple(parameters), tuple(column.ravel() for column in grid))

    def at(self, rows: Indices) -> Combinations:
        return Combinations(self.parameters, tuple(index[rows] for index in self.indices))

    @property
    def n(self) -> int:
        return len(self.indices[0]) if self.indices else 1

    def evaluate(self, condition: Expr) -> Evaluated:
        """(n,)."""
        return evaluate_within(condition, self._columns, self.n)

    @property
    def _columns(self) -> Columns:
        return {p.name: p.at(index) for p, index in zip(self.parameters, self.indices)}

    def changes(self) -> NDArray[np.int64]:
        """How many parameters (n,) differ from their defaults."""
        counts = np.zeros(self.n, np.int64)
        for parameter, index in zip(self.parameters, self.indices):
            counts += index != parameter.domain.index(parameter.default)
        return counts

    def configuration(self, row: int) -> Configuration:
        values = {p.name: p.domain[int(index[row])] for p, index in zip(self.parameters, self.indices)}
        return Configuration(values)


def _atoms(e: Expr) -> Iterator[Expr]:
    """What `and`, `or` and `not` combine."""
    if isinstance(e, Logical) or (isinstance(e, Unary) and e.op == "not"):
        for child in e.children:
            yield from _atoms(child)
    else:
        yield e


def _told_apart(parameter: Parameter, atoms: Sequence[Expr]) -> Indices:
    """Indices of its values: all where a comparison has other parameters too."""
    size = parameter.size
    if size is None or size > MOST_VALUES:
        raise TooManyError
    reading = [atom for atom in atoms if parameter.name in free_names(atom)]
    everything = np.arange(size)
    if any(len(free_names(atom)) > 1 for atom in reading):
        return everything
    columns = {parameter.name: parameter.at(everything)}
    kinds = np.zeros(size, np.int64)
    for atom in reading:
        outcome = evaluate_within(atom, columns, size)
        number = np.where(outcome.defined, outcome.values.astype(np.bool_), 2)
        kinds = np.unique(kinds * 3 + number, return_inverse=True)[1]
    _, first = np.unique(kinds, return_index=True)
    default = parameter.domain.index(parameter.default)
    first[kinds[default]] = default
    return np.sort(first)
