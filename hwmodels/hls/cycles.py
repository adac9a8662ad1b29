"""Cycles of a kernel (after Lin-Analyzer, COMBA and AutoDSE's account of Merlin).

pipelined    (ceil(N / u) - 1) II + D        II the largest of what recurrences, ports and the pragma leave
perfect      the loops around a pipelined loop with nothing else in them run through its pipeline as one
dataflow     tasks.py
in turns     (N // e + N % e) (sum of what is inside + overhead)
             e processing elements, where nothing forbids them; what they leave over runs one after another
"""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.base import EstimatePart
from tunepass.hwmodels.hls.banks import Banks
from tunepass.hwmodels.hls.depth import Depths
from tunepass.hwmodels.hls.lanes import Lanes
from tunepass.hwmodels.hls.nest import Nest, either, every, negated
from tunepass.hwmodels.hls.ports import Ports
from tunepass.hwmodels.hls.tasks import together
from tunepass.hwmodels.hls.tools import HlsTool
from tunepass.hwmodels.hls.transfers import TransferModel
from tunepass.ir.hls import HlsBlock, HlsItem, HlsLoop, HlsRegion


@dataclass(frozen=True, slots=True)
class PipelinedLoop:
    """`passes` runs of `iterations`, each `interval` after the one before, the last `depth` long; where `valid`."""

    passes: Expr
    iterations: Expr
    interval: Expr
    depth: Expr
    valid: Expr


class CycleModel:
    def __init__(self, nest: Nest, tool: HlsTool):
        self.nest, self.tool = nest, tool
        self.lanes = Lanes(nest)
        self.banks = Banks(nest, self.lanes, tool)
        self.depths = Depths(nest, self.lanes, tool)
        self.ports = Ports(nest, self.lanes, tool)
        self.transfers = TransferModel(nest, self.lanes, self.banks, tool)
        self.parts: list[EstimatePart] = []

    def total(self) -> Expr:
        """Cycles of one launch; `parts` takes its breakdown."""
        kernel = self.nest.kernel
        moved = self.transfers.arrays() if kernel.dialect == "merlin" else {}
        transfers = [EstimatePart(f"transfer {name}", 1, {"cycles": cycles}) for name, cycles in moved.items()]
        self.parts = []
        inside = self._items((kernel.whole,), 1)
        total = alg.add(self.tool.start_cycles, *moved.values(), inside)
        whole = EstimatePart(kernel.function, 0, {"cycles": total}, kernel.span, times=kernel.launches)
        self.parts = [whole, *transfers, *self.parts]
        return total

    def _items(self, items: tuple[HlsItem, ...], depth: int, repeated: bool = False) -> Expr:
        return alg.add(*(self._item(item, depth, repeated) for item in items))

    def _item(self, item: HlsItem, depth: int, repeated: bool = False) -> Expr:
        match item:
            case HlsLoop():
                return self.loop(item, depth)
            case HlsBlock():
                return alg.lift(self.depths.block(item))
            case HlsRegion(dataflow=True):
                return self._tasks(item.label, item.items, depth, repeated)
            case HlsRegion():
                return self._items(item.items, depth, repeated)

    def _tasks(self, label: str, items: tuple[HlsItem, ...], depth: int, repeated: bool) -> Expr:
        """Cycles of a dataflow region; `parts` has a row for it with its tasks inside."""
        index = len(self.parts)
        times = [self._item(item, depth + 1) for item in items]
        cycles = together(self.nest.kernel, items, times, repeated)
        self.parts.insert(index, EstimatePart(f"{label}, dataflow", depth, {"cycles": cycles}, times=alg.lift(1)))
        return cycles

    def interval(self, loop: HlsLoop) -> Expr:
        bounds = [
            alg.div(self.depths.recurrence(loop), self._turns(loop)),
            self.banks.interval(loop, self.tool.memory_ports),
        ]
        if self.nest.kernel.dialect == "vitis":
            bounds.append(self.ports.interval(loop))
        if loop.interval is not None:
            bounds.append(alg.maximum(1, loop.interval))
        return alg.maximum(1, *bounds)

    def _turns(self, loop: HlsLoop) -> Expr:
        """Independent sums that take turns: those of a narrow tile of the loop around."""
        around = self.nest.around[loop.name]
        if not around or self.tool.interleaved_tile == 1:
            return alg.lift(1)
        single = alg.compare(self.lanes.of(loop), "==", 1)
        return alg.where(
            every(single, alg.compare(around[-1].tile, "<=", self.tool.interleaved_tile)), around[-1].tile, 1
        )

    def loop(self, loop: HlsLoop, depth: int) -> Expr:
        index = len(self.parts)
        turns = alg.mul(
            self._passes(loop),
            alg.add(self._body(loop, depth + 1), self.tool.loop_cycles),
        )
        pipeline = self.pipeline(loop)
        whole = alg.add(self.depths.body(loop), 0)
        unrolled = every(self.nest.leaf(loop), self.nest.whole(loop))
        cycles = alg.where(unrolled, whole, turns)
        values = {"trip": loop.trip, "copies": self.lanes.of(loop), "unrolled": alg.where(unrolled, 1, 0)}
        if pipeline is not None:
            piped = alg.mul(
                pipeline.passes,
                alg.add(
                    alg.mul(alg.sub(pipeline.iterations, 1), pipeline.interval), pipeline.depth, self.tool.loop_cycles
                ),
            )
            cycles = alg.where(pipeline.valid, piped, cycles)
            values |= {
                "pipelined": alg.where(pipeline.valid, 1, 0),
                "II": pipeline.interval,
                "depth": pipeline.depth,
                "leaf": alg.where(self.nest.leaf(loop), 1, 0),
            }
        part = EstimatePart(loop.name, depth, {"cycles": cycles, **values}, loop.span, times=self._passes(loop))
        self.parts.insert(index, part)
        return cycles

    def _body(self, loop: HlsLoop, depth: int) -> Expr:
        """What one turn takes; in a loop with `dataflow`, and in regions with it, each task has another iteration."""
        if loop.dataflow:
            return self._tasks(loop.name, loop.items, depth, repeated=True)
        return self._items(loop.items, depth, repeated=True)

    def _passes(self, loop: HlsLoop) -> Expr:
        """Turns of the processing elements; iterations that are left over run one after another."""
        lanes = self.lanes.of(loop)
        if alg.number(lanes) == 1:
            return loop.trip
        left = alg.sub(loop.trip, alg.mul(lanes, alg.floordiv(loop.trip, lanes)))
        return alg.add(alg.floordiv(loop.trip, lanes), left)

    def pipeline(self, loop: HlsLoop) -> PipelinedLoop | None:
        """The pipeline that the loop's iterations run through, its own or that of a loop inside."""
        leaf = every(self.nest.leaf(loop), negated(self.nest.whole(loop)))
        outer = PipelinedLoop(
            alg.lift(1),
            alg.maximum(1, alg.div(loop.trip, self.nest.copies(loop))),
            self.interval(loop),
            self.depths.body(loop),
            leaf,
        )
        child = self.nest.only(loop)
        if child is None:
            return outer
        inner = self.pipeline(child)
        if inner is None:
            return outer
        return self._around(loop, child, outer, inner)

    def _around(self, loop: HlsLoop, child: HlsLoop, outer: PipelinedLoop, inner: PipelinedLoop) -> PipelinedLoop:
        cut = every(alg.compare(loop.unroll, ">", 1), alg.compare(loop.unroll, "<", self.nest.most(loop)))
        tiled = every(alg.compare(loop.tile, ">", 1), alg.compare(loop.tile, "<", self.nest.most(loop)))
        run = alg.where(cut, loop.unroll, alg.where(tiled, loop.tile, loop.trip))  # iterations that stay one run
        together = alg.compare(inner.passes, "<=", 1)
        merged = alg.mul(inner.iterations, alg.ceildiv(run, self.lanes.of(loop)))
        passes = alg.mul(inner.passes, alg.where(together, alg.ceildiv(loop.trip, run), loop.trip))
        again = self._again(loop, inner)
        leaf = outer.valid
        return PipelinedLoop(
            alg.where(leaf, outer.passes, passes),
            alg.where(leaf, outer.iterations, alg.where(together, merged, inner.iterations)),
            alg.where(leaf, outer.interval, alg.maximum(inner.interval, again)),
            alg.where(leaf, outer.depth, inner.depth),
            either(leaf, inner.valid),
        )

    def _again(self, loop: HlsLoop, inner: PipelinedLoop) -> Expr:
        """What the outer loop's dependences leave of the interval: their distance is a run of the inner loop, unless
        banks hide it."""
        bounds: list[Expr] = [alg.lift(1)]
        for dependence in self.depths.carried(loop):
            if not self.tool.reorders_reductions and any(
                self.depths.reduced(inside, dependence) for inside in self.nest.inside(loop)
            ):
                continue
            array = self.nest.kernel.array(dependence.store.operation.array or "")
            path = self.depths.path(dependence, loop) + self.tool.load_cycles + self.tool.store_cycles
            near = self.depths.path(dependence, loop, held=True) + self.tool.carry_cycles
            far = alg.div(near, alg.maximum(1, inner.iterations))
            hidden = alg.compare(self.banks.scattered(array, loop), ">", 1)
            bounds.append(alg.where(hidden, path, far))
        return alg.maximum(*bounds)
