"""Compiles side by side; an interrupt stops the compilers of all threads."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from tunepass import registry
from tunepass.evaluators.process.run import Limits, run_limited
from tunepass.executors.local import LocalExecutor
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Measured
from tunepass.testing.executor import ExecutorContract

X = [Configuration({"x": x}) for x in range(6)]


class TestLocalExecutor(ExecutorContract):
    @pytest.fixture
    def executor(self) -> LocalExecutor:
        return LocalExecutor(jobs=3)


def test_it_is_called_local() -> None:
    assert registry.find("executors", "local")(2) == LocalExecutor(jobs=2)


class Together:
    """Each compile waits until `together` of them run."""

    def __init__(self, together: int) -> None:
        self.barrier = threading.Barrier(together, timeout=10)

    def __call__(self, configuration: Configuration, /) -> Evaluation:
        return self.finish(self.prepare(configuration))

    def prepare(self, configuration: Configuration, /) -> int:
        self.barrier.wait()
        return int(str(configuration["x"]))

    def finish(self, prepared: int, /) -> Evaluation:
        return Evaluation(Measured({"time": prepared}))


def test_compiles_run_side_by_side() -> None:
    evaluated = LocalExecutor(jobs=3).evaluate(Together(3), X)
    assert [e.outcome for _, e in evaluated] == [Measured({"time": x}) for x in range(6)]


def test_one_job_needs_no_threads() -> None:
    before = threading.active_count()
    assert len(list(LocalExecutor().evaluate(Together(1), X))) == len(X)
    assert threading.active_count() == before


class Hanging:
    """The second configuration fails at once, as an interrupt would; the first still compiles."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.ended: list[BaseException] = []

    def __call__(self, configuration: Configuration, /) -> Evaluation:
        raise AssertionError

    def prepare(self, configuration: Configuration, /) -> int:
        if configuration["x"] == 0:
            self.started.set()
            try:
                run_limited([sys.executable, "-c", "import time; time.sleep(60)"], limits=Limits(wall_s=60))
            except BaseException as error:
                self.ended.append(error)
                raise
        self.started.wait(10)
        time.sleep(0.3)  # until its supervisor is there
        raise KeyboardInterrupt

    def finish(self, prepared: int, /) -> Evaluation:
        raise AssertionError


def test_an_interrupt_stops_the_compilers_of_all_threads() -> None:
    hanging, started = Hanging(), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(LocalExecutor(jobs=2).evaluate(hanging, X[:2]))
    while not hanging.ended and time.monotonic() - started < 30:
        time.sleep(0.01)
    assert [type(error) for error in hanging.ended] == [KeyboardInterrupt]
