"""`Study.optimize`: a function evaluated until the study, the caller or an exception ends it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tunepass as tp
from tests.study.studies import RATE, TIME, Shuffled, space, study, time_of, url
from tunepass.study.optimize.loop import optimization_of
from tunepass.study.study import Study


def milliseconds(trial: tp.RunningTrial) -> float:
    return time_of(trial).values["time"]


def two_objectives() -> Study:
    return Study(space(), [TIME, RATE], strategy=Shuffled)


def test_it_evaluates_n_trials_and_goes_on_in_a_further_call() -> None:
    some = study()
    some.optimize(milliseconds, n_trials=3)
    some.optimize(milliseconds, 2)
    assert [t.number for t in some.trials] == [0, 1, 2, 3, 4]
    assert some.trials[0].configuration == some.space.default
    assert set(some.trials[0].seconds) == {"measure"}


def test_it_ends_with_the_budget_and_with_the_space() -> None:
    budget, whole = study(max_evals=4), study()
    budget.optimize(milliseconds)
    whole.optimize(milliseconds)
    assert len(budget.trials) == 4 and whole.exhausted


def test_it_suggests_what_suggest_does() -> None:
    by_hand, by_function = study(seed=3), study(seed=3)
    by_function.optimize(milliseconds, n_trials=6)
    for _ in range(6):
        (configuration,) = by_hand.suggest()
        by_hand.observe(configuration, time_of(configuration))
    assert [t.configuration for t in by_hand.trials] == [t.configuration for t in by_function.trials]


def test_a_trial_is_a_configuration() -> None:
    seen: list[tp.RunningTrial] = []
    some = study()
    some.optimize(lambda trial: seen.append(trial) or 1.0, n_trials=1)
    assert seen[0] == some.space.default and seen[0].configuration == some.space.default
    assert type(seen[0].configuration) is tp.Configuration and "tile=16" in repr(seen[0])
    assert type(some.trials[0].configuration) is tp.Configuration


@pytest.mark.parametrize(
    "answer,outcome",
    [
        (2, tp.Measured({"time": 2.0})),
        (np.float32(2.0), tp.Measured({"time": 2.0})),
        ({"time": 2.0}, tp.Measured({"time": 2.0})),
        ((2.0,), tp.Measured({"time": 2.0})),
        (tp.Measured({"time": 2.0}), tp.Measured({"time": 2.0})),
        (tp.Failed("compile", "no"), tp.Failed("compile", "no")),
        (tp.Infeasible("fits"), tp.Infeasible("fits")),
        (tp.Evaluation(tp.Measured({"time": 2.0}), {"compile": 0.5}), tp.Measured({"time": 2.0})),
        (math.nan, tp.Failed("metric", "time is nan")),
        (-math.inf, tp.Failed("metric", "time is -inf")),
    ],
    ids=repr,
)
def test_answers(answer: object, outcome: tp.Measured | tp.Failed | tp.Infeasible) -> None:
    some = study()
    some.optimize(lambda trial: answer, n_trials=1)  # type: ignore[arg-type,return-value]
    assert some.trials[0].outcome == outcome


def test_an_evaluation_keeps_its_seconds() -> None:
    some = study()
    some.optimize(lambda trial: tp.Evaluation(tp.Measured({"time": 2.0}), {"compile": 0.5}), n_trials=1)
    assert some.trials[0].seconds == {"compile": 0.5}


def test_several_objectives_come_as_a_sequence_or_a_mapping() -> None:
    some = two_objectives()
    some.optimize(lambda trial: (1.0, 2.0), n_trials=1)
    some.optimize(lambda trial: {"rate": 3.0, "time": 4.0}, n_trials=1)
    assert [t.outcome.values for t in some.trials if isinstance(t.outcome, tp.Measured)] == [
        {"time": 1.0, "rate": 2.0},
        {"time": 4.0, "rate": 3.0},
    ]


@pytest.mark.parametrize("answer", [None, "fast", (1.0, 2.0), [None], {"time": "fast"}, {"tim": 1.0}, 1j], ids=repr)
def test_any_other_answer_is_an_error_and_the_suggestion_comes_again(answer: object) -> None:
    some = study()
    with pytest.raises(tp.StudyError):
        some.optimize(lambda trial: answer, n_trials=1)  # type: ignore[arg-type,return-value]
    assert not some.trials and some.suggest() == [some.space.default]


def test_a_caught_exception_is_a_failed_trial() -> None:
    def fragile(trial: tp.RunningTrial) -> float:
        if trial["opt"] == "-O3":
            raise ValueError("no -O3 here")
        return 1.0

    some = study()
    some.optimize(fragile, catch=(ValueError, KeyError))
    failed = [t.outcome for t in some.trials if isinstance(t.outcome, tp.Failed)]
    assert some.exhausted and len(failed) == len(some.trials) / 2
    assert all(outcome.stage == "run" and "no -O3 here" in outcome.log for outcome in failed)


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, SystemExit])
def test_any_other_exception_loses_nothing(tmp_path: Path, error: type[BaseException], n_jobs: int) -> None:
    calls, lock = list[tp.Configuration](), threading.Lock()

    def interrupted(trial: tp.RunningTrial) -> float:
        with lock:
            calls.append(trial.configuration)
            fourth = len(calls) == 4
        if fourth:
            raise error("at four")
        return milliseconds(trial)

    some = study(store=url(tmp_path), name="run")
    with pytest.raises(error):
        some.optimize(interrupted, catch=ValueError, n_jobs=n_jobs)
    observed = {t.configuration for t in some.trials}
    assert observed == set(calls) - {calls[3]}
    assert some.suggest() == [calls[3]], "it comes again before new ones"
    some.release(calls[3])
    some.optimize(milliseconds)
    assert some.exhausted
    some.close()
    again = study(store=url(tmp_path), name="run")
    assert [t.number for t in again.trials] == list(range(len(again.trials))) and again.exhausted


def test_workers_evaluate_side_by_side_and_no_configuration_twice() -> None:
    meeting, seen, lock = threading.Barrier(3, timeout=30), list[tp.Configuration](), threading.Lock()

    def together(trial: tp.RunningTrial) -> float:
        with lock:
            seen.append(trial.configuration)
            early = len(seen) <= 3
        if early:
            meeting.wait()
        return milliseconds(trial)

    some = study()
    some.optimize(together, n_trials=9, n_jobs=3)
    assert len(some.trials) == 9 == len(set(seen))


def test_workers_do_not_exceed_the_budget() -> None:
    some = study(max_evals=5)
    some.optimize(milliseconds, n_jobs=4)
    assert len(some.trials) == 5


def test_no_evaluation_begins_after_the_timeout() -> None:
    ticks = iter(range(1000))
    some = study()
    optimization_of(some, milliseconds, None, 10.0, (), (), clock=lambda: float(next(ticks))).run(1)
    assert 0 < len(some.trials) < 10


def test_callbacks_see_each_trial_and_may_stop() -> None:
    seen: list[tuple[Study, int]] = []

    def stop_at_three(some: Study, trial: tp.Trial) -> None:
        seen.append((some, trial.number))
        if trial.number == 2:
            some.stop()

    some = study()
    some.optimize(milliseconds, callbacks=[stop_at_three])
    assert seen == [(some, 0), (some, 1), (some, 2)] and len(some.trials) == 3
    some.optimize(milliseconds, n_trials=1)
    assert len(some.trials) == 4, "the next call goes on"


def test_the_function_may_stop() -> None:
    some = study()

    def once(trial: tp.RunningTrial) -> float:
        some.stop()
        return 1.0

    some.optimize(once)
    assert len(some.trials) == 1


def test_an_exception_of_a_callback_ends_it_after_the_trial_is_stored() -> None:
    def fail(some: Study, trial: tp.Trial) -> None:
        raise RuntimeError("callback")

    some = study()
    with pytest.raises(RuntimeError):
        some.optimize(milliseconds, callbacks=[fail])
    assert len(some.trials) == 1


def test_stop_without_optimize_is_an_error() -> None:
    with pytest.raises(tp.StudyError, match="does not run"):
        study().stop()


@pytest.mark.parametrize(
    "call,message",
    [
        (lambda s: s.optimize(None), "function of a trial"),
        (lambda s: s.optimize(milliseconds, n_trials=0), "n_trials is at least 1"),
        (lambda s: s.optimize(milliseconds, n_trials=2.5), "n_trials"),
        (lambda s: s.optimize(milliseconds, n_trials=True), "n_trials"),
        (lambda s: s.optimize(milliseconds, timeout=0), "timeout"),
        (lambda s: s.optimize(milliseconds, timeout="1h"), "timeout"),
        (lambda s: s.optimize(milliseconds, timeout=math.nan), "timeout"),
        (lambda s: s.optimize(milliseconds, n_jobs=0), "n_jobs"),
        (lambda s: s.optimize(milliseconds, n_jobs=-2), "n_jobs"),
        (lambda s: s.optimize(milliseconds, callbacks=milliseconds), "callbacks are a list"),
        (lambda s: s.optimize(milliseconds, callbacks=["x"]), "callbacks"),
        (lambda s: s.optimize(milliseconds, catch=ValueError()), "catch is an exception's class"),
        (lambda s: s.optimize(milliseconds, catch=[int]), "catch"),
        (lambda s: s.optimize(milliseconds, catch=KeyboardInterrupt), "catch"),
    ],
)
def test_wrong_arguments(call: Callable[[Study], None], message: str) -> None:
    some = study()
    with pytest.raises(tp.StudyError, match=message):
        call(some)
    assert not some.trials
    with pytest.raises(tp.StudyError, match="does not run"):
        some.stop()


def test_a_released_suggestion_is_free_for_others(tmp_path: Path) -> None:
    first, second = study(store=url(tmp_path)), study(store=url(tmp_path))
    (configuration,) = first.suggest()
    assert second.suggest(shared=[]) != [configuration]
    first.release(configuration)
    assert second.suggest() == [configuration]
    first.release(configuration)  # it is the other's now
    assert configuration in first.elsewhere
