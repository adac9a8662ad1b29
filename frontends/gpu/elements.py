"""How the structs of a CUDA or OpenCL file lie in memory, as the two languages and C agree on: natural alignment, or
more where a struct states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.expr.algebra import lift, number
from tunepass.frontends.c.setup.elements import UnknownElement
from tunepass.frontends.cfamily.constants.named_numbers import number_in
from tunepass.frontends.cfamily.constants.values import Values
from tunepass.frontends.cfamily.types.declared import CType, TypeRecord, Types
from tunepass.ir.gpu import ElementLayout, NumberOf
from tunepass.ir.gpu_elements import Dialect, numbers_of, plain_name

DEPTH_LIMIT = 16  # structs in structs
NUMBER_LIMIT = 4096  # in one element
ALIGNED = ("align", "builtin_align", "alignas", "Alignas", "aligned")
CUDA_ALIGN = 16  # bytes at most, of CUDA's vectors (Programming Guide 13.0, alignment of the built-in vector types)


@dataclass(frozen=True, slots=True)
class _Placed:
    byte: int
    align: int
    numbers: tuple[NumberOf, ...]


@dataclass(frozen=True, slots=True)
class LayoutReader:
    """`constants` may be lengths of members and alignments."""

    types: Types
    dialect: Dialect
    constants: Mapping[str, bool | int | float]

    def layout_of(self, element: CType) -> ElementLayout | None:
        """Of a struct; None for a number or a vector. Raises UnknownElement for what cannot be filled and compared."""
        if not element.depth and not element.dims and numbers_of(element.base, self.dialect) is not None:
            return None
        placed = self._place(element, 0)
        return ElementLayout(placed.byte, placed.numbers)

    def _place(self, declared: CType, depth: int) -> _Placed:
        kind = self.types.resolved(declared)
        if depth > DEPTH_LIMIT:
            raise UnknownElement(f"`{kind.base}` holds itself")
        if kind.depth or kind.function:
            raise UnknownElement("its elements hold pointers")
        one, count = self._one(kind, depth), 1
        for dim in kind.dims:
            length = number_in(dim, self.constants)
            if not isinstance(length, int) or not 1 <= length <= NUMBER_LIMIT:
                raise UnknownElement(f"the length `{dim}` of a member is not a known number")
            count *= length
        if count * len(one.numbers) > NUMBER_LIMIT:
            raise UnknownElement(f"`{kind.base}` has more than {NUMBER_LIMIT} numbers")
        numbers = tuple(NumberOf(n.type, k * one.byte + n.offset) for k in range(count) for n in one.numbers)
        return _Placed(count * one.byte, one.align, numbers)

    def _one(self, kind: CType, depth: int) -> _Placed:
        known = numbers_of(kind.base, self.dialect)
        if known is not None:
            return self._vector(*known)
        if kind.base in self.types.enums:
            return _Placed(4, 4, (NumberOf("int", 0),))
        record = self.types.records.get(kind.base)
        if record is None or record.kind == "union":
            what = "is a union" if record else "is not defined in this file or a header beside it"
            raise UnknownElement(f"`{plain_name(kind.base)}` {what}")
        return self._record(record, self._stated(record), depth)

    def _stated(self, record: TypeRecord) -> int:
        """Its alignment is this at least."""
        if any(a.name.text.strip("_") in (*ALIGNED, "packed") for a in record.member_attributes):
            raise UnknownElement("its alignment is not a known power of two: a member states one")
        values = Values(known={name: lift(value) for name, value in self.constants.items()})
        stated = 1
        for attribute in record.attributes:
            word = attribute.name.text.strip("_")
            if word not in (*ALIGNED, "packed", "declspec"):
                continue
            value = values.number(attribute.arguments[0]) if word in ALIGNED and attribute.arguments else None
            align = None if value is None else number(value)
            if not isinstance(align, int) or align < 1 or align & (align - 1):
                raise UnknownElement(f"its alignment is not a known power of two: `{attribute.name.text}`")
            stated = max(stated, align)
        return stated

    def _vector(self, number: str, count: int, byte: int) -> _Placed:
        """OpenCL's vectors of three have the room and the alignment of four; CUDA's are aligned as their numbers."""
        unpadded = count == 3 and self.dialect == "cuda"
        width = byte // (4 if count == 3 and not unpadded else count)
        align = width if unpadded else byte
        numbers = tuple(NumberOf(number, k * width) for k in range(count))
        return _Placed(byte, min(align, CUDA_ALIGN) if self.dialect == "cuda" else align, numbers)

    def _record(self, record: TypeRecord, align: int, depth: int) -> _Placed:
        offset, numbers = 0, list[NumberOf]()
        for member in record.members:
            if member.bits:
                raise UnknownElement(f"`{member.name}` is a bit-field")
            placed = self._place(member.type, depth + 1)
            offset = -(-offset // placed.align) * placed.align
            numbers += [NumberOf(n.type, offset + n.offset) for n in placed.numbers]
            offset, align = offset + placed.byte, max(align, placed.align)
            if len(numbers) > NUMBER_LIMIT:
                raise UnknownElement(f"it has more than {NUMBER_LIMIT} numbers")
        return _Placed(max(1, -(-offset // align) * align), align, tuple(numbers))
