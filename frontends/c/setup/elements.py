"""What an element of an array, a global or a returned value is made of: the numbers in it, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Literal

from tunepass.frontends.cfamily.types.declared import CType, Declared, Types
from tunepass.ir.c_kernel import Leaf

LEAF_LIMIT = 64  # numbers in a struct, an array of numbers counting as one
DEPTH_LIMIT = 16  # structs in structs
COMPLEX = " _Complex"
UNFILLED = frozenset({"__int128", "unsigned __int128", "__int128 unsigned", "_Float128"})  # NumPy has none


class UnknownElement(Exception):
    """The message says what is in the way."""


def leaves_of(element: CType, types: Types) -> tuple[Leaf, ...]:
    """The numbers in an element; one without a path where it is a number itself. Raises UnknownElement for a struct
    that is not defined, and for bit-fields."""
    found: list[Leaf] = []
    record = types.records.get(types.resolved(element).base)
    told = record is not None and record.size is not None
    for leaf in _leaves(element, _Place("", 0 if told else None), types, 0):
        found.append(leaf)
        if len(found) > LEAF_LIMIT:
            raise UnknownElement(f"`{element.base}` has more than {LEAF_LIMIT} members")
    return tuple(found)


def enumerators_of(element: CType, types: Types) -> tuple[str, ...]:
    """The names of an enum's values; none of other types."""
    resolved = types.resolved(element)
    return types.enums.get(resolved.base, ()) if not resolved.depth and not resolved.dims else ()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something stands in an element; the offset only where the compiler told it."""

    path: str
    offset: int | None

    def member(self, member: Declared) -> _Place:
        known = self.offset is not None and member.offset is not None
        path = f"{self.path}.{member.name}" if member.name else self.path
        return _Place(path, (self.offset or 0) + (member.offset or 0) if known else None)

    def item(self, number: int, size: int | None) -> _Place:
        known = self.offset is not None and size is not None
        return _Place(f"{self.path}[{number}]", (self.offset or 0) + number * (size or 0) if known else None)


def _leaves(declared: CType, place: _Place, types: Types, depth: int) -> Iterator[Leaf]:
    element = types.resolved(declared)
    record = types.records.get(element.base)
    if depth > DEPTH_LIMIT:
        raise UnknownElement(f"`{element.base}` holds itself")
    if element.base in UNFILLED and not element.depth:
        raise UnknownElement(f"numbers of type `{element.base}` are not compared")
    if element.depth or element.function or "*" in element.dims:  # `double (*rows)[4]` too
        dims = element.dims[: element.dims.index("*")] if "*" in element.dims else element.dims
        yield _leaf(place, "void *", CType("void", 1, dims), kind="pointer")
    elif record is not None and record.kind == "union":
        yield _leaf(place, "unsigned char", element, record.size, kind="bytes")
    elif record is not None:
        for prefix in _places(place, element, record.size):
            for member in record.members:
                yield from _member(member, prefix, types, depth)
    elif element.base.endswith(COMPLEX):
        for prefix in _places(place, element, None):
            real = element.base.removesuffix(COMPLEX)
            yield Leaf(prefix.path, real, "real", prefix.offset)
            yield Leaf(prefix.path, real, "imaginary", prefix.offset)
    elif element.base.partition(" ")[0] in ("struct", "union"):
        raise UnknownElement(f"`{element.base}` is not defined in what the compiler reads")
    else:
        yield _leaf(place, element.base, element, kind="number")


def _leaf(
    place: _Place, spelled: str, element: CType, each: int | None = 1, *, kind: Literal["number", "pointer", "bytes"]
) -> Leaf:
    """With as many numbers as the lengths say, `each` of them in an item."""
    if place.offset is None or each is None or not all(dim.isdigit() for dim in element.dims):
        return Leaf(place.path, spelled, kind)
    return Leaf(place.path, spelled, kind, place.offset, each * prod(int(dim) for dim in element.dims))


def _member(member: Declared, prefix: _Place, types: Types, depth: int) -> Iterator[Leaf]:
    if member.bits:
        raise UnknownElement(f"`{member.name}` is a bit-field")
    if "" in member.type.dims:
        raise UnknownElement(f"`{member.name}` has no length: a setup can make it")
    yield from _leaves(member.type, prefix.member(member), types, depth + 1)


def _places(place: _Place, element: CType, size: int | None) -> list[_Place]:
    """Those of each element of an array of structs."""
    places, sizes = [place], [size]
    for dim in element.dims:
        if not dim.isdigit() or int(dim) > LEAF_LIMIT:
            raise UnknownElement(f"the length of `{place.path or element.base}` is not a small number")
    for dim in reversed(element.dims[1:]):
        sizes.append(None if sizes[-1] is None else sizes[-1] * int(dim))
    for dim, step in zip(element.dims, reversed(sizes)):
        places = [each.item(k, step) for each in places for k in range(int(dim))]
    return places
