"""Abbreviations of a unit: which attributes an entry has, in which form, and how far it reaches."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.frontends.cfamily.types.codes import FIXED_SIZE, Form

VARIABLE = -1


@dataclass(frozen=True, slots=True)
class Shape:
    """An abbreviation. `size` is that of all attributes together, or VARIABLE."""

    tag: int
    children: bool
    attributes: tuple[tuple[int, int, int], ...]  # (name, form, constant that the abbreviation holds)
    size: int
    names: frozenset[int]


def read_shapes(data: bytes, offset: int, address_size: int) -> dict[int, Shape]:
    """The table at `offset` of `.debug_abbrev`."""
    shapes: dict[int, Shape] = {}
    code, offset = unsigned(data, offset)
    while code:
        tag, offset = unsigned(data, offset)
        children = data[offset] == 1
        attributes, offset = _attributes(data, offset + 1)
        sizes = [address_size if form == Form.ADDR else FIXED_SIZE.get(form, VARIABLE) for _, form, _ in attributes]
        size = VARIABLE if VARIABLE in sizes else sum(sizes)
        shapes[code] = Shape(tag, children, attributes, size, frozenset(name for name, _, _ in attributes))
        code, offset = unsigned(data, offset)
    return shapes


def _attributes(data: bytes, offset: int) -> tuple[tuple[tuple[int, int, int], ...], int]:
    found: list[tuple[int, int, int]] = []
    while True:
        name, offset = unsigned(data, offset)
        form, offset = unsigned(data, offset)
        constant = 0
        if form == Form.IMPLICIT_CONST:
            constant, offset = signed(data, offset)
        if not name and not form:
            return tuple(found), offset
        found.append((name, form, constant))


def unsigned(data: bytes, offset: int) -> tuple[int, int]:
    """The ULEB128 number at `offset`, and the offset behind it."""
    byte = data[offset]
    offset += 1
    if byte < 0x80:
        return byte, offset
    value, shift = byte & 0x7F, 7
    while byte >= 0x80:
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        shift += 7
    return value, offset


def signed(data: bytes, offset: int) -> tuple[int, int]:
    """The SLEB128 number at `offset`, and the offset behind it."""
    start = offset
    value, offset = unsigned(data, offset)
    width = 7 * (offset - start)
    return value - (1 << width) if value >> (width - 1) & 1 else value, offset
