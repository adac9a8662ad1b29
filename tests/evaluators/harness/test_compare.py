"""What is said about an array that is wrong."""

from __future__ import annotations

import numpy as np

from tunepass.evaluators.harness.compare import Output, compare, zeros_pass
from tunepass.evaluators.measure.tolerance import Tolerance

EXACT = Tolerance(ulps=0)


def reals(*values: float, dtype: str = "f8") -> np.ndarray:
    return np.array(values, dtype)


def test_a_mismatch_counts_and_shows_the_worst() -> None:
    expected = [Output("C", reals(1, 2, 3, 4)), Output("D", np.array([1, 2], "i4"))]
    got = [Output("C", reals(1, 2.5, np.nan, 4)), Output("D", np.array([1, -7], "i4"))]
    first, second = compare(expected, got, EXACT)
    assert str(first) == "C: 2 of 4 elements differ; worst at C[2]: expected 3, got nan"
    assert str(second) == "D: 1 of 2 elements differ; worst at D[1]: expected 2, got -7"
    assert compare(expected, expected, EXACT) == ()


def test_a_tolerance_that_lets_zeros_pass_is_found() -> None:
    outputs = [Output("small", reals(1e-9, 2e-9)), Output("large", reals(1, 2)), Output("zero", reals(0, 0))]
    assert zeros_pass(outputs, [Tolerance(absolute=1e-6)] * 3) == ("small",)
    assert zeros_pass(outputs, [EXACT] * 3) == ()


def test_an_empty_array_is_right() -> None:
    assert compare([Output("C", reals())], [Output("C", reals())], EXACT) == ()


def test_a_boolean_of_two_is_none() -> None:
    flags = np.array([0, 2], np.uint8).view(np.bool_)
    (wrong,) = compare([Output("y", np.array([False, True]))], [Output("y", flags)], Tolerance())
    assert (wrong.wrong, wrong.expected, wrong.got) == (1, "1", "2")
