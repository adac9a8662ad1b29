"""Ranges of terms: their ends are numbers, also where a value overflows."""

from __future__ import annotations

import math
import warnings

from tunepass.space.feasible.ranges import HUGE, _settled


def test_an_infinite_end_is_as_large_as_an_end_can_be() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        above = _settled(math.inf, math.inf, False, real=True)
        below = _settled(-math.inf, -math.inf, False, real=True)
    assert HUGE * 0.99 < float(above.lo) <= float(above.hi) == HUGE
    assert -HUGE == float(below.lo) <= float(below.hi) < -HUGE * 0.99
