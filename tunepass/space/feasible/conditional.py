"""Parameters with conditions, drawn as if all were active; then inactive ones get their defaults.

So are programs drawn by the priors, in which an inactive parameter has no part, and uniformly where no diagram counts.
A constraint that somebody wrote reads a parameter only where it is active, so that the defaults do not break it; rows
in which they break a derived one are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tunepass.space.activity import Activity
from tunepass.space.columns import Columns, Indices, Mask, length, take
from tunepass.space.feasible.group import DiagramGroup, ParameterGroup
from tunepass.space.feasible.product import GroupProduct
from tunepass.space.parameter import Parameter


class CountedConditionalGroup(DiagramGroup):
    """A diagram with one row for each program; `drawn` gives the group that draws by the priors."""

    def __init__(self, group: DiagramGroup, drawn: Callable[[], ConditionalGroup]):
        super().__init__(group.parameters, group.layers, group.diagram)
        self._drawn = drawn
        self._by_prior: ConditionalGroup | None = None

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        if all(p.prior is None for p in self.parameters):
            return self.draw(n, rng)
        if self._by_prior is None:
            self._by_prior = self._drawn()
        return self._by_prior.draw_by_prior(n, rng)


class ConditionalGroup(ParameterGroup):
    """The rows of `product` with the default in place of every inactive value; neither counted nor ranked.

    `finite`: no parameter is real; then the group has rows that could be counted, and is not `counted`.
    """

    size = 1

    def __init__(self, parameters: Sequence[Parameter], product: GroupProduct, activity: Activity):
        self.parameters, self._product, self._activity = tuple(parameters), product, activity
        self.counted = product.complete and not product.finite

    def unrank(self, ranks: Indices) -> Columns:
        raise AssertionError("a group with uncounted conditions is not ranked")

    def walk(self, columns: Columns) -> tuple[Mask, Indices]:
        return self.contains(columns), np.zeros(length(columns), dtype=np.int64)

    def contains(self, columns: Columns) -> Mask:
        return self._product.contains(columns) & self._activity.is_canonical(columns)

    def draw(self, n: int, rng: np.random.Generator) -> Columns:
        return self._canonical(self._product.draw(n, rng, prior=False))

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        return self._canonical(self._product.draw(n, rng, prior=True))

    def _canonical(self, drawn: Columns) -> Columns:
        rows = self._activity.canonical(drawn)
        return take(rows, self._product.contains(rows)) if length(rows) else rows
