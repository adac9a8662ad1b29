"""Perfect sub-nests of a shape, and in which directions dependences cross their loops.

A chain's `signs` are the sign vectors of the differences between the sink's and the source's iteration, of all
dependences that the loops around leave to it (M. Wolfe, "Optimizing Supercompilers for Supercomputers", 1989): an order
of the loops is legal where every vector's first sign that is not 0 is +, and loops may be tiled where none has a -.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop
from tunepass.polyhedral.dependences.pairs import dependences
from tunepass.polyhedral.schedules.apply import chain_of, jams_inside, planned
from tunepass.polyhedral.schedules.legality import domain_of, keeps_pairs, time_of
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.schedules.tree import Band, Leaf, Sequence, Tree, bands_in, statements_in
from tunepass.polyhedral.shapes.shapes import shape_tree, subject

if TYPE_CHECKING:
    import islpy as isl

Signs = tuple[int, ...]
MOST_PERMUTED = 4  # loops of a chain
JAM_TRIED = 2  # copies: what holds for two holds for more, as signs do not depend on the distance


@dataclass(frozen=True, slots=True)
class Chain:
    """`loops` from the outside in, the `statements` inside, and the loops that may be jammed in any legal order; not
    all of a set in `apart` at once. It is `perfect` where no loop is inside."""

    shape: str
    loops: tuple[str, ...]
    statements: frozenset[str]
    signs: frozenset[Signs]
    jams: frozenset[str]
    perfect: bool
    apart: tuple[frozenset[str], ...] = ()

    def allows(self, order: tuple[str, ...]) -> bool:
        """May its loops run in the order that they have among `order`?"""
        return _allowed(self.loops, self.signs, order)

    def crosses_back(self, loop: str) -> bool:
        """Does a dependence go against the loop's direction?"""
        place = self.loops.index(loop)
        return any(signs[place] < 0 for signs in self.signs)


def chains_of(scop: Scop, shape: str) -> tuple[Chain, ...]:
    """The chains of that shape, outer ones first; without one in which two loops have the same name."""
    return () if shape_tree(scop, shape) is None else chains_under(scop, Plan(shape=shape))


def chains_under(scop: Scop, start: Plan, *, independent: bool = False) -> tuple[Chain, ...]:
    """The chains of the tree that `start` makes, a plan that orders and tiles nothing."""
    run = subject(scop, start.shape)
    pairs = dependences(run, independent=independent).order
    return tuple(_chains(run, start.shape, planned(scop, start, independent), pairs))


def _chains(scop: Scop, shape: str, tree: Tree, pairs: isl.UnionMap) -> Iterator[Chain]:
    """`pairs` are at the same iteration of the loops around `tree`."""
    match tree:
        case Sequence(children):
            for child in children:
                yield from _chains(scop, shape, child, pairs)
        case Band():
            bands, inner = chain_of(tree)
            inside = domain_of(scop, statements_in(tree))
            inner_pairs = pairs.intersect_domain(inside).intersect_range(inside)
            names = tuple(band.name for band in bands)
            if len(set(names)) == len(names):
                signs = frozenset(_signs(scop, bands, inner_pairs))
                jamming = _Jamming(scop, bands, inner, inner_pairs, signs)
                jams = frozenset(n for n in names if jamming.is_legal(frozenset([n])))
                perfect = not any(True for _ in bands_in(inner))
                apart = tuple(jamming.apart(jams))
                yield Chain(shape, names, statements_in(tree), signs, jams, perfect, apart)
            for band in bands:
                inner_pairs = inner_pairs.eq_at_multi_union_pw_aff(time_of(scop, band.rows))
            yield from _chains(scop, shape, inner, inner_pairs)


def _signs(scop: Scop, bands: tuple[Band, ...], pairs: isl.UnionMap) -> Iterator[Signs]:
    if pairs.is_empty():
        return
    if not bands:
        yield ()
        return
    time = time_of(scop, bands[0].rows)
    before, same = pairs.lex_lt_at_multi_union_pw_aff(time), pairs.eq_at_multi_union_pw_aff(time)
    after = pairs.lex_gt_at_multi_union_pw_aff(time)
    for sign, part in ((1, before), (0, same), (-1, after)):
        for rest in _signs(scop, bands[1:], part):
            yield (sign, *rest)


@dataclass(frozen=True)
class _Jamming:
    """Which loops of a chain may be jammed, alone and together. `pairs` are its dependences, `inner` what it runs."""

    scop: Scop
    bands: tuple[Band, ...]
    inner: Tree
    pairs: isl.UnionMap
    signs: frozenset[Signs]

    def is_legal(self, loops: frozenset[str]) -> bool:
        """Copies side by side move the loops inside all others: no dependence that they carry may go back in one of
        them, in no order that the loops may have; what is inside them is asked of isl."""
        names = tuple(band.name for band in self.bands)
        places = [place for place, name in enumerate(names) if name in loops]
        if any(v[place] > 0 and min(v) < 0 for v in self.signs for place in places):
            return False
        if isinstance(self.inner, Leaf):
            return True
        orders = itertools.permutations(names) if len(names) <= MOST_PERMUTED else iter([names])
        legal = (order for order in orders if _allowed(names, self.signs, order))
        return all(keeps_pairs(self.scop, jams_inside(self._tree(order, loops)), self.pairs) for order in legal)

    def _tree(self, order: tuple[str, ...], loops: frozenset[str]) -> Tree:
        tree, known = self.inner, {band.name: band for band in self.bands}
        for name in reversed(order):
            copies = JAM_TRIED if name in loops else 1
            tree = replace(known[name], child=tree, copies=copies, jam=copies > 1)
        return tree

    def apart(self, jams: frozenset[str]) -> Iterator[frozenset[str]]:
        """The smallest sets of loops that may be jammed one by one, but not together: with several statements inside,
        each loop's copies run before the next statement's."""
        if isinstance(self.inner, Leaf) or len(jams) < 2 or self.is_legal(jams):
            return
        bad: list[frozenset[str]] = []
        for size in range(2, len(jams) + 1):
            for some in map(frozenset, itertools.combinations(sorted(jams), size)):
                if not any(known <= some for known in bad) and not self.is_legal(some):
                    bad.append(some)
                    yield some


def _allowed(names: tuple[str, ...], signs: frozenset[Signs], order: tuple[str, ...]) -> bool:
    places = [names.index(loop) for loop in order if loop in names]
    return all(next((v[p] for p in places if v[p]), 1) > 0 for v in signs)
