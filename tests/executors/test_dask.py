"""Computing and evaluating over Dask's processes on this machine, where Dask is installed."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import tunepass as tp
from tests.executors.made_from_text import source_of, value_of
from tunepass import registry
from tunepass.diagnostics import EnvironmentFault, ToolError, TunepassError
from tunepass.executors.dask import connection
from tunepass.executors.dask import executor as executor_module
from tunepass.executors.dask.executor import SCHEDULER, DaskExecutor
from tunepass.executors.dask.session import Limits
from tunepass.search.loop import SearchLoop
from tunepass.search.options import SearchOptions
from tunepass.search.result import Progress
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured
from tunepass.testing.evaluator import EvaluatorContract
from tunepass.testing.executor import ExecutorContract

TIME = tp.Objective("time", unit="ms")


@contextlib.contextmanager
def started(workers: int) -> Iterator[object]:
    distributed = pytest.importorskip("distributed")
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with distributed.LocalCluster(n_workers=workers, **options) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a scheduler with two workers."""
    with started(2) as cluster:
        yield cluster.scheduler_address  # type: ignore[attr-defined]


def searched(executor: DaskExecutor, trials: int, watch: object = None, store: str | None = None, **fields: object):  # type: ignore[no-untyped-def]
    """The study of a search with so many trials, and the evaluations that began again."""
    source = source_of(**fields)
    space = tp.Space([tp.Integer("x", 0, 200)])
    study = tp.Study(space, [TIME], strategy="random", max_evals=trials, store=store, repeats=False)
    options = SearchOptions(strategy="random", max_evals=trials, executor=executor)
    with executor.evaluator(source) as evaluate:

        def progress(told: Progress) -> None:
            if callable(watch):
                watch(told)

        SearchLoop(study, TIME, evaluate, options, progress, lambda: 0.0).run()
        return study, evaluate.session.retried  # type: ignore[attr-defined]


def outcomes_are_right(study: tp.Study) -> bool:
    values = {int(str(t.configuration["x"])): t.outcome for t in study.trials}
    return len(values) == len(study.trials) and all(
        isinstance(outcome, Failed) if x == 13 else outcome == Measured({"time": value_of(x)})
        for x, outcome in values.items()
    )


class TestDaskExecutor(ExecutorContract):
    @pytest.fixture
    def executor(self, scheduler: str) -> DaskExecutor:
        return DaskExecutor(jobs=2, scheduler=scheduler)


class TestRemoteEvaluator(EvaluatorContract):
    @pytest.fixture
    def evaluator(self, scheduler: str) -> Iterator[tp.Evaluator]:
        with DaskExecutor(1, scheduler) as executor, executor.evaluator(source_of()) as evaluate:
            assert isinstance(evaluate, tp.Evaluator)
            yield evaluate

    @pytest.fixture
    def good(self) -> Configuration:
        return Configuration({"x": 5})

    @pytest.fixture
    def bad(self) -> Configuration:
        return Configuration({"x": 13})


def test_a_search_evaluates_on_all_workers_and_stores_every_trial_once(scheduler: str) -> None:
    with DaskExecutor(1, scheduler) as executor:
        assert executor.identity(source_of(sleep_s=0.005))["device"] == "a processor"
        study, retried = searched(executor, 40, sleep_s=0.005)
    assert len(study.trials) == 40 and outcomes_are_right(study) and retried == 0 and not study.elsewhere


def test_a_worker_that_is_killed_costs_no_trial_and_one_that_hangs_neither(scheduler: str, tmp_path: Path) -> None:
    limits = Limits(first_s=1.5, least_s=1.5)
    with DaskExecutor(1, scheduler, limits=limits) as executor:
        study, retried = searched(executor, 201, marks=str(tmp_path), dies_once=7, hangs_once=70)
    assert len(study.trials) == 201 and outcomes_are_right(study) and retried >= 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["died", "hung"]


def test_the_death_of_the_scheduler_leaves_what_was_measured_in_the_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with started(1) as cluster, DaskExecutor(1, cluster.scheduler_address) as executor:  # type: ignore[attr-defined]

        def end(told: Progress) -> None:
            if told.evaluations == 5:
                cluster.close()  # type: ignore[attr-defined]

        with pytest.raises(EnvironmentFault, match="no longer answers") as raised:
            searched(executor, 100, end, url)
    assert raised.value.exit_status == 4 and "the same command goes on" in str(raised.value)
    study = tp.Study(tp.Space([tp.Integer("x", 0, 200)]), [TIME], store=url)
    assert len(study.trials) >= 5 and outcomes_are_right(study)


def test_a_scheduler_that_does_not_answer_is_the_machines_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(connection, "CONNECT_S", 0.3)
    with DaskExecutor(1, "tcp://127.0.0.1:1") as executor:
        with pytest.raises(EnvironmentFault, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1") as raised:
            executor.identity(source_of())
        assert raised.value.exit_status == 4


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1:8786",
            "tcp://",
            "tcp://localhost",
            "tcp://localhost:",
            "tcp://localhost:0",
            "tcp://localhost:65536",
        ),
        *(
            "tcp://localhost:-1",
            "tcp://[::1",
            "tcp://user:pw@localhost:1",
            "tcp://a b:1",
            "tcp://a\nb:1",
            "tcp://a:1;x",
        ),
        *("http://localhost:1", "inproc://1", "../../etc/passwd", "x" * 100_000),
    ],
)
def test_what_is_no_address_is_an_error_of_the_command_line(address: str) -> None:
    pytest.importorskip("distributed")
    with DaskExecutor(1, address) as executor, pytest.raises(TunepassError, match="a scheduler's address is") as raised:
        executor.identity(source_of())
    assert raised.value.exit_status == 2 and len(str(raised.value)) < 500


@contextlib.contextmanager
def listening(answer: bytes, *, stays: bool) -> Iterator[str]:
    """The address of a program that is no scheduler: it sends some bytes to whoever connects, and may close."""
    held = []

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                connection.sendall(answer)
                held.append(connection)
                if not stays:
                    connection.shutdown(socket.SHUT_RDWR)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()
    for each in held:
        each.close()


@pytest.mark.parametrize(
    ("answer", "stays"),
    [
        (b"", True),
        (b"", False),
        (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", False),
        (struct.pack("<Q", 1) + b"\0\0\0", False),
        (struct.pack("<Q", 24) + b"\xff" * 72, True),
        (struct.pack("<QQQ", 2, 0, 50) + b"\xc1" * 50, True),
    ],
    ids=["silence", "an end", "a web server", "half a message", "wrong lengths", "no message"],
)
def test_another_program_at_the_address_is_the_machines_fault(
    answer: bytes, stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(connection, "CONNECT_S", 0.3)
    monkeypatch.setattr(connection, "GREETING_S", 0.2)
    told = pytest.raises(EnvironmentFault, match="no Dask scheduler answers at tcp://127")
    with listening(answer, stays=stays) as address, DaskExecutor(1, address) as executor, told as raised:
        executor.identity(source_of())
    assert raised.value.exit_status == 4


def test_workers_of_another_version_and_workers_that_cannot_make_it_are_told(
    scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with DaskExecutor(1, scheduler) as executor:
        with pytest.raises(ToolError, match=r"worker tcp://.*: compiler not found"):
            executor.identity(source_of(broken=True))
        monkeypatch.setattr(executor_module, "__version__", "0.0")
        with pytest.raises(TunepassError, match=r"has tunepass .*, here it is 0\.0"):
            executor.identity(source_of())
        tasks = iter([1, 2])
        other = pytest.raises(TunepassError, match=r"worker tcp://.* has tunepass .*, here it is 0\.0")
        with other, executor.workers() as spread:
            list(spread(abs, tasks))
        assert next(tasks) == 1, "nothing was handed out"


def test_a_cluster_without_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "WORKERS_S", 0.1)
    with started(0) as cluster:
        executor = DaskExecutor(1, cluster.scheduler_address)  # type: ignore[attr-defined]
        with pytest.raises(EnvironmentFault, match="has no worker"), executor.workers():
            pass


@pytest.mark.slow
def test_tasks_whose_workers_die_are_the_machines_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "WORKERS_S", 10.0)
    with started(1) as cluster:
        executor = DaskExecutor(1, cluster.scheduler_address)  # type: ignore[attr-defined]
        died = pytest.raises(EnvironmentFault, match=r"workers of the cluster died|no worker of the cluster is left")
        with died, executor.workers() as spread:
            list(spread(end_process, [1]))


def end_process(task: int) -> None:
    os.kill(os.getpid(), 9)


def test_the_scheduler_of_the_environment_is_used_and_left_running(
    scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SCHEDULER, scheduler)
    for _ in range(2):
        with DaskExecutor().workers() as spread:
            assert list(spread(len, [(1, 2), ()])) == [2, 0]


def test_without_dask_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TunepassError, match="Dask is not installed"), registry.find("executors", "dask")(2).workers():  # type: ignore[attr-defined]
        pass
