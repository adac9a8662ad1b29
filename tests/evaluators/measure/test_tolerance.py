"""Tolerances, ULPs and NaN, element by element."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.evaluators.measure.tolerance import Tolerance, integer_distance, is_right

EXACT = Tolerance(ulps=0)
CLOSE = Tolerance(relative=1e-6, ulps=0)


def reals(*values: float, dtype: str = "f8") -> np.ndarray:
    return np.array(values, dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "f16"])
def test_nan_is_right_where_nan_is_expected_and_only_there(dtype: str) -> None:
    expected, got = (
        reals(np.nan, 1, np.nan, np.inf, np.inf, -np.inf, dtype=dtype),
        reals(np.nan, np.nan, 1, np.inf, -np.inf, 1e30, dtype=dtype),
    )
    loose = Tolerance(absolute=1e20, relative=1e20)
    assert is_right(expected, got, loose).tolist() == [True, False, False, True, False, False]


def test_absolute_and_relative_tolerance_add_up() -> None:
    tolerance = Tolerance(absolute=0.5, relative=0.1, ulps=0)
    assert is_right(reals(10, 10, 0, 0), reals(11.5, 11.51, 0.5, 0.51), tolerance).tolist() == [
        True,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_ulps_count_representable_numbers_across_zero(dtype: str) -> None:
    one = np.array([1], dtype)
    third = one
    for _ in range(3):
        third = np.nextafter(third, np.array([2], dtype))
    assert is_right(one, third, Tolerance(ulps=3)).all() and not is_right(one, third, Tolerance(ulps=2)).any()
    tiny = np.nextafter(np.array([0], dtype), one)
    assert is_right(tiny, -tiny, Tolerance(ulps=2)).all() and not is_right(tiny, -tiny, Tolerance(ulps=1)).any()
    assert is_right(np.array([0.0], dtype), np.array([-0.0], dtype), EXACT).all()


def test_integers_are_equal_or_wrong() -> None:
    a, b = np.array([1, 2, 250], "u1"), np.array([1, 3, 5], "u1")
    assert is_right(a, b, Tolerance()).tolist() == [True, False, False]
    assert is_right(a, b, Tolerance(absolute=1)).tolist() == [True, True, False]
    flags = np.array([True, False])
    assert is_right(flags, ~flags, Tolerance()).tolist() == [False, False]


@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_integers_that_no_float_tells_apart_are_wrong(dtype: str) -> None:
    most = int(np.iinfo(dtype).max)
    a, b = np.array([2**53, 2**62, most, 0], dtype), np.array([2**53 + 1, 2**62 - 1, most - 1, most], dtype)
    for first, other in ((a, b), (b, a)):
        assert not is_right(first, other, Tolerance()).any()
        assert is_right(first, other, Tolerance(absolute=1)).tolist() == [True, True, True, False]
    extremes = np.array([-(2**63), 2**63 - 1], "i8")
    assert integer_distance(extremes, extremes[::-1]).tolist() == [2.0**64, 2.0**64]


def test_single_integers_may_be_off() -> None:
    a, b = np.array([1, 2, 3], "i4"), np.array([2, 3, 3], "i4")
    assert is_right(a, b, Tolerance(elements=np.array([1.0, 0.0, 0.0]))).tolist() == [True, False, True]


def test_closeness_of_what_is_not_finite() -> None:
    nan, inf = float("nan"), float("inf")
    assert CLOSE.holds(nan, nan) and CLOSE.holds(inf, inf) and CLOSE.holds(0.0, 0.0)
    assert not any(CLOSE.holds(a, b) for a, b in [(nan, 1), (1, nan), (inf, -inf), (inf, 1e300), (1e300, inf)])


def test_each_element_has_a_tolerance_of_its_own() -> None:
    tolerance = Tolerance(elements=np.array([0.0, 0.1, 0.0, 0.1]), ulps=0)
    expected, got = np.ones(4), np.array([1.0, 1.05, 1.05, 1.2])
    assert is_right(expected, got, tolerance).tolist() == [True, True, False, False]
    chosen = np.array([False, True, False, True])
    assert is_right(expected[chosen], got[chosen], tolerance.where(chosen)).tolist() == [True, False]
