"""Types of the compiler's debug data in the words of declared types: what the text of a source does not tell."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.frontends.cfamily.types.declared import (
    CType,
    Declared,
    TypeRecord,
    Types,
    canonical_type,
    is_known,
    merged,
)
from tunepass.frontends.cfamily.types.model import (
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
)

SIZES = {1: "char", 2: "short", 4: "int", 8: "long"}
ADDRESS = CType("void", 1)


@dataclass(slots=True)
class Conversion:
    """Collects the records, enums and typedefs that the converted types name; those of the text stay as they are."""

    known: Types
    typedefs: dict[str, CType] = field(default_factory=dict)
    records: dict[str, TypeRecord] = field(default_factory=dict)
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict)
    meanings: dict[str, CType] = field(default_factory=dict)  # of names that pragmas and formal parameters use

    def types(self) -> Types:
        """Those of the text, and all that was converted."""
        told = Types({**self.typedefs, **self.known.typedefs, **self.meanings}, self.records, self.enums)
        return merged(self.known, told)

    def declare(self, name: str, type: Type) -> None:
        """`name`, as a pragma or the text has it, means this type."""
        kind = self.convert(type)
        if kind != CType(name) and name not in self.records:
            self.meanings[name] = kind

    def convert(self, type: Type) -> CType:
        match type:
            case Qualified(target, _) | Reference(target):
                return self.convert(target)
            case Base():
                return CType(base_name(type))
            case Typedef(name, target):
                return self._typedef(name, target)
            case Pointer(target):
                return self._pointer(self.convert(target))
            case Array(element, extents):
                return _array(self.convert(element), tuple("" if n is None else str(n) for n in extents))
            case Vector(element, lanes):
                return _array(self.convert(element), (str(lanes),))
            case Record():
                return CType(self._record(type, type.spelling or f"{type.kind.value}@{type.line}:{len(self.records)}"))
            case Enumeration():
                return self._enumeration(type, type.spelling)
            case Function(result):
                return CType(self.convert(result).base, 1, (), True)
            case MemberPointer():
                return CType("void", 1, (), True)
            case Unspecified(name):
                return CType(name)
        return CType("void")

    def _typedef(self, name: str, target: Type) -> CType:
        bare = target.target if isinstance(target, Qualified) else target
        if isinstance(bare, Record) and bare.spelling is None:
            return CType(self._record(bare, name))
        if isinstance(bare, Enumeration) and bare.spelling is None:
            return self._enumeration(bare, name)
        if isinstance(bare, Vector):  # is passed and returned by value, as a struct of its lanes
            self.records[name] = TypeRecord("struct", (Declared("", self.convert(bare), offset=0),), size=bare.bytes)
            return CType(name)
        self.typedefs[name] = self.convert(target)
        return CType(name)

    def _pointer(self, target: CType) -> CType:
        if target.function:
            return target
        if target.dims:
            return CType(target.base, target.depth, ("*", *target.dims))
        return CType(target.base, target.depth + 1)

    def _record(self, record: Record, name: str) -> str:
        key = self._key(name)
        if key not in self.records and record.complete:
            kind = "union" if record.kind is RecordKind.UNION else "struct"
            self.records[key] = TypeRecord(kind, ())  # a member may be a pointer to it
            self.records[key] = TypeRecord(kind, tuple(self._members(record)), size=record.bytes)
        return key

    def _key(self, name: str) -> str:
        """As the text names the same type: `struct point` of a `point` in C++."""
        known = self.known.typedefs.get(name)
        return known.base if known is not None and known.base in (*self.known.records, *self.known.enums) else name

    def _members(self, record: Record) -> list[Declared]:
        found = []
        for base in record.bases:
            inner = self.convert(base.type)
            known = base.offset is not None
            found.append(Declared("" if known else "base class", inner if known else ADDRESS, offset=base.offset))
        return found + [self._member(member) for member in record.members]

    def _member(self, member: Member) -> Declared:
        kind = ADDRESS if member.artificial else self.convert(member.type)
        bare = member.type.target if isinstance(member.type, Qualified) else member.type
        reference = isinstance(bare, Reference)
        return Declared(member.name or "", kind, member.bits is not None, reference, offset=member.offset)

    def _enumeration(self, enum: Enumeration, name: str | None) -> CType:
        if name is None:
            signed = any(value < 0 for _, value in enum.enumerators)
            plain = SIZES.get(enum.size or 4, "int")
            return CType(canonical_type(f"{'signed' if signed else 'unsigned'} {plain}"))
        key = self._key(name)
        scope = f"{name}::" if enum.scoped else name.rpartition("::")[0] + "::" * ("::" in name)
        self.enums[key] = tuple(f"{scope}{enumerator}" for enumerator, _ in enum.enumerators)
        return CType(key)


def _array(element: CType, extents: tuple[str, ...]) -> CType:
    return CType(element.base, element.depth, (*extents, *element.dims), element.function)


def base_name(base: Base) -> str:
    """The usual name; of what has none (`__int128`, `_Float128`) the compiler's own."""
    if base.kind is BaseKind.COMPLEX:
        return f"{canonical_type(base.name.replace('_Complex', ''))} _Complex"
    if base.kind is BaseKind.BOOL:
        return "bool"
    name = canonical_type(base.name)
    if base.kind is BaseKind.CHAR and not is_known(name):  # wchar_t and its kind in C++
        return canonical_type(f"unsigned {SIZES[base.bytes]}")
    return name
