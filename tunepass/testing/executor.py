"""Contract of executors. A test class inherits this and supplies the `executor` fixture: two jobs or more."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from tunepass.diagnostics import ToolError
from tunepass.executors.base import Executor
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Measured


def pow_mod(n: int) -> int:
    return pow(3, n, 1009)


def process(_: int) -> int:
    return os.getpid()


def reciprocal(n: int) -> float:
    return 1 / n


X = [Configuration({"x": x}) for x in range(6)]


def outcome(configuration: Configuration) -> Measured | Failed:
    x = int(str(configuration["x"]))
    return Failed("crash", "SIGSEGV") if x == 3 else Measured({"time": x})


class Plain:
    """Evaluates in one step; counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, configuration: Configuration, /) -> Evaluation:
        self.calls += 1
        return Evaluation(outcome(configuration))


class TwoSteps(Plain):
    """Counts who compiles while another is measured. `broken` cannot be compiled at all."""

    def __init__(self, broken: int = -1) -> None:
        super().__init__()
        self.broken, self.lock = broken, threading.Lock()
        self.compiling = self.compiling_while_measured = self.finished = 0

    def prepare(self, configuration: Configuration, /) -> Configuration:
        with self.lock:
            self.compiling += 1
        if configuration["x"] == self.broken:
            raise ToolError("compiler not found")
        with self.lock:
            self.compiling -= 1
        return configuration

    def finish(self, prepared: Configuration, /) -> Evaluation:
        self.finished += 1
        self.compiling_while_measured += self.compiling
        return Evaluation(outcome(prepared))


class ExecutorContract:
    @pytest.fixture
    def executor(self) -> Executor:
        raise NotImplementedError("supply a fixture that gives an executor of two jobs or more")

    @pytest.mark.parametrize("evaluator", [Plain, TwoSteps])
    def test_every_configuration_has_its_evaluation_in_the_order_given(
        self, executor: Executor, evaluator: type[Plain]
    ) -> None:
        evaluated = list(executor.evaluate(evaluator(), X))
        assert [c for c, _ in evaluated] == X
        assert [e.outcome for _, e in evaluated] == [outcome(c) for c in X]
        assert list(executor.evaluate(evaluator(), [])) == []

    def test_a_single_configuration_is_evaluated_in_one_step(self, executor: Executor) -> None:
        evaluator = TwoSteps()
        assert len(list(executor.evaluate(evaluator, X[:1]))) == 1
        assert evaluator.calls == 1 and evaluator.finished == 0

    def test_nothing_compiles_while_another_is_measured(self, executor: Executor) -> None:
        evaluator = TwoSteps()
        assert len(list(executor.evaluate(evaluator, X))) == len(X)
        assert evaluator.finished == len(X) and evaluator.compiling_while_measured == 0

    def test_an_evaluation_is_there_before_the_next_begins(self, executor: Executor) -> None:
        evaluator = Plain()
        for number, _ in enumerate(executor.evaluate(evaluator, X), start=1):
            assert evaluator.calls == number

    def test_an_unusable_environment_is_raised_and_nothing_is_measured(self, executor: Executor) -> None:
        evaluator = TwoSteps(broken=4)
        with pytest.raises(ToolError, match="compiler not found"):
            list(executor.evaluate(evaluator, X))
        assert evaluator.finished == 0

    def test_tasks_are_done_in_their_order_elsewhere(self, executor: Executor) -> None:
        with executor.workers() as spread:
            assert list(spread(pow_mod, range(40))) == [pow_mod(n) for n in range(40)]
            assert set(spread(process, range(8))).isdisjoint({os.getpid()})
            assert list(spread(pow_mod, [])) == []

    def test_what_a_task_raises_is_raised_and_the_others_go_on(self, executor: Executor) -> None:
        with executor.workers() as spread:
            results = spread(reciprocal, [2, 1, 0, 4])
            assert [next(results), next(results)] == [0.5, 1.0]
            with pytest.raises(ZeroDivisionError):
                next(results)
            assert list(spread(reciprocal, [4])) == [0.25]

    def test_tasks_are_taken_as_they_are_needed(self, executor: Executor) -> None:
        started = []

        def tasks() -> Iterator[int]:
            for n in range(10_000):
                started.append(n)
                yield n

        with executor.workers() as spread:
            results = spread(pow_mod, tasks())
            assert next(results) == pow_mod(0)
            assert len(started) < 1000
