"""Types from debugging entries: decoded once each, with all that they reach by data members."""

from __future__ import annotations

import re

from tunepass.frontends.cfamily.types.codes import At, Tag
from tunepass.frontends.cfamily.types.entries import DwarfEntry, Unit
from tunepass.frontends.cfamily.types.model import (
    Ancestor,
    Array,
    Base,
    BaseKind,
    Enumeration,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Qualified,
    Record,
    RecordKind,
    Reference,
    Type,
    Typedef,
    Unspecified,
    Vector,
    Void,
    bare_qualifiers,
)

QUALIFIERS: dict[int, str] = {
    Tag.CONST: "const",
    Tag.VOLATILE: "volatile",
    Tag.RESTRICT: "restrict",
    Tag.ATOMIC: "_Atomic",
}
RECORDS: dict[int, RecordKind] = {
    Tag.STRUCT: RecordKind.STRUCT,
    Tag.UNION: RecordKind.UNION,
    Tag.CLASS: RecordKind.CLASS,
}
ENCODINGS = {  # DW_ATE_*: DWARF 5, table 7.11; 0x80 and more are floats of GNU
    0x02: BaseKind.BOOL,
    0x03: BaseKind.COMPLEX,
    0x04: BaseKind.FLOAT,
    0x05: BaseKind.SIGNED,
    0x06: BaseKind.CHAR,
    0x07: BaseKind.UNSIGNED,
    0x08: BaseKind.CHAR,
    0x10: BaseKind.CHAR,
}
COMPLEX_PARTS = {8: "float", 16: "double", 32: "long double"}
OPENCL_HANDLE = re.compile(r"opencl_(\w+?)(_ro|_wo|_rw)?(?:_t)?$")
OPENCL_ACCESS = {"_ro": "__read_only ", "_wo": "__write_only ", "_rw": "__read_write ", None: ""}
SCOPES = frozenset({Tag.NAMESPACE, Tag.STRUCT, Tag.CLASS, Tag.UNION, Tag.ENUMERATION})
NO_BOUND = (1 << 32) - 1, (1 << 64) - 1, -1  # upper bounds of `[0]`


class Types:
    """Types of a unit by the offset of their entry."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._types: dict[int, Type] = {}

    def of(self, entry: DwarfEntry) -> Type:
        """The type that an entry's DW_AT_type names; void where it has none."""
        target = entry.reference(At.TYPE)
        return Void() if target is None else self.at(target)

    def at(self, offset: int) -> Type:
        if offset not in self._types:
            entry = self._unit.entry(offset)
            self._types[offset] = self._record(entry) if entry.tag in RECORDS else self._decode(entry)
        return self._types[offset]

    def _decode(self, entry: DwarfEntry) -> Type:
        size = entry.number(At.BYTE_SIZE)
        match entry.tag:
            case Tag.BASE:
                return _base(entry, size or 0)
            case Tag.POINTER:
                size = size or self._unit.pointer_size
                return _opencl_handle(self.of(entry), size) or Pointer(self.of(entry), size)
            case Tag.REFERENCE | Tag.RVALUE_REFERENCE:
                rvalue = entry.tag == Tag.RVALUE_REFERENCE
                return Reference(self.of(entry), size or self._unit.pointer_size, rvalue)
            case Tag.MEMBER_POINTER:
                return self._member_pointer(entry)
            case Tag.ARRAY:
                return self._array(entry)
            case Tag.CONST | Tag.VOLATILE | Tag.RESTRICT | Tag.ATOMIC:
                return _qualified(self.of(entry), QUALIFIERS[entry.tag])
            case Tag.TYPEDEF | Tag.TEMPLATE_ALIAS:
                return Typedef(self.spelled(entry) or "", self.of(entry))
            case Tag.ENUMERATION:
                return self._enumeration(entry)
            case Tag.SUBROUTINE:
                return self._function(entry)
        return Unspecified(entry.text(At.NAME) or f"type of tag {entry.tag:#x}", size)

    def spelled(self, entry: DwarfEntry) -> str | None:
        """The entry's name with its namespaces and classes; None where it, or a class around it, has no name."""
        name = entry.text(At.NAME)
        if name is None or not self._unit.cpp:
            return name
        outer = [self._unit.entry(at) for at in self.scope(entry)]
        names = [scope.text(At.NAME) for scope in outer if scope.tag != Tag.NAMESPACE or scope.flag(At.NAME)]
        return None if None in names else "::".join([*filter(None, names), name])

    def scope(self, entry: DwarfEntry) -> list[int]:
        """Offsets of the namespaces and classes around an entry, from the outermost."""
        declared = entry.reference(At.SPECIFICATION)
        around = self._unit.path(entry.offset if declared is None else declared)
        return [at for at in around if self._unit.shape(at).tag in SCOPES]

    def _named(self, entry: DwarfEntry, keyword: str) -> tuple[str | None, str | None]:
        """A tag's name, and its spelling in a declaration."""
        name = self.spelled(entry)
        local = any(self._unit.shape(at).tag == Tag.SUBPROGRAM for at in self._unit.path(entry.offset))
        if name is None or "<lambda" in name or "<unnamed" in name or "(anonymous" in name:
            return name, None
        if local and self._unit.cpp:
            return entry.text(At.NAME), entry.text(At.NAME)
        return name, name if self._unit.cpp else f"{keyword} {name}"

    def _record(self, entry: DwarfEntry) -> Record:
        kind, line = RECORDS[entry.tag], entry.number(At.DECL_LINE)
        name, spelling = self._named(entry, kind.value)
        size = None if entry.flag(At.DECLARATION) else entry.number(At.BYTE_SIZE)
        record = Record(kind, name, spelling, size, line)
        self._types[entry.offset] = record  # before its members: they may lead back to it
        children = [at for at in self._unit.children(entry.offset) if size is not None]
        tags = {at: self._unit.shape(at).tag for at in children}
        members = tuple(
            self._member(self._unit.entry(at)) for at in children if tags[at] == Tag.MEMBER and self._data(at)
        )
        bases = tuple(self._ancestor(self._unit.entry(at)) for at in children if tags[at] == Tag.INHERITANCE)
        object.__setattr__(record, "members", members)
        object.__setattr__(record, "bases", bases)
        return record

    def _data(self, offset: int) -> bool:
        """Whether a member lies in each object: DWARF 4 has static ones as members too."""
        names = self._unit.shape(offset).names
        return not {At.EXTERNAL, At.DECLARATION} & names

    def _member(self, entry: DwarfEntry) -> Member:
        type, start = self.of(entry), entry.number(At.MEMBER_LOCATION) or 0
        artificial = entry.flag(At.ARTIFICIAL) or (entry.text(At.NAME) or "").startswith("_vptr")
        width = entry.number(At.BIT_SIZE)
        if width is None:
            return Member(entry.text(At.NAME), type, start, None, artificial)
        first, from_top = entry.number(At.DATA_BIT_OFFSET), entry.number(At.BIT_OFFSET)
        if first is None and from_top is not None:  # DWARF 3: within a storage unit, from its most significant bit
            storage = 8 * (entry.number(At.BYTE_SIZE) or type.size or 0)
            first = 8 * start + (from_top if self._unit.big_endian else storage - from_top - width)
        first = 8 * start if first is None else first
        return Member(entry.text(At.NAME), type, first // 8, (width, first))

    def _ancestor(self, entry: DwarfEntry) -> Ancestor:
        virtual = bool(entry.number(At.VIRTUALITY))
        return Ancestor(self.of(entry), None if virtual else entry.number(At.MEMBER_LOCATION) or 0)

    def _member_pointer(self, entry: DwarfEntry) -> Type:
        owner = entry.reference(At.CONTAINING_TYPE)
        target = self.of(entry)
        size = self._unit.pointer_size * (2 if isinstance(target, Function) else 1)  # Itanium C++ ABI, 2.3
        return MemberPointer(target, Void() if owner is None else self.at(owner), entry.number(At.BYTE_SIZE) or size)

    def _array(self, entry: DwarfEntry) -> Type:
        element = self.of(entry)
        ranges = [self._unit.entry(at) for at in self._unit.children(entry.offset)]
        extents = tuple(_extent(bounds) for bounds in ranges if bounds.tag == Tag.SUBRANGE)
        if entry.flag(At.GNU_VECTOR):
            lanes = extents[0] or 1
            step = element.size or 0
            return Vector(element, lanes, entry.number(At.BYTE_SIZE) or step * (1 << (lanes - 1).bit_length()))
        return Array(element, extents or (None,))

    def _enumeration(self, entry: DwarfEntry) -> Enumeration:
        name, spelling = self._named(entry, "enum")
        children = [self._unit.entry(at) for at in self._unit.children(entry.offset)]
        values = [(child.text(At.NAME) or "", child.number(At.CONST_VALUE) or 0) for child in children]
        below = self.of(entry) if entry.reference(At.TYPE) is not None else None
        size = None if entry.flag(At.DECLARATION) else entry.number(At.BYTE_SIZE)
        return Enumeration(name, spelling, size, tuple(values), below, entry.flag(At.ENUM_CLASS))

    def _function(self, entry: DwarfEntry) -> Function:
        children = [self._unit.entry(at) for at in self._unit.children(entry.offset)]
        given = [child for child in children if child.tag == Tag.PARAMETER and not child.flag(At.ARTIFICIAL)]
        variadic = any(child.tag == Tag.UNSPECIFIED_PARAMETERS for child in children)
        prototyped = self._unit.cpp or entry.flag(At.PROTOTYPED)
        objects = [self.of(child) for child in children if child.tag == Tag.PARAMETER and child.flag(At.ARTIFICIAL)]
        constant = any(_constant_object(this) for this in objects)
        return Function(self.of(entry), tuple(self.of(child) for child in given), variadic, prototyped, constant)


def _opencl_handle(target: Type, size: int) -> Type | None:
    """OpenCL's images, samplers, events and queues: clang describes them as pointers to structs of its own."""
    name = target.name if isinstance(target, Record) and not target.complete else None
    found = OPENCL_HANDLE.match(name or "")
    return found and Unspecified(f"{OPENCL_ACCESS[found[2]]}{found[1]}_t", size)


def _constant_object(this: Type) -> bool:
    """Whether `this` points to a constant object."""
    pointer = bare_qualifiers(this)
    return (
        isinstance(pointer, Pointer) and isinstance(pointer.target, Qualified) and "const" in pointer.target.qualifiers
    )


def _base(entry: DwarfEntry, size: int) -> Base:
    name, encoding = entry.text(At.NAME) or "", entry.number(At.ENCODING) or 0
    kind = ENCODINGS.get(encoding, BaseKind.FLOAT if encoding >= 0x80 else BaseKind.UNSIGNED)
    if encoding == 0x80 or name.startswith("complex"):
        kind = BaseKind.COMPLEX  # GNU's complex integers too
    if kind is BaseKind.COMPLEX:
        part = name.removeprefix("_Complex").removeprefix("complex").strip() or COMPLEX_PARTS.get(size, "double")
        name = f"_Complex {part}"
    return Base(name, kind, size)


def _qualified(target: Type, word: str) -> Type:
    words = set(target.qualifiers) if isinstance(target, Qualified) else set()
    inner = target.target if isinstance(target, Qualified) else target
    return Qualified(inner, tuple(each for each in QUALIFIERS.values() if each in words | {word}))


def _extent(bounds: DwarfEntry) -> int | None:
    count, upper = bounds.number(At.COUNT), bounds.number(At.UPPER_BOUND)
    if count is not None:
        return None if count in NO_BOUND else count
    if upper is None:
        return None
    return 0 if upper in NO_BOUND else upper + 1
