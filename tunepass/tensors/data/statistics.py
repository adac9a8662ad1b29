"""Statistics of a stored tensor for cost models."""

from __future__ import annotations

import numpy as np

from tunepass.ir.tensor import LevelStatistics, TensorStatistics
from tunepass.tensors.data.stored import Int32s, Int64s, StoredLevel, StoredTensor

BINS = 24


def statistics(tensor: StoredTensor) -> TensorStatistics:
    """Extents, nodes, lengths of segments and how far apart neighbours are, level by level."""
    levels = []
    positions = 1
    for level in tensor.levels:
        levels.append(_of_level(level, positions))
        positions = levels[-1].nodes
    return TensorStatistics(tensor.name, tuple(levels))


def _of_level(level: StoredLevel, parents: int) -> LevelStatistics:
    if level.pos is None or level.crd is None:
        return LevelStatistics(level.extent, parents * level.extent)
    lengths = np.diff(level.pos).astype(np.int64)
    return LevelStatistics(level.extent, level.crd.size, _histogram(lengths), _spread(level.pos, level.crd))


def _histogram(lengths: Int64s) -> tuple[tuple[float, int], ...]:
    """(mean length, how many) of at most BINS bins, shortest first: mean times number adds up to the total. Empty
    segments have a bin of their own, the others, where they are of many lengths, geometric ones."""
    distinct, counts = np.unique(lengths, return_counts=True)
    if distinct.size <= BINS:
        return tuple((float(length), int(count)) for length, count in zip(distinct, counts))
    shortest = max(1, int(distinct[0]))
    inner = np.geomspace(shortest, float(distinct[-1]) * (1 + 1e-9), BINS)[1:-1]
    bins = np.where(distinct == 0, 0, 1 + np.searchsorted(inner, distinct, side="right"))
    segments = np.bincount(bins, weights=counts, minlength=BINS)
    total = np.bincount(bins, weights=distinct * counts, minlength=BINS)
    return tuple((float(t / s), int(s)) for t, s in zip(total, segments) if s)


def _spread(pos: Int32s, crd: Int32s) -> float:
    """Mean distance of neighbouring coordinates within a segment; 1 where no segment has two."""
    distances = np.diff(crd.astype(np.int64))
    within = np.ones(distances.size, bool)
    borders = pos[(pos > 0) & (pos < crd.size)]
    within[borders - 1] = False
    return float(distances[within].mean()) if bool(within.any()) else 1.0
