"""Legality of trees under a scop's dependences, and of parallel and vector loops."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop, ScopAccess, ScopStatement
from tunepass.polyhedral.codegen.updates import SUMMED, target_of
from tunepass.polyhedral.dependences.pairs import dependences, last_writes, union
from tunepass.polyhedral.schedules.tree import Band, Leaf, Rows, Sequence, Tree, bands_in, statements_in

if TYPE_CHECKING:
    import islpy as isl


def keeps_order(scop: Scop, tree: Tree, *, independent: bool = False) -> bool:
    """Does `tree` run the source of every dependence before its sink? (Updates of one operator may change places.)"""
    return keeps_pairs(scop, tree, dependences(scop, independent=independent).order)


def keeps_pairs(scop: Scop, tree: Tree, pairs: isl.UnionMap) -> bool:
    """Is the sink of each of `pairs` run later? All are at the same iterations of the loops around `tree`, at any of
    those that are jammed: two may be copies of one group."""
    if pairs.is_empty():
        return True
    match tree:
        case Leaf():
            return False
        case Sequence(children):
            inside = [domain_of(scop, statements_in(child)) for child in children]
            return all(
                pairs.intersect_range(domain).intersect_domain(late).is_empty()
                for number, domain in enumerate(inside)
                for late in inside[number + 1 :]
            ) and all(
                keeps_pairs(scop, child, pairs.intersect_domain(domain).intersect_range(domain))
                for child, domain in zip(children, inside)
            )
        case Band():
            time = time_of(scop, tree.rows, tree.strip)
            if not pairs.lex_gt_at_multi_union_pw_aff(time).is_empty():
                return False
            return keeps_pairs(scop, tree.child, pairs if tree.jams else pairs.eq_at_multi_union_pw_aff(time))


@lru_cache(maxsize=4096)
def domain_of(scop: Scop, statements: frozenset[str]) -> isl.UnionSet:
    """All instances of these statements."""
    import islpy as isl

    sets = [isl.UnionSet.from_set(isl.Set(s.domain)) for s in scop.statements if s.name in statements]
    whole = sets[0]
    for part in sets[1:]:
        whole = whole.union(part)
    return whole


@lru_cache(maxsize=4096)
def time_of(scop: Scop, rows: Rows, strip: int = 1) -> isl.MultiUnionPwAff:
    """The loop's index at every instance inside it."""
    import islpy as isl

    return isl.MultiUnionPwAff(time_text(scop, rows, strip))


def time_text(scop: Scop, rows: Rows, strip: int = 1) -> str:
    loops = {s.name: ", ".join(s.loops) for s in scop.statements}
    value = "{}" if strip == 1 else f"{strip} * floor(({{}}) / {strip})"
    parts = "; ".join(f"{name}[{loops[name]}] -> [({value.format(row)})]" for name, row in rows)
    names = ", ".join(p.name for p in scop.parameters)
    prefix = f"[{names}] -> " if names else ""  # `[] -> [...]` is isl's text of no rows at all
    return f"{prefix}[{{ {parts} }}]"


def carried(
    scop: Scop, tree: Tree, band: Band, *, independent: bool = False, accumulates: bool = False
) -> isl.UnionMap:
    """The dependences of any kind between different iterations of `band`, at the same iteration of the loops around.
    Not those of updates that all its iterations do to one element, where the loop `accumulates` them."""
    known = dependences(scop, independent=independent)
    private = privatizable(scop, tree, band)
    inside = statements_in(band)
    summed = accumulated(scop, tree, band) if accumulates else frozenset()
    maps = [
        d.map
        for d in known.each
        if {d.source, d.sink} <= inside and d.array not in private and not (d.update and d.source in summed)
    ]
    around = [outer for outer in _around(tree, band) if not outer.jams]
    pairs = _equal(scop, union(maps, known.order), around)
    return pairs.subtract(_equal(scop, pairs, [band]))


def accumulated(scop: Scop, tree: Tree, band: Band) -> frozenset[str]:
    """Statements of an innermost loop that all its iterations do as `x += ...` to one element, which nothing else
    inside reads or writes: a local variable can take its place."""
    inside = statements_in(band)
    return frozenset(s.name for s in scop.statements if s.name in inside and _accumulates(scop, tree, band, s))


def _accumulates(scop: Scop, tree: Tree, band: Band, statement: ScopStatement) -> bool:
    updates = [a for a in statement.accesses if a.update is not None]
    if len(updates) != 1 or updates[0].update not in SUMMED or target_of(statement.text) is None:
        return False
    if not (updates[0].certain and updates[0].always):
        return False
    import islpy as isl

    around = [outer for outer in _around(tree, band) if not outer.jams]
    instances = domain_of(scop, frozenset([statement.name]))
    iterations = _equal(scop, isl.UnionMap.from_domain_and_range(instances, instances), around)
    copies = [inner for inner in bands_in(band.child) if statement.name in statements_in(inner)]
    target = _touched(statement, updates[0])
    if not _equal(scop, iterations, copies).is_subset(target.apply_range(target.reverse())):
        return False
    others = [
        _touched(s, a)
        for s in scop.statements
        if s.name in statements_in(band)
        for a in s.accesses
        if a.array == updates[0].array and a.update != updates[0].update
    ]
    return all(_equal(scop, target.apply_range(o.reverse()), around).is_empty() for o in others)


def _touched(statement: ScopStatement, access: ScopAccess) -> isl.UnionMap:
    import islpy as isl

    return isl.UnionMap.from_map(isl.Map(access.map).intersect_domain(isl.Set(statement.domain)))


def _equal(scop: Scop, pairs: isl.UnionMap, bands: list[Band]) -> isl.UnionMap:
    """The pairs at the same iteration of all of `bands`."""
    for band in bands:
        pairs = pairs.eq_at_multi_union_pw_aff(time_of(scop, band.rows, band.strip))
    return pairs


def _around(tree: Tree, band: Tree) -> list[Band]:
    """The loops around `band`, which is in `tree`."""
    match tree:
        case _ if tree is band:
            return []
        case Sequence(children):
            statement = next(iter(statements_in(band)))
            return _around(next(child for child in children if statement in statements_in(child)), band)
        case Band(child=child):
            return [tree, *_around(child, band)]
    return []


def privatizable(scop: Scop, tree: Tree, band: Band) -> frozenset[str]:
    """Scalars of which every iteration of `band` may have its own: written before read, and not read later."""
    inside = statements_in(band)
    written = {a.array for s in scop.statements if s.name in inside for a in s.accesses if a.written}
    scalars = [a.name for a in scop.arrays if a.private and not a.extents and a.name in written]
    return frozenset(name for name in scalars if _stays_inside(scop, tree, band, name))


def _stays_inside(scop: Scop, tree: Tree, band: Band, scalar: str) -> bool:
    flow, unwritten = last_writes(scop, scalar)
    inside = domain_of(scop, statements_in(band))
    if not unwritten.intersect_domain(inside).is_empty():
        return False
    apart = flow.intersect_domain(inside).union(flow.intersect_range(inside))
    together = _equal(scop, apart.intersect_domain(inside).intersect_range(inside), [*_around(tree, band), band])
    return bool(apart.subtract(together).is_empty())
