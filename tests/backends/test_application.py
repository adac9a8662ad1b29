"""The backend of whole applications."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.contracts.backend import BackendContract
from tunepass.backends.application import ApplicationBackend
from tunepass.backends.base import Backend, Target
from tunepass.diagnostics import TunepassError
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import load

HEAT = Path(__file__).parents[2] / "samples" / "apps" / "heat"


class TestContract(BackendContract):
    @pytest.fixture
    def kernel(self, tmp_path: Path) -> Kernel:
        shutil.copytree(HEAT, tmp_path / "heat", ignore=shutil.ignore_patterns(".tunepass", "tunepass.lock"))
        return load(tmp_path / "heat" / "tune.yaml")

    def test_what_is_written_is_there(self, backend: Backend, kernel: Kernel, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        super().test_what_is_written_is_there(backend, kernel, tmp_path / "out")

    def test_an_application_names_its_own_commands(self, kernel: Kernel) -> None:
        with pytest.raises(TunepassError, match="names its own build commands"):
            ApplicationBackend(kernel, Target(compiler=("gcc",)))
