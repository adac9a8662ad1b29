"""Compiles side by side, measures one at a time, keeps the order."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from tunepass.evaluators.process.run import Limits, run_limited
from tunepass.executors.local import LocalExecutor
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Measured


class Fake:
    """Counts who is inside which step; `together` makes each prepare wait until that many are inside."""

    def __init__(self, together: int) -> None:
        self.barrier = threading.Barrier(together, timeout=10)
        self.lock = threading.Lock()
        self.preparing = self.measured_while_preparing = 0

    def prepare(self, configuration: Configuration) -> int:
        with self.lock:
            self.preparing += 1
        self.barrier.wait()
        with self.lock:
            self.preparing -= 1
        return int(str(configuration["x"]))

    def finish(self, prepared: int, /) -> Evaluation:
        self.measured_while_preparing += self.preparing
        return Evaluation(Measured({"time": prepared}))


def test_compiles_together_and_measures_alone_in_order() -> None:
    fake = Fake(together=3)
    found = LocalExecutor(fake, jobs=3).evaluate([Configuration({"x": x}) for x in range(6)])
    assert [e.outcome for e in found] == [Measured({"time": x}) for x in range(6)]
    assert fake.measured_while_preparing == 0


def test_one_job_needs_no_threads() -> None:
    before = threading.active_count()
    assert len(LocalExecutor(Fake(together=1)).evaluate([Configuration({"x": 1})] * 3)) == 3
    assert threading.active_count() == before


class Hanging:
    """The second candidate fails at once, as an interrupt would; the first is still compiling."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.ended: list[BaseException] = []

    def prepare(self, configuration: Configuration) -> int:
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
        LocalExecutor(hanging, jobs=2).evaluate([Configuration({"x": x}) for x in (0, 1)])
    assert time.monotonic() - started < 30
    assert [type(error) for error in hanging.ended] == [KeyboardInterrupt]
