"""Elementwise correctness: tolerances, ULPs, NaN, and what is said about an array that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.evaluators.harness.compare import Output, Tolerance, compare, is_right, zeros_pass

EXACT = Tolerance(ulps=0)


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


def test_a_mismatch_counts_and_shows_the_worst() -> None:
    expected = [Output("C", reals(1, 2, 3, 4)), Output("D", np.array([1, 2], "i4"))]
    got = [Output("C", reals(1, 2.5, np.nan, 4)), Output("D", np.array([1, -7], "i4"))]
    first, second = compare(expected, got, EXACT)
    assert str(first) == "C: 2 of 4 elements differ; worst at C[2]: expected 3, got nan"
    assert str(second) == "D: 1 of 2 elements differ; worst at D[1]: expected 2, got -7"
    assert compare(expected, expected, EXACT) == ()


def test_a_tolerance_that_lets_zeros_pass_is_found() -> None:
    outputs = [Output("small", reals(1e-9, 2e-9)), Output("large", reals(1, 2)), Output("zero", reals(0, 0))]
    assert zeros_pass(outputs, Tolerance(absolute=1e-6)) == ("small",)
    assert zeros_pass(outputs, EXACT) == ()


def test_an_empty_array_is_right() -> None:
    assert compare([Output("C", reals())], [Output("C", reals())], EXACT) == ()
