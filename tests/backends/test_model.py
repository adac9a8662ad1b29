"""The backend of accelerator programs: identities, and a pipeline on a device."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tunepass.backends.base import Target, check_device, unrestricted
from tunepass.backends.model import ModelBackend
from tunepass.diagnostics import TunepassError
from tunepass.hwmodels.fpga.model import FpgaModel
from tunepass.ir.kernel import Kernel
from tunepass.jobs.job import check_options, locked_job, prepare
from tunepass.jobs.reading import load
from tunepass.passes.pipeline import Pipeline
from tunepass.search.options import SearchOptions
from tunepass.study.lock.lock import Lock
from tunepass.testing.backend import BackendContract
from tunepass.testing.cost_model import CostModelContract

SAMPLES = Path(__file__).parents[2] / "samples" / "spatial"


def test_the_identity_changes_with_the_device_and_the_restrictions() -> None:
    kernel = load(SAMPLES / "FFT.scala")
    devices = ("stratix-v", "stratix-v", "ecp5")
    one, same, other = (prepare(kernel, Target(device=device), Lock()) for device in devices)
    assert one.identity == same.identity != other.identity
    raw = prepare(kernel, Target(device="stratix-v", restrict=False), Lock())
    assert raw.identity.flags == ("--no-restrictions",) and raw.identity.compiler == one.identity.compiler
    with pytest.raises(TunepassError, match="priced on a device"):
        locked_job(kernel, Lock())


@pytest.mark.parametrize("strategy,limit", [("branch_and_bound", None), ("random", 12)])
def test_a_pipeline_on_a_device(strategy: str, limit: int | None, tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "FFT.scala", tmp_path)
    result = Pipeline.default("stratix-v", strategy=strategy, max_evals=limit).run(load(tmp_path / "FFT.scala"))
    assert result.pareto and result.choice == result.pareto[0].configuration
    assert {p.name for p in result.kernel.parameters} == set(result.choice)
    again = {p.name: p.default for p in load_text(tmp_path, result.source)}
    assert all(again[name] == value for name, value in result.choice.items() if name in again)
    assert (result.found.certificate is not None) is (limit is None)


def test_a_search_asks_for_what_fits(tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "BlackScholes.scala", tmp_path)
    kernel = unrestricted(load(tmp_path / "BlackScholes.scala"))  # of whose points one in 25 fits
    result = Pipeline.default("stratix-v", strategy="random", max_evals=60).run(kernel)
    assert len(result.found.trials) == 60
    assert all(trial.measured for trial in result.found.trials[1:])


def load_text(folder: Path, text: str):  # type: ignore[no-untyped-def]
    (folder / "tuned.scala").write_text(text)
    return [p for p in load(folder / "tuned.scala").parameters if not p.name.startswith("pipeline_")]


def test_options_of_compiled_programs_and_unknown_strategies_are_refused() -> None:
    job = prepare(load(SAMPLES / "FFT.scala"), Target(device="stratix-v"), Lock())
    check_options(job, SearchOptions(strategy="branch_and_bound"))
    with pytest.raises(TunepassError, match="did you mean 'exhaustive'"):
        check_options(job, SearchOptions(strategy="exhaustiv"))
    with pytest.raises(TunepassError, match="--sanitize is about compiled programs"):
        check_options(job, SearchOptions(sanitize=True))


class TestContract(BackendContract):
    @pytest.fixture
    def kernel(self) -> Kernel:
        return load(SAMPLES / "FFT.scala")

    @pytest.fixture
    def target(self) -> Target:
        return Target(device="stratix-v")


class TestModelContract(CostModelContract):
    @pytest.fixture
    def model(self) -> FpgaModel:
        return FpgaModel()

    @pytest.fixture
    def kernel(self) -> Kernel:
        return load(SAMPLES / "FFT.scala")


def test_a_device_of_the_user_is_a_file_and_its_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").mkdir()
    shutil.copy(SAMPLES / "FFT.scala", tmp_path / "src")
    board = tmp_path / "board.yaml"
    board.write_text("{name: board, like: ecp5, family: lattice, description: as ecp5}")
    monkeypatch.chdir(tmp_path)
    kernel = load("src/FFT.scala")
    job = prepare(kernel, Target(device="board.yaml"), Lock())
    path, digest = job.identity.device.split(" sha256:")
    assert path == "../board.yaml" and len(digest) == 64 and job.backend.device == "board.yaml"
    monkeypatch.chdir(tmp_path / "src")  # a lock holds wherever it is read
    again = prepare(load("FFT.scala"), ModelBackend.target_of(job.identity, ()), Lock())
    assert again.identity == job.identity
    board.write_text(board.read_text() + "\n# the same numbers")
    changed = prepare(load("FFT.scala"), ModelBackend.target_of(job.identity, ()), Lock()).identity
    assert job.identity.changed(changed) == ["device"]
    check_device(str(board))
    board.write_text("{name: board, clock_hz: fast}")
    with pytest.raises(TunepassError, match="`clock_hz` is a"):
        check_device(str(board))
