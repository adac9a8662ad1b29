"""How the structs of a CUDA or OpenCL file lie in memory, as the two languages and C agree on: natural alignment."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.frontends.c.elements import LEAF_LIMIT, UnknownElement
from tunepass.frontends.c.syntax.types import CType, Types
from tunepass.ir.gpu import Layout, NumberOf
from tunepass.ir.gpu_elements import Dialect, numbers_of, plain_name

DEPTH_LIMIT = 16  # structs in structs
CUDA_FOURS_ALIGN = 16  # bytes at most, of CUDA's vectors of four 8-byte numbers (Programming Guide, alignment table)


@dataclass(frozen=True, slots=True)
class _Placed:
    byte: int
    align: int
    numbers: tuple[NumberOf, ...]


def layout_of(element: CType, types: Types, dialect: Dialect) -> Layout | None:
    """Of a struct; None for a number or a vector. Raises UnknownElement for what cannot be filled and compared."""
    if not element.depth and not element.dims and numbers_of(element.base, dialect) is not None:
        return None
    placed = _place(element, types, dialect, 0)
    return Layout(placed.byte, placed.numbers)


def _place(declared: CType, types: Types, dialect: Dialect, depth: int) -> _Placed:
    kind = types.resolved(declared)
    if depth > DEPTH_LIMIT:
        raise UnknownElement(f"`{kind.base}` holds itself")
    if kind.depth or kind.function:
        raise UnknownElement("its elements hold pointers")
    one = _one(kind, types, dialect, depth)
    count = 1
    for dim in kind.dims:
        if not dim.isdigit():
            raise UnknownElement(f"the length `{dim}` of a member is not a number")
        count *= int(dim)
    if count * len(one.numbers) > LEAF_LIMIT:
        raise UnknownElement(f"`{kind.base}` has more than {LEAF_LIMIT} numbers")
    numbers = tuple(NumberOf(n.type, k * one.byte + n.offset) for k in range(count) for n in one.numbers)
    return _Placed(count * one.byte, one.align, numbers)


def _one(kind: CType, types: Types, dialect: Dialect, depth: int) -> _Placed:
    known = numbers_of(kind.base, dialect)
    if known is not None:
        number, count, byte = known
        width = byte // count if count != 3 or dialect == "cuda" else byte // 4
        align = width if count == 3 and dialect == "cuda" else byte
        if dialect == "cuda":
            align = min(align, CUDA_FOURS_ALIGN)
        return _Placed(byte, align, tuple(NumberOf(number, k * width) for k in range(count)))
    if kind.base in types.enums:
        return _Placed(4, 4, (NumberOf("int", 0),))
    record = types.records.get(kind.base)
    if record is None or record.kind == "union":
        what = "is a union" if record else "is not defined in this file or a header beside it"
        raise UnknownElement(f"`{plain_name(kind.base)}` {what}")
    offset, align, numbers = 0, 1, list[NumberOf]()
    for member in record.members:
        if member.bits:
            raise UnknownElement(f"`{member.name}` is a bit-field")
        placed = _place(member.type, types, dialect, depth + 1)
        offset = -(-offset // placed.align) * placed.align
        numbers += [NumberOf(n.type, offset + n.offset) for n in placed.numbers]
        offset, align = offset + placed.byte, max(align, placed.align)
    return _Placed(max(1, -(-offset // align) * align), align, tuple(numbers))
