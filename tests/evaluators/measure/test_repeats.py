"""Medians over runs: how many, what is cut, and the machine's speed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tunepass.evaluators.measure import repeats
from tunepass.evaluators.measure.repeats import WALL_TIME, Repeats
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured

PLAN = MeasurePlan(budget_s=60, precision=0.01, least=3, most=5)
RATE = Objective("rate", unit="GB/s", maximise=True)


def runs(values: Sequence[float], name: str = "time"):  # type: ignore[no-untyped-def]
    left = iter(values)
    return lambda: {name: next(left)}


def test_the_median_without_the_first_run() -> None:
    outcome = Repeats(PLAN, [WALL_TIME]).measure(runs([3, 1, 2, 9, 8]), {"time": 100.0})
    assert outcome == Measured({"time": 3.0}, (3, 1, 2, 9, 8))


def test_it_stops_when_the_median_is_known() -> None:
    outcome = Repeats(PLAN, [WALL_TIME]).measure(runs([2, 2, 2]), {"time": 100.0})
    assert outcome == Measured({"time": 2.0}, (2, 2, 2))


@pytest.mark.parametrize("objective,good,bad", [(WALL_TIME, 2.0, 9.0), (RATE, 9.0, 2.0)])
def test_what_cannot_win_is_cut_after_one_run(objective: Objective, good: float, bad: float) -> None:
    some, name = Repeats(PLAN, [objective]), objective.name
    some.measure(runs([good] * 3, name), {name: good})
    assert some.measure(runs([], name), {name: bad}) == Measured({name: bad}, (bad,), censored=True)
    assert some.incumbent == good


def test_with_two_objectives_nothing_is_cut() -> None:
    some = Repeats(PLAN, [WALL_TIME, RATE])
    both = [{"time": t, "rate": 1.0} for t in (1.0, 9.0)]
    assert not any(some.measure(lambda first=first: first, first).censored for first in both)


def test_a_failing_run_is_the_outcome() -> None:
    assert Repeats(PLAN, [WALL_TIME]).measure(lambda: Failed("crash"), {"time": 1.0}) == Failed("crash")


def test_the_speed_is_known_of_wall_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "machine_speed", lambda: 7.0)
    timed, printed = Repeats(PLAN, [WALL_TIME]), Repeats(PLAN, [RATE])
    timed.measure(runs([2, 2, 2]), {"time": 2.0})
    printed.measure(runs([2, 2, 2], "rate"), {"rate": 2.0})
    assert (timed.speed, printed.speed) == (7.0, None)
