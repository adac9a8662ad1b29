"""The evaluators keep the contract of their role."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.evaluators.kernels import window_task
from tests.evaluators.test_application import DEFAULT, task_in
from tests.evaluators.test_command import task as command_task
from tunepass.evaluators.application import ApplicationRun, DeterministicRun
from tunepass.evaluators.command import CommandRun
from tunepass.evaluators.compile_run import CompileRun
from tunepass.space.configuration import Configuration
from tunepass.testing.evaluator import EvaluatorContract


@pytest.fixture(autouse=True)
def private_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))


class TestCompileRun(EvaluatorContract):
    @pytest.fixture
    def evaluator(self, tmp_path: Path) -> CompileRun:
        return CompileRun(window_task(tmp_path))

    @pytest.fixture
    def good(self) -> Configuration:
        return Configuration({"SHAPE": 0})

    @pytest.fixture
    def bad(self) -> Configuration:
        return Configuration({"SHAPE": 6})


class TestCommandRun(EvaluatorContract):
    @pytest.fixture
    def evaluator(self, tmp_path: Path) -> CommandRun:
        return CommandRun(command_task(tmp_path))

    @pytest.fixture
    def good(self) -> Configuration:
        return Configuration({"COST": 5})

    @pytest.fixture
    def bad(self) -> Configuration:
        return Configuration({"COST": 0})


@pytest.mark.parametrize("kind", [DeterministicRun, ApplicationRun])
class TestApplications(EvaluatorContract):
    @pytest.fixture
    def evaluator(self, tmp_path: Path, kind: type[DeterministicRun]) -> DeterministicRun:
        return kind(task_in(tmp_path))

    @pytest.fixture
    def good(self) -> Configuration:
        return DEFAULT

    @pytest.fixture
    def bad(self) -> Configuration:
        return Configuration({**DEFAULT, "mode": "wrong"})
