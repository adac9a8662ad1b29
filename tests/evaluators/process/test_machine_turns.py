"""Processes on one machine compile side by side, and measure while no other compiles or measures."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tunepass.evaluators.process.machine_turns import TakesTurns, machine_turn
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Measured
from tunepass.testing.executor import Plain, TwoSteps, X, outcome


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield


def begun(alone: bool, inside: list[str], name: str) -> threading.Thread:
    """A thread that takes a turn and says so."""

    def take() -> None:
        with machine_turn(alone=alone):
            inside.append(name)

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    return thread


def test_compiles_go_side_by_side_and_a_measurement_waits_for_them() -> None:
    inside: list[str] = []
    with machine_turn(alone=False):
        begun(False, inside, "compile").join(10)
        assert inside == ["compile"]
        measuring = begun(True, inside, "measure")
        measuring.join(0.1)
        assert inside == ["compile"]
    measuring.join(10)
    assert inside == ["compile", "measure"]


def test_nothing_begins_while_another_is_measured() -> None:
    inside: list[str] = []
    with machine_turn(alone=True):
        others = [begun(False, inside, "compile"), begun(True, inside, "measure")]
        for other in others:
            other.join(0.05)
        assert inside == []
    for other in others:
        other.join(10)
    assert sorted(inside) == ["compile", "measure"]


def test_the_turn_of_a_process_that_died_is_over(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        with machine_turn(alone=True):
            os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    inside: list[str] = []
    begun(True, inside, "measure").join(10)
    assert inside == ["measure"]


@pytest.mark.parametrize("evaluator", [Plain(), TwoSteps()])
def test_evaluations_are_those_of_the_wrapped_evaluator(evaluator: Plain) -> None:
    assert [TakesTurns(evaluator)(c).outcome for c in X] == [outcome(c) for c in X]


class Priced:
    """Without noise, and only evaluated while another measures."""

    def worthwhile(self, trials: int, /) -> int:
        return 1

    def __call__(self, configuration: Configuration, /) -> Evaluation:
        return Evaluation(Measured({"time": 1.0}))


def test_values_without_noise_need_no_turn() -> None:
    with machine_turn(alone=True):
        assert TakesTurns(Priced())(X[0]).outcome == Measured({"time": 1.0})
