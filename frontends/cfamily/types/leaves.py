"""Scalar leaves of a type: what to compare of two values, element by element and without padding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from tunepass.frontends.cfamily.types.model import Array, Member, Record, RecordKind, Type, Vector, underlying


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar at `offset` bytes: a base type, an enumeration, a pointer. `type` keeps its typedefs.

    A `long double` has 10 bytes of value in 16 on x86: `size` counts its padding.
    """

    path: str  # `.items[3].x`; empty for a scalar itself
    offset: int
    type: Type
    bits: tuple[int, int] | None = None  # a bit-field's (width, first bit in the whole value)
    in_union: bool = False  # other leaves lie in the same bytes: only one of them has a meaning
    open_bound: bool = False  # the first element of an array whose extent only the text or the run knows


def leaves(type: Type) -> Iterator[Leaf]:
    """Each scalar of `type`, in the order of the declaration. Incomplete types and functions have none."""
    yield from _leaves(type, Leaf("", 0, type))


def _leaves(type: Type, at: Leaf) -> Iterator[Leaf]:
    bare = underlying(type)
    if isinstance(bare, Array):
        yield from _elements(bare, at)
    elif isinstance(bare, Vector):
        step = bare.element.size or 0
        for lane in range(bare.lanes):
            yield replace(at, path=f"{at.path}[{lane}]", offset=at.offset + lane * step, type=bare.element)
    elif isinstance(bare, Record):
        for base in bare.bases:
            if base.offset is not None:
                yield from _leaves(base.type, replace(at, offset=at.offset + base.offset))
        union = at.in_union or bare.kind is RecordKind.UNION
        for member in bare.members:
            yield from _leaves(member.type, _member(at, member, union))
    elif at.bits is not None or bare.size is not None:
        yield replace(at, type=type)


def _member(at: Leaf, member: Member, union: bool) -> Leaf:
    path = at.path if member.name is None else f"{at.path}.{member.name}"
    bits = member.bits and (member.bits[0], member.bits[1] + 8 * at.offset)
    return replace(at, path=path, offset=at.offset + member.offset, bits=bits, in_union=union)


def _elements(array: Array, at: Leaf) -> Iterator[Leaf]:
    known = all(extent is not None for extent in array.extents)
    counts = [extent if extent is not None else 1 for extent in array.extents]
    step = array.element.size
    if step is None and not known:
        step = 0
    if step is None:
        return
    for number, place in enumerate(product(*map(range, counts))):
        path = at.path + "".join(f"[{index}]" for index in place)
        element = replace(at, path=path, offset=at.offset + number * step, open_bound=at.open_bound or not known)
        yield from _leaves(array.element, element)
