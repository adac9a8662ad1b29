"""Directives applied to a tree of loops, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from tunepass.ir.scop import Scop
from tunepass.ir.scop_directives import ANY
from tunepass.polyhedral.dependences.pairs import dependences
from tunepass.polyhedral.schedules.footprint import may_pack
from tunepass.polyhedral.schedules.legality import carried, keeps_order
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.schedules.tree import (
    Band,
    Leaf,
    Rows,
    Sequence,
    Tree,
    bands_in,
    mapped,
    sequence,
    source_tree,
    statements_in,
)
from tunepass.polyhedral.shapes.shapes import distributed, shape_tree, subject


def planned(scop: Scop, plan: Plan, independent: bool = False) -> Tree:
    """The tree that `plan` asks for, over `subject(scop, plan.shape)`; `is_legal` says whether dependences are kept."""
    return _planned(scop, plan, independent)


@lru_cache(maxsize=256)
def _planned(scop: Scop, plan: Plan, independent: bool) -> Tree:
    tree = shape_tree(scop, plan.shape, independent)
    scop = subject(scop, plan.shape)
    tree = tree or source_tree(scop)
    if plan.distribute:
        pairs = dependences(scop, independent=independent).order
        tree = distributed(scop, tree, pairs, frozenset(plan.distribute))
    for first, second in plan.fuse:
        tree = _fused(tree, first, second)
    tree = mapped(tree, lambda band: _reversed(band) if band.name in plan.reverse else band)
    for inner, outer, factor in plan.skew:
        tree = _skewed(tree, inner, outer, factor, {})
    marked = _chains(tree, plan)
    if ANY in plan.parallel or ANY in plan.vectorize:
        marked = _proven(scop, marked, plan, independent)
    return _innermost_vectors(_outermost_parallel(marked))


@lru_cache(maxsize=256)
def is_legal(scop: Scop, plan: Plan, *, independent: bool = False) -> bool:
    """Proven: every dependence kept, parallel and vector loops free of any that they would break, copies possible."""
    whole = planned(scop, plan, independent)
    tree = jams_inside(whole)
    scop = subject(scop, plan.shape)
    innermost = {band.name for band in bands_in(whole) if not any(True for _ in bands_in(band.child))}
    marked = [
        (band, plan.sums and (not plan.exact or band.name in innermost))
        for band in bands_in(tree)
        if band.parallel or band.vectorize
    ]
    if not may_pack(scop, whole, plan.pack):
        return False
    return keeps_order(scop, tree, independent=independent) and all(
        carried(scop, tree, band, independent=independent, accumulates=sums and not band.parallel).is_empty()
        for band, sums in marked
    )


def vectorized(scop: Scop, plan: Plan, independent: bool = False) -> tuple[frozenset[str], Mapping[str, str]]:
    """The loops that a plan names to be vectorized and that are, or that the parallel loop inside them hinders: those
    by its name."""
    bands = list(bands_in(planned(scop, plan, independent)))
    inside = {
        band.name: next((inner.name for inner in bands_in(band.child) if inner.parallel), "")
        for band in bands
        if plan.exact and band.name in plan.vectorize and not band.tiles and not band.vectorize
    }
    hindered = {name: parallel for name, parallel in inside.items() if parallel}
    marked = {band.name for band in bands if band.vectorize}
    named = marked if plan.exact else plan.vectorize if marked else ()
    return frozenset(named) | hindered.keys(), hindered


def is_marked(scop: Scop, plan: Plan, independent: bool = False) -> tuple[bool, bool]:
    """Does any loop run in vectors; does any in parallel?"""
    bands = list(bands_in(planned(scop, plan, independent)))
    return any(band.vectorize for band in bands), any(band.parallel for band in bands)


def _fused(tree: Tree, first: str, second: str) -> Tree:
    """Neighbours `first` and `second` as one loop."""
    match tree:
        case Band(child=child):
            return replace(tree, child=_fused(child, first, second))
        case Sequence(children):
            joined: list[Tree] = []
            for child in children:
                last = joined[-1] if joined else None
                if isinstance(last, Band) and isinstance(child, Band) and (last.name, child.name) == (first, second):
                    joined[-1] = Band(first, last.rows + child.rows, sequence([last.child, child.child]))
                else:
                    joined.append(_fused(child, first, second))
            return sequence(joined)
    return tree


def _reversed(band: Band) -> Band:
    return replace(band, rows=tuple((name, f"-({row})") for name, row in band.rows))


def _skewed(tree: Tree, inner: str, outer: str, factor: int, rows: dict[str, str]) -> Tree:
    match tree:
        case Sequence(children):
            return sequence([_skewed(child, inner, outer, factor, rows) for child in children])
        case Band(name=name) if name == inner:
            moved = tuple((s, f"({row}) + {factor} * ({rows[s]})" if s in rows else row) for s, row in tree.rows)
            return replace(tree, rows=moved)
        case Band(name=name, child=child):
            known = {**rows, **dict(tree.rows)} if name == outer else rows
            return replace(tree, child=_skewed(child, inner, outer, factor, known))
    return tree


def chain_of(tree: Band) -> tuple[tuple[Band, ...], Tree]:
    """The perfect sub-nest that starts here, and what is inside its innermost loop."""
    bands: list[Band] = []
    inner: Tree = tree
    while isinstance(inner, Band):
        bands.append(inner)
        inner = inner.child
    return tuple(bands), inner


def _chains(tree: Tree, plan: Plan) -> Tree:
    match tree:
        case Sequence(children):
            return sequence([_chains(child, plan) for child in children])
        case Band():
            bands, inner = chain_of(tree)
            done = _chains(inner, plan)
            for number, band in enumerate(reversed(arranged(bands, plan))):
                innermost = number == 0 and not any(True for _ in bands_in(inner))
                done = _marked(replace(band, child=done), plan, innermost)
            return done
    return tree


def arranged(bands: tuple[Band, ...], plan: Plan) -> list[Band]:
    """The chain's loops and those over their tiles, from the outside in."""
    tiles = {name: size for name, size in plan.tile if size > 1}
    rank = {item: number for number, item in enumerate(plan.order)}
    points = [band for band in bands if band.name in rank]
    points.sort(key=lambda band: rank[band.name])
    ordered = [points.pop(0) if band.name in rank else band for band in bands]
    over = [replace(b, strip=tiles[b.name], tiles=True) for b in ordered if b.name in tiles]
    free = [band for band in over if band.label not in rank]
    named = [band for band in over if band.label in rank]
    result: list[Band] = []
    for band in ordered:
        before = [b for b in named if band.name in rank and rank[b.label] < rank[band.name]]
        result += sorted(before, key=lambda b: rank[b.label])
        named = [b for b in named if b not in before]
        result.append(band)
    return [*free, *named, *result]


def _named(band: Band, names: tuple[str, ...]) -> bool:
    return band.name in names or ANY in names


def _marked(band: Band, plan: Plan, innermost: bool) -> Band:
    """With its directives. Only the innermost loop is vectorized, and it has nothing inside to jam: copies of it would
    stand in a vectorizing compiler's way. A tiled loop is parallel over its tiles. An `exact` plan vectorizes all loops
    that it names, and copies an innermost one that is jammed."""
    if band.tiles:
        return replace(band, parallel=_named(band, plan.parallel))
    tiled = any(name == band.name and size > 1 for name, size in plan.tile)
    jam = 1 if innermost else dict(plan.jam).get(band.name, 1)
    vectorize = (innermost and _named(band, plan.vectorize)) or (plan.exact and band.name in plan.vectorize)
    copies = max(jam, dict(plan.unroll).get(band.name, 1))
    if plan.exact and innermost:
        copies = max(copies, dict(plan.jam).get(band.name, 1))
    return replace(
        band,
        copies=max(1, copies),
        jam=jam > 1,
        parallel=_named(band, plan.parallel) and not tiled,
        vectorize=vectorize,
        peel=dict(plan.peel).get(band.name, 0),
    )


def _proven(scop: Scop, tree: Tree, plan: Plan, independent: bool) -> Tree:
    """Without the marks that `*` gave and dependences forbid."""
    inside = jams_inside(tree)
    places = [(band.label, statements_in(band)) for band in bands_in(inside)]
    bad: dict[str, set[tuple[str, frozenset[str]]]] = {"parallel": set(), "vectorize": set()}
    for band, place in zip(bands_in(inside), places):
        for mark, forbidden in bad.items():
            if getattr(band, mark) and band.name not in getattr(plan, mark):
                sums = plan.sums and mark == "vectorize"
                pairs = carried(scop, inside, band, independent=independent, accumulates=sums)
                if not pairs.is_empty():
                    forbidden.add(place)

    def change(band: Band) -> Band:
        place = (band.label, statements_in(band))
        parallel = band.parallel and place not in bad["parallel"]
        return replace(band, parallel=parallel, vectorize=band.vectorize and place not in bad["vectorize"])

    return mapped(tree, change)


def _outermost_parallel(tree: Tree) -> Tree:
    """OpenMP starts threads at one level: the outermost that asks for them."""
    match tree:
        case Sequence(children):
            return sequence([_outermost_parallel(child) for child in children])
        case Band(parallel=True, child=child):
            return replace(tree, child=mapped(child, lambda band: replace(band, parallel=False)))
        case Band(child=child):
            return replace(tree, child=_outermost_parallel(child))
    return tree


def _innermost_vectors(tree: Tree) -> Tree:
    """OpenMP allows nothing of its own inside a vector loop."""

    def change(band: Band) -> Band:
        marked = any(inner.vectorize or inner.parallel for inner in bands_in(band.child))
        return replace(band, vectorize=False) if band.vectorize and marked else band

    return mapped(tree, change)


def jams_inside(tree: Tree) -> Tree:
    """Every loop that is jammed twice: over groups of copies, and over a group's copies right around each statement."""

    def change(band: Band) -> Tree:
        if not band.jams:
            return band
        points = replace(band, copies=1, jam=False, parallel=False, vectorize=False)
        return replace(band, child=_around_leaves(band.child, points, dict(band.rows)))

    return mapped(tree, change)


def _around_leaves(tree: Tree, points: Band, rows: dict[str, str]) -> Tree:
    match tree:
        case Leaf(statement):
            statement_rows: Rows = ((statement, rows[statement]),)
            return replace(points, rows=statement_rows, child=tree)
        case Sequence(children):
            return sequence([_around_leaves(child, points, rows) for child in children])
        case Band(child=child):
            return replace(tree, child=_around_leaves(child, points, rows))
