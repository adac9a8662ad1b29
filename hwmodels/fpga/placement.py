"""From resources of the design to resources after place and route (spatial-lang, AlteraAreaModel.summarize).

    L            LUT3 + … + LUT7 + MEM16 + MEM32 + MEM64
    routing      R = g_R(L) + c_R BRAM         LUTs used as wires
    unavailable  U = g_U(L) + c_U BRAM         ALMs lost to placement
    fan-out      F = c_F Regs                  duplicated registers
    packed       (LUT3 + LUT4 + LUT5 + R) / 2 + LUT6 / 10 + MEM16 / 2
    logic        L + R - packed + U
    ALMs         logic + max((Regs + F + Mregs - 2.16 logic) / 3, 0)
    BRAM         + max(0.02 R - 500, 0)
with g(L) = sum of a L / (L + b), coefficients in the device's `fitted` section.

A device without them is told as synthesised, in LUTs and registers: a function with more inputs than a LUT takes two to
the number of those too many.
"""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.device import Correction, Fpga, Placement
from tunepass.hwmodels.fpga.resources import Area

LUTS = ("LUT3", "LUT4", "LUT5", "LUT6", "LUT7")
MEMS = ("MEM16", "MEM32", "MEM64")
REGS_PER_ALM = 2.16
PACKED = {"LUT3": 0.5, "LUT4": 0.5, "LUT5": 0.5, "LUT6": 0.1, "MEM16": 0.5}  # shares an ALM with another


def logic_alms(area: Mapping[str, Expr]) -> Expr:
    """The ALMs of the design's own logic, before routing: they add up over its parts."""
    return algebra.add(*(algebra.mul(1 - PACKED.get(n, 0.0), area[n]) for n in (*LUTS, *MEMS) if n in area))


def logic_luts(area: Mapping[str, Expr], device: Fpga) -> Expr:
    """The LUTs of the design's own logic, before routing: they add up over its parts."""
    if device.placement is not None:
        return algebra.add(*(area[name] for name in (*LUTS, *MEMS) if name in area))
    inputs = {**{f"LUT{k}": k for k in range(1, 8)}, "LUT": device.lut_inputs, **dict.fromkeys(MEMS, device.lut_inputs)}
    wide = {name: 2 ** max(0, k - device.lut_inputs) for name, k in inputs.items() if name in area}
    return algebra.add(*(algebra.mul(factor, area[name]) for name, factor in wide.items()))


def place(area: Area, device: Fpga) -> dict[str, Expr]:
    """`luts`, `ffs`, `dsps`, `brams`, `channels` of the design, and `alms` where the device has a placement."""
    return _as_synthesised(area, device) if device.placement is None else _placed(area, device.placement)


def _as_synthesised(area: Area, device: Fpga) -> dict[str, Expr]:
    registers = algebra.add(area["Regs"], area["Mregs"])
    return {
        "luts": algebra.apply("round", logic_luts(area, device)),
        "ffs": algebra.apply("round", registers),
        "dsps": algebra.apply("ceil", area["DSPs"]),
        "brams": algebra.apply("round", area["BRAM"]),
        "channels": area["Channels"],
    }


def _placed(area: Area, placement: Placement) -> dict[str, Expr]:
    logic = algebra.add(*(area[name] for name in (*LUTS, *MEMS)))
    routing = _correction(logic, area["BRAM"], placement.routing_luts)
    lost = _correction(logic, area["BRAM"], placement.unavailable_alms)
    fanout = algebra.mul(placement.fanout_per_reg, area["Regs"])
    # L + R - packed + U with the shares taken out, so that bounds over boxes do not subtract what they have added
    alms = algebra.add(logic_alms(area), algebra.mul(0.5, routing), lost)
    registers = algebra.add(area["Regs"], fanout, area["Mregs"])
    spare = algebra.sub(registers, algebra.mul(REGS_PER_ALM, alms))
    copies = algebra.maximum(0, algebra.add(algebra.mul(0.02, routing), -500))
    return {
        "alms": algebra.apply("round", algebra.add(alms, algebra.maximum(0, algebra.div(spare, 3)))),
        "luts": algebra.apply("round", algebra.add(logic, routing)),
        "ffs": algebra.apply("round", registers),
        "dsps": algebra.apply("ceil", area["DSPs"]),
        "brams": algebra.apply("round", algebra.add(area["BRAM"], copies)),
        "channels": area["Channels"],
    }


def _correction(logic: Expr, blocks: Expr, correction: Correction) -> Expr:
    # a L / (L + b) = a - a b / (L + b): L once, so that bounds are tight
    terms = [algebra.sub(a, algebra.div(a * b, algebra.add(logic, b))) for a, b in correction.saturating]
    return algebra.maximum(0, algebra.add(*terms, algebra.mul(correction.per_block, blocks)))
