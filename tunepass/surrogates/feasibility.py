"""Probability that a configuration evaluates at all (HyperMapper 2.0, §III-C; BaCO, §4.2): forests on past failures.

    P(feasible | x) = prod_k (1 - p_k(x)),   k over the kinds of failure seen

A kind with fewer than `settings.own_forest` failures shares one forest with the other rare kinds, because a forest
of two positives says nothing. A leaf's share of failures is shrunk towards the kind's base rate (m-estimate), so a
leaf of one row never gives 0 or 1, and the model is usable from the first failure on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates.base import Floats
from tunepass.surrogates.forest import ForestSettings, Trees, checked, grow

FEASIBLE = 0  # the kind of a row that evaluated
RARE = -1
TREE_ROWS, MIN_TREES = 500_000, 10  # rows times trees of all forests at most, but some trees each


@dataclass(frozen=True, slots=True, kw_only=True)
class FeasibilitySettings:
    trees: int = 50
    features: float = 0.5
    shrink: float = 2.0  # pseudo-rows at the base rate that the votes are mixed with
    own_forest: int = 8
    seed: int = 0


class Feasibility:
    """`fit(x, kinds)` with kinds (n,): 0 where the row evaluated, else the number of its failure kind."""

    def __init__(self, settings: FeasibilitySettings | None = None):
        self.settings = settings or FeasibilitySettings()
        self._forests: list[tuple[Trees, float]] = []
        self._n = 0
        self.recall: float | None = None

    def fit(self, x: Floats, kinds: NDArray[np.int64]) -> None:
        """Also sets `recall`: the out-of-bag share of feasible rows given P >= 1/2 (None without failures)."""
        x, _ = checked(x, np.asarray(kinds, dtype=np.float64))
        kinds = np.asarray(kinds, dtype=np.int64)
        self._n, self._forests, self.recall = len(x), [], None
        out_of_bag = np.ones(self._n)
        targets = _targets(kinds, self.settings.own_forest)
        most = max(MIN_TREES, TREE_ROWS // (self._n * max(1, len(targets))))
        for number, failed in enumerate(targets):
            forest = ForestSettings(
                trees=min(self.settings.trees, most),
                features=self.settings.features,
                seed=self.settings.seed + number,
            )
            trees, base = grow(x, failed.astype(np.float64), forest), float(failed.mean())
            self._forests.append((trees, base))
            out_of_bag *= 1 - self._shrunk(np.where(np.isnan(trees.out_of_bag), base, trees.out_of_bag), base)
        feasible = kinds == FEASIBLE
        if self._forests and feasible.any():
            self.recall = float((out_of_bag[feasible] >= 0.5).mean())

    def probability(self, x: Floats) -> Floats:
        """P(feasible) at rows `x` (m, d), in (0, 1]; 1 while nothing has failed."""
        result = np.ones(len(x))
        for trees, base in self._forests:
            result *= 1 - self._shrunk(trees.predict(x).mean, base)
        return result

    def _shrunk(self, share: Floats, base: float) -> Floats:
        """m-estimate; the base rate itself is Laplace-smoothed, or all-failed data would give P(feasible) = 0."""
        smooth = (base * self._n + 1) / (self._n + 2)
        weight = self.settings.shrink / (self.settings.shrink + self._n)
        return (1 - weight) * share + weight * smooth


def _targets(kinds: NDArray[np.int64], own_forest: int) -> list[NDArray[np.bool_]]:
    """One Boolean target (n,) a forest: each frequent kind alone, all rare ones together."""
    distinct, counts = np.unique(kinds[kinds != FEASIBLE], return_counts=True)
    frequent = [int(kind) for kind, count in zip(distinct, counts) if count >= own_forest]
    targets = [kinds == kind for kind in frequent]
    rare = (kinds != FEASIBLE) & ~np.isin(kinds, frequent)
    return [*targets, rare] if rare.any() else targets
