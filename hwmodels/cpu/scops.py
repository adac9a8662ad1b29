"""The model of scops: each statement under each shape as a nest of its own, with the loops that stand around it there.

    time = sum over statements of time(statement, shape), shape by shape

What statements in one loop find of each other's data is left out, and so are triangular bounds but for their average:
the prior mean has to rank schedules, and measurements do the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.nodes import Expr, OrderType, Type
from tunepass.hwmodels.cpu.compute import CompilerAbilities, Compute
from tunepass.hwmodels.cpu.device import Cpu
from tunepass.hwmodels.cpu.loops import Clauses, Item, Loops
from tunepass.ir.scop_directives import ANY, Factor, ScopDirectives
from tunepass.ir.scop_work import ShapedWork


class ScopLoops(Loops):
    """The loops around one statement: its chains one inside the other, the loops over tiles outermost in each chain."""

    def __init__(self, shaped: ShapedWork, directives: ScopDirectives, types: Mapping[str, Type]):
        self.chains, self.orders, self.types = shaped.chains, directives.order, types
        self.trips = dict(shaped.work.trips)
        self.indices = tuple(loop for chain in self.chains for loop in chain)
        self.directives = Clauses(
            tile=self._own(directives.tile),
            unroll_and_jam=self._own(directives.unroll_and_jam),
            unroll=self._own(directives.unroll),
            vectorize=self._any(directives.vectorize, shaped.free),
            parallel=self._any(directives.parallel, frozenset(self.indices[:1])),
        )
        self.tiled = tuple(f.index for f in self.directives.tile)
        self.items = (*(Item(i, True) for i in self.tiled), *(Item(i) for i in self.indices))
        self.positions = {item: self._position(item) for item in self.items}
        self.tiles = {i: self._tile(i) for i in self.indices}
        self.iterations = {item: self._iterations(item) for item in self.items}

    def _own(self, factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
        return tuple(f for f in factors if f.index in self.trips)

    def _any(self, factors: tuple[Factor, ...], where: frozenset[str]) -> tuple[Factor, ...]:
        """Clauses of single loops; one of any loop holds `where` it may."""
        everywhere = [f.setting for f in factors if f.index == ANY]
        return (*self._own(factors), *(Factor(loop, s) for s in everywhere for loop in self.indices if loop in where))

    def _position(self, item: Item) -> Expr:
        """Everything of the chains around, then of the chain's own the tiles before the points, each in its order."""
        number = next(n for n, chain in enumerate(self.chains) if item.index in chain)
        outside = [loop for chain in self.chains[:number] for loop in chain]
        iteration_chain = self.chains[number]
        tiled = [loop for loop in iteration_chain if loop in self.tiled]
        fixed = len(outside) + sum(loop in self.tiled for loop in outside) + (0 if item.tile else len(tiled))
        return alg.add(fixed, *self._before(item.index, tiled if item.tile else iteration_chain))

    def _before(self, loop: str, others: list[str] | tuple[str, ...]) -> list[Expr]:
        """1 for each of the others that stands outside `loop`."""
        order = next((o for o in self.orders if self._orders(o, loop)), None)
        places: list[Expr] = []
        for other in others:
            if other == loop:
                continue
            if order is None or not self._orders(order, other):
                places.append(alg.lift(int(self.indices.index(other) < self.indices.index(loop))))
            else:
                name = typing.name(order, self.types)
                pos = [typing.call("pos", (name, typing.constant(item))) for item in (other, loop)]
                places.append(alg.where(alg.compare(pos[0], "<", pos[1]), 1, 0))
        return places

    def _orders(self, order: str, loop: str) -> bool:
        kind = self.types.get(order)
        return isinstance(kind, OrderType) and loop in kind.items


class ScopCompute(Compute):
    """A loop whose iterations depend on each other is not vectorized, whoever asks for it."""

    def __init__(self, loops: ScopLoops, shaped: ShapedWork, device: Cpu, compiled: CompilerAbilities):
        super().__init__(loops, shaped.work, device, compiled)
        self.free = shaped.free

    def _iteration(self, x: str, jam: dict[str, Expr], unroll: Expr) -> Expr:
        if x not in self.free:
            return self._resources(x, jam, unroll, alg.lift(1.0))
        return super()._iteration(x, jam, unroll)

    def _innermost(self, x: str) -> Expr:
        """Copies of the innermost loop are not made."""
        single = copy(self)
        single.jam = {**self.jam, x: alg.lift(1.0)}
        return super(ScopCompute, single)._innermost(x)
