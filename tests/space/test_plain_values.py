"""Numbers of callers: whole numbers may lie beyond any float, of which Python's own tests and conversions raise."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import pytest

import tunepass as tp
from tunepass.diagnostics import TunepassError
from tunepass.space.plain_values import is_finite
from tunepass.space.prior import Beta

HUGE = 10**400


@pytest.mark.parametrize("value", [0, -1, 2**63, sys.float_info.max, -5e-324])
def test_numbers_near_a_float_are_finite(value: float) -> None:
    assert is_finite(value)


@pytest.mark.parametrize("value", [HUGE, -HUGE, math.inf, -math.inf, math.nan])
def test_numbers_beyond_any_float_are_not(value: float) -> None:
    assert not is_finite(value)


@pytest.mark.parametrize(
    "take",
    [
        lambda: tp.Ordinal("x", [1, HUGE]),
        lambda: tp.Categorical("x", [1, HUGE]),
        lambda: tp.Integer("x", 0, HUGE),
        lambda: tp.Real("x", 0, HUGE),
        lambda: tp.Real("x", 0, 1, step=HUGE),
        lambda: Beta(HUGE, 1),
        lambda: tp.Ordinal("x", [1, 2], prior=[1, HUGE]),
        lambda: tp.Measured({"time": HUGE}),
        lambda: tp.Measured({"time": 1.0}, (HUGE,)),
        lambda: tp.Measured({"time": 1.0}, deviation={"time": HUGE}),
    ],
)
def test_callers_are_told_of_them(take: Callable[[], object]) -> None:
    with pytest.raises(TunepassError):
        take()
