"""Runs of one candidate, raced against the best: how many, what is cut, and the machine's speed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import pytest

from tunepass.evaluators.measure import repeats
from tunepass.evaluators.measure import speed as speed_of_machine
from tunepass.evaluators.measure.repeats import WALL_TIME, Cut, Repeats
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.process.run import Completed, Limits
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured

PLAN = MeasurePlan(budget_s=60, precision=0.01, least=3, most=5)
RATE = Objective("rate", unit="GB/s", maximise=True)


@pytest.fixture(autouse=True)
def speed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "machine_speed", lambda: 7.0)
    monkeypatch.setattr(speed_of_machine, "APART_S", 0.0)


def runs(values: Sequence[float], name: str = "time"):  # type: ignore[no-untyped-def]
    left = iter(values)
    return lambda: {name: next(left)}


def raced(best: Sequence[float], objective: Objective = WALL_TIME) -> Repeats:
    """With the runs of a best candidate behind it."""
    some = Repeats(PLAN, [objective])
    some.measure(runs(best[1:], objective.name), {objective.name: best[0]})
    return some


def test_the_first_run_is_the_first_sample() -> None:
    outcome = Repeats(PLAN, [RATE]).measure(runs([3, 1, 2, 9], "rate"), {"rate": 100.0})
    assert outcome == Measured({"rate": 3.0}, (100, 3, 1, 2, 9))


def test_of_wall_times_the_least_counts() -> None:
    some = Repeats(PLAN, [WALL_TIME])
    assert some.measure(runs([3, 1, 2, 9]), {"time": 100.0}) == Measured({"time": 1.0}, (100, 3, 1, 2, 9))
    assert (some.incumbent, some.summary([4, 9, 5])) == (1.0, 4)


@pytest.mark.parametrize("objective,values", [(WALL_TIME, [2, 9, 2]), (WALL_TIME, [9, 2.019, 2]), (RATE, [2, 2, 2])])
def test_it_stops_when_the_value_is_known(objective: Objective, values: Sequence[float]) -> None:
    """Two runs that nothing disturbed agree; of a metric the median is steady."""
    outcome = Repeats(PLAN, [objective]).measure(runs(values[1:], objective.name), {objective.name: values[0]})
    assert outcome == Measured({objective.name: 2.0}, tuple(values))


def test_where_building_took_less_than_the_runs_few_of_them_are_enough() -> None:
    some = Repeats(PLAN, [WALL_TIME])
    assert some.measure(runs([3, 1]), {"time": 2.0}, worth_s=0.0) == Measured({"time": 1.0}, (2, 3, 1))
    assert len(some.measure(runs([3, 1, 2, 3]), {"time": 2.0}, worth_s=60.0).samples) == PLAN.most  # type: ignore[union-attr]


@pytest.mark.parametrize("objective,good,bad", [(WALL_TIME, 2.0, 6.1), (RATE, 9.0, 2.9)])
def test_what_cannot_win_is_cut_after_one_run(objective: Objective, good: float, bad: float) -> None:
    some, name = raced([good] * 3, objective), objective.name
    assert some.measure(runs([], name), {name: bad}) == Measured({name: bad}, (bad,), censored=True)
    assert some.incumbent == good


def test_a_first_run_that_is_slow_once_is_not_cut() -> None:
    some = raced([2.0, 2.0, 2.1])
    assert some.measure(runs([1.9] * 2), {"time": 2.1}) == Measured({"time": 1.9}, (2.1, 1.9, 1.9))
    some = raced([2.0, 3.0, 2.0, 2.0, 2.0], RATE)
    rated = some.measure(runs([2.1] * 4, "rate"), {"rate": 1.1})
    assert rated == Measured({"rate": 2.1}, (1.1, 2.1, 2.1, 2.1, 2.1))
    cut = some.measure(runs([1.2], "rate"), {"rate": 1.1})
    assert cut == Measured({"rate": (1.1 + 1.2) / 2}, (1.1, 1.2), censored=True)


def test_what_is_surely_behind_is_not_run_again() -> None:
    some = raced([2.0, 2.0, 2.05, 2.0, 2.1])
    assert some.measure(runs([]), {"time": 2.4}) == Measured({"time": 2.4}, (2.4,))


def test_what_is_a_little_behind_is_run_once_more() -> None:
    some = raced([2.0, 2.0, 2.0, 2.0])
    assert some.measure(runs([2.1]), {"time": 2.15}) == Measured({"time": 2.1}, (2.15, 2.1))
    assert some.measure(runs([2.0] * 2), {"time": 2.15}) == Measured({"time": 2.0}, (2.15, 2.0, 2.0))


def test_a_moment_in_which_the_machine_is_slow_does_not_end_the_race(monkeypatch: pytest.MonkeyPatch) -> None:
    some, speeds = raced([44.5, 44.6, 45.4]), iter([4.2, 7.0, 7.0])
    monkeypatch.setattr(repeats, "machine_speed", lambda: next(speeds))
    outcome = some.measure(runs([44.1, 44.2]), {"time": 49.9})  # at 4.2 it would be 29.9 at the best's speed
    assert outcome == Measured({"time": 44.1}, (49.9, 44.1, 44.2)) and some.speed == 7.0


def test_on_a_machine_that_has_become_slower_the_best_is_who_is_best_at_its_speed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    some = raced([2.0, 2.0, 2.0])
    monkeypatch.setattr(repeats, "machine_speed", lambda: 4.0)
    for _ in range(5):
        some.measure(runs([2.8] * 4), {"time": 2.8})  # 1.6 at a speed of 7, but that may be a moment
        assert (some.incumbent, some.speed) == (2.0, 7.0)
    some.measure(runs([2.8] * 4), {"time": 2.8})
    assert (some.incumbent, some.speed) == (2.8, 4.0)
    some.measure(runs([3.0] * 4), {"time": 3.0})
    assert some.incumbent == 2.8


def test_runs_beside_slow_moments_are_not_put_at_another_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    some, speeds = raced([44.9, 45.0, 45.4]), cycle([4.2, 4.2, 4.2, 4.2, 4.2, 7.0])
    monkeypatch.setattr(repeats, "machine_speed", lambda: next(speeds))
    for _ in range(5):
        outcome = some.measure(runs([46.0] * 4), {"time": 46.0})
        assert outcome == Measured({"time": 46.0}, (46.0,) * 3) and some.speed == 7.0
    assert some.incumbent == 44.9


def test_what_overlaps_with_the_best_is_run_again() -> None:
    some = raced([2.0, 2.2, 2.05, 2.3, 2.1])
    assert some.measure(runs([2.3, 2.3]), {"time": 2.3}) == Measured({"time": 2.3}, (2.3, 2.3, 2.3))
    assert some.incumbent == 2.0


def test_of_few_runs_a_slow_moment_may_have_disturbed_all() -> None:
    """Runs of one program differ by half here: what is half slower is run as often as the plan's least."""
    some = raced([2.0, 3.0, 3.0, 2.0, 2.0])
    assert some.disturbed == 1.5
    assert some.measure(runs([2.9, 1.9]), {"time": 2.8}, worth_s=0.0) == Measured({"time": 1.9}, (2.8, 2.9, 1.9))
    assert some.measure(runs([]), {"time": 2.9}) == Measured({"time": 2.9}, (2.9,))
    assert some.cut_s() == pytest.approx(1.5 * 0.0019 * some.disturbed + 0.02)


def test_how_much_a_machine_at_rest_disturbs_is_learned_from_the_latest_candidates() -> None:
    some = raced([2.0, 3.0, 3.0, 2.0, 2.0])
    for _ in range(repeats.LATEST):
        some.measure(runs([2.0, 2.0]), {"time": 2.0})
    assert some.disturbed == 1.0


def test_what_is_surely_ahead_is_known_after_the_fewest_runs() -> None:
    some = raced([2.0, 2.2, 2.05, 2.3, 2.1])
    assert some.measure(runs([1.6, 1.8]), {"time": 1.7}) == Measured({"time": 1.6}, (1.7, 1.6, 1.8))
    assert some.incumbent == 1.6


def test_a_run_that_was_cut_is_a_bound_without_samples() -> None:
    some = raced([2.0] * 3)
    assert some.measure(runs([]), Cut({"time": 3.0})) == Measured({"time": 3.0}, (), censored=True)
    again = some.measure(lambda: Cut({"time": 3.0}), {"time": 2.01})
    assert again == Measured({"time": 2.01}, (2.01,), censored=True) and some.incumbent == 2.0


def test_one_run_that_was_cut_beside_whole_ones_met_a_slow_moment() -> None:
    some, left = raced([2.0] * 3), iter([Cut({"time": 3.0}), {"time": 1.5}, {"time": 1.5}])
    assert some.measure(lambda: next(left), {"time": 1.5}) == Measured({"time": 1.5}, (1.5, 1.5, 1.5))
    assert some.incumbent == 1.5


class Program:
    """Takes `seconds`, of which it works `worked`; notes its limits."""

    def __init__(self, seconds: float, worked: float = 1.0):
        self.seconds, self.worked, self.limits = seconds, worked, list[float]()

    def __call__(self, limits: Limits) -> Completed:
        self.limits.append(limits.wall_s)
        seconds = min(self.seconds, limits.wall_s)
        ended = "timeout" if self.seconds > limits.wall_s else "exit"
        return Completed(ended=ended, returncode=0, seconds=seconds, cpu_s=self.worked * seconds)  # type: ignore[arg-type]


def test_a_run_is_ended_at_a_multiple_of_the_best() -> None:
    slow, limit = Program(60), Limits(wall_s=100)
    done, cut = raced([2000.0] * 3).raced(slow, limit)
    assert cut and done.seconds == slow.limits[0] == pytest.approx(3.02) and len(slow.limits) == 1
    assert raced([2000.0] * 3).raced(Program(2.5), limit)[1] is False


def test_a_run_that_has_waited_may_try_again() -> None:
    waiting = Program(60, worked=0.5)
    assert raced([2000.0] * 3).raced(waiting, Limits(wall_s=100))[1] and len(waiting.limits) == 2


@pytest.mark.parametrize("objectives", [(RATE,), (WALL_TIME, RATE)])
def test_only_a_wall_time_that_decides_ends_runs(objectives: Sequence[Objective]) -> None:
    some, slow = Repeats(PLAN, objectives), Program(60)
    some.measure(lambda: {"time": 1.0, "rate": 1.0}, {"time": 1.0, "rate": 1.0})
    assert some.raced(slow, Limits(wall_s=100))[1] is False and slow.limits == [100]


def test_the_cut_moves_with_the_speed_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    some = raced([2000.0] * 3)
    monkeypatch.setattr(repeats, "machine_speed", lambda: 3.5)
    assert some.cut_s() == pytest.approx(6.02)


def test_with_two_objectives_nothing_is_cut() -> None:
    some = Repeats(PLAN, [WALL_TIME, RATE])
    both = [{"time": t, "rate": 1.0} for t in (1.0, 9.0)]
    assert not any(some.measure(lambda first=first: first, first).censored for first in both)


def test_a_failing_run_is_the_outcome() -> None:
    assert Repeats(PLAN, [WALL_TIME]).measure(lambda: Failed("crash"), {"time": 1.0}) == Failed("crash")


def test_the_speed_is_known_of_wall_times_only() -> None:
    timed, printed = Repeats(PLAN, [WALL_TIME]), Repeats(PLAN, [RATE])
    timed.measure(runs([2, 2]), {"time": 2.0})
    printed.measure(runs([2, 2], "rate"), {"rate": 2.0})
    assert (timed.speed, printed.speed) == (7.0, None)
