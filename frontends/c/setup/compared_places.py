"""Memory that is compared after a kernel with a setup: members of structs, and the allocations that pointers lead to,
from one to the next. Each member that is not compared is told by name, with the reason."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tunepass.frontends.c.setup.element_members import (
    Reached,
    Uncompared,
    is_pointer,
    members_of,
    target,
    why_uncompared,
    without_lengths,
)
from tunepass.frontends.cfamily.functions.definitions import Formal
from tunepass.frontends.cfamily.types.declared import CType, Types
from tunepass.ir.c_kernel import Leaf, MemoryPlace

POINTER_LIMIT = 4  # from one allocation to the next
NAME_LIMIT = 120  # characters: reports name places
CONTAINER = "in a container of C++, whose elements may move"


@dataclass(frozen=True, slots=True)
class ComparedPlaces:
    """`written`: the kernel does not promise to leave them alone."""

    places: tuple[MemoryPlace, ...] = ()
    uncompared: tuple[Uncompared, ...] = ()
    written: bool = False


def compared_places(name: str, formal: Formal, types: Types, room: int) -> ComparedPlaces:
    """At most `room` places of an argument, by its parameter."""
    kind, written = types.resolved(formal.type), not formal.constant
    if formal.container:
        return ComparedPlaces(uncompared=(Uncompared(name, CONTAINER),))
    if kind.depth or kind.dims:
        return pointed_places(name, kind, types, room, written=written)
    walk = _Walk(types, room)
    _object(walk, name, f"{name}.", kind, changeable=formal.reference and written)
    return walk.compared(written or bool(walk.places))


def pointed_places(name: str, kind: CType, types: Types, room: int, *, written: bool) -> ComparedPlaces:
    """At most `room` places that a pointer leads to: one struct, or an allocation of anything else."""
    to = target(kind, types)
    walk = _Walk(types, room)
    if kind.function:
        return walk.compared(written=False)
    if to.base in types.records and not is_pointer(to) and not to.dims:
        _object(walk, f"*{name}", f"{name}->", to, changeable=written)
        return walk.compared(written or bool(walk.places))  # a const struct may have pointers to what is not
    walk.follow([(_pointed(name), to)])
    return walk.compared(written)


def variable_places(name: str, kind: CType, types: Types, room: int) -> ComparedPlaces:
    """At most `room` places that a variable of the file leads to; the variable itself is compared as such."""
    if is_pointer(kind):
        return pointed_places(name, kind, types, room, written=True)
    walk, inner = _Walk(types, room), without_lengths(kind)
    record = types.records.get(inner.base)
    if is_pointer(inner):
        walk.follow([(_compared(name), inner)])
    elif record is not None and record.kind == "struct" and members_of(inner, types).pointers:
        if kind == inner:
            _object(walk, name, f"{name}.", kind, changeable=False)
        else:
            walk.follow([(_compared(name), inner)])
    return walk.compared(written=True)


def _object(walk: _Walk, whole: str, prefix: str, kind: CType, *, changeable: bool) -> None:
    """One struct or number: its own members where they can be changed, and what they lead to."""
    why = why_uncompared(kind, walk.types)
    members = members_of(kind, walk.types)
    if why:
        walk.uncompared.append(Uncompared(whole, why))
        return
    walk.uncompared += [
        Uncompared(f"{prefix}{one.text}", one.why) for one in members.uncompared if changeable or not one.end
    ]
    near = [
        (_compared(f"{prefix}{one.member}") if one.several else _pointed(f"{prefix}{one.member}"), _first(one))
        for one in members.pointers
    ]
    if whole.startswith("*"):
        near += [(_compared(f"{prefix}{one.member}", rest=True), one.to) for one in members.open_ended]
    first = walk.level(near)
    if changeable and members.leaves:
        plain = members.leaves == [Leaf("", kind.base)]
        walk.add(replace(_compared(whole), leaves=() if plain else tuple(members.leaves)))
    inside = [(_compared(f"{prefix}{one.member}"), one.to) for one in members.arrays if changeable]
    walk.follow([*first, *walk.level(inside)])


def _first(one: Reached) -> CType:
    """The elements of the array that a member leads to, or of pointers that it is."""
    if not one.several:
        return one.to
    depth, dims = (one.to.depth, ("*", *one.to.dims)) if one.to.dims else (one.to.depth + 1, ())
    return CType(one.to.base, depth, dims)


def _compared(text: str, *, rest: bool = False) -> MemoryPlace:
    return MemoryPlace(text=text, element="", direction="inout", found=True, rest=rest)


def _pointed(text: str) -> MemoryPlace:
    """The rest of the allocation that this pointer leads to."""
    return replace(_compared(text, rest=True), followed=True)


class _Walk:
    """From the places of one argument or variable to those within them, the near ones first."""

    def __init__(self, types: Types, room: int):
        self.types, self.room = types, room
        self.places: list[MemoryPlace] = []
        self.uncompared: list[Uncompared] = []

    def compared(self, written: bool) -> ComparedPlaces:
        return ComparedPlaces(tuple(self.places), tuple(self.uncompared), written)

    def follow(self, places: list[tuple[MemoryPlace, CType]]) -> None:
        """Memory further away is compared by the pointers to it alone, and the reference's run tells of it."""
        for _ in range(POINTER_LIMIT):
            places = self.level(places)

    def level(self, places: list[tuple[MemoryPlace, CType]]) -> list[tuple[MemoryPlace, CType]]:
        """Adds these, and gives those within them."""
        return [inner for place, to in places for inner in self._described(place, to)]

    def add(self, place: MemoryPlace) -> bool:
        if len(place.text) > NAME_LIMIT:
            self.uncompared.append(Uncompared(place.text, "too long a name for a report"))
        elif len(self.places) >= self.room:
            self.uncompared.append(Uncompared(place.text, "behind the last place that there is room for"))
        else:
            self.places.append(place)
            return True
        return False

    def _described(self, place: MemoryPlace, to: CType) -> list[tuple[MemoryPlace, CType]]:
        """Adds the place with what is compared of its elements, and gives the places within it."""
        inner = without_lengths(self.types.resolved(to))
        why = why_uncompared(inner, self.types)
        if why:
            self.uncompared.append(Uncompared(place.text, why))
            return []
        members = members_of(inner, self.types)
        self.uncompared += [Uncompared(_inside(place, one.text), one.why) for one in members.uncompared]
        behind = [Uncompared(_inside(place, one.member), "without a length") for one in members.open_ended]
        if not members.leaves and not members.arrays:
            self.uncompared += behind
            return []
        again = tuple(one.member for one in members.pointers if one.member and without_lengths(one.to) == inner)
        plain = members.leaves == [Leaf("", inner.base)]
        text = "char" if inner.base == "char" and plain and not place.within else ""
        leaves = () if plain else tuple(members.leaves)
        if not self.add(replace(place, element=text, leaves=leaves, again=again)):
            return []
        self.uncompared += behind
        further = [(self._within(place, one, rest=True), one.to) for one in members.pointers if one.member not in again]
        return further + [(self._within(place, one, rest=False), one.to) for one in members.arrays]

    def _within(self, place: MemoryPlace, reached: Reached, *, rest: bool) -> MemoryPlace:
        inside = _compared(_inside(place, reached.member), rest=rest)
        return replace(inside, within=place.text, member=reached.member, followed=rest)


def _inside(place: MemoryPlace, member: str) -> str:
    """The name of a member of all elements."""
    return f"{place.text}[].{member}" if member else f"{place.text}[]"
