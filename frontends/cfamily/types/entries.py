"""Debugging entries of one unit: found by skipping, decoded one at a time.

A unit that includes C++'s headers has 10^4 to 10^5 entries; a signature names some dozens. Where all attributes of an
abbreviation have a fixed size, an entry is skipped by one addition; gcc also writes where an entry's children end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.frontends.cfamily.types.abbreviations import Shape, read_shapes, signed, unsigned
from tunepass.frontends.cfamily.types.codes import (
    BLOCK_SIZES,
    CPP_LANGUAGES,
    FIXED_SIZE,
    INDEXED_STRINGS,
    LEB_FORMS,
    NUMBERS,
    REFERENCES,
    At,
    Form,
)
from tunepass.frontends.cfamily.types.sections import DebugDataError, Sections

Attribute = int | str | None  # None: an address, a block or an expression of the running program


@dataclass(frozen=True, slots=True, eq=False)
class DwarfEntry:
    """A decoded entry: attribute name -> (form, value). References are offsets in the section."""

    offset: int
    shape: Shape
    attributes: dict[int, tuple[int, Attribute]]

    @property
    def tag(self) -> int:
        return self.shape.tag

    def number(self, name: int) -> int | None:
        """A constant; None where there is none, or an expression of the running program."""
        form, value = self.attributes.get(name, (0, None))
        return value if isinstance(value, int) and form not in REFERENCES else None

    def reference(self, name: int) -> int | None:
        form, value = self.attributes.get(name, (0, None))
        return value if isinstance(value, int) and form in REFERENCES else None

    def text(self, name: int) -> str | None:
        value = self.attributes.get(name, (0, None))[1]
        return value if isinstance(value, str) else None

    def flag(self, name: int) -> bool:
        return name in self.attributes


class Unit:
    """The first unit of an object file: one compile makes one."""

    def __init__(self, sections: Sections) -> None:
        data = sections.info
        if len(data) < 12:
            raise DebugDataError("the compiler wrote no debug data")
        self._sections, self._data, self.big_endian = sections, data, not sections.little_endian
        length, self.version = self._fixed(0, 4), self._fixed(4, 2)
        if length >= 0xFFFFFFF0 or self.version not in (4, 5):
            raise DebugDataError(f"debug data of DWARF version {self.version} are not read (32-bit 4 and 5 are)")
        self._end = 4 + length
        place, size, self.root = (8, 7, 12) if self.version == 5 else (6, 10, 11)
        self.pointer_size = data[size]
        self._shapes = read_shapes(sections.abbreviations, self._fixed(place, 4), self.pointer_size)
        self._children: dict[int, list[int]] = {}
        self._entries: dict[int, DwarfEntry] = {}
        self._strings_base = 8  # behind the header of `.debug_str_offsets`
        top = self.entry(self.root)
        self._strings_base = top.number(At.STR_OFFSETS_BASE) or 8
        self.cpp = top.number(At.LANGUAGE) in CPP_LANGUAGES

    def shape(self, offset: int) -> Shape:
        return self._shapes[unsigned(self._data, offset)[0]]

    def children(self, offset: int) -> list[int]:
        """Offsets of the entry's own children, without theirs."""
        if offset not in self._children:
            self._children[offset] = list(self._list_children(offset))
        return self._children[offset]

    def _list_children(self, offset: int) -> Iterator[int]:
        code, at = unsigned(self._data, offset)
        if not self._shapes[code].children:
            return
        at = self._behind_attributes(self._shapes[code], at)
        while at < self._end and self._data[at]:
            yield at
            at = self._next(at)

    def _next(self, at: int) -> int:
        """The offset behind an entry and all its children."""
        data, shapes, depth = self._data, self._shapes, 0
        while True:
            code = data[at]
            at += 1
            if code >= 0x80:
                code, at = unsigned(data, at - 1)
            if code:
                shape = shapes[code]
                if shape.children and At.SIBLING in shape.names:
                    at = self._sibling(shape, at)
                else:
                    at = at + shape.size if shape.size >= 0 else self._behind_attributes(shape, at)
                    depth += shape.children
            else:
                depth -= 1
            if not depth:
                return at

    def _behind_attributes(self, shape: Shape, at: int) -> int:
        if shape.size >= 0:
            return at + shape.size
        for _, form, _ in shape.attributes:
            at = self._behind(form, at)
        return at

    def _sibling(self, shape: Shape, at: int) -> int:
        for name, form, constant in shape.attributes:
            if name == At.SIBLING:
                value = self._value(form, constant, at)[0]
                assert isinstance(value, int)
                return value
            at = self._behind(form, at)
        raise AssertionError("the caller saw the attribute")

    def entry(self, offset: int) -> DwarfEntry:
        """The entry at `offset`, decoded once."""
        if offset not in self._entries:
            code, at = unsigned(self._data, offset)
            shape, attributes = self._shapes[code], {}
            for name, form, constant in shape.attributes:
                value, at = self._value(form, constant, at)
                attributes[name] = (form, value)
            self._entries[offset] = DwarfEntry(offset, shape, attributes)
        return self._entries[offset]

    def path(self, offset: int) -> list[int]:
        """Offsets of the entries around `offset`, from the unit inwards."""
        around = [self.root]
        while True:
            children = self.children(around[-1])
            nearest = bisect_right(children, offset) - 1
            if nearest < 0 or children[nearest] == offset:
                return around
            around.append(children[nearest])

    def _fixed(self, at: int, size: int) -> int:
        return int.from_bytes(self._data[at : at + size], "big" if self.big_endian else "little")

    def _behind(self, form: int, at: int) -> int:
        """The offset behind a value."""
        size = FIXED_SIZE.get(form)
        if size is not None:
            return at + size
        if form == Form.ADDR:
            return at + self.pointer_size
        if form == Form.STRING:
            return self._data.index(b"\0", at) + 1
        if form in LEB_FORMS:
            while self._data[at] >= 0x80:
                at += 1
            return at + 1
        if form in BLOCK_SIZES:
            return at + BLOCK_SIZES[form] + self._fixed(at, BLOCK_SIZES[form])
        if form in (Form.EXPRLOC, Form.BLOCK):
            length, at = unsigned(self._data, at)
            return at + length
        raise DebugDataError(f"debug data use form {form:#x}, which is not read")

    def _value(self, form: int, constant: int, at: int) -> tuple[Attribute, int]:
        """A value and the offset behind it."""
        behind = self._behind(form, at)
        if form == Form.IMPLICIT_CONST:
            return constant, behind
        if form == Form.FLAG_PRESENT:
            return 1, behind
        if form == Form.SDATA:
            return signed(self._data, at)[0], behind
        if form == Form.STRING:
            return self._data[at : behind - 1].decode(errors="surrogateescape"), behind
        number = unsigned(self._data, at)[0] if form in LEB_FORMS else self._fixed(at, behind - at)
        if form in REFERENCES:  # of the first unit, which begins at 0
            return number, behind
        if form == Form.STRP:
            return _string(self._sections.strings, number), behind
        if form == Form.LINE_STRP:
            return _string(self._sections.line_strings, number), behind
        if form in INDEXED_STRINGS:
            return self._indexed_string(number), behind
        return number if form in NUMBERS else None, behind

    def _indexed_string(self, index: int) -> str:
        table, at = self._sections.string_offsets, self._strings_base + 4 * index
        offset = int.from_bytes(table[at : at + 4], "big" if self.big_endian else "little")
        return _string(self._sections.strings, offset)


def _string(table: bytes, offset: int) -> str:
    return table[offset : table.find(b"\0", offset)].decode(errors="surrogateescape")
