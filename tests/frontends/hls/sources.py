"""Sources for synthesis that several tests read."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.ir.hls import HlsBlock, HlsItem, HlsKernel, HlsLoop, HlsOperation, items_of
from tunepass.ir.kernel import Kernel

GEMV = """\
#define N 60
#pragma tunepass constraint PARA_I * PARA_J <= 128
#pragma ACCEL kernel
void gemv(double A[N][40], double x[40], double y[N])
{
  int i, j;
#pragma ACCEL PIPELINE auto{PIPE_I}
#pragma ACCEL TILE FACTOR=auto{TILE_I}
#pragma ACCEL PARALLEL FACTOR=auto{PARA_I}
  rows: for (i = 0; i < N; i++) {
    double sum = 0.0;
#pragma ACCEL PARALLEL reduction=sum FACTOR=auto{PARA_J}
    for (j = 0; j < 40; j++) {
      sum += A[i][j] * x[j];
    }
    y[i] = sum;
  }
}
"""


def parse(text: str, name: str = "kernel.c") -> Kernel:
    (kernel,) = HlsFrontend().parse(Source(name, text)).kernels
    return kernel


def warnings(text: str, name: str = "kernel.c") -> list[str]:
    return [w.message for w in HlsFrontend().parse(Source(name, text)).warnings]


def body(text: str, name: str = "kernel.c") -> HlsKernel:
    return parse(text, name).body_as(HlsKernel)


def merlin(statements: str, formals: str = "float a[64], float b[64], int n") -> HlsKernel:
    """Of a kernel with these statements, the first loop of which has a knob."""
    knob = "\n#pragma ACCEL PARALLEL FACTOR=auto{P}\nfor"
    return body(f"#pragma ACCEL kernel\nvoid k({formals})\n{{\n{statements.replace('for', knob, 1)}\n}}\n")


def loop(kernel: HlsKernel, name: str) -> HlsLoop:
    return next(found for found in kernel.loops() if found.name == name)


def operations(item: HlsItem | HlsKernel) -> list[HlsOperation]:
    whole = item.whole if isinstance(item, HlsKernel) else item
    return [o for inside in items_of(whole) if isinstance(inside, HlsBlock) for o in inside.operations]


def names(item: HlsItem | HlsKernel) -> list[str]:
    return [o.name for o in operations(item)]
