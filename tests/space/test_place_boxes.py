"""Boxes of places have the points that they count, and so have their halves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tunepass.space.place_boxes import count_points, halves, points_at, points_of, ratio_offset, sizes


def test_every_point_of_every_box() -> None:
    lo, hi = np.array([[0, 2], [5, 5]]), np.array([[1, 4], [5, 5]])
    places, box = points_of(lo, hi)
    assert places.tolist() == [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [5, 5]]
    assert box.tolist() == [0] * 6 + [1] and count_points(lo, hi) == 7 and sizes(lo, hi).tolist() == [6, 1]
    assert points_at(lo, hi, np.array([0, 1]), np.array([4, 0])).tolist() == [[1, 3], [5, 5]]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=3), st.data())
def test_halves_have_the_points_of_the_whole(ends: list[tuple[int, int]], data: st.DataObject) -> None:
    lo = np.array([[first for first, _ in ends]])
    hi = np.array([[first + more for first, more in ends]])
    axis = np.array([data.draw(st.integers(0, len(ends) - 1))])
    middle = np.array([data.draw(st.integers(int(lo[0, axis[0]]), int(hi[0, axis[0]]) - 1))])
    parts, _ = points_of(*halves(lo, hi, axis, middle))
    whole, _ = points_of(lo, hi)
    assert sorted(parts.tolist()) == whole.tolist()


def test_ratios_of_a_range_from_zero_are_finite() -> None:
    assert ratio_offset(np.array([0.0, 8.0])) == 1.0 and ratio_offset(np.array([2.0, 8.0])) == 0.0
