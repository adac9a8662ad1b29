"""Ranges of reals and long integers: halves share their parent's measure, draws stay inside, priors weigh."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.space.parameter import Integer, Real
from tunepass.space.parameters.axis import BoxAxis, IntegerAxis

FEW, MANY = Integer("n", 5, 5), Integer("n", 3, 10**12, step=7, prior="exponential")
AXES: list[BoxAxis] = [
    Real("r", -2.0, 6.0, prior="decay").axis(),
    Real("r", 1e-3, 1e3, log=True, prior="gaussian").axis(),
    IntegerAxis("n", MANY.prior, MANY.size, MANY.at),
    IntegerAxis("n", FEW.prior, FEW.size, FEW.at),
]


def test_only_what_is_too_long_to_list_has_one() -> None:
    assert FEW.axis() is None and MANY.axis() == AXES[2]


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("prior", [False, True])
def test_halves_cover_the_whole_and_draws_stay_inside(axis: BoxAxis, prior: bool) -> None:
    rng = np.random.default_rng(0)
    lo, hi = (np.full(50, end) for end in axis.whole)
    whole = axis.mass(lo, hi, prior=prior)
    assert np.allclose(whole, 1.0)
    for _ in range(30):
        middle, next_ = axis.halves(lo, hi)
        assert ((lo <= middle) & (middle <= hi) & (next_ <= hi)).all()
        shares = axis.mass(lo, middle, prior=prior) + axis.mass(next_, hi, prior=prior)
        assert np.allclose(shares, axis.mass(lo, hi, prior=prior)) or (next_ == middle).any()
        upper = rng.random(50) < 0.5
        lo, hi = np.where(upper, next_, lo), np.where(upper, hi, middle)
        least, largest = axis.values(lo, hi)
        drawn = axis.draw(lo, hi, rng, prior=prior)
        assert (least <= drawn).all() and (drawn <= largest).all()
    assert (axis.width(lo, hi) < 1e-6).all()
