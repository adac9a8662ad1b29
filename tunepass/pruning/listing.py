"""Configurations that are few enough to list, and which of them meet each of some conditions: each evaluated once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tunepass.expr.nodes import walk
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.space.columns import Indices
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.diagram.diagram import from_rows
from tunepass.space.feasible.group import DiagramGroup
from tunepass.space.feasible.product import GroupProduct

CHUNK = 1 << 16  # configurations evaluated at once
MOST_ROWS = 1 << 22
MOST_WORK = 1 << 32  # operations on configurations: some seconds


def nodes_of(constraints: Sequence[Constraint]) -> int:
    """How many different parts conditions have together."""
    return len({id(node) for c in constraints for node in walk(c.expression)})


def is_listable(rows: int, constraints: Sequence[Constraint]) -> bool:
    return rows <= MOST_ROWS and rows * nodes_of(constraints) <= MOST_WORK


class Listing:
    """Every row of `base`, and which of them meet each of `constraints`: `met` (constraints, rows)."""

    def __init__(self, base: GroupProduct, constraints: Sequence[Constraint]):
        self.base, self.constraints = base, tuple(constraints)
        program = CompiledExpressions([c.expression for c in self.constraints])
        self.met = np.ones((len(self.constraints), base.size), np.bool_)
        for start in range(0, base.size if self.constraints else 0, CHUNK):
            end = min(start + CHUNK, base.size)
            self.met[:, start:end] = np.stack(program.run(base.rows(np.arange(start, end)), end - start))

    def selected(self, conditions: Sequence[Constraint]) -> Selected:
        """Rows that meet the `conditions`, which are among the constraints."""
        chosen = [i for i, c in enumerate(self.constraints) if any(c is w for w in conditions)]
        mask = np.logical_and.reduce(self.met[chosen], axis=0) if chosen else np.ones(self.base.size, np.bool_)
        return Selected(self.base, np.flatnonzero(mask))


@dataclass(frozen=True)
class Selected:
    """Some rows of a product of groups, by their ranks, ascending."""

    base: GroupProduct
    ranks: Indices

    @property
    def size(self) -> int:
        return len(self.ranks)

    @cached_property
    def group(self) -> DiagramGroup:
        """The same as a diagram."""
        layers: list[tuple[str, int]] = []
        widths: list[int] = []
        columns = self.base.rows(self.ranks)
        codes: list[Indices] = []
        for group in self.base.groups:
            for p in group.parameters:
                column = p.codes(columns[p.name])
                codes += list(column.T)
                layers += [(p.name, -1 if p.is_scalar else k) for k in range(column.shape[1])]
                widths += [p.size or 0 if p.is_scalar else column.shape[1]] * column.shape[1]
        rows = np.stack(codes, axis=1).astype(np.int64)
        return DiagramGroup(self.base.parameters, layers, from_rows(rows, widths))
