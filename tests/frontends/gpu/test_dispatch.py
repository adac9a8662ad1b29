"""Dispatchers of GPU kernels: their options and launches as C, and for CUDA all variants in one file."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.frontends.c.test_dispatch import chosen, sized
from tunepass.diagnostics import Source
from tunepass.expr.algebra import lift
from tunepass.frontends.gpu.frontend import GpuFrontend
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import Size, SizedVariants

SAMPLES = Path(__file__).parents[3] / "samples"
SIZES: list[Size] = [(("n", 64),), (("n", 256),), (("n", 1024),)]
DYNAMIC = """
#pragma tunepass param B: pow2(32, 256) = 32
#pragma tunepass param STAGE: categorical("NO", "YES") = "NO"
#pragma tunepass kernel copy(n = 1000, x: in float[n], y: out float[n]) grid(ceildiv(n, B)) block(B) \\
    dynamic(if(STAGE == "YES", 4 * B, 0)) sizes(n = 64, 256, 1024)
#ifndef B
#define B 32
#endif
#ifndef STAGE
#define STAGE NO
#endif
#define NO 0
#define YES 1
extern __shared__ float part[];
__global__ void copy(int n, const float *x, float *y)
{
    const int i = blockIdx.x * B + threadIdx.x;
    part[STAGE == YES ? threadIdx.x : 0] = 0;
    if (i < n) y[i] = x[i];
}
"""


def sample(path: str) -> Kernel:
    return GpuFrontend().parse(Source(path, (SAMPLES / path).read_text())).kernels[0]


def table(kernel: Kernel) -> SizedVariants:
    variants = [chosen(kernel, BX=8, TM=4), chosen(kernel, BX=16, TM=8, TN=8, VEC=4), chosen(kernel)]
    return sized(variants, SIZES, [0, 0, 1], [lift(True)] * 3)


def test_options_and_launches_of_opencl(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    header = GpuFrontend().dispatch(table(sample("opencl/matmul.cl")))
    assert header.name == "matmul.dispatch.h"
    (tmp_path / "all.c").write_text(
        f"{header.text}\nconst char *options(int v) {{ return matmul_options(v); }}\n"
        "int pick(long long n) { return matmul_variant(n); }\n"
        "void groups(size_t *g, int v, long long n) { matmul_grid(g, v, n); }\n"
        "void items(size_t *g, int v, long long n) { matmul_global(g, v, n); }\n"
    )
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-shared", "-fPIC"]
    subprocess.run([*command, "all.c", "-o", "all.so"], cwd=tmp_path, check=True, timeout=60)
    library = ctypes.CDLL(str(tmp_path / "all.so"))
    library.options.restype = ctypes.c_char_p
    assert library.options(1) == b"-DBX=16 -DBY=16 -DTM=8 -DTN=8 -DTK=16 -DVEC=4 -DUNROLL=1"
    assert [library.pick(ctypes.c_longlong(n)) for n in (64, 300, 1000, 100_000)] == [0, 0, 1, 2]
    three = (ctypes.c_size_t * 3)()
    library.groups(three, 0, ctypes.c_longlong(100))
    assert list(three) == [13, 2, 1]  # 8 x 64 elements a group
    library.items(three, 1, ctypes.c_longlong(1024))
    assert list(three) == [128, 128, 1]


@pytest.mark.parametrize("path", ["cuda/matmul.cu", "cuda/reduction.cu", "cuda/nbody.cu", "cuda/stencil.cu", ""])
@pytest.mark.one_in(2)
@pytest.mark.slow_but(3)
def test_all_variants_in_one_file(path: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    kernel = sample(path) if path else GpuFrontend().parse(Source("copy.cu", DYNAMIC)).kernels[0]
    last = chosen(kernel, **{p.name: p.domain[-1] for p in kernel.parameters if p.name in ("UNROLL", "STAGE")})
    header = GpuFrontend().dispatch(sized([last, chosen(kernel)], SIZES, [0, 0, 1], [lift(True)] * 2))
    (tmp_path / "all.cu").write_text(header.text)
    done = subprocess.run(
        ["nvcc", "-arch=sm_80", "-c", "all.cu"], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and "error" not in done.stderr, done.stderr
    assert (
        f"{kernel.name}_dispatch(" in header.text and f"{kernel.name}_0<<<grid, block, shared, stream>>>" in header.text
    )
    assert ("cudaFuncSetAttribute" in header.text) == (not path)


def test_arrays_of_the_file_are_not_copied() -> None:
    kernel = sample("cuda/convolution.cu")
    sizes: list[Size] = [(("w", 64), ("h", 64)), (("w", 4096), ("h", 4096))]
    header = GpuFrontend().dispatch(sized([chosen(kernel, TX=4), chosen(kernel)], sizes, [0, 1], [lift(True)] * 2))
    assert "each has the file's arrays for itself" in header.text and "<<<" not in header.text
    assert "convolution_options(int variant)" in header.text
