"""Bounds that hold however often one looks: coverage under noise of many kinds, and the forecast of rounds."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.study.comparison.sequential import (
    INTERIM_ROUNDS,
    at_end,
    clipped,
    interim_interval,
    interval,
    log_gains,
    rounds_to_exclude,
    trimmed_mean,
)
from tunepass.study.objective import Objective

TIME = Objective("time", unit="ms")
ROUNDS = 32


def noise(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:  # type: ignore[type-arg]
    """Logs of times around 0, the last axis by round."""
    plain = rng.standard_normal(shape)
    match kind:
        case "skewed":
            return 0.03 * np.exp(plain)
        case "heavy":
            return 0.03 * rng.standard_cauchy(shape)
        case "spikes":
            return 0.03 * plain + np.where(rng.random(shape) < 0.15, np.log1p(2 * rng.random(shape)), 0.0)
        case "slow":  # a process that is five times slower as a whole
            return 0.03 * plain + np.where(rng.random(shape) < 0.15, 1.6, 0.0)
        case "two":  # a placement that is good or bad in each run
            return 0.06 * (rng.random(shape) < 0.5) + 0.003 * plain
        case "lasting":  # a load that outlives a round, of each by itself
            for turn in range(1, shape[-1]):
                plain[..., turn] = 0.3 * plain[..., turn - 1] + np.sqrt(1 - 0.3**2) * plain[..., turn]
            return 0.03 * plain
    return 0.03 * plain


def test_the_interval_covers_the_true_gain_as_often_as_it_says() -> None:
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(1000):
        old, new = (true * np.exp(0.03 * rng.standard_normal(7)) for true in (10, 8))
        lo, hi = interval(log_gains(TIME, list(old), list(new)), 0.025)
        held += lo <= 1.25 <= hi
    assert 930 <= held <= 975


@pytest.mark.parametrize("kind", ["plain", "skewed", "heavy", "spikes", "slow", "two", "lasting"])
def test_who_looks_again_and_again_is_wrong_no_more_often_than_promised(kind: str) -> None:
    rng, tail, builds = np.random.default_rng(11), 0.05, 300
    old, new = noise(rng, kind, (builds, ROUNDS)), noise(rng, kind, (builds, ROUNDS))
    wrong = 0
    for d in old - new:
        looks = (clipped(d[:n]) for n in INTERIM_ROUNDS if n <= ROUNDS)
        wrong += any(interim_interval(seen, tail)[0] > 1 for seen in looks) or at_end(clipped(d), tail)[0] > 1
    assert wrong <= tail * builds


def test_slow_runs_of_the_old_one_do_not_hide_that_the_new_one_is_faster_in_every_round() -> None:
    old = [3.04, 3.07, 2.99, 2.56, 2.57, 14.76, 14.92, 2.50, 2.57, 2.61, 15.20, 2.95]
    new = [1.70, 1.72, 1.68, 1.65, 1.63, 1.76, 1.71, 1.66, 1.64, 1.70, 1.73, 1.69]
    lo, hi = at_end(log_gains(TIME, old, new), 0.005)
    assert 1.01 < lo < 1.7 < hi < 3.2
    lo, _ = at_end(log_gains(TIME, [1.60, *old[1:]], new), 0.005)
    assert lo < 1  # one round says the opposite


def test_how_far_rounds_are_clipped_knows_no_direction() -> None:
    d = np.array([0.4, 0.5, 0.45, 0.55, 0.5, 2.2, 2.2, 0.42])
    assert np.allclose(clipped(-d), -clipped(d))
    assert clipped(d).max() == pytest.approx(np.median(d) + 3 * 1.4826 * np.median(abs(d - np.median(d))))
    assert clipped(d[:7]).max() == 2.2
    assert clipped(d - 0.43).max() == pytest.approx(2.2 - 0.43)


def test_what_lasts_longer_than_a_round_widens_the_interval() -> None:
    rng = np.random.default_rng(12)
    drawn = 0.03 * rng.standard_normal(40)
    held_up = np.repeat(drawn[::2], 2)  # each value twice
    width = [
        float(np.diff(np.log(interval(d, 0.01)))[0]) for d in (held_up, *(rng.permutation(held_up) for _ in "12345"))
    ]
    assert width[0] > 1.25 * np.median(width[1:])


def test_the_forecast_of_rounds_comes_true() -> None:
    rng = np.random.default_rng(13)
    pattern = 0.03 * rng.standard_normal(20)
    d = 0.03 + pattern - trimmed_mean(pattern)
    more = rounds_to_exclude(d, 0.005, 1.01)
    assert more is not None and interim_interval(d, 0.005)[0] < 1.01
    longer = np.concatenate([d, np.resize(d, more + 20)])
    assert interim_interval(longer, 0.005)[0] > 1.01
    assert rounds_to_exclude(d - trimmed_mean(d) + np.log(1.01), 0.005, 1.01) is None
