"""Kernels compile whatever the code around them calls."""

from __future__ import annotations

import pytest

from tests.frontends.gpu.sources import SCALE, SCALE_CL, kernel
from tunepass.backends.gpu.text import compiled_text
from tunepass.diagnostics import Source
from tunepass.frontends.gpu.host_code import without_host_code
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration

FILE = """#include <stdio.h>
#define DEVICE __device__
DEVICE float twice(float x) { return 2 * x; }
constexpr int half(int n) { return n / 2; }
OTHER_API int unknown() { return 1; }
struct Pair { float a; __host__ __device__ float sum() const { return a; } int host() { return 1; } };
__global__ void scale(float *y) { y[threadIdx.x] = twice(y[threadIdx.x]); }
static void launch(float *y)
{
#ifdef NOISY /* of
                two lines */
    puts("{");
#endif
#define LATER 3
    scale<<<1, 32>>>(y); // }
    cudaThreadSynchronize();
}
template <class T> void most(T *y) { launch(y); }
int main(int argc, char **argv) { launch(0); return 0; }
__global__ void after(float *y) { y[0] = LATER; }
"""
LEFT = """#include <stdio.h>
#define DEVICE __device__
DEVICE float twice(float x) { return 2 * x; }
constexpr int half(int n) { return n / 2; }
OTHER_API int unknown() { return 1; }
struct Pair { float a; __host__ __device__ float sum() const { return a; } int host() { return 1; } };
__global__ void scale(float *y) { y[threadIdx.x] = twice(y[threadIdx.x]); }
static void launch(float *y)
{
#ifdef NOISY


#endif
#define LATER 3


}
template <class T> void most(T *y) { }
int main(int argc, char **argv) { }
__global__ void after(float *y) { y[0] = LATER; }
"""


def defaults(read: Kernel) -> Configuration:
    return Configuration({p.name: p.default for p in read.parameters})


def shown(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_bodies_of_host_functions_are_empty_and_all_lines_are_where_they_were() -> None:
    assert shown(without_host_code(Source("x.cu", FILE))) == shown(LEFT)


def test_a_file_of_kernels_stays_as_it_is() -> None:
    assert without_host_code(Source("scale.cu", SCALE)) == SCALE


@pytest.mark.parametrize("text,name,stays", [(SCALE, "scale.cu", False), (SCALE_CL, "scale.cl", True)])
def test_of_cuda_alone_the_device_part_is_compiled(text: str, name: str, stays: bool) -> None:
    """A helper in OpenCL has no word that says where it runs."""
    helper = "\nfloat helper(float x) { return unknown(x); }\n"
    read = kernel(text + helper, name)
    compiled = compiled_text(read, defaults(read)).text
    assert compiled is not None and ("unknown" in compiled) is stays


def test_a_templates_instance_is_still_asked_for() -> None:
    template = SCALE.replace("kernel scale(", "kernel scale<3>(").replace('extern "C"', "template <int N>")
    read = kernel(template + "\nint main() { return gone(); }\n")
    compiled = compiled_text(read, defaults(read)).text
    assert compiled is not None and "&scale<3>;" in compiled and "gone" not in compiled
