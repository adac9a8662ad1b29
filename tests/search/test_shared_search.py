"""Two builds search one study: each evaluates the default, and ends with the trials of both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import tunepass as tp
from tunepass.search.budget import Budget
from tunepass.search.loop import SearchLoop
from tunepass.search.options import SearchOptions
from tunepass.search.shared_search import SharedSearch
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Measured
from tunepass.study.study import Study

TIME = Objective("time", unit="ms")
SPACE = tp.Space([tp.Integer("X", 0, 3)])
DEFAULT = SPACE.default


def study(folder: Path) -> Study:
    """As of a process of its own: each holder of the store is another owner."""
    return Study(SPACE, [TIME], strategy="random", store=f"sqlite:///{folder}/s.db", name="s", max_evals=4)


def measured(configuration: Configuration) -> Measured:
    return Measured({"time": 10.0 + configuration["X"]})  # type: ignore[operator]


class Clock:
    """Seconds that pass only while somebody waits; `event` happens then."""

    def __init__(self, event: Callable[[], object] = lambda: None, each_s: float = 1.0):
        self.now, self.event, self.each_s = 0.0, event, each_s

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += self.each_s
        self.event()


def shared(own: Study, clock: Clock, notes: list[str] | None = None) -> SharedSearch:
    trial_log = TrialLog(own, TIME)
    budget = Budget(trial_log, measured, None, 4, clock)  # type: ignore[arg-type]
    return SharedSearch(trial_log, budget, clock.pause, (notes if notes is not None else []).append)


def test_the_default_is_evaluated_here_while_another_process_evaluates_it(tmp_path: Path) -> None:
    other, own = study(tmp_path), study(tmp_path)
    assert other.suggest(1) == [DEFAULT] and own.elsewhere == [DEFAULT]
    sharing = shared(own, Clock())
    assert sharing.suggest(3, ()) == [DEFAULT]
    first = other.observe(DEFAULT, Measured({"time": 1.0}))
    kept = sharing.trial_log.keep(DEFAULT, Evaluation(Measured({"time": 2.0})))
    assert kept == first and sharing.trial_log.trials == [first] and len(own.trials) == 1


def test_what_others_still_evaluate_is_waited_for(tmp_path: Path) -> None:
    other, own = study(tmp_path), study(tmp_path)
    (default,) = other.suggest(1)
    other.observe(default, measured(default))
    claimed = other.suggest(3)
    assert len(claimed) == 3

    def one_ends() -> None:
        configuration = claimed.pop()
        other.observe(configuration, measured(configuration))

    notes: list[str] = []
    sharing = shared(own, Clock(one_ends, each_s=1.5), notes)
    assert sharing.suggest(2, ()) == [] and claimed == []
    assert len(sharing.trial_log.trials) == 4 and own.elsewhere == []


def test_what_a_process_that_ended_has_left_is_evaluated_here(tmp_path: Path) -> None:
    other, own = study(tmp_path), study(tmp_path)
    (default,) = other.suggest(1)
    other.observe(default, measured(default))
    claimed = other.suggest(3)
    sharing = shared(own, Clock(other.close))
    assert sharing.suggest(3, ()) == claimed


def test_when_patience_ends_it_is_evaluated_here_too_and_the_first_outcome_stands(tmp_path: Path) -> None:
    other, own = study(tmp_path), study(tmp_path)
    (default,) = other.suggest(1)
    other.observe(default, measured(default))
    claimed = other.suggest(3)
    notes: list[str] = []
    sharing = shared(own, Clock(each_s=500.0), notes)
    assert sharing.suggest(3, ()) == claimed and len(notes) == 1
    theirs = other.observe(claimed[0], Measured({"time": 1.0}))
    assert sharing.trial_log.keep(claimed[0], Evaluation(Measured({"time": 2.0}))) == theirs


def test_trials_of_others_keep_their_numbers_in_the_log(tmp_path: Path) -> None:
    other, own = study(tmp_path), study(tmp_path)
    trial_log = TrialLog(own, TIME)
    trial_log.keep(DEFAULT, Evaluation(measured(DEFAULT)))
    (theirs,), (ours,) = other.suggest(1), own.suggest(1)
    other.observe(theirs, measured(theirs))
    trial_log.keep(ours, Evaluation(measured(ours)))
    assert [t.number for t in trial_log.trials] == [0, 1, 2]
    assert [t.configuration for t in trial_log.trials] == [DEFAULT, theirs, ours]


def test_a_search_beside_one_that_holds_the_default_ends_as_it_would_alone(tmp_path: Path) -> None:
    other, own = study(tmp_path), study(tmp_path)
    other.suggest(1)
    loop = SearchLoop(
        own, TIME, lambda c: Evaluation(measured(c)), SearchOptions(max_evals=4), lambda progress: None, lambda: 0.0
    )
    result = loop.run()
    assert len(result.trials) == 4 and result.trials[0].configuration == DEFAULT and result.gains
