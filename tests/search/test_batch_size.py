"""How many suggestions are compiled side by side, and when."""

from __future__ import annotations

import os

import pytest

import tunepass as tp
from tunepass.search.batch_size import MOST, Jobs
from tunepass.search.loop import SearchLoop
from tunepass.search.options import SearchOptions
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Measured
from tunepass.study.study import Study

TIME = Objective("time", unit="ms")
SPACE = tp.Space([tp.Integer("X", 0, 99)])
SLOW_BUILDS = {"compile": 8.0, "check": 0.3, "measure": 1.0}
SLOW_RUNS = {"compile": 8.0, "check": 2.0, "measure": 4.0}
SHORT = {"compile": 0.4, "measure": 0.1}


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)))
    return 16


def trial_log(*trials: dict[str, float]) -> TrialLog:
    found = TrialLog(Study(SPACE, [TIME], strategy="random"), TIME)
    for x, seconds in enumerate(trials):
        found.keep(Configuration({"X": x}), Evaluation(Measured({"time": 1.0}), seconds))
    return found


def test_one_after_the_other_unless_compiling_takes_the_time(cores: int) -> None:
    assert Jobs(None, trial_log(), False)() == 1
    assert Jobs(None, trial_log(SHORT, SHORT), False)() == 1
    assert Jobs(None, trial_log(SLOW_RUNS, SLOW_RUNS), False)() == 1
    assert Jobs(None, trial_log(SLOW_BUILDS, SLOW_BUILDS, SHORT), False)() == MOST


def test_what_is_asked_for_holds_always(cores: int) -> None:
    for found in (trial_log(), trial_log(SHORT), trial_log(SLOW_BUILDS)):
        assert Jobs(7, found, False)() == Jobs(7, found, True)() == Jobs(7, found, False).most == 7
        assert Jobs(1, found, False)() == 1


def test_a_core_each_where_nothing_is_timed(cores: int) -> None:
    assert Jobs(None, trial_log(), True)() == cores


def test_a_search_goes_on_by_several_after_its_default(cores: int) -> None:
    """The order of trials tells: those of a batch were suggested before any of them was known."""
    asked: list[int] = []

    class Counting(Study):
        def suggest(self, n: int = 1, *further: object, **shared: object) -> list[Configuration]:
            asked.append(n)
            return super().suggest(n, *further)  # type: ignore[arg-type]

    study = Counting(SPACE, [TIME], strategy="random", max_evals=9)
    loop = SearchLoop(
        study,
        TIME,
        lambda c: Evaluation(Measured({"time": 1.0 + float(c["X"])}), SLOW_BUILDS),
        SearchOptions(max_evals=9),
        lambda _: None,
        lambda: 0.0,
    )
    assert loop.run().evaluations == 9
    assert asked[:3] == [1, MOST, MOST]
