"""Operators of whole numbers and of fixed point by their widths; a tool's table has those of 32 bits.

adders        a LUT a bit, dividers bits by bits; rounded up to bytes, so that neighbouring widths are of one kind
multipliers   DSP blocks tile the product: one multiplies 27 by 18 bits, signed (AMD UG579, DSP48E2), those around it
              26 by 17; tiles that lie beyond the bits of the result are left out. Of two numbers of 10 bits and less it
              is LUTs, one for each bit by bit (assumed)
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.ir.hardware import Element, Fixed, Floating
from tunepass.ir.hls import HlsOperation

SIMPLE = "logic"
TABLE_BITS = 32  # of the whole numbers of a tool's table
BYTE = 8
DSP_BITS = (27, 18)  # signed; one less of each where several blocks make a product
LUT_PRODUCT_BITS = 10
SIZED = re.compile(r"int_(add|mul|div)_(\d+)(?:_(\d+))?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorCost:
    """Cycles until the result is there, and what one takes of the device."""

    cycles: float
    luts: float = 0.0
    ffs: float = 0.0
    dsps: float = 0.0


def stages(cycles: float, ratio: float) -> float:
    """Cycles of an operator when the clock is `ratio` times as fast; what is chained within a cycle stays a part."""
    scaled = cycles * ratio
    return scaled if scaled < 1 else float(math.ceil(scaled - 1e-9))


def kind_of(operation: HlsOperation, inputs: Sequence[Element] = ()) -> str:
    """The operation in the table's words: `double_add`, `int_mul`, ...; other widths than the table's are part of the
    word: `int_add_16`, `int_mul_18_36` with the wider operand's bits and the result's."""
    family, _, verb = operation.name.partition("_")
    verb = {"sub": "add", "neg": "logic", "mod": "div", "rem": "div"}.get(verb, verb)
    if family not in ("flt", "fix"):
        return SIMPLE
    element = operation.element
    if isinstance(element, Floating):
        return f"{'double' if element.bits > 32 else 'float' if element.bits > 16 else 'half'}_{verb}"
    if not isinstance(element, Fixed) or verb not in ("add", "mul", "div"):
        return f"int_{verb}"
    if verb == "mul":
        factor = max((e.bits for e in inputs if isinstance(e, Fixed)), default=TABLE_BITS)
        return "int_mul" if factor == element.bits == TABLE_BITS else f"int_mul_{factor}_{element.bits}"
    bits = -(-element.bits // BYTE) * BYTE
    return f"int_{verb}" if bits == TABLE_BITS else f"int_{verb}_{bits}"


def operator(operators: Mapping[str, OperatorCost], kind: str) -> OperatorCost:
    """Operator of a tool's table, or one of its whole numbers' made wider or narrower."""
    sized = SIZED.match(kind)
    if sized is None:
        return operators.get(kind, operators[SIMPLE])
    table, bits = operators[f"int_{sized[1]}"], int(sized[2])
    if sized[1] == "mul":
        return _multiplier(table, bits, int(sized[3] or bits))
    share = bits / TABLE_BITS
    if sized[1] == "add":
        return replace(table, luts=table.luts * share, ffs=table.ffs * share)
    cycles = max(1.0, table.cycles + bits - TABLE_BITS)  # a bit of the quotient a cycle
    return replace(table, cycles=cycles, luts=table.luts * share * share, ffs=table.ffs * share * share)


def _multiplier(table: OperatorCost, bits: int, result: int) -> OperatorCost:
    if bits <= LUT_PRODUCT_BITS:
        return replace(table, cycles=min(table.cycles, 1.0), luts=float(bits * bits), ffs=0.0, dsps=0.0)
    tiles = dsp_tiles(bits, result)
    share = tiles / max(1, dsp_tiles(TABLE_BITS, TABLE_BITS))
    return replace(table, luts=table.luts * share, ffs=table.ffs * share, dsps=float(tiles))


def dsp_tiles(bits: int, result: int) -> int:
    """Blocks of a product of two numbers of so many bits of which the lowest `result` bits are kept."""
    wide, narrow = DSP_BITS
    rows = range(1 + max(0, -(-(bits - wide) // (wide - 1))))
    columns = range(1 + max(0, -(-(bits - narrow) // (narrow - 1))))
    return sum((wide - 1) * row + (narrow - 1) * column < result for row in rows for column in columns)
