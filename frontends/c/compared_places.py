"""What is compared of a struct that a setup makes: its numbers, and the allocations that its pointers lead to."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.frontends.c.elements import DEPTH_LIMIT, LEAF_LIMIT, enumerators_of
from tunepass.frontends.cfamily.declared import CType, TypeRecord, Types, is_known
from tunepass.frontends.cfamily.definitions import Formal
from tunepass.ir.c_kernel import Leaf, Place


@dataclass(frozen=True, slots=True)
class ComparedPlaces:
    """`written`: the kernel does not promise to leave them alone. `unseen` are members that are not compared."""

    places: tuple[Place, ...] = ()
    unseen: tuple[str, ...] = ()
    written: bool = False


@dataclass(slots=True)
class _Members:
    numbers: list[Leaf] = field(default_factory=list)
    pointers: list[tuple[str, CType]] = field(default_factory=list)  # path, what they point to
    unseen: list[str] = field(default_factory=list)


def pointed_place(name: str, to: CType, types: Types) -> ComparedPlaces:
    """What a variable of the file points to, if it is numbers or structs of them."""
    if not _is_followed(to.base, types):
        return ComparedPlaces()
    members = _Members()
    place = _pointed(name, CType(to.base), types, members)
    return ComparedPlaces((place,), tuple(f"{name}->{path}" for path in members.unseen), written=True)


def compared_places(name: str, formal: Formal, types: Types) -> ComparedPlaces:
    """Of an argument by its parameter: a struct, a pointer to one, or a pointer to numbers."""
    kind = types.resolved(formal.type)
    depth = kind.depth + len(kind.dims)
    if depth == 1 and is_known(kind.base):
        return ComparedPlaces((_pointed(name, CType(kind.base), types, _Members()),), written=not formal.constant)
    record = types.records.get(kind.base)
    if record is None or record.kind != "struct" or kind.base.startswith("class ") or depth > 1 or kind.function:
        return ComparedPlaces(unseen=(name,) if depth else ())
    members = _Members()
    _walk(record, "", types, members, 0)
    prefix = f"{name}->" if depth else f"{name}."
    places = [_pointed(f"{prefix}{path}", to, types, members) for path, to in members.pointers]
    changeable = (depth == 1 or formal.reference) and not formal.constant
    if changeable and members.numbers:
        text = f"*{name}" if depth else name
        leaves = tuple(members.numbers[:LEAF_LIMIT])
        places.append(Place(text=text, element="", direction="inout", found=True, leaves=leaves))
    unseen = tuple(f"{prefix}{path}" for path in members.unseen)
    return ComparedPlaces(tuple(places), unseen, written=not formal.constant)


def _pointed(text: str, to: CType, types: Types, members: _Members) -> Place:
    """The allocation behind a pointer to numbers or to structs; the pointers of those are not followed."""
    record = types.records.get(to.base)
    leaves: tuple[Leaf, ...] = ()
    if record is not None:
        inner = _Members()
        _walk(record, "", types, inner, 0)
        leaves = tuple(inner.numbers[:LEAF_LIMIT])
        path = text.partition("->")[2] or text.partition(".")[2]
        inside = [*(p for p, _ in inner.pointers), *inner.unseen]
        members.unseen += [f"{path}->{p}" if path else p for p in inside]
    element = "char" if to.base == "char" else ""
    return Place(text=text, element=element, direction="inout", found=True, rest=True, leaves=leaves)


def _walk(record: TypeRecord, prefix: str, types: Types, members: _Members, depth: int) -> None:
    for member in record.members:
        kind = types.resolved(member.type)
        path = ".".join(part for part in (prefix, member.name) if part)
        inner = types.records.get(kind.base)
        if kind.function:
            continue
        if inner is not None and inner.kind == "struct" and not (kind.depth or kind.dims) and depth < DEPTH_LIMIT:
            _walk(inner, path, types, members, depth + 1)
        elif member.bits or not member.name:
            members.unseen.append(path or "(unnamed)")
        elif not kind.depth and (is_known(kind.base) or enumerators_of(kind, types)):
            members.numbers.append(Leaf(path, kind.base))
        elif kind.depth == 1 and not kind.dims and _is_followed(kind.base, types):
            members.pointers.append((path, CType(kind.base)))
        else:
            members.unseen.append(path)


def _is_followed(base: str, types: Types) -> bool:
    record = types.records.get(base)
    if record is None:
        return is_known(base)
    inner = _Members()
    for member in record.members:
        kind = types.resolved(member.type)
        if not kind.depth and is_known(kind.base) and not member.bits:
            inner.numbers.append(Leaf(member.name, kind.base))
    return record.kind == "struct" and bool(inner.numbers)
