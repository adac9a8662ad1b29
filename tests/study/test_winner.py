"""The winner's contract on synthetic measurements: noise keeps the default, a real gain wins, ties stay close."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.study.objective import Objective
from tunepass.study.winner import Finalist, behind, decide_winner, interval, log_gains

TIME = Objective("time", unit="ms")
RATE = Objective("rate", unit="GB/s", maximise=True)


def rounds(rng: np.random.Generator, true: float, n: int = 7, noise: float = 0.03, spikes: float = 0.0) -> list[float]:
    """Log-normal measurements; with probability `spikes` one is up to three times slower."""
    values = true * np.exp(noise * rng.standard_normal(n))
    return [float(v * (1 + 2 * rng.random())) if rng.random() < spikes else float(v) for v in values]


@pytest.mark.parametrize("noise", [0.0005, 0.03, 0.3])
@pytest.mark.parametrize("spikes", [0.0, 0.15])
def test_noise_keeps_the_default_twenty_times_of_twenty(noise: float, spikes: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        finalists = [Finalist(rounds(rng, 10, noise=noise, spikes=spikes), (1.0,)) for _ in range(3)]
        assert decide_winner(TIME, rounds(rng, 10, noise=noise, spikes=spikes), finalists).kept_default


def test_the_false_alarm_rate_is_below_what_is_promised() -> None:
    rng = np.random.default_rng(1)
    wrong = sum(
        not decide_winner(TIME, rounds(rng, 10), [Finalist(rounds(rng, 10)) for _ in range(3)]).kept_default
        for _ in range(2000)
    )
    assert wrong <= 8  # 2 expected


@pytest.mark.parametrize("spikes", [0.0, 0.1])
def test_a_real_gain_wins_with_an_interval_that_holds_it(spikes: float) -> None:
    rng = np.random.default_rng(2)
    won = held = 0
    for _ in range(100):
        finalists = [Finalist(rounds(rng, true, noise=0.01, spikes=spikes)) for true in (5.0, 9.9, 11.0)]
        decision = decide_winner(TIME, rounds(rng, 10, noise=0.01, spikes=spikes), finalists)
        won += decision.chosen == 0
        held += decision.interval[0] <= 2.0 <= decision.interval[1]
    assert won >= (99 if spikes == 0 else 85) and held >= 90


def test_a_drift_of_the_whole_machine_cancels() -> None:
    rng = np.random.default_rng(3)
    drift = np.array([1, 1, 2, 3, 3, 2, 1.0])
    default, faster = (np.array(rounds(rng, true, noise=0.005)) * drift for true in (10, 9))
    assert decide_winner(TIME, list(default), [Finalist(list(faster))]).chosen == 0


def test_ties_go_to_the_configuration_closest_to_the_default() -> None:
    rng = np.random.default_rng(4)
    near, far, slower = (rounds(rng, true, noise=0.01) for true in (5.0, 5.0, 7.0))
    finalists = [Finalist(far, (3, 1.0)), Finalist(near, (1, 0.2)), Finalist(slower, (1, 0.1))]
    decision = decide_winner(TIME, rounds(rng, 10, noise=0.01), finalists)
    assert decision.chosen == 1 and not decision.kept_default


def test_what_noise_hides_is_no_tie_when_it_is_worse_in_the_mean() -> None:
    rng = np.random.default_rng(7)
    lost = []
    for _ in range(50):
        best, near = rounds(rng, 5.0, n=15, noise=0.08), rounds(rng, 5.6, n=15, noise=0.08)
        decision = decide_winner(TIME, rounds(rng, 20, n=15, noise=0.08), [Finalist(best, (3,)), Finalist(near, (1,))])
        lost.append(decision.chosen == 1)
    assert sum(lost) <= 5


def test_an_exact_tie_goes_to_the_first() -> None:
    finalists = [Finalist([5.0] * 7, (1,)), Finalist([5.0] * 7, (1,))]
    assert decide_winner(TIME, [10.0] * 7, finalists).chosen == 0


def test_a_gain_below_one_per_cent_is_not_worth_a_change() -> None:
    assert decide_winner(TIME, [10.0] * 7, [Finalist([9.95] * 7)]).kept_default


def test_direction_is_the_objectives() -> None:
    rng = np.random.default_rng(5)
    default, higher = rounds(rng, 10, noise=0.005), rounds(rng, 13, noise=0.005)
    assert decide_winner(RATE, default, [Finalist(higher)]).chosen == 0
    assert decide_winner(TIME, default, [Finalist(higher)]).kept_default


def test_a_finalist_that_failed_meanwhile_cannot_win() -> None:
    decision = decide_winner(TIME, [10.0] * 7, [Finalist([]), Finalist([1.0] * 3)])
    assert decision.kept_default and decision.interval == (1.0, 1.0)
    assert decide_winner(TIME, [10.0] * 2, [Finalist([1.0] * 2)]).kept_default


def test_the_interval_covers_the_true_gain_as_often_as_it_says() -> None:
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(1000):
        logs = log_gains(TIME, rounds(rng, 10), rounds(rng, 8))
        lo, hi = interval(logs, 0.025)
        held += lo <= 1.25 <= hi
    assert 930 <= held <= 975


def test_who_is_surely_worse_than_the_best_is_behind() -> None:
    rng = np.random.default_rng(5)
    default, best, alike, worse = (rounds(rng, true, n=5, noise=0.02) for true in (10.0, 5.0, 5.05, 6.5))
    assert behind(TIME, [default, best, alike, worse, worse[:3], []]) == [3]
    assert behind(TIME, [default[:2], best[:2], worse[:2]]) == [] and behind(TIME, [default]) == []
    assert behind(RATE, [default, best, worse]) == [1]


def test_one_as_good_as_the_best_is_seldom_left_behind() -> None:
    rng = np.random.default_rng(6)
    lost = sum(len(behind(TIME, [rounds(rng, 9.0), rounds(rng, 5.0), rounds(rng, 5.0)])) for _ in range(1000))
    assert lost <= 40  # 20 expected: either of the two may seem the best
