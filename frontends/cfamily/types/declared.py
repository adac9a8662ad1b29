"""Types as the source's text declares them: typedefs, structs, unions and enums of a source and its own headers.

A name that is declared nowhere here is taken for a number's type (`uint32_t`, or a typedef of a system header).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.frontends.cfamily.constants.literals import arithmetic, literal
from tunepass.frontends.cfamily.syntax.expressions import UNTYPED
from tunepass.frontends.cfamily.syntax.tree import (
    Attribute,
    Binary,
    Cast,
    Declaration,
    Declarator,
    Expression,
    Number,
    Record,
    Unary,
)
from tunepass.frontends.cfamily.unit import Unit

NUMERIC = frozenset({"char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Bool", "bool"})
INTEGRAL = re.compile(r"(?:u?int(?:_fast|_least)?\d+|u?intptr|u?intmax|s?size|ptrdiff)_t\Z")
SPECIFIERS = frozenset(
    {"static", "extern", "typedef", "inline", "__inline", "__inline__", "_Thread_local", "thread_local", "__thread",
     "constexpr", "consteval", "constinit", "__extension__", "mutable", "virtual", "explicit", "friend", "_Noreturn",
     "auto", "__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__", "__forceinline__",
     "__noinline__", "__grid_constant__", "__kernel", "kernel", "__global", "global", "__local", "local", "__constant",
     "constant", "__private", "private", "__generic", "generic", "__read_only", "__write_only", "__read_write",
     "read_only", "write_only", "read_write", "__forceinline", "__volatile__", "__volatile"}
)  # fmt: skip
VECTOR = ("vector_size", "ext_vector_type")  # attributes
TAGS = ("struct", "union", "enum", "class")
DEPTH_LIMIT = 32  # of typedefs of typedefs


@dataclass(frozen=True, slots=True)
class CType:
    """`base` is a canonical name (`double`, `struct point`), `depth` the stars, `dims` the lengths as text.

    `double *v[3]` has depth 1 and dims ("3",): the array holds pointers. `double (*v)[3]` has dims ("*", "3")."""

    base: str
    depth: int = 0
    dims: tuple[str, ...] = ()
    function: bool = False  # a pointer to a function, or a function


@dataclass(frozen=True, slots=True)
class Declared:
    """A name with its type; `name` is empty for an anonymous member. `start` is where the name stands in the source."""

    name: str
    type: CType
    bits: bool = False  # a bit-field
    reference: bool = False  # another name for what it is bound to
    initialised: bool = False
    start: int = 0
    offset: int | None = None  # of a member in its struct, in bytes, where the compiler told it


@dataclass(frozen=True, slots=True)
class TypeRecord:
    """A struct or a union with its members, the attributes that it states and those of its members. `size` in bytes,
    where the compiler told it. `bases` are those whose members the text does not list."""

    kind: str
    members: tuple[Declared, ...]
    attributes: tuple[Attribute, ...] = ()
    member_attributes: tuple[Attribute, ...] = ()
    size: int | None = None
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Types:
    """`records` and `enums` by canonical name; an anonymous one by that of its typedef."""

    typedefs: Mapping[str, CType] = field(default_factory=dict)
    records: Mapping[str, TypeRecord] = field(default_factory=dict)
    enums: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the enumerators

    def resolved(self, declared: CType) -> CType:
        """Typedefs taken away, as far as they are known."""
        for _ in range(DEPTH_LIMIT):
            inner = self.typedefs.get(declared.base)
            if inner is None or inner.base == declared.base:
                return declared
            pointers = declared.depth if inner.dims else 0  # `typedef double row[4]; row *x`
            declared = CType(
                inner.base,
                inner.depth + declared.depth - pointers,
                (*declared.dims, *["*"] * pointers, *inner.dims),
                inner.function or declared.function,
            )
        return declared


def merged(one: Types, other: Types) -> Types:
    """Both; `other` says what a name means that both have."""
    return Types({**one.typedefs, **other.typedefs}, {**one.records, **other.records}, {**one.enums, **other.enums})


def declared_types(unit: Unit) -> Types:
    plain = {name: one for name, one in unit.aliases.items() if not _is_vector(unit, one)}  # vectors the compiler tells
    typedefs = {name: type_of(one.words, one.declarators[0]) for name, one in plain.items()}
    unambiguous = (record for name, record in unit.records.items() if name not in unit.ambiguous_records)
    records = {f"{record.kind} {record.name}": _record(record) for record in unambiguous}
    enums = {f"enum {name}": names for name, names in unit.enums.items()}
    for name, target in list(typedefs.items()):
        if "@" in target.base and not target.depth and not target.dims:  # an anonymous struct gets this name
            if target.base in records:
                records[name] = records.pop(target.base)
            if target.base in enums:
                enums[name] = enums.pop(target.base)
            del typedefs[name]
    for key in (*records, *enums):
        tag = key.partition(" ")[2]
        if tag and tag not in typedefs:  # C++ needs no keyword, and in C nothing else has that name
            typedefs[tag] = CType(key)
    return Types(typedefs, records, enums)


def _is_vector(unit: Unit, declaration: Declaration) -> bool:
    first, last = unit.index(declaration.first), unit.index(declaration.last)
    return any(attribute.name.text.strip("_") in VECTOR for attribute in unit.reader.attributes_in(first, last + 1))


def _record(record: Record) -> TypeRecord:
    members: list[Declared] = []
    for declaration in record.members:
        members += [declared(declaration, declarator) for declarator in declaration.declarators]
        if not declaration.declarators:
            members.append(Declared("", CType(element_of(declaration.words))))
    kind = "union" if record.kind == "union" else "struct"
    return TypeRecord(kind, tuple(members), record.attributes, record.member_attributes, bases=record.bases)


def declared(declaration: Declaration, declarator: Declarator) -> Declared:
    kind = type_of(declaration.words, declarator)
    return Declared(
        declarator.name.text,
        kind,
        declarator.bits,
        declarator.reference,
        declarator.value is not None,
        declarator.name.start,
    )


def type_of(words: Sequence[str], declarator: Declarator) -> CType:
    """Of a declarator after these words."""
    base = element_of(words)
    if declarator.parameters is not None:
        return CType(base, 1, (), True)
    kinds = declarator.pointers
    arrays = max((at + 1 for at, pointer in enumerate(kinds) if not pointer), default=0)
    dims = tuple("*" if kinds[at] else _length(declarator.shape[at], declarator.lengths[at]) for at in range(arrays))
    return CType(base, len(kinds) - arrays, dims)


def _length(extent: Expression | None, text: str) -> str:
    """A number where the extent is one, else its text."""
    value = constant(extent)
    return text if value is None else str(value)


def constant(e: Expression | None) -> int | None:
    """The value of arithmetic on numbers; None of anything else."""
    match e:
        case Number(token):
            return literal(token.text)
        case Cast(_, False, operand):
            return constant(operand)
        case Unary(op, operand) if op.text in ("-", "+"):
            value = constant(operand)
            return -value if value is not None and op.text == "-" else value
        case Binary(op, left, right):
            a, b = constant(left), constant(right)
            return None if a is None or b is None else arithmetic(op, a, b)
    return None


def element_of(words: Sequence[str]) -> str:
    """The canonical name of the type that a declaration's words name; empty where they name none."""
    kept = [w for w in words if w not in SPECIFIERS and (w in TAGS or w not in UNTYPED)]
    if not kept and "auto" in words:
        return "auto"
    if len(kept) > 1 and kept[0] in TAGS:
        return f"{kept[0]} {kept[1]}"
    if any(w in ("_Complex", "__complex__", "complex") for w in kept):
        real = canonical_type(" ".join(w for w in kept if "omplex" not in w))
        return f"{real or 'double'} _Complex"
    return canonical_type(" ".join(kept))


def named_type(text: str) -> str:
    """The same of the words in a text, which has no stars and brackets."""
    return element_of(text.split())


def canonical_type(text: str) -> str:
    """One spelling per arithmetic type: `long int` and `long`, `unsigned` and `unsigned int`; others as they are."""
    words = [w for w in re.sub(r"[*&]", " ", text).split() if w not in UNTYPED - set(TAGS) and w not in SPECIFIERS]
    if not words or not all(w in NUMERIC for w in words):
        return " ".join(words)
    if any(w in ("float", "bool", "_Bool") for w in words):
        return "bool" if words[-1] == "_Bool" else words[-1]
    longs = " ".join(w for w in words if w in ("long", "short"))
    if "double" in words:
        return f"{longs} double".strip()
    if "char" in words:
        return " ".join([w for w in words if w in ("signed", "unsigned")] + ["char"])
    return ("unsigned " if "unsigned" in words else "") + (longs or "int")


def is_integral(element: str) -> bool:
    words = element.split()
    return bool(INTEGRAL.match(element)) or (
        bool(words) and all(w in NUMERIC for w in words) and not {"float", "double"} & set(words)
    )


def is_real(element: str) -> bool:
    return element in ("float", "double", "long double", "_Float16", "__float128")


def is_known(element: str) -> bool:
    return is_integral(element) or is_real(element)


STANDARD_TYPES = {
    "int8_t": ("signed char",), "int16_t": ("short",), "int32_t": ("int",), "int64_t": ("long", "long long"),
    "ptrdiff_t": ("long", "long long"), "ssize_t": ("long", "long long"), "intptr_t": ("long", "long long"),
}  # fmt: skip


def may_be_same(first: str, second: str) -> bool:
    """`uint8_t` and `unsigned char`: may one of these two be a typedef of the other in the standard headers?"""
    return second in _standing_for(first) or first in _standing_for(second)


def _standing_for(name: str) -> tuple[str, ...]:
    signed = {"size_t": "ptrdiff_t"}.get(name, name.removeprefix("u"))
    kinds = STANDARD_TYPES.get(signed, ())
    return kinds if signed == name else tuple(f"unsigned {kind.removeprefix('signed ')}" for kind in kinds)
