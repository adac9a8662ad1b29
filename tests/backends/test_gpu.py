"""The backend of GPU kernels on devices that are not here: what they refuse, what is estimated, and what is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.backends.gpu_kernels import CUDA, OPENCL, fake_nvcc
from tunepass.backends.base import Starts, Target, backend_for
from tunepass.backends.gpu import backend as gpu
from tunepass.cli import main
from tunepass.commands import devices
from tunepass.diagnostics import SpaceError, TunepassError
from tunepass.evaluators.gpu_run.found import FoundDevice, found_devices
from tunepass.evaluators.gpu_run.protocol import Device
from tunepass.ir.kernel import Kernel
from tunepass.jobs.locks.tuned_sources import tuned_source
from tunepass.jobs.reading import load
from tunepass.passes.pipeline import Pipeline
from tunepass.space.space import Space
from tunepass.testing.backend import BackendContract


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with both sources; nvcc is the one that stands in."""
    folder = tmp_path_factory.mktemp("kernels")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TUNEPASS_CACHE", str(folder / "cache"))
    nvcc = fake_nvcc(folder / "bin")
    monkeypatch.setenv("PATH", f"{nvcc.parent}{os.pathsep}{os.environ['PATH']}")
    (folder / "scale.cu").write_text(CUDA)
    (folder / "scale.cl").write_text(OPENCL)
    return folder


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(words)
    return status, *capsys.readouterr()


def test_what_a_device_refuses_is_a_constraint_of_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    free = json.loads(run(capsys, "space", "scale.cu", "--format", "json")[1])
    bound = json.loads(run(capsys, "space", "scale.cu", "--device", "a100", "--format", "json")[1])
    assert free["feasible"] == 28 and bound["feasible"] == 24
    assert bound["constraints"] == [*free["constraints"], "B <= 1024 (threads in a block on a100)"]


def test_a_kernel_that_no_configuration_can_launch_is_told_with_its_line(folder: Path) -> None:
    (folder / "scale.cu").write_text(CUDA.replace("block(B)", "block(B, 64)"))
    with pytest.raises(SpaceError, match=r"cannot be launched on a100, which has at most 1,024 threads in a block"):
        backend_for(load("scale.cu"), Target(device="a100", generator="model"))


def test_a_grid_without_blocks_is_no_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "scale.cu").write_text(CUDA.replace("ceildiv(n, B * U)", "65536 // (B * U * 128)"))
    words = ("build", "scale.cu", "--device", "a100", "--backend", "model", "--strategy", "exhaustive")
    built = json.loads(run(capsys, *words, "--format", "json")[1])
    assert built["certificate"]["points"] == sum(b * u <= 512 for b in (32, 64, 128, 256, 512) for u in (1, 2, 4, 8))


def test_a_build_compiles_and_says_that_it_estimates(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("build", "scale.cu", "--device", "A100", "--max-evals", "24", "--format", "json")
    status, out, _ = run(capsys, *words)
    built = json.loads(out)
    assert status == 0 and built["estimated"] and built["device"] == "a100" and built["trials"] == 24
    assert built["failures"] == {"infeasible": 1, "compile": 1}  # 90 registers times 1024 threads; U=8 with B=32
    assert built["objectives"]["time"]["unit"] == "ms" and built["model"]["compared"] == 22
    assert {Path(path).name for path in built["outputs"]} >= {"scale.tuned.cu", "scale.tuned.h"}
    assert run(capsys, "verify", "scale.cu")[0] == 0
    assert json.loads(run(capsys, *words)[1])["evaluations"] == 0
    assert "24 trials" in run(capsys, "explain", "scale.cu")[1]
    assert run(capsys, "report", "scale.cu", "-o", "page.html")[0] == 0


def test_what_rests_on_what_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "build", "scale.cu", "--device", "a100", "--max-evals", "5")[1]
    assert "estimated by the GPU model with the registers that nvcc 13.0.88 reports for sm_80; nothing was run" in out
    out = run(capsys, "build", "scale.cu", "--device", "v100", "--max-evals", "5", "-o", "v")[1]
    assert "nvcc 13.0.88 reports for sm_75, which stands in for sm_70" in out
    out = run(capsys, "build", "scale.cu", "--device", "a100", "--backend", "model", "--max-evals", "5", "-o", "m")[1]
    assert "nothing was compiled or run" in out


@pytest.mark.parametrize("source,more", [("scale.cu", ("--backend", "model")), ("scale.cl", ())])
def test_the_model_alone_is_searched_exactly(
    source: str, more: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("build", source, "--device", "a100", *more, "--strategy", "branch_and_bound", "--format", "json")
    built = json.loads(run(capsys, *words, "--objective", "time,registers,occupancy")[1])
    assert built["certificate"]["exact"] and built["estimated"] and len(built["pareto"]) > 1
    assert all(0 < point["objectives"]["occupancy"] <= 1 for point in built["pareto"])
    assert run(capsys, "verify", source)[0] == 0


def test_an_exact_solver_and_a_compiler_do_not_go_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "build", "scale.cu", "--device", "a100", "--strategy", "branch_and_bound")
    assert status == 2 and "--backend model" in err


def test_without_a_device_the_known_ones_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "found_devices", lambda driver: ())
    for words in ("build scale.cu", "build scale.cu --device cuda:7", "estimate scale.cu"):
        status, _, err = run(capsys, *words.split())
        assert status == 2 and "--device" in err and "a100" in err and "Traceback" not in err
    status, _, err = run(capsys, "build", "scale.cu", "--device", "a101")
    assert status == 2 and "did you mean 'a100'?" in err


def test_a_source_that_never_compiles_is_given_up(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("build", "scale.cu", "--device", "a100", "--jobs", "1", "--", "nvcc", "-DBROKEN=1")
    status, out, _ = run(capsys, *words)
    assert status == 1 and "every one of 10 evaluations failed" in out and "expected a declaration" in out


def test_the_user_is_told_that_his_compiler_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "build", "scale.cu", "--device", "a100", "--", "nvcc-9")
    assert status in (2, 4) and "nvcc-9" in err
    status, _, err = run(capsys, "build", "scale.cl", "--device", "a100", "--", "nvcc")
    assert status == 2 and "nothing follows --" in err


def test_a_lock_stands_for_its_device_and_compiler(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("build", "scale.cu", "--device", "h100", "--max-evals", "6", "--format", "json", "--", "nvcc", "-O2")
    built = json.loads(run(capsys, *words)[1])
    again = json.loads(run(capsys, "build", "scale.cu", "--frozen", "--format", "json", "--", "nvcc", "-O2")[1])
    assert again["choice"] == built["choice"] and again["device"] == "h100" and again["evaluations"] == 0
    status, _, err = run(capsys, "build", "scale.cu", "--frozen", "--device", "a100", "--", "nvcc", "-O2")
    assert status == 3 and "device: h100 -> a100" in err
    assert run(capsys, "verify", "scale.cu")[0] == 0


def test_the_space_of_the_identity_is_the_sources(folder: Path) -> None:
    kernel = load("scale.cu")
    backends = [backend_for(kernel, Target(device=name, generator="model")) for name in ("a100", "k80")]
    one, other = (b.identity(Space(b.kernel.parameters, b.kernel.constraints)) for b in backends)
    assert one.space == other.space and one.compiler != other.compiler


def test_what_is_minimised_is_not_what_more_of_is_better(folder: Path) -> None:
    backend = backend_for(load("scale.cu"), Target(device="a100", generator="model", objectives=("time", "occupancy")))
    assert [o.maximise for o in backend.objectives()] == [False, True]
    with pytest.raises(TunepassError, match="did you mean 'occupancy'"):
        backend_for(load("scale.cu"), Target(device="a100", generator="model", objectives=("ocupancy",))).objectives()


def processor(number: int = 0, *, is_gpu: bool = False, trouble: str = "") -> FoundDevice:
    device = Device(
        name="pthread-test",
        vendor="test",
        version="OpenCL 3.0 test",
        is_gpu=is_gpu,
        threads=256,
        block=(256, 256, 256),
        grid=(1 << 31, 1 << 31, 1 << 31),
        shared_byte=32768,
        memory_byte=1 << 30,
        l2_byte=0,
        multiprocessors=2,
        clock_mhz=1000,
        trouble=trouble,
    )
    return FoundDevice("opencl", number, device)


def test_a_processor_that_poses_as_a_device_is_used_where_it_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "found_devices", lambda driver: (processor(),) if driver == "opencl" else ())
    kernel = load("scale.cl")
    for device in ("host", "opencl", "opencl:0", "opencl:0 another name"):
        backend = backend_for(kernel, Target(device=device))
        assert backend.device == "opencl:0 pthread-test" and backend.measures and not backend.only_priced
        assert backend.kernel.constraints[-1].text == "B <= 256 (threads in a block on opencl:0)"
    with pytest.raises(TunepassError, match=r"no GPU is found here that runs this opencl kernel(.|\n)*opencl:0"):
        backend_for(kernel, Target())
    with pytest.raises(TunepassError, match="no device 'opencl:1' here"):
        backend_for(kernel, Target(device="opencl:1"))
    with pytest.raises(TunepassError, match="cuda:0 does not run opencl kernels"):
        backend_for(kernel, Target(device="cuda:0"))


def test_a_gpu_that_is_here_is_the_usual_device(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "found_devices", lambda driver: (processor(is_gpu=True),))
    backend = backend_for(load("scale.cl"), Target())
    assert backend.device == "opencl:0 pthread-test" and backend.costs() is None
    with pytest.raises(TunepassError, match="no objective 'energy'"):
        backend_for(load("scale.cl"), Target(objectives=("energy",))).objectives()


def test_a_device_that_compiles_nothing_is_passed_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    devices = (processor(trouble="error: unknown target CPU 'generic'"), processor(1))
    monkeypatch.setattr(gpu, "found_devices", lambda driver: tuple(d for d in devices if not d.device.trouble))
    monkeypatch.setattr(gpu, "troubled_devices", lambda driver: tuple(d for d in devices if d.device.trouble))
    for device in ("host", "opencl", "opencl:1"):
        assert backend_for(load("scale.cl"), Target(device=device)).device == "opencl:1 pthread-test"
    with pytest.raises(TunepassError, match=r"opencl:0 compiles nothing \(error: unknown target CPU 'generic'\)"):
        backend_for(load("scale.cl"), Target(device="opencl:0"))


def test_nothing_is_started_to_read_a_lock(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "found_devices", lambda driver: pytest.fail("a driver was started"))
    backend = backend_for(load("scale.cl"), Target(device="opencl:0 pthread-test", starts=Starts.NOTHING))
    assert backend.identity(Space(backend.kernel.parameters)).compiler == "" and backend.evaluator() is None


@pytest.mark.skipif(not found_devices("opencl"), reason="no OpenCL device: pip install 'tunepass[pocl]'")
@pytest.mark.slow
def test_a_build_runs_on_a_device_of_this_machine(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("build", "scale.cl", "--device", "host", "--max-evals", "3", "--format", "json")
    status, out, err = run(capsys, *words)
    built = json.loads(out)
    assert status == 0, err
    assert not built["estimated"] and built["failures"] == {} and built["device"].startswith("opencl:0 ")
    status, out, err = run(capsys, "verify", "scale.cl")
    assert status == 0 and out.startswith("scale.cl::scale: fits\n  checks    "), err
    assert json.loads(run(capsys, *words)[1])["evaluations"] == 0
    assert "3 trials" in run(capsys, "explain", "scale.cl")[1]


def test_a_compiler_is_given_the_locked_macros(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "scale.cu", "--device", "a100", "--max-evals", "8", "--format", "json"]) == 0
    choice = json.loads(capfd.readouterr().out)["choice"]
    locked = tuned_source(Path("scale.cu"))
    assert locked.text is None and locked.arguments == tuple(f"-D{name}={value}" for name, value in choice.items())
    compiler = folder / "bin" / "echoing"
    compiler.write_text('#!/bin/sh\necho "$@"\n')
    compiler.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "tunepass", "cc", "-c", "scale.cu"],
        env={**os.environ, "TUNEPASS_CC": str(compiler)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["-c", "scale.cu", *locked.arguments]


def test_where_the_time_goes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("estimate", "scale.cu", "--device", "a100", "--explain")
    status, out, err = run(capsys, *words, "-o", "time.svg")
    assert status == 0, err
    assert "what would bound it alone (ms)" in out and "DRAM" in out and (folder / "time.svg").is_file()
    (whole,) = json.loads(run(capsys, *words, "--format", "json")[1])["parts"]["time"]
    assert whole["values"]["time"] >= max(part["values"]["time"] for part in whole["inside"])


def test_the_front_of_a_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("pareto", "scale.cl", "--device", "a100", "--exact", "--objective", "time,occupancy", "--format", "json")
    front = json.loads(run(capsys, *words)[1])
    built = ("build", "scale.cl", "--device", "a100", "--strategy", "exhaustive", "--format", "json")
    every = json.loads(run(capsys, *built, "--objective", "time,occupancy")[1])
    points = [[point["objectives"] for point in found["pareto"]] for found in (front, every)]
    assert front["certificate"]["exact"] and points[0] == [p for i, p in enumerate(points[1]) if p not in points[1][:i]]


def test_a_pipeline_on_a_device_that_is_not_here(folder: Path) -> None:
    result = Pipeline.default("a100", max_evals=6).run(load("scale.cu"))
    assert len(result.found.trials) == 6 and f"#define B {result.choice['B']}" in result.source
    Pipeline.default("RTX 3090")
    with pytest.raises(TunepassError, match="GPU kernels are priced on"):
        Pipeline.default("abacus")


def test_the_devices_of_this_machine_are_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "found_devices", lambda: (processor(),))
    assert run(capsys, "devices")[1].splitlines()[-1].split() == [
        "opencl:0",
        "this",
        "machine's",
        "1000",
        "MHz",
        "pthread-test",
    ]
    assert json.loads(run(capsys, "devices", "--format", "json")[1])[-1]["name"] == "opencl:0"


class TestModelAlone(BackendContract):
    @pytest.fixture
    def kernel(self, folder: Path) -> Kernel:
        return load("scale.cl")

    @pytest.fixture
    def target(self) -> Target:
        return Target(device="a100")


class TestWithACompiler(BackendContract):
    @pytest.fixture
    def kernel(self, folder: Path) -> Kernel:
        return load("scale.cu")

    @pytest.fixture
    def target(self) -> Target:
        return Target(device="a100", compiler=("nvcc", "-O2"))
