"""Contract of a compiler that embeds a pipeline. A test class inherits this and supplies the `tune` fixture.

`tune` is the compiler's own entry: it makes a pipeline and runs it on one kernel, with 8 evaluations or more and no
store. Its evaluator returns the same value for a configuration each time: a count of instructions, a formula, no time.
"""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from tunepass.passes.base import Result
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.outcome import Failed
from tunepass.testing.process_state import ProcessCounts, ProcessSettings

EVALUATIONS = 8  # at least, of a run that nothing stops
RUNS = 5  # that are counted for growth, after the first


def never() -> bool:
    """A caller that does not stop the search."""
    return False


def nothing() -> None:
    """An evaluation in which nothing else happens."""


class Tune(Protocol):
    """The compiler's entry. `stop` goes to the pipeline as it is; `during` is called in the evaluator, once for each
    evaluation, and what it raises is the evaluator's to raise or to return as a failure."""

    def __call__(
        self, *, seed: int = 0, stop: Callable[[], bool] = never, during: Callable[[], None] = nothing
    ) -> Result: ...


class Break(Exception):
    """A defect in the compiler's evaluator."""


class Count:
    """Counts its calls; at the call `number` it runs `action`."""

    def __init__(self, number: int, action: Callable[[], object]):
        self.calls, self.number, self.action = 0, number, action

    def __call__(self) -> None:
        self.calls += 1
        if self.calls == self.number:
            self.action()


def raising(error: BaseException) -> Callable[[], None]:
    """A function that raises the error."""

    def act() -> None:
        raise error

    return act


def history(result: Result) -> list[tuple[Configuration, str]]:
    """The configurations in the order of their trials, with their outcomes but for logs."""
    outcomes = [t.outcome for t in result.found.trials]
    texts = [o.stage if isinstance(o, Failed) else repr(o) for o in outcomes]
    return [(trial.configuration, text) for trial, text in zip(result.found.trials, texts)]


class EmbeddingContract:
    @pytest.fixture
    def tune(self) -> Tune:
        raise NotImplementedError("supply a fixture that gives the compiler's entry, a Tune")

    # -- what it gets back

    def test_the_choice_is_feasible_and_is_the_schedule(self, tune: Tune) -> None:
        result = tune()
        space = Space(result.kernel.parameters, result.kernel.constraints)
        assert len(result.found.trials) >= EVALUATIONS and result.found.trials[0].configuration == space.default
        assert space.contains(result.choice)
        filled = result.kernel.filled(result.choice)
        assert {choice.parameter: choice.value for choice in result.kernel.schedule} == dict(filled)
        assert not result.found.stopped and not result.found.interrupted

    def test_a_seed_gives_the_same_trials_and_the_same_choice(self, tune: Tune) -> None:
        first, second = tune(seed=3), tune(seed=3)
        assert history(first) == history(second) and first.choice == second.choice

    # -- stopping

    def test_a_request_before_the_first_evaluation_leaves_the_default(self, tune: Tune) -> None:
        result = tune(stop=lambda: True)
        assert result.found.stopped and not result.found.trials and result.choice == result.found.default

    def test_a_request_ends_the_search_after_the_evaluation_that_runs(self, tune: Tune) -> None:
        count = Count(0, nothing)
        result = tune(stop=lambda: count.calls >= 3, during=count)
        assert result.found.stopped and count.calls == len(result.found.trials) == 3
        assert result.choice in [trial.configuration for trial in result.found.trials]

    def test_an_interrupt_ends_the_search_with_the_best_so_far(self, tune: Tune) -> None:
        result = tune(during=Count(4, raising(KeyboardInterrupt())))
        assert result.found.interrupted == signal.SIGINT and len(result.found.trials) == 3

    # -- errors

    def test_an_exception_of_the_evaluator_is_a_failed_trial_or_reaches_the_caller(self, tune: Tune) -> None:
        undisturbed = tune(seed=1)
        error = Break("a defect of the evaluator")
        try:
            result = tune(seed=1, during=Count(2, raising(error)))
        except Break as raised:
            assert raised is error
        else:
            assert isinstance(result.found.trials[1].outcome, Failed)
        assert history(tune(seed=1)) == history(undisturbed)

    # -- threads and re-entrancy

    def test_a_run_inside_another_changes_neither(self, tune: Tune) -> None:
        inner: list[Result] = []
        outer = tune(seed=1, during=Count(2, lambda: inner.append(tune(seed=2))))
        assert history(outer) == history(tune(seed=1)) and history(inner[0]) == history(tune(seed=2))

    def test_runs_in_two_threads_change_neither(self, tune: Tune) -> None:
        expected = [history(tune(seed=seed)) for seed in (1, 2)]
        meeting = threading.Barrier(2, timeout=60)
        results = in_threads([lambda seed=seed: tune(seed=seed, during=Count(1, meeting.wait)) for seed in (1, 2)])  # type: ignore[misc]
        assert [history(result) for result in results] == expected

    def test_settings_of_the_process_are_the_callers(self, tune: Tune) -> None:
        """In the main thread and in another one."""
        before, during = ProcessSettings.now(), list[ProcessSettings]()
        note = Count(1, lambda: during.append(ProcessSettings.now()))
        tune(during=note)
        in_threads([lambda: tune(during=Count(1, lambda: during.append(ProcessSettings.now())))])
        assert during == [before, before] and ProcessSettings.now() == before

    # -- what stays

    def test_nothing_is_printed_and_no_file_is_left(
        self, tune: Tune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        working, scratch = tmp_path / "working", tmp_path / "scratch"
        working.mkdir()
        scratch.mkdir()
        monkeypatch.chdir(working)
        monkeypatch.setenv("TMPDIR", str(scratch))
        monkeypatch.setattr(tempfile, "tempdir", None)
        capfd.readouterr()
        tune()
        with pytest.raises(Break):
            tune(during=Count(1, raising(Break())))
            raise Break  # the evaluator returned a failure
        assert capfd.readouterr() == ("", "")
        assert list(working.iterdir()) == [] and list(scratch.iterdir()) == []

    def test_runs_leave_no_handles_threads_or_children(self, tune: Tune) -> None:
        tune()
        before = ProcessCounts.now()
        for seed in range(RUNS):
            tune(seed=seed)
        assert before.settled() == before


def in_threads(works: list[Callable[[], Result]]) -> list[Result]:
    """The results of functions that run side by side, each in a thread of its own. Raises what one of them raises."""
    results: dict[int, Result] = {}
    errors: list[BaseException] = []

    def run(number: int, work: Callable[[], Result]) -> None:
        try:
            results[number] = work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [results[number] for number in range(len(works))]
