"""Small networks as sources, and the values of their costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tunepass.diagnostics import Source
from tunepass.expr.numpy_eval import evaluate
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.accelerator.device import Process, load
from tunepass.hwmodels.accelerator.model import costs
from tunepass.hwmodels.base import Costs
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Kernel

NETWORK = """
#pragma tunepass param INPUTS: integer(1..9) = 4
#pragma tunepass param HIDDEN: integer(1..9) = 4
#pragma tunepass param OUTPUTS: integer(1..9) = 4
#pragma tunepass param LANES: integer(1..9) = 1
#pragma tunepass param BANKS: integer(1..9) = 1
#pragma tunepass param BITS: ordinal(1, 2, 8, 16, 32) = 8
#pragma tunepass hls net dialect(vitis)
#define INPUTS 4
#define HIDDEN 4
#define OUTPUTS 4
#define LANES 1
#define BANKS 1
#define BITS 8
typedef ap_int<BITS> number;
void net(number x[INPUTS], number w1[HIDDEN][INPUTS], number w2[OUTPUTS][HIDDEN], number y[OUTPUTS])
{
#pragma HLS array_partition variable=w1 cyclic factor=BANKS dim=1
#pragma HLS array_partition variable=w2 cyclic factor=BANKS dim=1
#pragma HLS array_partition variable=x complete
#pragma HLS array_partition variable=y complete
    number h[HIDDEN];
#pragma HLS array_partition variable=h complete
    for (int o = 0; o < HIDDEN; o++) {
#pragma HLS unroll factor=LANES
        ap_int<2 * BITS + 4> sum = 0;
        for (int i = 0; i < INPUTS; i++)
            sum += w1[o][i] * x[i];
        h[o] = sum > 0 ? sum : 0;
    }
    for (int o = 0; o < OUTPUTS; o++) {
#pragma HLS unroll factor=LANES
        ap_int<2 * BITS + 4> sum = 0;
        for (int i = 0; i < HIDDEN; i++)
            sum += w2[o][i] * h[i];
        y[o] = sum;
    }
}
"""


def network(text: str = NETWORK) -> Kernel:
    (kernel,) = HlsFrontend().parse(Source("net.cpp", text)).kernels
    return kernel


def priced(kernel: Kernel, process: Process | None = None) -> Costs:
    return costs(kernel.body_as(HlsKernel), process or load("accel-40nm"))


def values(kernel: Kernel, name: str, process: Process | None = None, **given: Sequence[int]) -> np.ndarray:  # type: ignore[type-arg]
    """Of the cost `name`, for the parameters' values in columns of equal length; the defaults of the others."""
    n = max([len(column) for column in given.values()], default=1)
    columns = {p.name: p.column(list(given.get(p.name, [p.default] * n))) for p in kernel.parameters}  # type: ignore[list-item]
    found = priced(kernel, process)
    expressions: Mapping[str, object] = {**found.values, "fits": found.fits, "within_fit": found.within_fit}
    return np.broadcast_to(evaluate(expressions[name], columns, n).values, n)  # type: ignore[arg-type]
