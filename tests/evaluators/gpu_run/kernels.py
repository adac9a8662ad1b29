"""Small OpenCL kernels for the tests, right and wrong ones, with the bodies a frontend would make of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tunepass.evaluators.gpu_run.found import found_devices
from tunepass.evaluators.gpu_run.protocol import Device
from tunepass.evaluators.gpu_run.session import WorkerSetting
from tunepass.evaluators.gpu_run.sources import OpenClSource
from tunepass.evaluators.gpu_run.task import GpuCandidate, GpuTask
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.expr.nodes import INTEGER, Expr, Type
from tunepass.expr.parser import parse
from tunepass.ir.gpu import GpuBuffer, GpuKernel, GpuScalar, Launch
from tunepass.ir.gpu_call import call_at
from tunepass.space.configuration import Configuration

NAMES: Mapping[str, Type] = dict.fromkeys(("B", "N", "SHAPE", "n", "i"), INTEGER)
QUICK = MeasurePlan(warmup_s=0.0, budget_s=0.02, least=3, most=10)

# SHAPE says what is wrong with the kernel; 0: nothing.
SCALE = """
#ifndef B
#define B 64
#define SHAPE 0
#endif
#if SHAPE == 1
#error the compiler says no
#endif
__kernel void scale(const int n, __global const float *x, __global float *y) {
    const int i = get_global_id(0);
#if SHAPE == 2
    if (i < n) y[i] = 2.5f * x[i] + 1;
#elif SHAPE == 3
    y[i + (i == n - 1)] = 2 * x[i];
#elif SHAPE == 4
    y[i - 3] = 2 * x[i];
#elif SHAPE == 5
    if (i < n) y[i] = 2 * x[i];
    ((__global float *)x)[5] = 3;
#elif SHAPE == 6
    __builtin_trap();
#elif SHAPE == 7
    volatile __global float *z = y;
    while (z[0] != 12345.0f) {}
#elif SHAPE == 8
    y[(size_t)1 << 40] = x[i];
#elif SHAPE == 9
    __local float much[64 << 20];
    much[i] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = much[i];
#else
    if (i < n) y[i] = 2 * x[i];
#endif
}
"""


def e(text: str) -> Expr:
    return parse(text, NAMES)


def one() -> Expr:
    return e("1")


def scale_body(**changes: object) -> GpuKernel:
    """y[i] = 2 x[i] for i < n = 1000, in blocks of B threads."""
    fields: dict[str, object] = {
        "dialect": "opencl",
        "function": "scale",
        "arguments": (
            GpuScalar(name="n", element="int", value=e("1000")),
            GpuBuffer(name="x", element="float", direction="in", length=e("n")),
            GpuBuffer(name="y", element="float", direction="out", length=e("n")),
        ),
        "launch": Launch(grid=(e("ceildiv(n, B)"), one(), one()), block=(e("B"), one(), one())),
    }
    return GpuKernel(**{**fields, **changes})  # type: ignore[arg-type]


def task(
    folder: Path,
    body: GpuKernel | None = None,
    text: str = SCALE,
    worker: WorkerSetting | None = None,
    **changes: object,
) -> GpuTask:
    source = folder / "scale.cl"
    source.write_text(text)
    kernel = body or scale_body()

    def lower(configuration: Configuration) -> GpuCandidate:
        words = tuple(f"-D{name}={value}" for name, value in configuration.items())
        return GpuCandidate(call=call_at(kernel, configuration), words=words)

    fields: dict[str, object] = {
        "worker": worker or found_devices("opencl")[0].setting,
        "lower": lower,
        "compile": OpenClSource(source, text),
        "reference": lower(Configuration({"B": 64, "SHAPE": 0})),
        "plan": QUICK,
    }
    return GpuTask(**{**fields, **changes})  # type: ignore[arg-type]


def shape(number: int, block: int = 50) -> Configuration:
    return Configuration({"B": block, "SHAPE": number})


def some_device(**fields: object) -> Device:
    """A device that is nowhere; `fields` are those that differ."""
    usual: dict[str, object] = {
        "name": "some device",
        "vendor": "v",
        "version": "1",
        "is_gpu": True,
        "threads": 256,
        "block": (256, 256, 64),
        "grid": (1 << 20, 65_535, 65_535),
        "shared_byte": 1 << 15,
        "memory_byte": 1 << 30,
        "l2_byte": 1 << 20,
        "multiprocessors": 4,
        "clock_mhz": 1000,
    }
    return Device(**{**usual, **fields})  # type: ignore[arg-type]
