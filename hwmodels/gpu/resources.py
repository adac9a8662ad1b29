"""Resources of a multiprocessor that a thread and a block of a kernel use, as far as the source tells."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.gpu.device import Gpu
from tunepass.ir.gpu import GpuKernel

BASE = 24  # registers for indices, addresses and what is loaded ahead
PER_ACCUMULATOR = 1.15  # a value that lives over the loops, and its share of the operands
UNKNOWN_ACCUMULATORS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Registers of a thread, bytes it spills to local memory, and bytes of shared memory of a block; all integer."""

    registers: Expr
    spill_byte: Expr
    shared: Expr


def stated_resources(kernel: GpuKernel, gpu: Gpu) -> Resources:
    """From the source's `registers`, or else its `accumulators`. Registers beyond a thread's most are spilled."""
    shared = kernel.at(kernel.shared) if kernel.shared is not None else alg.lift(0)
    if kernel.registers is not None:
        return Resources(registers=kernel.at(kernel.registers), spill_byte=alg.lift(0), shared=shared)
    values = kernel.at(kernel.accumulators) if kernel.accumulators is not None else alg.lift(UNKNOWN_ACCUMULATORS)
    demand = alg.apply("ceil", alg.add(alg.mul(PER_ACCUMULATOR, values), BASE))
    most = gpu.limits.registers_per_thread
    return Resources(
        registers=alg.minimum(most, demand),
        spill_byte=alg.mul(4, alg.maximum(0, alg.sub(demand, most))),
        shared=shared,
    )
