"""The default tolerance, from how far the reference is apart from itself when it rounds otherwise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.evaluators.test_wrong_kernels import outcomes, task_of
from tunepass.evaluators.measure.rounding import (
    StatedTolerance,
    ValueSpread,
    is_steady,
    needs_rounding,
    pooled,
    spread_of,
    tolerance_of,
    tolerance_of_elements,
    tolerance_of_other_inputs,
)
from tunepass.study.outcome import Failed, Measured

F8, F4 = np.dtype("f8"), np.dtype("f4")
DEFAULT = StatedTolerance()


def test_the_spread_of_what_is_finite() -> None:
    y = np.array([3.0, -4.0, np.nan, np.inf])
    spread = spread_of(y, [y + np.array([0.1, 0, 0, 0]), y + np.array([0, -0.3, 0, 0])])
    assert (spread.size, spread.peak) == pytest.approx((12.5**0.5, 4)) and spread.rounding == pytest.approx(0.3)
    assert spread_of(np.array([1, 2]), [np.array([1, 3])]) == ValueSpread(0.0, 0.0)
    assert spread_of(np.array([np.nan])) == ValueSpread(0.0, 0.0)


def test_rounding_decides_where_the_source_does_not_say() -> None:
    assert tolerance_of(DEFAULT, ValueSpread(10, 30, 1e-14), F8).absolute == pytest.approx(16e-14)
    assert tolerance_of(DEFAULT, ValueSpread(1e-8, 1e-8, 1e-24), F8).absolute < 1e-22
    # what a kernel makes of another rounding mode is not taken for rounding without end
    assert tolerance_of(DEFAULT, ValueSpread(10, 30, 1.0), F8).absolute == pytest.approx(1e-5)
    assert tolerance_of(DEFAULT, ValueSpread(10, 30, 1.0), F4).absolute == pytest.approx(1e-3)
    assert tolerance_of(DEFAULT, ValueSpread(0, 0), np.dtype("i4")).absolute == 0


def test_what_the_source_says_counts_as_far_as_zeros_would_not_pass() -> None:
    relative, both = StatedTolerance(relative=1e-6), StatedTolerance(relative=1e-6, absolute=1e-3)
    assert tolerance_of(relative, ValueSpread(100, 300), F8).absolute == 1e-6
    assert tolerance_of(relative, ValueSpread(1e-4, 1e-4), F8).absolute == pytest.approx(1e-10)
    assert tolerance_of(both, ValueSpread(100, 300), F8).absolute == 1e-3
    assert tolerance_of(both, ValueSpread(1e-5, 1e-5), F8).absolute == pytest.approx(5e-6)
    # nothing but rounding is left in these: all of it is allowed
    assert tolerance_of(both, ValueSpread(1e-17, 1e-17, 1e-16), F8).absolute == pytest.approx(1.6e-15)
    assert tolerance_of(relative, ValueSpread(1e-17, 1e-17, 1e-16), F8).absolute == pytest.approx(1.6e-15)


def test_rounding_is_asked_for_only_where_it_decides() -> None:
    large, small = ValueSpread(1, 2), ValueSpread(1e-5, 1e-5)
    assert needs_rounding(DEFAULT, large)
    assert [needs_rounding(StatedTolerance(relative=1e-9), s) for s in (large, small)] == [False, True]
    assert [needs_rounding(StatedTolerance(relative=0, absolute=1e-3), s) for s in (large, small)] == [False, True]


SUMS = """
#pragma tunepass param WAY: integer(0..4) = 0
#pragma tunepass param FAST: categorical("", "-O3 -ffast-math -march=native") = "" flag
#pragma tunepass kernel sums(n = 3, m = 20000, x: in T[n * m], y: out T[n])
void sums(int n, int m, const T *x, T *y)
{
    for (int i = 0; i < n; i++) {
        const T *row = x + (long)i * m;
#if WAY == 0
        T s = 0;
        for (int k = 0; k < m; k++) s += row[k] * row[k];
#elif WAY == 1 /* backwards */
        T s = 0;
        for (int k = m; k-- > 0;) s += row[k] * row[k];
#elif WAY == 2 /* eight sums */
        T p[8] = {0}, s = 0;
        for (int k = 0; k < m; k++) p[k % 8] += row[k] * row[k];
        for (int k = 0; k < 8; k++) s += p[k];
#elif WAY == 3 /* in a shorter type */
        SHORT s = 0;
        for (int k = 0; k < m; k++) s += (SHORT)row[k] * (SHORT)row[k];
#else /* without the last but one */
        T s = 0;
        for (int k = 0; k < m; k++) if (k != m - 2) s += row[k] * row[k];
#endif
        y[i] = s;
    }
}
"""


@pytest.mark.parametrize("wide,short", [("double", "float"), ("float", "_Float16")])
@pytest.mark.slow_but(2)
def test_other_orders_of_a_sum_pass_and_a_shorter_type_does_not(wide: str, short: str, tmp_path: Path) -> None:
    text = SUMS.replace("SHORT", short).replace("T ", f"{wide} ").replace("T[", f"{wide}[")
    ways = [
        (0, "-O3 -ffast-math -march=native"),
        (1, ""),
        (2, ""),
        (2, "-O3 -ffast-math -march=native"),
        (3, ""),
        (4, ""),
    ]
    found = outcomes(task_of(tmp_path, text), *({"WAY": way, "FAST": fast} for way, fast in ways))
    assert all(isinstance(outcome, Measured) for outcome in found[:4]), found[:4]
    assert [o.stage for o in found[4:] if isinstance(o, Failed)] == ["wrong_result", "wrong_result"]


def test_the_spread_does_not_depend_on_how_an_array_is_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=1000) * 10.0 ** rng.integers(-200, 200, 1000)
    values[[3, 500]] = np.nan, np.inf
    other = values * (1 + rng.normal(size=1000) * 1e-15)
    whole = spread_of(values, [other])
    wide, finite = values.astype(np.longdouble), np.isfinite(values)
    assert whole.size == pytest.approx(float(np.sqrt(np.mean(wide[finite] ** 2))), rel=1e-12)
    assert whole.peak == np.abs(values[finite]).max()
    assert whole.rounding == np.nanmax(np.abs(other[finite] - values[finite]))
    monkeypatch.setattr("tunepass.evaluators.measure.rounding.BLOCK", 7)
    parts = spread_of(values, [other])
    assert (parts.peak, parts.rounding) == (whole.peak, whole.rounding)
    assert parts.size == pytest.approx(whole.size, rel=1e-12)


def test_the_largest_numbers_have_a_size() -> None:
    spread = spread_of(np.full(4, 1e308))
    assert spread.size == pytest.approx(1e308) and spread.peak == 1e308


# --- by element ---------------------------------------------------------------------------------------------------


def test_one_element_that_rounding_moves_far_widens_no_others_tolerance() -> None:
    values = np.random.default_rng(0).uniform(0.5, 1, 1000)
    moved = np.full(1000, 1e-16)
    moved[400] = 1e-7
    elements = tolerance_of_elements(moved, pooled(values, moved), spread_of(values), F8).elements
    assert elements is not None and elements[400] == pytest.approx(64e-7)
    assert np.delete(elements, 400).max() < 64 * 2.3e-16


def test_an_element_that_happens_not_to_move_is_pooled_with_those_like_it() -> None:
    values = np.concatenate([np.linspace(1, 2, 200), np.full(56, 1e-9)])
    moved = np.where(values > 0.5, 1e-10, 1e-30)
    moved[77] = 0
    pool = pooled(values, moved)
    assert pool[77] == 1e-10
    assert pool[200:232].max() < 1e-15  # others than these are of another magnitude


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 8, 31, 33, 65, 255, 256, 257, 1000])
def test_arrays_of_any_size_are_pooled(size: int) -> None:
    """And no number comes before its unit in the last place, whatever is not finite."""
    values = np.random.default_rng(1).uniform(1, 2, size)
    values[size // 2 : size // 2 + 1] = np.nan
    pool = pooled(values, np.full(size, 1e-13))
    assert pool.shape == (size,) and np.isfinite(pool).all()
    if size >= 5:
        assert (pool[np.isfinite(values)] == 1e-13).all()


def test_numbers_of_few_bits_may_be_rounded_in_another_order() -> None:
    values = np.array([0.75, 0.5, 1e-8, -0.625])
    assert pooled(values, np.zeros(4)).min() >= np.finfo(np.float64).eps / 2


def test_few_elements_may_be_noise_and_most_may_not() -> None:
    values, moved = np.ones(100), np.full(100, 1e-16)
    moved[:3] = 1e-3
    few = tolerance_of_elements(moved, moved, spread_of(values), F8).elements
    assert few is not None and few[0] == pytest.approx(64e-3) and is_steady(moved, spread_of(values), F8)
    moved[:50] = 1e-3
    most = tolerance_of_elements(moved, moved, spread_of(values), F8).elements
    assert most is not None and most[0] == pytest.approx(1e-6) and not is_steady(moved, spread_of(values), F8)


def test_an_array_is_compared_where_what_is_believed_is_enough_for_another_order() -> None:
    """As sums of a hundred floats are: 64 times what moves them is more than is believed, 16 times is not."""
    values, moved = np.ones(100), np.full(100, 5e-6)
    moved[:3] = 1e-3
    spread = spread_of(values)
    assert is_steady(moved, spread, F4) and not is_steady(2 * moved, spread, F4)
    elements = tolerance_of_elements(moved, moved, spread, F4).elements
    assert elements is not None and elements[0] == pytest.approx(64e-3) and elements[5] == pytest.approx(1e-4)
    assert not is_steady(moved[:1], spread, F4)


def test_other_inputs_have_what_all_but_few_elements_need() -> None:
    moved = np.full(1000, 1e-16)
    moved[5], moved[6:400] = 1e-9, 1e-13
    elements = tolerance_of_other_inputs(moved, spread_of(np.ones(1000)), F8).elements
    assert elements is not None and elements[5] == pytest.approx(64e-9) and elements[0] == pytest.approx(64e-13)
