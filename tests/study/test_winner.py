"""The winner's contract on synthetic measurements: noise keeps the default, a real gain wins, ties stay close."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.study.comparison.sequential import INTERIM_ROUNDS
from tunepass.study.comparison.winner import Finalist, decide_winner, unneeded
from tunepass.study.objective import Objective

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
    assert wrong <= 10  # 3 expected


@pytest.mark.parametrize("spikes", [0.0, 0.1])
def test_a_real_gain_wins_with_an_interval_that_holds_it(spikes: float) -> None:
    rng = np.random.default_rng(2)
    won = held = 0
    for _ in range(100):
        finalists = [Finalist(rounds(rng, true, 10, noise=0.01, spikes=spikes)) for true in (5.0, 9.9, 11.0)]
        decision = decide_winner(TIME, rounds(rng, 10, 10, noise=0.01, spikes=spikes), finalists)
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


def test_who_is_surely_worse_than_the_best_needs_no_more_rounds() -> None:
    rng = np.random.default_rng(5)
    default, best, alike, worse = (rounds(rng, true, n=6, noise=0.02) for true in (10.0, 5.0, 5.05, 6.5))
    assert unneeded(TIME, [default, best, alike, worse, worse[:3], []]) == [3]
    assert unneeded(TIME, [default[:5], best[:5], worse[:5]]) == [] and unneeded(TIME, [default]) == []
    assert unneeded(RATE, [best, worse, default]) == [1]


def test_one_as_good_as_the_best_is_seldom_left_behind() -> None:
    rng = np.random.default_rng(6)
    lost = sum(len(unneeded(TIME, [rounds(rng, t, 6) for t in (9.0, 5.0, 5.0)])) == 1 for _ in range(500))
    assert lost <= 20  # 10 expected: either of the two may seem the best


def test_rounds_go_to_the_best_and_the_default_while_it_is_not_beaten() -> None:
    rng = np.random.default_rng(8)
    values = [rounds(rng, true, n=20, noise=0.08) for true in (10, 9.9, 9.8, 9.7, 9.6)]
    running = [0, 1, 2, 3, 4]
    for look in INTERIM_ROUNDS[:6]:
        made = [each[:look] if i in running else each[: look - 1] for i, each in enumerate(values)]
        running = [i for i in running if i not in unneeded(TIME, made)]
    assert len(running) == 2 and 0 in running


def test_nothing_is_measured_on_once_all_is_decided() -> None:
    exact = [[10.0] * 6, [8.0] * 6]
    assert unneeded(TIME, exact) == [0, 1]  # better by far
    assert unneeded(TIME, [[10.0] * 6, [10.0] * 6]) == [0, 1]  # no better at all
    rng = np.random.default_rng(9)
    noisy = [rounds(rng, true, n=16, noise=0.05) for true in (10, 5, 5.05)]
    assert unneeded(TIME, [each[:13] for each in noisy]) == []  # which of the two is open
    assert unneeded(TIME, noisy) == [0, 1, 2]


def test_a_kept_default_says_how_many_more_rounds_would_decide() -> None:
    rng = np.random.default_rng(10)
    default, better = rounds(rng, 10.3, n=100), rounds(rng, 9.9, n=100)
    early = decide_winner(TIME, default[:13], [Finalist(better[:13])])
    assert early.kept_default and early.best == 0 and early.interval[0] < 1.02 < early.gain < early.interval[1]
    assert early.more_rounds is not None and 0 < early.more_rounds <= 80
    assert decide_winner(TIME, default, [Finalist(better)]).chosen == 0
    same = decide_winner(TIME, [10.0, 10.1] * 20, [Finalist([10.1, 10.0] * 20)])
    assert same.kept_default and same.more_rounds == 0
    noisy = [1.0, 2.0, 4.0, 1.5] * 3
    assert decide_winner(TIME, noisy, [Finalist(noisy[::-1])]).more_rounds is None
