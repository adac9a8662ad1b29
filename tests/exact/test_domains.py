"""Boxes of places hold the points they count."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.exact.domains import count_points, is_numeric, ordered_domain, ordered_values, points_of
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation


def test_domains_ascend() -> None:
    assert ordered_domain(Ordinal("tile", [64, 4, 16])).tolist() == [4, 16, 64]
    assert is_numeric(Categorical("on", [True, False])) and not is_numeric(Categorical("kind", ["x", "y"]))
    with pytest.raises(SpaceError, match="order: branch and bound needs parameters with finitely many"):
        ordered_domain(Permutation("order", 3))


def test_every_point_of_every_box() -> None:
    lo, hi = np.array([[0, 2], [5, 5]]), np.array([[1, 4], [5, 5]])
    points = points_of(lo, hi)
    assert points.tolist() == [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [5, 5]]
    assert count_points(lo, hi) == len(points)


def test_a_domain_that_nobody_lists_is_refused() -> None:
    with pytest.raises(SpaceError, match="n: an exact solver lists its values, and 1,000,000,000,000 are too many"):
        ordered_values(Integer("n", 1, 10**12))
