"""Energy of a kernel, J: what its operations, its memories and DRAM take, and what the device draws meanwhile.

    dynamic   launches (sum over operations of executions e(op, width) + bits moved e(DRAM))
    static    p seconds;  p = idle + per LUT * LUTs of the design

`executions` of an operation: the trips of the loops around it, for each work-item; both sides of a condition count.
Vitis and Intel's compiler go to DRAM for each access of a global array; Merlin copies (transfers.py), and accesses
what it copied. Registers and wires take nothing. The numbers are the device's (hwmodels/fpga/energy.py).
"""

from __future__ import annotations

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.energy import PICO, energy_of_kind
from tunepass.hwmodels.hls.nest import Nest, Placed
from tunepass.ir.hls import ONE

ACCESSES = frozenset({"load", "store"})
BYTE = 8


def energy(nest: Nest, fpga: Fpga, seconds: Expr, luts: Expr, copied_bits: Expr | None = None) -> Expr:
    """Joules of all launches; `copied_bits`: what a launch moves where global arrays are copied to the chip."""
    numbers, kernel = fpga.energy, nest.kernel
    of_dram = numbers.dram_pj_per_byte / BYTE + numbers.access_pj_per_bit
    items = ONE if kernel.range is None else kernel.range.work_items
    global_pj = of_dram if copied_bits is None else numbers.access_pj_per_bit
    executed = (
        alg.mul(_picojoules(placed, nest, fpga, global_pj), items, *(loop.trip for loop in placed.loops))
        for placed in nest.operations
    )
    moved = alg.lift(0) if copied_bits is None else alg.mul(of_dram, copied_bits)
    dynamic = alg.mul(kernel.launches, alg.add(0.0, moved, *executed))
    power = alg.add(numbers.idle_w, alg.mul(numbers.lut_w, luts))
    return alg.add(alg.mul(PICO, dynamic), alg.mul(power, seconds))


def _picojoules(placed: Placed, nest: Nest, fpga: Fpga, global_pj: float) -> float:
    """Energy of one execution; `global_pj` of a bit of a global array."""
    operation = placed.operation
    if operation.name in ACCESSES and operation.array is not None:
        array = nest.kernel.array(operation.array)
        if not array.dims and array.storage != "stream":
            return 0.0
        return operation.element.bits * (global_pj if array.storage == "global" else fpga.energy.access_pj_per_bit)
    widths = (element.bits for element in (operation.element, *placed.block.inputs(operation)))
    return energy_of_kind(operation.name, max(widths), fpga)
