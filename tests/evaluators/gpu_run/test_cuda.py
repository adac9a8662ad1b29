"""The CUDA driver on a library of our own in libcuda's place: launches, results of host functions, and its errors."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.evaluators.gpu_run.kernels import e, one, scale_body, shape, task
from tunepass.diagnostics import ToolError
from tunepass.evaluators.gpu_run.evaluator import GpuRun
from tunepass.evaluators.gpu_run.objects import CudaObjects
from tunepass.evaluators.gpu_run.session import WorkerSetting
from tunepass.evaluators.gpu_run.task import GpuCandidate, Module
from tunepass.evaluators.object_cache import file_digest
from tunepass.evaluators.toolchains.nvcc import nvcc_on
from tunepass.ir.gpu import GpuBuffer, GpuKernel, GpuScalar, Launch
from tunepass.study.outcome import Failed, Infeasible, Measured

GCC = shutil.which("gcc")
pytestmark = pytest.mark.skipif(GCC is None, reason="the library in libcuda's place is compiled with gcc")

# What the device does, on the host. SHAPE says how the launch ends.
SCALE = """
#include <stddef.h>
#include <string.h>
float factor[4] = {2, 2, 2, 2};
const size_t factor_size = sizeof factor;
const size_t scale_sizes[] = {4, 8, 8, 0};
#if SHAPE == 5
const int scale_registers = 255;
#endif
#if SHAPE == 10
const int scale_shared = 40 << 10;
#endif
static int launches;
int scale(void **p, const unsigned *launch)
{
    const int n = *(int *)p[0], threads = launch[0] * launch[3];
    const float *x = *(const float **)p[1];
    float *y = *(float **)p[2];
    launches++;
#if SHAPE == 3
    if (launches == 1) return 700;
#elif SHAPE == 4
    return 719;
#elif SHAPE == 6
    return -1;
#elif SHAPE == 7
    if (launches > 2) return 0; /* what it was compared by is done */
#elif SHAPE == 8
    return 2;
#endif
#if SHAPE == 9
    static float kept[1000];
    if (launches > 2) return memcpy(y, kept, sizeof kept), 0;
#endif
    for (int i = 0; i < threads; i++)
        if (i < n) y[i] = factor[i % 4] * x[i] + (SHAPE == 1);
    if (SHAPE == 2) y[n] = 0;
#if SHAPE == 9
    memcpy(kept, y, sizeof kept);
#endif
    return 0;
}
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the library."""
    folder = tmp_path_factory.mktemp("libcuda")
    source = Path(__file__).parent / "fake_libcuda.c"
    words = [GCC or "gcc", "-O1", "-shared", "-fPIC", source, "-o", folder / "libcuda.so.1", "-ldl"]
    subprocess.run(words, check=True)
    return folder


@dataclass(frozen=True)
class HostObjects:
    """In nvcc's place."""

    source: Path

    def __call__(self, candidate: GpuCandidate, folder: Path) -> Module | Failed | Infeasible:
        target = folder / "object"
        words = [GCC or "gcc", "-O1", "-w", "-shared", "-fPIC", *candidate.words, self.source, "-o", target]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            return Failed("compile", done.stderr)
        return Module(target, candidate.call.function, code=file_digest(target))


def cuda(folder: Path, library: Path, body: GpuKernel | None = None, **changes: object) -> GpuRun:
    source = folder / "scale.c"
    source.write_text(SCALE)
    environment = {"LD_LIBRARY_PATH": str(library), "FAKE_CUDA_LOG": str(folder / "log")}
    environment |= changes.pop("environment", {})  # type: ignore[arg-type, call-overload]
    worker = WorkerSetting(driver="cuda", environment=environment)
    return GpuRun(task(folder, body, worker=worker, compile=HostObjects(source), run_s=3.0, **changes))


@pytest.fixture
def run(tmp_path: Path, library: Path) -> Iterator[GpuRun]:
    evaluator = cuda(tmp_path, library)
    with evaluator:
        yield evaluator


def test_a_device_is_described_as_its_driver_does(run: GpuRun) -> None:
    device = run.device
    assert (device.name, device.version, device.capability) == ("Fake GPU", "CUDA driver 13.0", "8.0")
    assert (device.threads, device.block, device.shared_byte) == (1024, (1024, 1024, 64), 99 << 10)
    assert (device.multiprocessors, device.clock_mhz, device.l2_byte, device.warp) == (4, 1410, 1 << 16, 32)
    assert device.is_gpu and not device.counts_energy


def test_a_kernel_is_launched_as_its_source_says_and_timed(run: GpuRun, tmp_path: Path) -> None:
    outcome = run(shape(0)).outcome
    assert isinstance(outcome, Measured) and outcome.values["time"] > 0
    launches = (tmp_path / "log").read_text().splitlines()
    assert launches[-1] == "scale grid 20 1 1 block 50 1 1 shared 0"


FAILURES = {
    1: ("wrong_result", "elements differ"),
    2: ("out_of_bounds", "touched y[1000], 1 past its end"),
    3: ("out_of_bounds", "CUDA_ERROR_ILLEGAL_ADDRESS"),
    4: ("crash", "something else went wrong"),
    6: ("timeout", "it did not end within 3 s"),
    7: ("wrong_result", "while timed: y: "),
    9: ("wrong_result", "with other data, after it was timed: y: "),
    8: ("memory", "CUDA_ERROR_OUT_OF_MEMORY"),
}


@pytest.mark.parametrize("number", FAILURES)
@pytest.mark.one_in(3)
@pytest.mark.slow_but(4)
def test_a_failing_launch_is_a_failure_of_its_kind_and_the_next_one_is_measured(run: GpuRun, number: int) -> None:
    stage, words = FAILURES[number]
    failed = run(shape(number)).outcome
    assert isinstance(failed, Failed) and failed.stage == stage and words in failed.log
    assert isinstance(run(shape(0)).outcome, Measured)


def test_too_many_registers_are_infeasible_and_leave_the_worker_as_it_is(run: GpuRun) -> None:
    outcome = run(shape(5, 512)).outcome
    assert outcome == Infeasible("the device has not enough: registers for the threads of a block")
    assert isinstance(run(shape(5, 128)).outcome, Measured)


def test_shared_memory_beyond_the_usual_is_asked_for(tmp_path: Path, library: Path) -> None:
    def body(size: str) -> GpuKernel:
        return scale_body(
            launch=Launch(grid=(e("ceildiv(n, B)"), one(), one()), block=(e("B"), one(), one()), dynamic_shared=e(size))
        )

    with cuda(tmp_path, library, body("1000 * B")) as evaluator:
        assert isinstance(evaluator.evaluate(shape(0)).outcome, Measured)
        too_much = evaluator.evaluate(shape(0, 200)).outcome
    assert too_much == Infeasible("shared memory of a block: 200,000 of at most 101,376 bytes")
    assert "shared 50000" in (tmp_path / "log").read_text()


def test_shared_memory_of_the_kernel_itself_counts_to_the_usual(tmp_path: Path, library: Path) -> None:
    """40 KiB of its own and 20 KiB at the launch: neither alone is more than is there unasked."""
    launch = Launch(grid=(one(), one(), one()), block=(e("1000"), one(), one()), dynamic_shared=e("20480"))
    with cuda(tmp_path, library, scale_body(launch=launch)) as evaluator:
        assert isinstance(evaluator.evaluate(shape(10)).outcome, Measured)


INSTANCES = """
#include <stddef.h>
static int scaled(void **p, const unsigned *launch, float by)
{
    for (int i = 0; i < *(int *)p[0]; i++)
        (*(float **)p[2])[i] = by * (*(const float **)p[1])[i];
    return 0;
}
const size_t _Z5scaleILi2EEvi_sizes[] = {4, 8, 8, 0}, _Z5scaleILi3EEvi_sizes[] = {4, 8, 8, 0};
int _Z5scaleILi2EEvi(void **p, const unsigned *launch) { return scaled(p, launch, 2); }
int _Z5scaleILi3EEvi(void **p, const unsigned *launch) { return scaled(p, launch, 3); }
"""
NVCC = """#!{python}
import subprocess, sys
words = sys.argv[1:]
if "--version" in words:
    print("Cuda compilation tools, release 13.0, V13.0.88")
elif "--list-gpu-code" in words:
    print("sm_80")
else:
    target = words[words.index("-o") + 1]
    made = [{gcc!r}, "-w", "-shared", "-fPIC", "-x", "c", words[words.index("-o") - 1], "-o", target]
    subprocess.run(made, check=True)
    for name in ("_Z5scaleILi2EEvi", "_Z5scaleILi3EEvi"):
        print(f"ptxas info    : Compiling entry function '{{name}}' for 'sm_80'", file=sys.stderr)
        print("ptxas info    : Used 8 registers", file=sys.stderr)
"""


def test_of_a_templates_instances_the_one_is_launched_that_its_arguments_name(tmp_path: Path, library: Path) -> None:
    """Its reference is another instance of the same template."""
    program, source = tmp_path / "nvcc", tmp_path / "scale.cu"
    program.write_text(NVCC.format(python=sys.executable, gcc=GCC))
    program.chmod(0o755)
    source.write_text(INSTANCES)
    objects = CudaObjects(nvcc_on(source, (), str(program)), "sm_80")
    compiled = cuda(tmp_path, library, scale_body(function="scale<SHAPE - 1>")).task
    with GpuRun(replace(compiled, compile=objects, reference=compiled.lower(shape(3)))) as evaluator:
        assert isinstance(evaluator.evaluate(shape(3)).outcome, Measured)
        wrong = evaluator.evaluate(shape(4)).outcome
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"
    assert [line.split()[0] for line in (tmp_path / "log").read_text().splitlines()][-1] == "_Z5scaleILi3EEvi"


def test_a_symbol_is_filled_and_held_to_what_it_was(tmp_path: Path, library: Path) -> None:
    factor = GpuBuffer(name="factor", element="float", direction="in", length=e("4"), fill=e("i + 1"), symbol=True)
    with cuda(tmp_path, library, scale_body(arguments=(*scale_body().arguments, factor))) as evaluator:
        assert isinstance(evaluator, GpuRun)
        assert isinstance(evaluator.evaluate(shape(0)).outcome, Measured)
        expected = evaluator.set_up()
        y = expected.outputs[expected.cases[0]]["y"].values
    assert abs(y[3::4]).max() > 3 and abs(y[0::4]).max() <= 1


N, X, Y = scale_body().arguments
LONG = GpuBuffer(name="factor", element="float", direction="in", length=e("5"), symbol=True)
NONE = GpuBuffer(name="missing", element="float", direction="in", length=e("4"), symbol=True)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ((N, X), "the kernel has 3 arguments, its pragma states 2"),
        (
            (GpuScalar(name="n", element="double", value=e("9")), X, Y),
            "argument 1 does not match the kernel's: 8 bytes",
        ),
        ((N, X, Y, LONG), "factor has 16 bytes in the module, its pragma states 20"),
        ((N, X, Y, NONE), "the module has no variable missing"),
    ],
)
def test_arguments_that_do_not_match_the_kernel_are_told(
    tmp_path: Path, library: Path, arguments: tuple[GpuScalar | GpuBuffer, ...], words: str
) -> None:
    lengths = scale_body(arguments=tuple(a for a in arguments if a is not N) if N not in arguments else arguments)
    with cuda(tmp_path, library, lengths) as evaluator, pytest.raises(ToolError) as raised:
        evaluator.evaluate(shape(0))
    assert words in str(raised.value)


def test_buffers_that_do_not_fit_are_told(tmp_path: Path, library: Path) -> None:
    small = cuda(tmp_path, library, environment={"FAKE_CUDA_MEMORY": "140000"})
    with small, pytest.raises(ToolError, match="lacks memory"):
        small.evaluate(shape(0))


def test_where_there_is_no_libcuda_the_device_cannot_be_used(tmp_path: Path) -> None:
    broken = tmp_path / "empty"
    broken.mkdir()
    (broken / "libcuda.so.1").write_text("no library")
    with cuda(tmp_path, broken) as evaluator, pytest.raises(ToolError, match="the cuda device 0 cannot be used"):
        evaluator.evaluate(shape(0))
