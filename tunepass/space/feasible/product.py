"""The feasible set as a product of groups: its rows are those of all groups side by side.

Ranks are mixed radix numbers whose digits are the groups' ranks, the last group's the least significant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeGuard

import numpy as np

from tunepass.space.columns import Column, Columns, Indices, Mask, length
from tunepass.space.feasible.group import DiagramGroup, FreeGroup, InfiniteGroup, ParameterGroup
from tunepass.space.parameter import Parameter

RANK_LIMIT = 1 << 62  # ranks below it are 64-bit integers


class GroupProduct:
    """`finite`: no parameter is real. `complete`: every group is counted, none sampled."""

    def __init__(self, parameters: Sequence[Parameter], groups: Sequence[ParameterGroup]):
        self.parameters, self.groups = tuple(parameters), tuple(groups)
        self.finite = all(p.size is not None for p in self.parameters)
        self.complete = all(g.counted for g in self.groups)
        self._number = {p.name: number for number, p in enumerate(self.parameters)}
        binding = [g for g in self.groups if _binds(g)]
        self._binding = [(g.diagram, [self._number[name] for name, _ in g.layers]) for g in binding]

    @property
    def size(self) -> int:
        """How many rows there are, where they are counted."""
        return math.prod(g.size for g in self.groups)

    def contains(self, columns: Columns) -> Mask:
        """Mask (n,) of feasible rows."""
        n = length(columns)
        feasible = np.ones(n, dtype=bool)
        for g in self.groups if n else ():
            feasible &= g.contains(columns)
        return feasible

    def contains_indices(self, indices: Indices) -> Mask:
        """Mask (n,) of feasible rows (n, parameters) of indices in the domains; no parameter is real or an order."""
        feasible = np.ones(len(indices), dtype=bool)
        for diagram, numbers in self._binding:
            feasible &= diagram.contains(indices[:, numbers])
        return feasible

    def contains_values(self, indices: Indices, values: Mapping[str, Column]) -> Mask:
        """Mask (n,) of feasible rows (n, parameters) of indices in lists of values of the parameters."""
        feasible = np.ones(len(indices), dtype=bool)
        for group in self.groups:
            names = {p.name: self._number[p.name] for p in group.parameters}
            if isinstance(group, DiagramGroup) and all(len(values[p.name]) == p.size for p in group.parameters):
                if _binds(group):
                    feasible &= group.diagram.contains(indices[:, [names[name] for name, _ in group.layers]])
            elif not isinstance(group, (FreeGroup, InfiniteGroup)):
                feasible &= group.contains({name: values[name][indices[:, number]] for name, number in names.items()})
        return feasible

    def draw(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        """Up to n independent rows, uniform or by the priors; fewer where a sampled group has fewer."""
        parts = [g.draw_by_prior(n, rng) if prior else g.draw(n, rng) for g in self.groups]
        fewest = min((length(part) for part in parts), default=0)
        rows: dict[str, Column] = {}
        for part in parts:
            order = rng.permutation(length(part))[:fewest] if length(part) > fewest else slice(None)
            rows.update({name: column[order] for name, column in part.items()})
        return rows

    def rank(self, columns: Columns) -> int | None:
        """The rank of the one row in `columns`, however large; None if it is infeasible."""
        total = 0
        for g in self.groups:
            inside, rank = g.walk(columns)
            if not inside[0]:
                return None
            total = total * g.size + int(rank[0])
        return total

    def unrank(self, rank: int) -> Columns:
        """The one row of a rank, however large."""
        row: dict[str, Column] = {}
        for g in reversed(self.groups):
            rank, group_rank = divmod(rank, g.size)
            row.update(g.unrank(np.array([group_rank], dtype=np.int64 if group_rank < RANK_LIMIT else object)))
        return row

    def ranks(self, columns: Columns) -> Indices:
        """Ranks (n,) of feasible rows, all below RANK_LIMIT."""
        total = np.zeros(length(columns), dtype=np.int64)
        for g in self.groups:
            total = total * g.size + g.walk(columns)[1].astype(np.int64)
        return total

    def rows(self, ranks: Indices) -> Columns:
        """The rows of ranks (n,), all below RANK_LIMIT."""
        rows: dict[str, Column] = {}
        for g in reversed(self.groups):
            if g.size < RANK_LIMIT:
                ranks, group_ranks = np.divmod(ranks, g.size)
            else:
                ranks, group_ranks = np.zeros_like(ranks), ranks
            rows.update(g.unrank(group_ranks))
        return rows

    def steps(self, columns: Columns) -> dict[str, tuple[Column, Indices]]:
        """Values one step from those of the one row in `columns`, by finite parameter; see `ParameterGroup.steps`."""
        return {p.name: g.steps(p, columns) for g in self.groups for p in g.parameters if p.size is not None}


def _binds(group: ParameterGroup) -> TypeGuard[DiagramGroup]:
    """Does it leave out any of the values of its parameters, which are all listed?"""
    if not isinstance(group, DiagramGroup):
        return False
    return group.size < math.prod(p.size if p.size is not None else group.size + 1 for p in group.parameters)
