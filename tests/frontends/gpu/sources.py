"""Sources that several tests read, and short ways to read them."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.frontends.base import Parsed
from tunepass.frontends.gpu.frontend import GpuFrontend
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Kernel

SCALE = """\
#ifndef BX
#define BX 64
#endif
#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass param PER: integer(1..4) = 1
#pragma tunepass constraint BX * PER <= n
#pragma tunepass kernel scale(n = 1024, a = 2.5, x: in float[n], y: out float[n]) grid(ceildiv(n, BX * PER)) block(BX)
extern "C" __global__ void scale(int n, float a, const float *__restrict__ x, float *y)
{
    for (int k = 0; k < PER; k++) {
        int i = (blockIdx.x * PER + k) * BX + threadIdx.x;
        if (i < n)
            y[i] = a * x[i];
    }
}
"""
SCALE_CL = """\
#pragma tunepass param BX: ordinal(32, 64, 128) = 64
#pragma tunepass param PER: integer(1..4) = 1
#pragma tunepass constraint BX * PER <= n
#pragma tunepass kernel scale(n = 1024, a = 2.5, x: in float[n], y: out float[n], tile: local float[BX])
#pragma tunepass   grid(ceildiv(n, BX * PER)) block(BX)
__kernel void scale(const int n, const float a, __global const float *restrict x, global float *y, __local float *tile)
{
    for (int k = 0; k < PER; k++) {
        int i = (get_group_id(0) * PER + k) * BX + get_local_id(0);
        if (i < n) {
            tile[get_local_id(0)] = x[i];
            y[i] = a * tile[get_local_id(0)];
        }
    }
}
""".replace("\n#pragma tunepass   grid", " \\\n    grid")
SHORT = "__global__ void f(int n, float *y) { y[BX] = n; }\n"


def parse(text: str, name: str = "scale.cu") -> Parsed:
    return GpuFrontend().parse(Source(name, text))


def kernel(text: str, name: str = "scale.cu") -> Kernel:
    (read,) = parse(text, name).kernels
    return read


def body(text: str, name: str = "scale.cu") -> GpuKernel:
    return kernel(text, name).body_as(GpuKernel)


def short(
    clauses: str = "grid(n // BX) block(BX)",
    *,
    arguments: str = "n = 1024, y: out float[n]",
    lines: str = "",
    function: str = SHORT,
) -> str:
    """A file with one parameter, BX."""
    return (
        "#pragma tunepass param BX: ordinal(32, 64, 128) = 64\n"
        f"{lines}#pragma tunepass kernel f({arguments}) {clauses}\n{function}"
    )
