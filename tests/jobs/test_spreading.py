"""Shares of computing as text: an exact front, a table of estimates and a replay are those of one process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands.test_replay import ROWS, STATED, recorded  # noqa: F401
from tunepass.backends.base import Target
from tunepass.diagnostics import TunepassError
from tunepass.exact import enumeration, product_enumeration
from tunepass.executors.base import Executor
from tunepass.jobs.estimates import Estimator
from tunepass.jobs.job import Job, prepare
from tunepass.jobs.reading import parse
from tunepass.jobs.spreading import estimates, kernels
from tunepass.jobs.spreading.estimates import prices_elsewhere
from tunepass.jobs.spreading.exact import fronts_elsewhere
from tunepass.jobs.spreading.replays import ReplayRequest, replay_elsewhere, replay_seeds
from tunepass.passes.search import problem_of
from tunepass.search.exact import exact_front
from tunepass.search.options import SearchOptions
from tunepass.search.stop import Stop
from tunepass.space.configuration import Configuration
from tunepass.spread import Spread
from tunepass.study.lock.lock import Lock
from tunepass.study.outcome import Evaluate, Evaluation

SOURCE = Path(__file__).parents[2] / "samples" / "spatial" / "BlackScholes.scala"


class Texts(Executor):
    """Tasks and answers have to be text, as for another machine; `change` alters answers."""

    def __init__(self, change: Callable[[str], object] = str):
        self.change, self.tasks = change, list[str]()

    def evaluate(
        self, evaluator: Evaluate, configurations: Sequence[Configuration]
    ) -> Iterator[tuple[Configuration, Evaluation]]:
        raise NotImplementedError

    def workers(self) -> AbstractContextManager[Spread]:
        def spread(work: Callable[[Any], Any], tasks: Iterable[Any], /) -> Iterator[Any]:
            for task in tasks:
                assert isinstance(task, str)
                self.tasks.append(task)
                answer = work(task)
                assert isinstance(answer, str)
                yield self.change(answer)

        return nullcontext(spread)


@pytest.fixture(scope="module")
def job() -> Job:
    (kernel,) = parse(str(SOURCE), None).kernels
    return prepare(kernel, Target(device="stratix-v"), Lock())


def front_of(job: Job, executor: Executor | None, strategy: str = "exhaustive") -> Any:
    costs = job.backend.costs()
    assert costs is not None
    fronts = executor and fronts_elsewhere(job, executor, None, strategy, limited=False, extrapolate=False)
    options = SearchOptions(strategy=strategy)
    return exact_front(problem_of(costs, job.objectives), job.space, options, Stop(), lambda c: None, fronts)


def test_an_exact_front_is_that_of_one_process(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (enumeration, product_enumeration):
        monkeypatch.setattr(module, "CHUNK", 100)
    executor = Texts()
    shared, one = front_of(job, executor), front_of(job, None)
    assert len(executor.tasks) == 7 and len(one.configurations) > 5 and one.certificate.exact
    assert shared.configurations == one.configurations and shared.values.tobytes() == one.values.tobytes()
    assert (shared.certificate, shared.gap) == (one.certificate, one.gap)


def test_branch_and_bound_has_no_shares(job: Job) -> None:
    executor = Texts()
    with pytest.raises(TunepassError, match="branch_and_bound decides each step by all earlier ones") as raised:
        front_of(job, executor, "branch_and_bound")
    assert "--strategy exhaustive" in str(raised.value) and not executor.tasks


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"numbers": [0], "losses": []}',
        '{"numbers": [-1], "losses": [[1.0, 2.0]]}',
        '{"numbers": [0], "losses": [[NaN, 2.0]]}',
        '{"numbers": ["x"], "losses": [[1.0, 2.0]]}',
        '{"numbers": [99999999999], "losses": [[1.0, 2.0]]}',
        "[" * 10**5,
    ],
)
def test_a_front_that_is_none_is_one_error(job: Job, text: str) -> None:
    with pytest.raises(TunepassError, match="a worker's front of a share cannot be read"):
        front_of(job, Texts(lambda answer: text))


def test_workers_that_read_another_kernel_are_told(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    text = kernels.text_of(job, None)
    fields = json.loads(text)
    assert kernels.job_of(text).identity.texts() == job.identity.texts()
    fields["identity"]["space"] = "sha256:0"
    with pytest.raises(TunepassError, match=r"BlackScholes.scala: the workers read it otherwise than this process"):
        kernels.job_of(json.dumps(fields))


def model_of(job: Job) -> Estimator:
    costs = job.backend.costs()
    assert costs is not None
    return Estimator(job.backend, costs)


def test_estimates_of_a_table_are_those_of_one_process(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "ROWS", 7)
    model, executor = model_of(job), Texts()
    points = job.space.sample(22, np.random.default_rng(0))  # the last share has one row
    here, there = model.prices(points), prices_elsewhere(model, points, executor, None)
    assert len(executor.tasks) == 4 and list(there) == list(here) and len(here) > 3
    for name in here:
        assert there[name].dtype == here[name].dtype and there[name].tobytes() == here[name].tobytes(), name


@pytest.mark.parametrize("text", ["", "{}", "[" * 10**5])
def test_prices_that_are_none_are_one_error(job: Job, text: str) -> None:
    with pytest.raises(TunepassError, match="a worker's prices cannot be read"):
        prices_elsewhere(model_of(job), [job.space.default], Texts(lambda answer: text), None)


def request_of(path: str, **fields: Any) -> ReplayRequest:
    asked = {"recorded": path, "strategy": "auto", "surrogate": None, "max_evals": 6, "seeds": (0, 1, 5), **fields}
    return ReplayRequest(**asked)


def test_a_replay_is_that_of_one_process(recorded: str) -> None:  # noqa: F811
    for fields in (
        {},
        {"noise": True, "transfer_from": (recorded,)},
        {"strategy": "bayesian", "surrogate": "forest", "objectives": ("time",)},
    ):
        asked, executor = request_of(recorded, **fields), Texts()
        here, there = replay_seeds(asked), replay_elsewhere(asked, executor)
        assert len(executor.tasks) == 3 and untimed(there) == untimed(here)


def untimed(report: Any) -> Any:
    assert all(len(run.strategy_s) == run.evaluations for run in report.runs)
    runs = tuple(replace(run, strategy_s=()) for run in report.runs)
    return replace(report, runs=runs)


def test_workers_without_the_recorded_files_are_told(recorded: str) -> None:  # noqa: F811
    table = Path(recorded).with_suffix(".csv.gz")

    class AnotherMachine(Texts):
        """Its files are others than those that the client read."""

        def workers(self) -> AbstractContextManager[Spread]:
            self.other()
            return super().workers()

        def other(self) -> None:
            table.write_bytes(b"")

    asked = request_of(recorded)
    with pytest.raises(TunepassError, match=r"has another file .*tiny\.csv\.gz: workers replay from their own copy"):
        replay_elsewhere(asked, AnotherMachine())
    AnotherMachine.other = lambda self: table.unlink()  # type: ignore[method-assign]
    with pytest.raises(TunepassError, match=r"has no file .*tiny\.csv\.gz: workers replay") as raised:
        replay_elsewhere(asked, AnotherMachine())
    assert "shared folder" in str(raised.value)
    with pytest.raises(TunepassError, match=r"tiny\.csv\.gz"):
        replay_elsewhere(asked, Texts())


def test_mistakes_in_a_replay_are_those_of_one_process(recorded: str) -> None:  # noqa: F811
    for asked in (request_of(recorded, objectives=("tim",)), request_of(recorded, strategy="randon")):
        with pytest.raises(TunepassError) as here:
            replay_seeds(asked)
        with pytest.raises(type(here.value)) as there:
            replay_elsewhere(asked, Texts())
        assert str(there.value) == str(here.value)
    with pytest.raises(TunepassError, match="a worker's replay cannot be read"):
        replay_elsewhere(request_of(recorded), Texts(lambda answer: "{}"))
