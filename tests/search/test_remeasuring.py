"""The best trial measured again before it is made simpler: what luck it had, and what that may cost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.passes.fakes import Clock, Comparing, Price, Prices
from tunepass.executors.base import executor
from tunepass.passes.search import ignore
from tunepass.search.budget import Budget
from tunepass.search.faults import FaultGuard
from tunepass.search.finalists.choice import differs_in_much
from tunepass.search.loop import SearchLoop
from tunepass.search.options import SearchOptions
from tunepass.search.remeasuring import AT_ONCE, TURNS, Remeasuring
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Measured
from tunepass.study.study import Study

TIME = Objective("time", unit="ms")
FLAGS = [Categorical(f"f{i}", [0, 1], default=0) for i in range(20)]
SPACE = Space(FLAGS)


def on(*numbers: int) -> Configuration:
    return Configuration({**SPACE.default, **{f"f{i}": 1 for i in numbers}})


class Searched:
    """Trials with their values, and what a further measurement gives instead."""

    def __init__(
        self,
        values: dict[Configuration, float],
        again: dict[Configuration, float],
        *,
        budget_s: float | None = None,
        build_s: float = 1.0,
        measure_s: float = 2.0,
        prices: type[Prices] = Comparing,
    ):
        study, clock = Study(SPACE, [TIME]), Clock()
        for configuration, value in values.items():
            study.observe(
                configuration, Measured({"time": value}, (value,)), seconds={"compile": build_s, "measure": measure_s}
            )
        price: Price = lambda c: values[c]  # noqa: E731
        again_price = lambda c, turn: again.get(c, values[c])  # noqa: E731
        self.evaluator = Comparing(price, again_price, clock) if prices is Comparing else prices(price, clock)
        self.trial_log = TrialLog(study, TIME)
        budget = Budget(self.trial_log, self.evaluator, budget_s, None, clock)
        guard = FaultGuard(self.evaluator, executor("local", 1))
        self.again = Remeasuring(self.trial_log, budget, self.evaluator, guard)

    @property
    def best(self) -> tuple[Configuration, float]:
        assert self.trial_log.best is not None and isinstance(self.trial_log.best.outcome, Measured)
        return self.trial_log.best.configuration, self.trial_log.best.outcome.values["time"]


def test_a_lucky_best_takes_what_it_is_measured_at_in_turns_and_the_next_is_looked_at() -> None:
    lucky, next_lucky, good = on(1), on(2), on(3)
    some = Searched({SPACE.default: 60.0, lucky: 40.0, next_lucky: 43.0, good: 44.0}, {lucky: 46.0, next_lucky: 45.0})
    assert some.again.best_few()
    assert some.evaluator.compared == [[lucky], [next_lucky, good]]  # type: ignore[attr-defined]
    assert some.best == (good, 44.0)
    trial = some.trial_log.trials[1]
    assert isinstance(trial.outcome, Measured) and trial.outcome.samples == (46.0,) * TURNS
    assert trial.log == "measured again in turns with others; it was 40 ms" and trial.seconds == {
        "compile": 1.0,
        "measure": 2.0,
    }
    assert not some.again.best_few()


def test_at_most_so_many_at_once_and_of_one_code_one() -> None:
    some = Searched({SPACE.default: 60.0, **{on(i): 40.0 + 0.1 * i for i in range(8)}}, {})
    some.trial_log.keep(on(9), Evaluation(Measured({"time": 1.0}), same_as=on(0)))
    assert some.again.best_few()
    assert some.evaluator.compared == [[on(i) for i in range(AT_ONCE)]]  # type: ignore[attr-defined]
    some.trial_log.measured_again(on(0), 51.0, [50.0, 51.0, 52.0])
    assert (
        some.trial_log.trials[-1].outcome
        == some.trial_log.trials[1].outcome
        == Measured({"time": 51.0}, (50.0, 51.0, 52.0))
    )


def test_a_further_measurement_is_at_the_speed_that_the_machine_has_now() -> None:
    some = Searched({}, {})
    for number, speed in enumerate([1000.0, 500.0]):
        some.trial_log.keep(on(*range(number)), Evaluation(Measured({"time": 40.0}), calibration=speed))
    some.trial_log.measured_again(on(), 90.0, [90.0])
    assert some.best == (on(0), 20.0) and some.trial_log.trials[0].outcome == Measured({"time": 45.0}, (90.0,))


def test_what_there_is_no_time_for_is_not_measured_again() -> None:
    values = {SPACE.default: 60.0, on(1): 40.0, on(2): 40.5}
    again_s = 1.0 + TURNS * 1.0  # a build, and turns of half of what a trial was measured for
    for left_s, measured in ((0.9 * again_s, []), (1.1 * again_s, [[on(1)]])):
        some = Searched(values, {}, budget_s=10 * left_s)
        some.again.budget.reserve_s = lambda left_s=left_s: 5 * left_s  # type: ignore[method-assign,misc]
        assert some.again.best_few() is bool(measured)
        assert some.evaluator.compared == measured  # type: ignore[attr-defined]


class Leasts(Comparing):
    def summary(self, values: Sequence[float]) -> float:
        return min(values)


@pytest.mark.parametrize("prices,value", [(Comparing, 43.0), (Leasts, 41.0)])
def test_runs_come_to_what_the_evaluator_makes_of_them(prices: type[Comparing], value: float) -> None:
    some = Searched({SPACE.default: 60.0, on(1): 40.0}, {})
    some.again.evaluate = prices(lambda c: 40.0, lambda c, turn: 41.0 + turn)
    assert some.again.best_few() and some.best == (on(1), value)


def test_a_trial_stands_to_the_best_as_in_turns_with_it() -> None:
    """Both are half as fast as when the best was measured."""
    some = Searched(
        {SPACE.default: 60.0, on(1): 40.0, on(2): 90.0}, {on(1): 80.0, on(2): 82.0}, build_s=0.1, measure_s=0.1
    )
    best, trial = some.trial_log.trials[1:3]
    some.again.remeasure_against_best(trial, best)
    changed = some.trial_log.trials[2].outcome
    assert changed == Measured({"time": 41.0}, (82.0,) * TURNS) and some.best == (on(1), 40.0)


def test_turns_with_the_best_take_no_longer_than_two_trials() -> None:
    some = Searched({SPACE.default: 60.0, on(1): 40.0, on(2): 90.0}, {on(2): 41.0}, measure_s=20.0)
    some.again.remeasure_against_best(some.trial_log.trials[2], some.trial_log.trials[1])
    assert some.evaluator.compared == []  # type: ignore[attr-defined]


def test_an_evaluator_that_cannot_measure_again_keeps_its_best() -> None:
    some = Searched({SPACE.default: 60.0, on(1): 40.0}, {}, prices=Prices)
    some.again.remeasure_against_best(some.trial_log.trials[0], some.trial_log.trials[1])
    assert not some.again.best_few() and some.best == (on(1), 40.0)


@pytest.mark.parametrize("many", [True, False])
def test_a_search_measures_its_best_again_where_it_differs_in_much(many: bool) -> None:
    """All flags but one are idle, and the first with it is lucky: what is simpler is near what it is."""
    lucky = on(*range(18)) if many else on(0)
    evaluator = Comparing(
        lambda c: 40.0 if c == lucky else 50.0 if c["f0"] else 60.0, lambda c, turn: 50.0 if c["f0"] else 60.0
    )
    study = Study(SPACE, [TIME], max_evals=30)
    for configuration in (SPACE.default, lucky):
        study.observe(configuration, evaluator(configuration).outcome, seconds={"compile": 0.1, "measure": 0.1})
    loop = SearchLoop(study, TIME, evaluator, SearchOptions(max_evals=30), ignore, evaluator.clock)
    assert differs_in_much(lucky, SPACE) is many
    found = loop.run()
    assert (evaluator.compared[0] == [lucky]) is many
    assert any(compared[0] == lucky and len(compared) == 2 for compared in evaluator.compared) is many
    assert found.choice == on(0)
