"""Parameters with conditions that no diagram counts: drawn as if all were active, then inactive ones get defaults.

A constraint that somebody wrote reads a parameter only where it is active, so that the defaults do not break it; rows
in which they break a derived one are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.space.activity import Activity
from tunepass.space.columns import Columns, Indices, Mask, length, take
from tunepass.space.feasible.group import ParameterGroup
from tunepass.space.feasible.product import GroupProduct
from tunepass.space.parameter import Parameter


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
