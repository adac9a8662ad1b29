"""Merlin's caching of global arrays: what is copied between DRAM and on-chip memory, where, and how long it takes.

An array is copied whole at the start, and back at the end. Inside a loop that is tiled, or that runs as processing
elements, what depends on the loop is copied there instead, once for each pass of the loops outside:

    contiguous   elements / beat + request              beat: elements that a port takes at once
    in runs      runs (request + run)                   a tile of columns: one short run for each row
    scattered    elements (scattered + lanes ...)       a column for each processing element
"""

from __future__ import annotations

import math

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.hls.banks import Banks, moving, strides
from tunepass.hwmodels.hls.dependence import value
from tunepass.hwmodels.hls.lanes import Lanes
from tunepass.hwmodels.hls.nest import Nest, Placed, either, every, negated
from tunepass.hwmodels.hls.tools import HlsTool
from tunepass.ir.hls import HlsArray, HlsLoop

Copied = tuple[Expr, Expr]
"""Cycles of copies, and the elements that they move."""


class TransferModel:
    def __init__(self, nest: Nest, lanes: Lanes, banks: Banks, tool: HlsTool):
        self.nest, self.lanes, self.banks, self.tool = nest, lanes, banks, tool
        self._known: dict[str, Copied] = {}

    def total(self) -> Expr:
        return alg.add(*self.arrays().values())

    def arrays(self) -> dict[str, Expr]:
        """Cycles by the name of the array."""
        return {a.name: self.array(a) for a in self._arrays}

    def array(self, array: HlsArray) -> Expr:
        """Cycles of all its accesses: copied at the loops that want that, and else whole."""
        return self._copies(array)[0]

    def bits(self) -> Expr:
        """Bits that are copied to and from DRAM."""
        return alg.add(0, *(alg.mul(self._copies(a)[1], a.element.bits) for a in self._arrays))

    @property
    def _arrays(self) -> list[HlsArray]:
        return [a for a in self.nest.kernel.arrays if a.storage == "global" and a.dims]

    def _copies(self, array: HlsArray) -> Copied:
        if array.name not in self._known:
            self._known[array.name] = self._copied(array)
        return self._known[array.name]

    def _copied(self, array: HlsArray) -> Copied:
        cost: list[Expr] = []
        moved: list[Expr] = []
        unscoped: list[Expr] = []
        seen: set[tuple[str, ...]] = set()
        for placed in self.banks.accesses(array.name):
            path = tuple(loop.name for loop in placed.loops)
            if path in seen:
                continue
            seen.add(path)
            scoped, (cycles, elements) = self._scoped(array, placed)
            ways = self._ways(array, path)
            unscoped.append(negated(scoped))
            cost.append(alg.where(scoped, alg.mul(cycles, ways), 0))
            moved.append(alg.where(scoped, alg.mul(elements, ways), 0))
        ways = int(array.read) + int(array.written)
        tops = alg.mul(self._whole(array), ways), alg.mul(ways, *array.dims)
        whole = either(*unscoped)
        return alg.add(alg.where(whole, tops[0], 0), *cost), alg.add(alg.where(whole, tops[1], 0), *moved)

    def _ways(self, array: HlsArray, path: tuple[str, ...]) -> int:
        names = {
            p.operation.name for p in self.banks.accesses(array.name) if tuple(loop.name for loop in p.loops) == path
        }
        return max(1, len(names))

    def _whole(self, array: HlsArray) -> Expr:
        elements = alg.mul(1, *array.dims)
        return alg.add(alg.ceildiv(elements, self._beat(array)), self.tool.transfers.request_cycles)

    def _beat(self, array: HlsArray) -> Expr:
        """Elements a beat: a power of two that divides what lies in one piece; banks of the last dimension cut."""
        most = max(1, self.tool.transfers.port_bit // array.element.bits)
        row, elements = value(array.dims[-1]), value(alg.mul(1, *array.dims))
        whole = math.gcd(most, int(elements)) if elements else most
        cut = math.gcd(most, int(row)) if row else most
        if self._large(array):
            return alg.lift(1)
        width = alg.where(alg.compare(self.banks.by_dim(array)[-1], ">", 1), cut, whole)
        return alg.where(self.banks.divided(array), width, 1) if self.tool.cuts_remainders else width

    def _large(self, array: HlsArray) -> bool:
        elements = value(alg.mul(1, *array.dims))
        return elements is not None and elements * array.element.bits > self.tool.transfers.wide_bit

    def _scoped(self, array: HlsArray, placed: Placed) -> tuple[Expr, Copied]:
        """Is it copied inside a loop, and all those copies."""
        scoped, copied = alg.compare(0, "!=", 0), (alg.lift(0), alg.lift(0))
        stride = strides(array, placed)
        for depth in reversed(range(len(placed.loops))):
            loop = placed.loops[depth]
            if loop.name not in moving(placed):
                continue
            tiled = every(alg.compare(loop.tile, ">", 1), alg.compare(loop.tile, "<", self.nest.most(loop)))
            elements = self.lanes.elements(loop)
            finer = any(stride.get(inner.name, 0.0) > stride[loop.name] for inner in placed.loops[depth + 1 :])
            if not finer:
                elements = alg.compare(0, "!=", 0)
            elif depth == 0:
                elements = every(elements, either(self._single(placed, loop), self._uneven(placed, loop)))
            outside = negated(either(*(self._split(outer) for outer in placed.loops[:depth])))
            tiled, elements = every(tiled, outside), every(elements, outside)
            tiled = every(tiled, negated(every(self.lanes.elements(loop), alg.compare(loop.unroll, ">=", loop.tile))))
            here = either(tiled, elements)
            tile, lanes = self._tile(array, placed, depth, finer), self._lanes(placed, depth)
            cycles, moved = (
                alg.where(tiled, one, alg.where(elements, other, before))
                for one, other, before in zip(tile, lanes, copied, strict=True)
            )
            scoped, copied = either(here, scoped), (cycles, moved)
        return scoped, copied

    def _split(self, loop: HlsLoop) -> Expr:
        """Is it asked to run as some processing elements? Then they share what was copied outside."""
        return every(
            alg.compare(loop.unroll, ">", 1),
            alg.compare(alg.mod(self.nest.most(loop), loop.unroll), "==", 0),
            alg.compare(loop.unroll, "<", self.nest.most(loop)),
            negated(self.nest.leaf(loop)),
        )

    def _single(self, placed: Placed, loop: HlsLoop) -> Expr:
        """Does each processing element take one element after another?"""
        inside = placed.loops[placed.loops.index(loop) + 1 :]
        return every(*(alg.compare(self.lanes.of(inner), "==", 1) for inner in inside))

    def _uneven(self, placed: Placed, loop: HlsLoop) -> Expr:
        """Do copies inside leave a remainder that the tool does not cut off?"""
        if self.tool.cuts_remainders:
            return alg.compare(0, "!=", 0)
        inside = placed.loops[placed.loops.index(loop) + 1 :]
        return either(*(alg.compare(alg.mod(self.nest.most(inner), self.lanes.of(inner)), "!=", 0) for inner in inside))

    def _reached(self, placed: Placed, depth: int) -> Expr:
        """Elements that the loops inside reach."""
        moved = moving(placed)
        return alg.mul(1, *(self.nest.most(loop) for loop in placed.loops[depth + 1 :] if loop.name in moved))

    def _passes(self, placed: Placed, depth: int) -> Expr:
        return alg.mul(1, *(loop.trip for loop in placed.loops[:depth]))

    def _tile(self, array: HlsArray, placed: Placed, depth: int, finer: bool) -> Copied:
        loop, transfers = placed.loops[depth], self.tool.transfers
        inside = self._reached(placed, depth)
        tiles = alg.mul(self._passes(placed, depth), alg.ceildiv(self.nest.most(loop), loop.tile))
        beat = max(1, transfers.port_bit // array.element.bits)
        moved = alg.mul(tiles, inside, loop.tile)
        if not finer:
            at_once = beat if transfers.tiles_widen and self._large(array) else self._beat(array)
            each = alg.add(alg.ceildiv(alg.mul(inside, loop.tile), at_once), transfers.request_cycles)
            return alg.mul(tiles, each), moved
        stride = strides(array, placed)[loop.name]
        run = alg.mul(loop.tile, int(stride)) if stride < math.inf else loop.tile
        runs = alg.div(alg.mul(inside, loop.tile), alg.minimum(run, alg.mul(inside, loop.tile)))
        each = alg.where(alg.compare(run, ">=", beat), alg.maximum(run, beat), alg.add(run, transfers.request_cycles))
        return alg.mul(tiles, alg.add(alg.mul(runs, each), transfers.request_cycles)), moved

    def _lanes(self, placed: Placed, depth: int) -> Copied:
        loop, transfers = placed.loops[depth], self.tool.transfers
        elements = alg.mul(self._passes(placed, depth), loop.trip, self._reached(placed, depth))
        each = alg.add(transfers.scattered_cycles, alg.mul(transfers.scattered_lane_cycles, loop.unroll))
        return alg.mul(elements, each), elements
