"""A small CUDA source and a program that stands in for nvcc: it reports registers by the macros that it is given."""

from __future__ import annotations

import sys
from pathlib import Path

SCALE = """\
#pragma tunepass param B: pow2(32, 2048) = 128
#pragma tunepass param U: ordinal(1, 2, 4, 8) = 1
#pragma tunepass work flops(2 * U) independent(U)
#pragma tunepass access x: load(U) stride(1)
#pragma tunepass access y: store(U) stride(1)
#pragma tunepass kernel scale(n = 65536, a = 2, x: in float[n], y: out float[n]) \\
    grid(ceildiv(n, B * U)) block(B) accumulators(U) tolerance(0)
#ifndef B
#define B 128
#endif
#ifndef U
#define U 1
#endif
KERNEL void scale(int n, float a, GLOBAL const float *x, GLOBAL float *y) {
    for (int u = 0; u < U; u++) {
        int i = INDEX + u * B;
        if (i < n) y[i] = a * x[i];
    }
}
"""
CUDA = (
    SCALE.replace("KERNEL", 'extern "C" __global__')
    .replace("GLOBAL ", "")
    .replace("INDEX", "blockIdx.x * B * U + threadIdx.x")
)
OPENCL = (
    SCALE.replace("KERNEL", "__kernel")
    .replace("GLOBAL", "__global")
    .replace("INDEX", "get_group_id(0) * B * U + get_local_id(0)")
)

FAKE = r"""#!{python}
import sys
words = sys.argv[1:]
if "--version" in words:
    print("Cuda compilation tools, release 13.0, V13.0.88")
elif "--list-gpu-code" in words:
    print("sm_75\nsm_80\nsm_90")
else:
    macros = dict(word[2:].split("=") for word in words if word.startswith("-D"))
    if "BROKEN" in macros or (macros["U"] == "8" and macros["B"] == "32"):
        sys.exit("scale.cu(3): error: expected a declaration")
    open(words[words.index("-o") + 1], "wb").write(b"cubin")
    registers = 90 if macros["U"] == "8" else 20 + int(macros["U"])
    print("ptxas info    : Compiling entry function 'scale' for 'sm_80'", file=sys.stderr)
    print("ptxas info    : Function properties for scale", file=sys.stderr)
    print("    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads", file=sys.stderr)
    print(f"ptxas info    : Used {{registers}} registers", file=sys.stderr)
"""


def fake_nvcc(folder: Path) -> Path:
    """An nvcc in the folder, which is made: it refuses B=32 with U=8, and reports 90 registers for every other U=8."""
    folder.mkdir()
    path = folder / "nvcc"
    path.write_text(FAKE.format(python=sys.executable))
    path.chmod(0o755)
    return path
