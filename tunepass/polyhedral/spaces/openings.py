"""What is worth trying first of a scop's schedules: for each shape the loops in the order that walks through memory,
vectors along the innermost, and copies of the loops around it.

The cost of a loop as the innermost one counts cache lines for each iteration, and what keeps iterations apart (K. S.
McKinley, S. Carr and C.-W. Tseng, "Improving data locality with loop transformations", 1996): a chain's loops stand
with the cheapest innermost, as far as dependences let them. Where the cheapest is a recurrence, a second order leaves
it there, for copies of the loops around it to run side by side.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tunepass.ir.accesses import Access
from tunepass.ir.scop_directives import ScopDirectives
from tunepass.ir.scop_work import ShapedWork
from tunepass.polyhedral.spaces.chains import MOST_PERMUTED, Chain
from tunepass.polyhedral.spaces.packs import Pack
from tunepass.space.configuration import Value
from tunepass.space.opening import Opening
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.permutation import Permutation

LINE_BYTE = 64
RECURRENCE = 4.0  # lines that could be loaded while an iteration waits for the one before
SUM = 0.25  # likewise of a sum, whose lanes are joined at the end
HEAVY = 0.1  # share of the heaviest statement's work from which on one counts
FIRST_SHAPES = (
    *("distributed", "expanded_distributed", "pieces_distributed", "source"),
    *("skewed", "turned", "split", "expanded_split", "fused", "expanded_fused"),
)
COPIES = ((4, 1), (1, 4), (4, 4), (8, 1), (4, 2))  # of the loop around the innermost one, and of the one around that
STEPS = (8, 16, 32)  # of time in one tile
SQUARE_SIDES = (8, 16)  # elements of a line of doubles, and of floats
PACKED_SIDE = 64  # of a tile of doubles that fills half a first-level cache
PACKED_COPIES = ((4, 4), (4, 2), (8, 2), (4, 1))
Values = dict[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """A derived space's directives, parameters, shapes, chains, and arrays to pack."""

    directives: ScopDirectives
    parameters: tuple[Parameter, ...]
    shapes: tuple[str, ...]
    chains: tuple[Chain, ...]
    packs: tuple[Pack, ...] = ()


def openings_of(choices: Choices, works: Sequence[ShapedWork]) -> tuple[Opening, ...]:
    """Every shape first, then copies after each; without sums in another order where those give other results."""
    openings: list[Opening] = []
    for shape in sorted(choices.shapes, key=FIRST_SHAPES.index):
        shaped = _Shape(choices, shape, [work for work in works if work.shape == shape])
        for values, copies in shaped.starts():
            openings.append(Opening(tuple(values.items())))
            first = len(openings) - 1
            openings += (Opening(tuple({**values, **more}.items()), first) for more in copies)
            exact = choices.directives.sums
            if isinstance(exact, str):
                inexact = {**values, exact: False}
                openings.append(Opening(tuple(inexact.items()), first, "failed"))
                second = len(openings) - 1
                openings += (Opening(tuple({**inexact, **more}.items()), second) for more in copies)
    return tuple(openings)


class _Shape:
    def __init__(self, choices: Choices, shape: str, works: Sequence[ShapedWork]):
        self.choices, self.shape, self.works = choices, shape, works
        self.chains = [chain for chain in choices.chains if chain.shape == shape and len(chain.loops) > 1]

    def starts(self) -> Iterator[tuple[Values, list[Values]]]:
        """The values of every order, and the copies that go with it."""
        if self.shape == "skewed":
            yield from self.steps()
            return
        known: list[Values] = []
        for recurrence in (RECURRENCE, 0.0):
            orders = self.orders(recurrence)
            if orders not in known:
                known.append(orders)
                yield {**self.flags(), **orders}, list(self.copies(orders))
        tiles = self.against_the_grain(orders := self.orders(RECURRENCE))
        if tiles:
            yield {**self.flags(), **orders, **tiles[0]}, [dict(sizes) for sizes in tiles[1:]]
        packed = [pack for pack in self.choices.packs if any(set(pack.loops) <= set(c.loops) for c in self.chains)]
        if packed:
            yield self.packed(packed)

    def against_the_grain(self, orders: Values) -> list[Values]:
        """Small square tiles of an innermost loop that jumps from row to row of an array, and of the loops that walk
        along these rows: a line is used whole while it is still in the cache."""
        tiled = {f.index: f.setting for f in self.choices.directives.tile if isinstance(f.setting, str)}
        loops: dict[str, None] = {}
        for work in self.works:
            inner = [arranged[-1] for chain in work.chains if len(arranged := _arranged(chain, orders)) > 1]
            for loop in inner:
                jumping = [access for access in work.work.accesses if _lines(access, loop) >= 1]
                along = [o for a in jumping for c in work.chains if loop in c for o in c if 0 < _lines(a, o) < 1]
                loops |= dict.fromkeys([loop, *along] if along else [])
        names = [name for loop in loops if isinstance(name := tiled.get(loop), str)]
        return [dict.fromkeys(names, side) for side in SQUARE_SIDES] if len(names) > 1 else []

    def packed(self, packs: Sequence[Pack]) -> tuple[Values, list[Values]]:
        """Tiles of arrays in buffers, in the order that is best where reading these costs nothing."""
        orders = self.orders(RECURRENCE, frozenset(pack.array for pack in packs))
        moved = {loop for pack in packs for loop in pack.loops}
        sizes = {f.setting: PACKED_SIDE for f in self.choices.directives.tile if f.index in moved}
        tiles: Values = {name: size for name, size in sizes.items() if isinstance(name, str)}
        flags: Values = {pack.parameter.name: True for pack in packs}
        copies = [values for values in self.copies(orders, PACKED_COPIES) if values]
        return {**self.flags(), **orders, **tiles, **flags}, copies

    def steps(self) -> Iterator[tuple[Values, list[Values]]]:
        """Tiles of time steps, each of which goes over the rows once."""
        orders = self.orders(RECURRENCE)
        skewed = [c for c in self.chains if not c.perfect and not any(c.crosses_back(loop) for loop in c.loops)]
        times = [chain.loops for chain in skewed if len(chain.loops) == 2]
        for parameter in self.choices.parameters:
            if isinstance(parameter, Permutation):
                items = tuple(str(item) for item in parameter.items)
                turned = [(rows, time) for time, rows in times if {time, rows} <= set(items)]
                known = orders[parameter.name]
                rest = [known] if isinstance(known, tuple) else []
                orders[parameter.name] = _merged(items, [*turned, *(tuple(map(str, order)) for order in rest)])
        sizes = {f.setting for f in self.choices.directives.tile for time, _ in times if f.index == time}
        tiled: list[Values] = [{str(name): size for name in sizes} for size in STEPS]
        yield {**self.flags(), **orders, **tiled[0]}, tiled[1:]

    def flags(self) -> Values:
        directives = self.choices.directives
        named = [f.setting for f in (*directives.vectorize, *directives.parallel)] + [directives.sums]
        shape: Values = {directives.shape: self.shape} if len(self.choices.shapes) > 1 else {}
        return {**shape, **{name: True for name in named if isinstance(name, str)}}

    def orders(self, recurrence: float, packed: frozenset[str] = frozenset()) -> Values:
        orders: Values = {}
        for parameter in self.choices.parameters:
            if isinstance(parameter, Permutation):
                items = tuple(str(item) for item in parameter.items)
                chains = [chain for chain in self.chains if set(chain.loops) <= set(items)]
                chains.sort(key=lambda chain: -max((_weight(w) for w in self.inside(chain)), default=0.0))
                orders[parameter.name] = _merged(items, [self.best(chain, recurrence, packed) for chain in chains])
        return orders

    def inside(self, chain: Chain) -> list[ShapedWork]:
        return [work for work in self.works if work.statement in chain.statements]

    def best(self, chain: Chain, recurrence: float, packed: frozenset[str]) -> tuple[str, ...]:
        """The chain's legal order with the cheapest loop innermost, the next cheapest around it, and so on."""
        works = self.inside(chain)
        cost = {loop: sum(_weight(w) * _cost(w, loop, recurrence, packed) for w in works) for loop in chain.loops}
        short = len(chain.loops) <= MOST_PERMUTED
        orders = itertools.permutations(chain.loops) if short else iter([chain.loops])
        legal = [order for order in orders if chain.allows(order)] or [chain.loops]
        return min(legal, key=lambda order: [cost[loop] for loop in reversed(order)])

    def copies(self, orders: Values, numbers: Sequence[tuple[int, int]] = COPIES) -> Iterator[Values]:
        """Numbers of copies around the innermost loops of the heavy statements; of the heaviest one's alone besides."""
        jams = {f.index: f.setting for f in self.choices.directives.unroll_and_jam if isinstance(f.setting, str)}
        most = max((_weight(work) for work in self.works), default=0.0)
        heavy = sorted((w for w in self.works if _weight(w) >= HEAVY * most), key=lambda w: -_weight(w))
        known: list[Values] = [{}]
        for around, further in numbers:
            for works in (heavy, heavy[:1]):
                values: Values = {}
                for work in works:
                    loops = [loop for chain in work.chains for loop in _arranged(chain, orders)]
                    for loop, number in zip(reversed(loops[:-1]), (around, further)):
                        if number > 1 and loop in jams:
                            values.setdefault(jams[loop], number)
                if values not in known:
                    known.append(values)
                    yield values


def _arranged(chain: Sequence[str], orders: Mapping[str, Value]) -> Sequence[str]:
    order = next((o for o in orders.values() if isinstance(o, tuple) and set(chain) <= set(o)), None)
    return sorted(chain, key=order.index) if order is not None else chain


def _weight(work: ShapedWork) -> float:
    """Iterations in all."""
    return float(math.prod(count for _, count in work.work.trips))


def _cost(shaped: ShapedWork, loop: str, recurrence: float, packed: frozenset[str]) -> float:
    """Lines for an iteration of the loop as the innermost one."""
    accesses = [access for access in shaped.work.accesses if access.array not in packed]
    lines = sum(_lines(access, loop) for access in accesses)
    if loop not in shaped.free:
        return lines + recurrence
    return lines + SUM * any(access.written and not access.stride(loop) for access in accesses)


def _lines(access: Access, loop: str) -> float:
    return min(1.0, abs(access.stride(loop)) * access.element_byte / LINE_BYTE)


def _merged(items: tuple[str, ...], orders: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """One order of all items that keeps those given, the first ones where they contradict each other."""
    after: dict[str, set[str]] = {item: set() for item in items}
    for order in orders:
        for outer, inner in itertools.pairwise(order):
            if not _reaches(after, inner, outer):
                after[outer].add(inner)
    left, merged = list(items), list[str]()
    while left:
        ready = next(item for item in left if not any(item in after[other] for other in left if other != item))
        merged.append(ready)
        left.remove(ready)
    return tuple(merged)


def _reaches(after: Mapping[str, set[str]], start: str, goal: str) -> bool:
    return start == goal or any(_reaches(after, item, goal) for item in after[start])
