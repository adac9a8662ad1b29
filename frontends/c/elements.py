"""What an element of an array, a global or a returned value is made of: the numbers in it, one by one."""

from __future__ import annotations

from collections.abc import Iterator

from tunepass.frontends.cfamily.declared import CType, Declared, Types
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
    for leaf in _leaves(element, "", types, 0):
        found.append(leaf)
        if len(found) > LEAF_LIMIT:
            raise UnknownElement(f"`{element.base}` has more than {LEAF_LIMIT} members")
    return tuple(found)


def enumerators_of(element: CType, types: Types) -> tuple[str, ...]:
    """Of an enum; of other types none."""
    resolved = types.resolved(element)
    return types.enums.get(resolved.base, ()) if not resolved.depth and not resolved.dims else ()


def _leaves(declared: CType, path: str, types: Types, depth: int) -> Iterator[Leaf]:
    element = types.resolved(declared)
    record = types.records.get(element.base)
    if depth > DEPTH_LIMIT:
        raise UnknownElement(f"`{element.base}` holds itself")
    if element.base in UNFILLED and not element.depth:
        raise UnknownElement(f"numbers of type `{element.base}` are not compared")
    if element.depth or element.function:
        yield Leaf(path, "void *", "pointer")
    elif record is not None and record.kind == "union":
        yield Leaf(path, "unsigned char", "bytes")
    elif record is not None:
        for prefix in _places(path, element):
            for member in record.members:
                yield from _member(member, prefix, types, depth)
    elif element.base.endswith(COMPLEX):
        for prefix in _places(path, element):
            real = element.base.removesuffix(COMPLEX)
            yield Leaf(prefix, real, "real")
            yield Leaf(prefix, real, "imaginary")
    elif element.base.partition(" ")[0] in ("struct", "union"):
        raise UnknownElement(f"`{element.base}` is not defined in what the compiler reads")
    else:
        yield Leaf(path, element.base, "number")


def _member(member: Declared, prefix: str, types: Types, depth: int) -> Iterator[Leaf]:
    if member.bits:
        raise UnknownElement(f"`{member.name}` is a bit-field")
    path = f"{prefix}.{member.name}" if member.name else prefix
    yield from _leaves(member.type, path, types, depth + 1)


def _places(path: str, element: CType) -> list[str]:
    """The paths of each element of an array of structs."""
    places = [path]
    for dim in element.dims:
        if not dim.isdigit() or int(dim) > LEAF_LIMIT:
            raise UnknownElement(f"the length of `{path or element.base}` is not a small number")
        places = [f"{place}[{k}]" for place in places for k in range(int(dim))]
    return places
