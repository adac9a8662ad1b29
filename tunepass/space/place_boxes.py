"""Boxes of configurations: ranges of places in every parameter's list of values.

symbol   shape    meaning
lo, hi   (b, d)   first and last place of every box in the values of each of d parameters, both included
box      (n,)     the box that each of n points is in
places   (n, d)   the place of each point in every parameter's values
"""

from __future__ import annotations

import math

import numpy as np

from tunepass.space.columns import Indices
from tunepass.space.prior import Floats


def count_points(lo: Indices, hi: Indices) -> int:
    """How many points the boxes have together, exactly."""
    return sum(math.prod(row) for row in (hi - lo + 1).tolist())


def sizes(lo: Indices, hi: Indices) -> Floats:
    """The points of each box (b,); a size beyond 2**53 is rounded."""
    return np.asarray((hi - lo + 1).prod(axis=1, dtype=np.float64))


def points_of(lo: Indices, hi: Indices) -> tuple[Indices, Indices]:
    """Every point of every box, as places (n, d), and the box (n,) that it is in."""
    counts = (hi - lo + 1).prod(axis=1)
    box = np.repeat(np.arange(len(lo)), counts)
    ranks = np.arange(len(box)) - np.repeat(np.cumsum(counts) - counts, counts)
    return points_at(lo, hi, box, ranks), box


def points_at(lo: Indices, hi: Indices, box: Indices, ranks: Indices) -> Indices:
    """The places (n, d) of the points with these ranks (n,) in their boxes: the digits of mixed radix numbers."""
    sides, places = hi - lo + 1, np.empty((len(box), lo.shape[1]), np.int64)
    for i in reversed(range(lo.shape[1])):
        side = sides[box, i]
        places[:, i] = lo[box, i] + ranks % side
        ranks = ranks // side
    return places


def halves(lo: Indices, hi: Indices, axis: Indices, middle: Indices) -> tuple[Indices, Indices]:
    """Both parts of every box, cut along its axis (b,) after the place `middle` (b,): first all lower ones."""
    row, left_hi, right_lo = np.arange(len(lo)), hi.copy(), lo.copy()
    left_hi[row, axis], right_lo[row, axis] = middle, middle + 1
    return np.concatenate([lo, right_lo]), np.concatenate([left_hi, hi])


def ratio_offset(values: Floats) -> float:
    """Offset for ascending values so that the ratio of any two is finite, also in a range from 0."""
    return 1.0 - min(1.0, float(values[0]))
