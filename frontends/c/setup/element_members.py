"""The members of an element that a setup makes: what is compared in it, and where its pointers lead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from tunepass.frontends.c.setup.elements import COMPLEX, UNFILLED
from tunepass.frontends.cfamily.types.declared import CType, Declared, TypeRecord, Types, is_known
from tunepass.ir.c_kernel import Leaf

LEAF_LIMIT = 256  # numbers and pointers in an element, an array counting as one
ITEM_LIMIT = 16  # structs of an array in an element whose members are listed one by one
STRUCT_LIMIT = 16  # structs in structs
CONTAINERS = ("Rb_tree", "List", "Hash", "Fwd_list", "tree", "list", "hash", "forward")
NODES = tuple(f"_{name}_{begin}node" for name in CONTAINERS for begin in ("", "begin_"))  # of libstdc++ and libc++
"""What a C++ library links the nodes of its containers by: the values stand behind it, where no type tells of them."""


@dataclass(frozen=True, slots=True)
class Uncompared:
    """A member, or memory, by an expression of C, and why it is not compared. `end`: nothing is reached by it."""

    text: str
    why: str
    end: bool = False


@dataclass(frozen=True, slots=True)
class Reached:
    """Elements of type `to` to which a member leads, or that it holds itself. `several`: it is an array of pointers."""

    member: str
    to: CType
    several: bool = False


@dataclass(slots=True)
class Members:
    """`leaves` are compared in the element. `arrays` are within it, `open_ended` ones behind its other members."""

    leaves: list[Leaf] = field(default_factory=list)
    pointers: list[Reached] = field(default_factory=list)
    arrays: list[Reached] = field(default_factory=list)
    open_ended: list[Reached] = field(default_factory=list)
    uncompared: list[Uncompared] = field(default_factory=list)


def is_pointer(kind: CType) -> bool:
    return kind.dims[:1] == ("*",) or bool(kind.depth and not kind.dims)


def target(kind: CType, types: Types) -> CType:
    """The type that a pointer leads to, or of an array's elements."""
    if kind.dims:
        return types.resolved(CType(kind.base, kind.depth, kind.dims[1:], kind.function))
    return types.resolved(CType(kind.base, kind.depth - 1))


def without_lengths(kind: CType) -> CType:
    """An element of an array of arrays; pointers to arrays stay."""
    lengths = next((k for k, dim in enumerate(kind.dims) if dim == "*"), len(kind.dims))
    return CType(kind.base, kind.depth, kind.dims[lengths:], kind.function)


def members_of(kind: CType, types: Types) -> Members:
    """The members of an element that is no array."""
    members = Members()
    _Collector(types, members).add("", kind, 0)
    left_out = members.leaves[LEAF_LIMIT:]
    members.leaves = members.leaves[:LEAF_LIMIT]
    why = f"behind the first {LEAF_LIMIT} members"
    members.uncompared += [Uncompared(leaf.path, why, end=True) for leaf in left_out]
    return members


def why_uncompared(kind: CType, types: Types) -> str:
    """The reason why nothing of a type is compared; empty where something is."""
    if is_pointer(kind) or kind.function or _is_number(kind, types):
        return ""
    record = types.records.get(kind.base)
    if record is not None and _is_node(kind.base):
        return "a node of a container of C++"
    if record is not None and record.kind == "union":
        return "a union that holds pointers" if _holds_pointers(record, types, 0) else ""
    if record is not None:
        return ""
    if kind.base == "void":
        return "of type `void`"
    if kind.base in UNFILLED:
        return f"of type `{kind.base}`"
    return f"of the unknown type `{kind.base}`" if "@" not in kind.base else "of an unknown type"


def _is_number(kind: CType, types: Types) -> bool:
    if kind.base in UNFILLED:
        return False
    return is_known(kind.base) or kind.base.endswith(COMPLEX) or bool(types.enums.get(kind.base))


def _holds_pointers(record: TypeRecord, types: Types, depth: int) -> bool:
    for member in record.members:
        kind = types.resolved(member.type)
        inner = types.records.get(kind.base)
        if kind.depth or "*" in kind.dims or kind.function or member.reference or depth > STRUCT_LIMIT:
            return True
        if inner is not None and _holds_pointers(inner, types, depth + 1):
            return True
        if inner is None and not _is_number(kind, types):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Collector:
    types: Types
    members: Members
    ambiguous: set[str] = field(default_factory=set)  # paths that several members have: of a class and its bases

    def add(self, path: str, declared: CType, depth: int) -> None:
        """The member at this path of an element, or the element itself."""
        kind = self.types.resolved(declared)
        inner = without_lengths(kind)
        record = self.types.records.get(inner.base)
        why = why_uncompared(inner, self.types)
        if inner.function:
            self.members.leaves.append(Leaf(path, "void *", "opaque"))
        elif is_pointer(inner):
            self._pointer(path, target(inner, self.types), several=inner != kind)
        elif why or depth > STRUCT_LIMIT:
            self.members.uncompared.append(Uncompared(path, why or "in too many structs"))
        elif kind.dims[:1] in (("",), ("0",)):
            self.members.open_ended.append(Reached(path, inner))
        elif record is not None and record.kind == "union":
            self.members.leaves.append(Leaf(path, "unsigned char", "bytes"))
        elif record is not None or inner.base.endswith(COMPLEX):
            self._items(path, kind, inner, record, depth)
        else:
            self.members.leaves.append(Leaf(path, inner.base))

    def _pointer(self, path: str, to: CType, *, several: bool) -> None:
        inner = without_lengths(to)
        why = "" if inner.function else why_uncompared(inner, self.types)
        self.members.leaves.append(Leaf(path, "void *", "opaque" if why or inner.function else "pointer"))
        if why:
            self.members.uncompared.append(Uncompared(path, why))
        elif not inner.function:
            self.members.pointers.append(Reached(path, to, several))

    def _items(self, path: str, kind: CType, inner: CType, record: TypeRecord | None, depth: int) -> None:
        """A struct or a complex number, or an array of them."""
        lengths = [int(dim) if dim.isdigit() else LEAF_LIMIT for dim in kind.dims]
        items = list(product(*map(range, lengths))) if _product(lengths) <= ITEM_LIMIT else []
        if not items:
            self.members.arrays.append(Reached(path, inner))
        for item in items:
            text = path + "".join(f"[{k}]" for k in item)
            if record is None:
                real = inner.base.removesuffix(COMPLEX)
                self.members.leaves += [Leaf(text, real, "real"), Leaf(text, real, "imaginary")]
                continue
            names = [_joined(text, name) for name in self._names(record, 0)]
            self.ambiguous.update(name for name in names if names.count(name) > 1)
            for base in record.bases:
                self.members.uncompared.append(Uncompared(text or "(base class)", f"of the base class `{base}`"))
            for member in record.members:
                self._member(text, member, depth)

    def _names(self, record: TypeRecord, depth: int) -> Iterator[str]:
        """The members' names, with those of structs without a name and of base classes."""
        for member in record.members:
            inner = self.types.records.get(self.types.resolved(member.type).base)
            if member.name:
                yield member.name
            elif inner is not None and depth < STRUCT_LIMIT:
                yield from self._names(inner, depth + 1)

    def _member(self, prefix: str, member: Declared, depth: int) -> None:
        kind = self.types.resolved(member.type)
        record = self.types.records.get(kind.base)
        path = _joined(prefix, member.name)
        if path in self.ambiguous and member.name:
            reason = Uncompared(path, "of a name that a class and its bases have twice")
            self.members.uncompared += [reason] if reason not in self.members.uncompared else []
        elif not member.name:
            if record is not None and record.kind == "struct" and not kind.dims:  # its members are named as the outer's
                self.add(prefix, kind, depth + 1)
            elif record is not None:
                names = [_joined(prefix, inner.name) for inner in record.members]
                self.members.uncompared += [Uncompared(name, "in a union without a name") for name in names]
        elif member.bits:
            self.members.uncompared.append(Uncompared(path, "a bit-field", end=True))
        elif member.reference:
            self.members.uncompared.append(Uncompared(path, "a reference"))
        elif member.name.isidentifier():
            self.add(path, kind, depth + 1)
        elif " " in member.name:
            self.members.uncompared.append(Uncompared(path, "a virtual base class"))


def _joined(prefix: str, name: str) -> str:
    return ".".join(part for part in (prefix, name) if part)


def _product(lengths: list[int]) -> int:
    count = 1
    for length in lengths:
        count *= length
    return count


def _is_node(base: str) -> bool:
    """Is it the class of a standard container's nodes, or the base of that class?"""
    plain = base.partition("<")[0].rpartition("::")[2].removesuffix("_base")
    return plain.endswith(NODES)
