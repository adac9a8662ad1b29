"""The loops of a schedule as expressions: where each stands, how often it iterates, how far its index has run.

A schedule has one *item* for each loop over points and for each loop over tiles. Its position, counted from the
outside, is a number where the order is fixed and an expression of the permutation parameter where it is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.nodes import Expr, OrderType, Type
from tunepass.ir.accesses import IterationWork
from tunepass.ir.scop_directives import Factor, ScopDirectives, Setting


@dataclass(frozen=True, slots=True)
class Item:
    """The loop over `index`, or over its tiles."""

    index: str
    tile: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Clauses:
    """Directives of one perfect nest. `order` is a permutation parameter's name or the items in order; empty keeps the
    source's."""

    tile: tuple[Factor, ...] = ()
    order: str | tuple[str, ...] = ()
    unroll: tuple[Factor, ...] = ()
    unroll_and_jam: tuple[Factor, ...] = ()
    vectorize: tuple[Factor, ...] = ()
    parallel: tuple[Factor, ...] = ()

    @classmethod
    def of(cls, directives: ScopDirectives, types: Mapping[str, Type]) -> Clauses:
        """Loops of a nest whose pragma lists them."""
        order = directives.order
        by_parameter = len(order) == 1 and isinstance(types.get(order[0]), OrderType)
        return cls(
            tile=directives.tile,
            order=order[0] if by_parameter else order,
            unroll=directives.unroll,
            unroll_and_jam=directives.unroll_and_jam,
            vectorize=directives.vectorize,
            parallel=directives.parallel,
        )


class Loops:
    """`types` are those of the kernel's parameters by name."""

    def __init__(self, directives: Clauses, work: IterationWork, types: Mapping[str, Type]):
        self.directives, self.types = directives, types
        self.trips = dict(work.trips)
        self.indices = tuple(self.trips)
        self.tiled = tuple(f.index for f in directives.tile)
        self.items = (*(Item(i, True) for i in self.tiled), *(Item(i) for i in self.indices))
        self.positions = {item: self._position(item) for item in self.items}
        self.tiles = {i: self._tile(i) for i in self.indices}
        self.iterations = {item: self._iterations(item) for item in self.items}

    @property
    def depth(self) -> int:
        return len(self.items)

    def stands_at(self, item: Item, position: int) -> Expr:
        return alg.compare(self.positions[item], "==", position)

    def is_innermost(self, index: str) -> Expr:
        return self.stands_at(Item(index), self.depth - 1)

    def extent(self, index: str, position: int) -> Expr:
        """Iterations of `index` during one execution of the loops from `position` on inwards."""
        if position >= self.depth:
            return alg.lift(1.0)
        points = alg.where(alg.compare(self.positions[Item(index)], ">=", position), self.iterations[Item(index)], 1.0)
        if index not in self.tiled:
            return points
        outside = alg.compare(self.positions[Item(index, True)], ">=", position)
        return alg.where(outside, float(self.trips[index]), points)

    def iterations_at(self, position: int, of: Mapping[Item, Expr] | None = None) -> Expr:
        """Value of `of` (the iterations, by default) for the item that stands at `position`."""
        values = of or self.iterations
        *others, last = self.items
        result = values[last]
        for item in reversed(others):
            result = alg.where(self.stands_at(item, position), values[item], result)
        return result

    def copies(self, factors: tuple[Factor, ...], index: str) -> Expr:
        """An unroll factor, at least 1."""
        setting = next((f.setting for f in factors if f.index == index), 1)
        return real(alg.maximum(1, self.setting(setting)))

    def switched(self, factors: tuple[Factor, ...], index: str) -> Expr:
        """Is the clause on for the loop?"""
        setting = next((f.setting for f in factors if f.index == index), False)
        return alg.compare(self.setting(setting), "!=", 0)

    def setting(self, setting: Setting) -> Expr:
        return typing.name(setting, self.types) if isinstance(setting, str) else alg.lift(setting)

    def _position(self, item: Item) -> Expr:
        order = self.directives.order
        items = self._ordered(self.directives)
        if isinstance(order, str) and not items:
            return self._among_loops(item, order)
        if isinstance(order, str):
            return typing.call("pos", (typing.name(order, self.types), typing.constant(_label(item))))
        names = items or (*(f"{i}_tile" for i in self.tiled), *self.indices)
        return alg.lift(names.index(_label(item)))

    def _ordered(self, directives: Clauses) -> tuple[str, ...]:
        """The items in a fixed order, or those of the permutation where it orders tile loops by themselves."""
        if isinstance(directives.order, str):
            kind = self.types[directives.order]
            assert isinstance(kind, OrderType)
            items = tuple(str(item) for item in kind.items)
            return items if len(items) == len(self.items) and self.tiled else ()
        if len(directives.order) == len(self.items):
            return directives.order
        if directives.order:
            return (*(f"{i}_tile" for i in directives.order if i in self.tiled), *directives.order)
        return ()

    def _among_loops(self, item: Item, order: str) -> Expr:
        """A permutation of the loops orders their tile loops the same way, outside all others."""
        name = typing.name(order, self.types)
        places = {i: typing.call("pos", (name, typing.constant(i))) for i in self.indices}
        if not item.tile:
            return alg.add(len(self.tiled), places[item.index])
        before = [alg.compare(places[i], "<", places[item.index]) for i in self.tiled if i != item.index]
        return alg.add(*before) if before else alg.lift(0)

    def _tile(self, index: str) -> Expr:
        """Points of a tile; all iterations where the loop is not tiled, which sizes 0 and 1 mean too."""
        whole = float(self.trips[index])
        setting = next((f.setting for f in self.directives.tile if f.index == index), 1)
        size = self.setting(setting)
        return alg.where(alg.compare(size, "<=", 1), whole, alg.minimum(whole, real(size)))

    def _iterations(self, item: Item) -> Expr:
        """On average over the executions: the last tile has what is left."""
        whole = self.trips[item.index]
        tiles = real(alg.ceildiv(float(whole), self.tiles[item.index]))
        if item.tile:
            return tiles
        return alg.div(float(whole), tiles) if item.index in self.tiled else alg.lift(float(whole))


def real(e: Expr) -> Expr:
    """The same number as a Real, so that products of many do not overflow 64 bits."""
    value = alg.number(e)
    return alg.lift(float(value)) if value is not None else typing.binary("*", typing.constant(1.0), e)


def _label(item: Item) -> str:
    return f"{item.index}_tile" if item.tile else item.index
