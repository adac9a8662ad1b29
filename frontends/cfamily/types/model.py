"""Types as DWARF describes them. Each type spells a declaration of itself in C or C++.

A declaration is built from the name outwards, as C's grammar does: `around("A")` of a pointer to an array of four
doubles calls `around("(*A)")` of the array, which calls `around("(*A)[4]")` of double.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum as Choice


class BaseKind(str, Choice):
    """How the bytes of a base type are read."""

    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOAT = "float"
    BOOL = "bool"
    CHAR = "char"  # plain char, char8_t, char16_t, char32_t, signed and unsigned char
    COMPLEX = "complex"


class UnspellableError(ValueError):
    """The type has no name that a declaration could use: an anonymous struct, a lambda, an open array bound."""


@dataclass(frozen=True, slots=True)
class Type(ABC):
    """A type. `size` is in bytes; None where the type is incomplete or its size is only known at run time."""

    def declare(self, name: str, bounds: Sequence[str] = ()) -> str:
        """A declaration of `name`. `bounds` fill the extents that DWARF leaves open, from left to right.

        Raises UnspellableError where the type, or a bound behind the first, cannot be written.
        """
        text = self.around(name)
        for bound in bounds:
            text = text.replace(OPEN_BOUND, f"[{bound}]", 1)
        text = text.replace(OPEN_BOUND, "[]")
        if "][]" in text:
            raise UnspellableError(f"{text}: an inner array bound is not known to the compiler; it stands in the text")
        return text.rstrip()

    @abstractmethod
    def around(self, declarator: str) -> str:
        """The declaration of `declarator` as this type."""

    @property
    @abstractmethod
    def size(self) -> int | None:
        """Bytes; None of what has no size."""

    @property
    def chain(self) -> tuple[str, ...]:
        """Names of the typedefs in front of the underlying type, outermost first."""
        return ()


OPEN_BOUND = "[\0]"


def _specified(specifier: str, declarator: str) -> str:
    return f"{specifier} {declarator}"


@dataclass(frozen=True, slots=True)
class Base(Type):
    name: str
    kind: BaseKind
    bytes: int

    def around(self, declarator: str) -> str:
        return _specified(self.name, declarator)

    @property
    def size(self) -> int:
        return self.bytes


@dataclass(frozen=True, slots=True)
class Void(Type):
    def around(self, declarator: str) -> str:
        return _specified("void", declarator)

    @property
    def size(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Unspecified(Type):
    """A type with a name and no description: `decltype(nullptr)`, OpenCL's images, samplers and events."""

    name: str
    bytes: int | None = None

    def around(self, declarator: str) -> str:
        return _specified(self.name, declarator)

    @property
    def size(self) -> int | None:
        return self.bytes


def _bracketed(target: Type, declarator: str) -> str:
    """`declarator` in brackets where `target` is written behind it."""
    behind = isinstance(bare_qualifiers(target), Array | Function)
    return f"({declarator})" if behind else declarator


@dataclass(frozen=True, slots=True)
class Pointer(Type):
    target: Type
    bytes: int

    def around(self, declarator: str) -> str:
        return self.target.around(_bracketed(self.target, "*" + declarator))

    @property
    def size(self) -> int:
        return self.bytes


@dataclass(frozen=True, slots=True)
class Reference(Type):
    target: Type
    bytes: int
    rvalue: bool = False

    def around(self, declarator: str) -> str:
        return self.target.around(_bracketed(self.target, ("&&" if self.rvalue else "&") + declarator))

    @property
    def size(self) -> int | None:
        return self.target.size


@dataclass(frozen=True, slots=True)
class MemberPointer(Type):
    """`target owner::*`."""

    target: Type
    owner: Type
    bytes: int

    def around(self, declarator: str) -> str:
        owner = self.owner.around("").rstrip()
        return self.target.around(_bracketed(self.target, f"{owner}::*{declarator}"))

    @property
    def size(self) -> int:
        return self.bytes


@dataclass(frozen=True, slots=True)
class Array(Type):
    """An extent is None where DWARF has no constant: `[]`, a flexible member, an array of variable length."""

    element: Type
    extents: tuple[int | None, ...]

    def around(self, declarator: str) -> str:
        brackets = "".join(OPEN_BOUND if extent is None else f"[{extent}]" for extent in self.extents)
        return self.element.around(declarator + brackets)

    @property
    def size(self) -> int | None:
        size = self.element.size
        for extent in self.extents:
            size = None if size is None or extent is None else size * extent
        return size


@dataclass(frozen=True, slots=True)
class Vector(Type):
    """GNU vector; OpenCL's `float4` is one behind a typedef. `bytes` counts padding: `float3` has three lanes in 16."""

    element: Type
    lanes: int
    bytes: int

    def around(self, declarator: str) -> str:
        return self.element.around(f"__attribute__((vector_size({self.bytes}))) {declarator}")

    @property
    def size(self) -> int:
        return self.bytes


@dataclass(frozen=True, slots=True)
class Qualified(Type):
    """`qualifiers` of const, volatile, restrict, _Atomic, in that order."""

    target: Type
    qualifiers: tuple[str, ...]

    def around(self, declarator: str) -> str:
        words = " ".join("__restrict" if word == "restrict" else word for word in self.qualifiers)
        if isinstance(self.target, Pointer | Reference | MemberPointer):
            return self.target.around(f"{words} {declarator}" if declarator else words)
        if isinstance(self.target, Array):
            return Array(Qualified(self.target.element, self.qualifiers), self.target.extents).around(declarator)
        return f"{words} {self.target.around(declarator)}"

    @property
    def size(self) -> int | None:
        return self.target.size

    @property
    def chain(self) -> tuple[str, ...]:
        return self.target.chain


@dataclass(frozen=True, slots=True)
class Typedef(Type):
    name: str  # with its namespaces and classes
    target: Type

    def around(self, declarator: str) -> str:
        return _specified(self.name, declarator)

    @property
    def size(self) -> int | None:
        return self.target.size

    @property
    def chain(self) -> tuple[str, ...]:
        return (self.name, *self.target.chain)


@dataclass(frozen=True, slots=True)
class Member:
    """A data member. `offset` in bytes from the start of the record, of a bit-field that of its first bit's byte;
    `bits` is a bit-field's (width, first bit in the record), counted as the target counts bits in memory."""

    name: str | None  # None: an anonymous struct or union, whose members are named directly
    type: Type
    offset: int
    bits: tuple[int, int] | None = None
    artificial: bool = False  # the pointer to a table of virtual functions


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A base class; `offset` is None where the base is virtual: an object knows it at run time."""

    type: Type
    offset: int | None


class RecordKind(str, Choice):
    STRUCT = "struct"
    UNION = "union"
    CLASS = "class"


@dataclass(frozen=True, slots=True)
class Record(Type):
    """A struct, union or class. Records are equal by name, place and size: their members may point back to them."""

    kind: RecordKind
    name: str | None  # with its namespaces and classes; None: anonymous
    spelling: str | None  # `struct point` in C, `ns::point` in C++; None: a declaration cannot name it
    bytes: int | None
    line: int | None
    members: tuple[Member, ...] = field(default=(), compare=False, repr=False)
    bases: tuple[Ancestor, ...] = field(default=(), compare=False, repr=False)

    @property
    def complete(self) -> bool:
        return self.bytes is not None

    def around(self, declarator: str) -> str:
        if self.spelling is None:
            raise UnspellableError(
                f"a declaration cannot name this {self.kind.value}: {self.name or 'it is anonymous'}"
            )
        return _specified(self.spelling, declarator)

    @property
    def size(self) -> int | None:
        return self.bytes


@dataclass(frozen=True, slots=True)
class Enumeration(Type):
    name: str | None
    spelling: str | None
    bytes: int | None
    enumerators: tuple[tuple[str, int], ...]
    underlying: Type | None = None
    scoped: bool = False

    def around(self, declarator: str) -> str:
        if self.spelling is None:
            raise UnspellableError(f"a declaration cannot name this enum: {self.name or 'it is anonymous'}")
        return _specified(self.spelling, declarator)

    @property
    def size(self) -> int | None:
        return self.bytes


@dataclass(frozen=True, slots=True)
class Function(Type):
    """`prototyped` is False for C's `f()` and for definitions in K&R style; `constant`: a `const` member function."""

    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False
    prototyped: bool = True
    constant: bool = False

    def around(self, declarator: str) -> str:
        words = [parameter.declare("") for parameter in self.parameters] + ["..."] * (self.variadic and self.prototyped)
        if not words and self.prototyped:
            words = ["void"]
        return self.result.around(f"{declarator}({', '.join(words)}){' const' if self.constant else ''}")

    @property
    def size(self) -> None:
        return None


def bare_qualifiers(type: Type) -> Type:
    while isinstance(type, Qualified):
        type = type.target
    return type


def underlying(type: Type) -> Type:
    """The type without its outer qualifiers and typedefs."""
    while isinstance(type, Qualified | Typedef):
        type = type.target
    return type


def all_members(record: Record) -> Iterator[Member]:
    """Data members by name: those of anonymous structs and unions, and of base classes with known places, in place."""
    for base in record.bases:
        inner = underlying(base.type)
        if isinstance(inner, Record) and base.offset is not None:
            yield from (_moved(member, base.offset) for member in all_members(inner))
    for member in record.members:
        inner = underlying(member.type)
        if member.name is None and isinstance(inner, Record):
            yield from (_moved(nested, member.offset) for nested in all_members(inner))
        else:
            yield member


def _moved(member: Member, offset: int) -> Member:
    bits = member.bits and (member.bits[0], member.bits[1] + 8 * offset)
    return Member(member.name, member.type, member.offset + offset, bits, member.artificial)
