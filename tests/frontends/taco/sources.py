"""Sources that several tests read."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.frontends.base import Parsed
from tunepass.frontends.taco.frontend import TacoFrontend
from tunepass.ir.kernel import Kernel
from tunepass.ir.tensor import TensorKernel

SPMM = """\
# spmm.taco
tensor A(i,k) dense double;  tensor B(i,j) = ds double;  tensor C(j,k) dense double
A(i,k) = B(i,j) * C(j,k)
param chunk: pow2(2, 512) = 16 log
param unroll: pow2(2, 512) = 8 log
param order: permutation(i0, i1, jpos0, k, jpos1)
param threads: pow2(1, 32) = 2;  param omp: categorical(static, dynamic) = static;  param omp_chunk: pow2(1, 256) = 1
constraint unroll < chunk
schedule split(i, i0, i1, chunk), pos(j, jpos, B), split(jpos, jpos0, jpos1, unroll), reorder(order),
         unroll(jpos1, unroll), parallelize(i0, CPUThread, NoRaces, schedule(omp, omp_chunk), threads)
bind B = "matrix.mtx";  dim k = 64
"""


def parse(text: str, name: str = "kernel.taco") -> Parsed:
    return TacoFrontend().parse(Source(name, text))


def kernel(text: str) -> Kernel:
    (kernel,) = parse(text).kernels
    return kernel


def body(text: str) -> TensorKernel:
    return kernel(text).body_as(TensorKernel)
