"""How ends are closed: outward where doubles are not exact, cut to 64 bits, and what Boolean bounds decide."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.expr.interval.bounds import (
    MAY_BE_UNDEFINED,
    MAY_OVERFLOW,
    NO_FLAGS,
    Bounds,
    enclosing,
    flagged,
    integer,
    joined,
    real,
)


@pytest.mark.parametrize("value", [2**53 - 1, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, -(2**63)])
def test_given_integers_are_enclosed(value: int) -> None:
    bounds = enclosing(value, value)
    assert int(bounds.lo) <= value <= int(bounds.hi)
    assert bounds.flags == 0


def test_small_integers_stay_and_large_ones_move_outward() -> None:
    lo, hi = np.array([3.0, 2.0**60]), np.array([5.0, 2.0**60])
    closed = integer(lo, hi, NO_FLAGS)
    assert (closed.lo[0], closed.hi[0]) == (3, 5)
    assert closed.lo[1] < 2.0**60 < closed.hi[1] and not closed.flags.any()
    cut = integer(np.array([-(2.0**70)]), np.array([2.0**64]), NO_FLAGS)
    assert (cut.lo[0], cut.hi[0], cut.flags[0]) == (-(2.0**63), 2.0**63, MAY_OVERFLOW)


def test_real_ends_that_are_lost_may_be_anything() -> None:
    closed = real(np.array([np.nan, 1.0]), np.array([2.0, 2.0]), NO_FLAGS, np.array([False, True]))
    assert closed.lo.tolist() == [-np.inf, 1.0] and closed.hi.tolist() == [np.inf, 2.0]
    assert closed.flags.tolist() == [MAY_BE_UNDEFINED, MAY_BE_UNDEFINED]


def test_booleans_decide() -> None:
    flags = flagged(np.array([False, True, False, False]), MAY_BE_UNDEFINED)
    bounds = Bounds(np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 1.0, 0.0, 1.0]), flags)
    assert bounds.always.tolist() == [True, False, False, False]
    assert bounds.never.tolist() == [False, False, True, False]
    assert joined([bounds, bounds]).tolist() == flags.tolist()
