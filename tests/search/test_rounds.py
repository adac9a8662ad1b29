"""The finalists' rounds as a whole, with times drawn from seeded generators: what is chosen, how often wrongly, and
whom the time is enough for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.study.test_sequential import noise
from tunepass.evaluators.measure.interleaved import interleaved
from tunepass.search.finalists import rounds as module
from tunepass.search.finalists.rounds import FIRST_INTERIM_ROUND, MOST_ROUNDS, Rounds, room
from tunepass.study.comparison.winner import Decision, Finalist, decide_winner
from tunepass.study.objective import Objective

TIME = Objective("time", unit="ms")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def build(
    logs: np.ndarray,  # type: ignore[type-arg]
    seconds: float = 1e9,
    clock: Clock | None = None,
    spared: int | None = None,
) -> tuple[Decision, list[int]]:
    """The finalists of one build measured, a second each, and who made how many rounds; `logs` of their times by round,
    the default's first."""
    clock = clock or Clock()
    made = [0] * len(logs)

    def measure(index: int) -> float:
        clock.now += 1.0
        made[index] += 1
        return float(np.exp(logs[index][made[index] - 1]))

    watch = Rounds(TIME, seconds, clock, spared)
    default, *values = interleaved([True] * len(logs), measure, min(MOST_ROUNDS, logs.shape[1]), behind=watch)
    return decide_winner(TIME, default, [Finalist(each) for each in values]), made


@pytest.mark.slow
def test_two_thousand_builds_of_a_kernel_that_nothing_changes_keep_the_default() -> None:
    """The contract is fewer than 1 in 100; 10 wrong ones are expected at most (ALPHA)."""
    rng, wrong, kinds = np.random.default_rng(20), 0, ("plain", "skewed", "spikes", "lasting")
    for number in range(2000):
        logs = noise(rng, kinds[number % len(kinds)], (4, 16))
        wrong += not build(logs)[0].kept_default
    assert wrong < 15


def test_who_is_spared_makes_room_for_nobody_but_goes_when_it_is_worse() -> None:
    rng, made = np.random.default_rng(24), list[list[int]]()
    for spared in (None, 3):
        logs = noise(rng, "plain", (9, 40))
        logs[:3] -= np.log(1.02)  # the default as well: nobody is known to be better
        made.append(build(logs, seconds=180.0, spared=spared)[1])
    assert made[0][3] < max(made[0]) and made[1][3] == max(made[1])
    logs = noise(rng, "plain", (9, 40))
    logs[3] += np.log(2.0)
    assert build(logs, spared=3)[1][3] == FIRST_INTERIM_ROUND


@pytest.mark.parametrize(("gain", "most"), [(1.25, 16), (1.1, 25), (1.05, 63)])
def test_a_gain_is_found_in_as_many_rounds_as_it_needs(gain: float, most: int) -> None:
    rng, made = np.random.default_rng(21), []
    for _ in range(20):
        logs = noise(rng, "plain", (3, 100))
        logs[1] -= np.log(gain)
        decision, rounds = build(logs)
        assert decision.chosen == 0
        made.append(rounds[0])
    assert np.median(made) <= most


def test_a_gain_is_found_behind_a_busy_machine() -> None:
    rng, found = np.random.default_rng(22), 0
    for _ in range(20):
        logs = noise(rng, "spikes", (4, 100))
        logs[2] -= np.log(1.25)
        found += build(logs)[0].chosen == 1
    assert found == 20


@pytest.mark.parametrize("kind", ["plain", "skewed", "heavy", "spikes", "two", "lasting"])
def test_the_gain_that_is_told_is_within_its_interval_whenever_the_rounds_ended(kind: str) -> None:
    rng, held = np.random.default_rng(25), 0
    for _ in range(60):
        logs = noise(rng, kind, (2, 40))
        logs[1] -= np.log(1.25)
        lo, hi = build(logs)[0].interval
        held += lo <= 1.25 <= hi
    assert held >= 55  # 57 expected at least


def test_what_is_clear_ends_early_and_the_gain_that_is_told_is_precise() -> None:
    rng = np.random.default_rng(23)
    logs = 0.002 * rng.standard_normal((3, 100)) - np.log([[1.0], [2.0], [1.5]])
    decision, made = build(logs)
    assert decision.chosen == 0 and made == [FIRST_INTERIM_ROUND] * 3
    assert decision.interval[1] / decision.interval[0] < 1.04


def test_when_time_is_short_fewer_finalists_are_compared() -> None:
    rng = np.random.default_rng(24)
    logs = 0.01 * rng.standard_normal((6, 100)) - np.log([[1.0], [1.1], [1.2], [1.3], [1.2], [1.1]])
    decision, made = build(logs, seconds=26.0)
    assert [rounds == 2 for rounds in made] == [False, True, False, False, True, True] and decision.chosen == 2
    assert build(logs, seconds=0.0)[1].count(2) == 4  # the best one in any case


def test_a_gain_is_found_in_the_few_rounds_that_a_short_build_has() -> None:
    """Of eight finalists, in a time for six rounds of all of them: the better ones make more."""
    rng, found = np.random.default_rng(27), 0
    for _ in range(20):
        logs = 0.08 * rng.standard_normal((9, 100))
        logs[1:] -= np.log(rng.permutation([1.25, 1.24, 1.22, 1.2, 1.2, 1.15, 1.1, 1.05]))[:, None]
        decision, made = build(logs, seconds=54.0)
        found += not decision.kept_default
        assert made[0] >= 12
    assert found >= 16  # few where all of them made six rounds


@pytest.mark.slow
def test_a_short_build_keeps_the_default_of_a_kernel_that_nothing_changes() -> None:
    rng = np.random.default_rng(28)
    wrong = sum(not build(noise(rng, "lasting", (9, 40)), seconds=54.0)[0].kept_default for _ in range(1000))
    assert wrong < 10


def test_who_makes_room_is_half_of_them_unless_the_rest_would_not_come_to_the_first_look() -> None:
    assert [room(measurements, 2, 8) for measurements in (1000, 150, 50, 30, 12, 3)] == [8, 5, 4, 4, 2, 1]
    assert room(math.inf, 2, 8) == room(0, 30, 8) == 8 and room(8, 6, 2) == 1


def test_without_finalists_the_default_is_not_measured_on() -> None:
    watch = module.Rounds(TIME, 10.0, Clock())
    assert watch([[1.0], []]) == [0, 1]
