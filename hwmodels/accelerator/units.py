"""Energy, leakage and area of operations, registers and SRAM by their widths.

product  a by b bits   a b / 32^2 of the unit of 32 bits       addition, comparison, logic, shift  w bits  w / 32
SRAM     read of b bits from a bank of s bytes: straight lines over log2 s between the file's sizes
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.accelerator.device import UNIT_BITS, ArithmeticUnit, Process, Sram
from tunepass.hwmodels.hls.nest import Placed
from tunepass.ir.hls import HlsBlock

ADDITIONS = frozenset({"add", "sub", "neg", "lt", "le", "gt", "ge", "eq", "ne", "min", "max", "abs"})
LOGIC = frozenset({"and", "or", "xor", "not", "mux"})
CONSTANTS = frozenset({"constant", "index"})
ACCESSES = frozenset({"load", "store"})


@dataclass(frozen=True, slots=True)
class SizedUnit:
    """A unit of the device, `share` times as large as one of 32 bits."""

    unit: ArithmeticUnit
    share: float

    @property
    def energy_pj(self) -> float:
        return self.unit.energy_pj * self.share

    @property
    def leakage_mw(self) -> float:
        return self.unit.leakage_mw * self.share

    @property
    def area_um2(self) -> float:
        return self.unit.area_um2 * self.share


def product_unit(process: Process, left: int, right: int) -> SizedUnit:
    return SizedUnit(process.multiplier, left * right / UNIT_BITS**2)


def unit_of(placed: Placed, process: Process) -> SizedUnit | None:
    """None for wires, accesses, and what is known when the design is made. SourceError for an operation that the device
    has no numbers for."""
    operation, known = placed.operation, known_positions(placed.block)
    if operation.name in ACCESSES or placed.position in known:
        return None
    family, _, verb = operation.name.rpartition("_")
    inputs = [element.bits for element in placed.block.inputs(operation)]
    share = max((operation.element.bits, *inputs)) / UNIT_BITS
    if verb == "mul" and family == "fix" and len(inputs) == 2:
        return product_unit(process, *inputs)
    if operation.name == "mux" and operation.inputs[0] in known:
        return None
    if family in ("fix", "bit", "") and verb in ADDITIONS | LOGIC:
        return SizedUnit(process.adder if verb in ADDITIONS else process.logic, share)
    if operation.name == "fix_shift":
        return None if known.issuperset(operation.inputs[1:]) else SizedUnit(process.shifter, share)
    raise SourceError(f"{process.name} has no numbers for `{operation.name}`", operation.span or placed.block.span)


def known_positions(block: HlsBlock) -> set[int]:
    """The operations that compute numbers of the design's parameters alone, or loops' counters."""
    known: set[int] = set()
    for position, operation in enumerate(block.operations):
        computed = operation.name not in ACCESSES and operation.inputs and known.issuperset(operation.inputs)
        if operation.name in CONSTANTS or computed:
            known.add(position)
    return known


def bank_bytes(sram: Sram, words: Expr, bits: int) -> Expr:
    """Size of a bank."""
    return alg.mul(bits / 8, alg.maximum(words, sram.least_words))


def read_pj(sram: Sram, size_byte: Expr, bits: int) -> Expr:
    """A bank that is smaller than the file's smallest takes as much as that; the last line is prolonged."""
    points = [(math.log2(size), energy) for size, energy in sram.read_energies(bits)]
    slopes = [(right - left) / (x1 - x0) for (x0, left), (x1, right) in pairwise(points)]
    x = alg.apply("log2", alg.maximum(alg.mul(1.0, size_byte), 2.0 ** points[0][0]))
    bends = [slope - before for before, slope in zip([0.0, *slopes], slopes)]
    reached = (alg.mul(bend, alg.maximum(0.0, alg.sub(x, at))) for bend, (at, _) in zip(bends, points))
    return alg.add(points[0][1], *reached)
