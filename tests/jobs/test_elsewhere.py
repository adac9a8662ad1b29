"""A kernel as text, and the evaluator that another process makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.commands.conftest import SOURCE
from tunepass.backends.base import Target
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.elsewhere import EvaluatorSource, IdentifiedEvaluator, MeasuresElsewhere
from tunepass.executors.base import Executor
from tunepass.executors.local import LocalExecutor
from tunepass.jobs.elsewhere import make_evaluator, measured_elsewhere
from tunepass.jobs.job import Job, prepare
from tunepass.jobs.reading import parse
from tunepass.search.finalists.rounds import Rounds
from tunepass.study.lock.lock import Lock
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate

WORDS = ("gcc", "-O2")
PRICED = Path(__file__).parents[2] / "samples" / "cuda" / "matmul.cu"


class Elsewhere(MeasuresElsewhere):
    """Makes the evaluator from text, here; `changes` are fields that the identity has otherwise."""

    source: EvaluatorSource
    made: IdentifiedEvaluator

    def __init__(self, changes: Mapping[str, str]):
        self.changes = changes

    def identity(self, source: EvaluatorSource, /) -> Mapping[str, str]:
        self.source = EvaluatorSource.decode(source.encode())
        self.made = make_evaluator(self.source.text)
        return {**self.made.identity, **self.changes}

    def evaluator(self, source: EvaluatorSource, /) -> AbstractContextManager[Evaluate]:
        return self.made.evaluator


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.chdir(tmp_path)
    Path("scale.c").write_text(SOURCE)
    (kernel,) = parse("scale.c", words=WORDS).kernels
    return prepare(kernel, Target(compiler=WORDS), Lock())


def elsewhere(**changes: str) -> Elsewhere:
    return Elsewhere(changes)


def test_the_identity_and_the_code_are_those_of_the_kernel_itself(job: Job) -> None:
    executor = elsewhere()
    moved = measured_elsewhere(job, executor, WORDS)
    assert moved.identity == job.identity and moved.study == job.study and moved.source is not None
    assert EvaluatorSource.decode(moved.source.encode()) == moved.source == executor.source
    own = job.backend.evaluator()
    assert own is not None
    with executor.evaluator(moved.source) as there, own as here:
        default = job.space.default
        assert there.prepare(default).key == here.prepare(default).key  # type: ignore[attr-defined]


def test_the_identity_of_the_machines_takes_the_place_of_this_ones(job: Job) -> None:
    moved = measured_elsewhere(job, elsewhere(device="another processor"), WORDS)
    assert moved.identity.device == "another processor" and moved.study != job.study


def test_workers_that_read_another_kernel_are_refused(job: Job) -> None:
    with pytest.raises(TunepassError, match="the workers read it otherwise than this process: space: sha256:"):
        measured_elsewhere(job, elsewhere(space="sha256:0"), WORDS)


@pytest.mark.parametrize("executor", ["local", LocalExecutor()])
def test_an_executor_of_this_machine_changes_nothing(job: Job, executor: str | Executor) -> None:
    assert measured_elsewhere(job, executor, WORDS) is job


def test_a_priced_kernel_is_refused() -> None:
    kernel = parse(PRICED).kernels[0]
    priced = prepare(kernel, Target(device="a100", generator="model"), Lock())
    with pytest.raises(TunepassError, match="--executor is about what is measured"):
        measured_elsewhere(priced, elsewhere(), None)


def test_the_rule_of_finalists_is_sent_as_text() -> None:
    rule = Rounds(Objective("speed", "1/s", maximise=True), 3.5, lambda: 1.0, spared=2)
    again = Rounds.decode(rule.encode(), lambda: 9.0)
    assert (again.objective, again.seconds, again.spared, again.started) == (rule.objective, 3.5, 2, 9.0)
