"""The backend of whole applications."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tunepass.backends.application import task as application_task
from tunepass.backends.application.backend import ApplicationBackend
from tunepass.backends.base import Backend, Starts, Target, default_of
from tunepass.diagnostics import TunepassError
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import load
from tunepass.space.space import Space
from tunepass.testing.backend import BackendContract

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

    def test_what_it_is_built_from_and_with_is_told_by_name(self, kernel: Kernel) -> None:
        backend = ApplicationBackend(kernel, Target())
        identity = backend.identity(Space(kernel.parameters, kernel.constraints))
        known = backend.manifests()
        assert {"tune.yaml", "Makefile", "step.c"} <= {part.name for part in known[identity.source].parts}
        parts = {part.name: part for part in known[identity.toolchain].parts}
        assert {"gcc: compiler driver", "gcc: cc1", "gcc: -march=native"} <= parts.keys()
        read = ApplicationBackend(kernel, Target(starts=Starts.COMPILER))  # nothing that the description names
        assert read.identity(Space(kernel.parameters, kernel.constraints)).toolchain == ""

    def test_who_only_reads_asks_no_compiler_for_its_profile(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def started(tool: str) -> None:
            raise AssertionError(f"{tool} was started")

        shutil.copytree(HEAT.parent / "stack", tmp_path / "stack")
        kernel = load(tmp_path / "stack" / "tune.yaml")
        monkeypatch.setattr(application_task, "identify", started)
        backend = ApplicationBackend(kernel, Target(starts=Starts.COMPILER))
        assert backend.identity(Space(kernel.parameters, kernel.constraints)).source
        with pytest.raises(AssertionError, match="gcc was started"):
            ApplicationBackend(kernel, Target())._task().lower(default_of(kernel), "")
