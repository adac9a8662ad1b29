"""Dependences: pairs of a scop's statement instances that touch an element of which one writes it.

Dependences are of memory: every pair, not only the last writer's. A pair of updates by one associative operator
(`x += a`, `x += b`) only orders roundings: schedules may exchange it, parallel iterations may not share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Literal

from tunepass.ir.scop import Scop, ScopAccess, ScopStatement

if TYPE_CHECKING:
    import islpy as isl

Kind = Literal["flow", "anti", "output"]


@dataclass(frozen=True)
class Dependence:
    """`map` takes instances of `source` to the instances of `sink` that must run later. `update`: both are updates of
    one operator. `certain`: the elements are known, not guessed."""

    source: str
    sink: str
    array: str
    kinds: tuple[Kind, ...]
    update: bool
    certain: bool
    map: isl.Map


@dataclass(frozen=True)
class Dependences:
    """`order` is what every schedule keeps; `updates` what only parallel iterations must keep besides."""

    each: tuple[Dependence, ...]
    order: isl.UnionMap
    updates: isl.UnionMap

    def of_arrays(self, arrays: frozenset[str]) -> isl.UnionMap:
        """Dependences through these arrays alone."""
        return union([d.map for d in self.each if d.array in arrays], self.order)


def union(maps: list[isl.Map], like: isl.UnionMap) -> isl.UnionMap:
    import islpy as isl

    empty = isl.UnionMap.empty(like.get_space())
    return reduce(lambda whole, part: whole.union(isl.UnionMap.from_map(part)), maps, empty).coalesce()


def dependences(scop: Scop, *, independent: bool = False) -> Dependences:
    """All of the scop's; `independent` leaves out those that are only guessed."""
    return _dependences(scop, independent)


@lru_cache(maxsize=16)
def _dependences(scop: Scop, independent: bool) -> Dependences:
    import islpy as isl

    dead = _never_read(scop)
    touched = [(s, access) for s in scop.statements for access in s.accesses if access.array not in dead]
    maps = {id(access): isl.Map(access.map).intersect_domain(isl.Set(s.domain)) for s, access in touched}
    times = {s.name: isl.Map(s.schedule).intersect_domain(isl.Set(s.domain)) for s in scop.statements}
    context = isl.Set(scop.context)
    pairs = [
        dependence
        for s, a in touched
        for t, b in touched
        if a.array == b.array and (a.written or b.written) and (not independent or (a.certain and b.certain))
        for dependence in _between(s, a, maps[id(a)], t, b, maps[id(b)], times, context)
    ]
    space = isl.UnionMap(isl.Map(scop.statements[0].schedule).to_str())
    order = union([d.map for d in pairs if not d.update], space)
    return Dependences(tuple(pairs), order, union([d.map for d in pairs if d.update], space))


def _never_read(scop: Scop) -> frozenset[str]:
    """Private scalars of which no statement reads what another, or another instance of it, has written."""
    read = {access.array for s in scop.statements for access in s.accesses if access.read}
    return frozenset(a.name for a in scop.arrays if a.private and not a.extents and a.name not in read)


def _between(
    s: ScopStatement,
    a: ScopAccess,
    a_map: isl.Map,
    t: ScopStatement,
    b: ScopAccess,
    b_map: isl.Map,
    times: dict[str, isl.Map],
    context: isl.Set,
) -> list[Dependence]:
    together = a_map.apply_range(b_map.reverse()).intersect_params(context)
    pairs = together.intersect(times[s.name].lex_lt_map(times[t.name]))
    if pairs.is_empty():
        return []
    kinds: list[tuple[Kind, bool]] = [
        ("flow", a.written and b.read),
        ("anti", a.read and b.written),
        ("output", a.written and b.written),
    ]
    update = a.update is not None and a.update == b.update
    named = tuple(kind for kind, holds in kinds if holds)
    return [Dependence(s.name, t.name, a.array, named, update, a.certain and b.certain, pairs)]


@lru_cache(maxsize=16)
def last_writes(scop: Scop, array: str) -> tuple[isl.UnionMap, isl.UnionMap]:
    """(writer to reader of the value it left, reads of what the scop itself did not surely write) of one array.
    Where isl cannot tell, every read may be of any value."""
    import islpy as isl

    space = isl.UnionMap(isl.Map(scop.statements[0].schedule).to_str())

    def touched(reading: bool, sure: bool) -> isl.UnionMap:
        chosen = [
            isl.Map(a.map).intersect_domain(isl.Set(s.domain))
            for s in scop.statements
            for a in s.accesses
            if a.array == array and (a.read if reading else a.written) and ((a.certain and a.always) or not sure)
        ]
        return union(chosen, space)

    using = [s for s in scop.statements if any(a.array == array for a in s.accesses)]
    times = union([isl.Map(s.schedule).intersect_domain(isl.Set(s.domain)) for s in using], space)
    reads = touched(reading=True, sure=False)
    info = isl.UnionAccessInfo.from_sink(reads)
    info = info.set_must_source(touched(reading=False, sure=True)).set_may_source(touched(reading=False, sure=False))
    try:
        flow = info.set_schedule_map(times).compute_flow()
    except isl.Error:  # a defect of isl's where ends of loops have remainders
        return touched(reading=False, sure=False).apply_range(reads.reverse()), reads
    return flow.get_may_dependence(), flow.get_may_no_source()
