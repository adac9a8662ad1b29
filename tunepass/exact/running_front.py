"""The nondominated points among those evaluated so far, as an exact search collects them.

symbol   shape            meaning
losses   (n, m)           the front's loss vectors, distinct, in ascending lexicographic order
points   (n,) or (n, d)   what identifies the configuration of each: its number, or its places in the domains
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.exact.base import Floats
from tunepass.study.results.pareto import nondominated

Ints = NDArray[np.int64]


class RunningFront:
    """Starts empty, for points that are rows of `width` integers, or single integers (None)."""

    def __init__(self, objectives: int, width: int | None = None):
        self.losses: Floats = np.empty((0, objectives))
        self.points: Ints = np.empty(0 if width is None else (0, width), dtype=np.int64)

    def __len__(self) -> int:
        return len(self.losses)

    def covers(self, losses: Floats) -> NDArray[np.bool_]:
        """Mask (k,) of the vectors (k, m) that some vector of the front equals or dominates."""
        known = self.losses  # read once: another thread may extend the front
        if not len(known) or not len(losses):
            return np.zeros(len(losses), dtype=bool)
        if known.shape[1] == 2:  # the front is a staircase: the last step not right of a vector is the lowest
            step = np.searchsorted(known[:, 0], losses[:, 0], side="right") - 1
            return np.asarray((step >= 0) & (known[np.maximum(step, 0), 1] <= losses[:, 1]))
        no_worse: NDArray[np.bool_] = np.all(known[None] <= losses[:, None], axis=2)
        return np.asarray(np.any(no_worse, axis=1))

    def candidates(self, losses: Floats) -> Ints:
        """Indices into a large block of vectors (k, m): its own front, for two objectives without what is covered."""
        if losses.shape[1] != 2:  # comparing all pairs would cost more than it saves
            return np.flatnonzero(nondominated(losses))
        uncovered = np.flatnonzero(~self.covers(losses))
        return uncovered[nondominated(losses[uncovered])]

    def add(self, points: Ints, losses: Floats) -> None:
        """Enter vectors (k, m); of points with equal vectors the first one is kept."""
        losses, first = np.unique(np.concatenate([self.losses, losses]), axis=0, return_index=True)
        mask = nondominated(losses)
        self.points, self.losses = np.concatenate([self.points, points])[first][mask], losses[mask]


def feasible_losses(outputs: Sequence[NDArray[np.generic]], objectives: int) -> tuple[Ints, Floats]:
    """Of outputs (n,), objectives first and then constraints: the rows where all constraints hold and all objectives
    are finite, and their losses (k, m)."""
    feasible = np.ones(len(outputs[0]), dtype=bool)
    for holds in outputs[objectives:]:
        feasible &= holds.astype(bool, copy=False)
    rows = np.flatnonzero(feasible)
    losses = np.stack([np.asarray(output[rows], dtype=np.float64) for output in outputs[:objectives]], axis=1)
    finite = np.isfinite(losses).all(axis=1)
    return rows[finite], losses[finite]
