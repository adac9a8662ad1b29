"""How long a pass through statements takes, and the cycles of a dependence between iterations.

    depth      the longest path through a block; through what is unrolled, with its chains and trees of reductions
    path       from a load to the store that it feeds
    links      how many such paths one iteration strings together: u copies in a chain, one where a tree is built

A reduction that a pragma names becomes a tree over the copies that are asked for; the copies that a flattened loop
outside makes of it stay a chain (floating-point sums are not reordered unasked).
"""

from __future__ import annotations

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.hls.banks import moving
from tunepass.hwmodels.hls.dependence import Carried, carried
from tunepass.hwmodels.hls.lanes import Lanes
from tunepass.hwmodels.hls.nest import Nest, contents
from tunepass.hwmodels.hls.tools import HlsTool
from tunepass.ir.hls import HlsBlock, HlsItem, HlsLoop, HlsOperation


class Depths:
    def __init__(self, nest: Nest, lanes: Lanes, tool: HlsTool):
        self.nest, self.lanes, self.tool = nest, lanes, tool
        self._carried: dict[str, tuple[Carried, ...]] = {}
        self._own: dict[str, frozenset[tuple[int, int]]] = {}  # store and load of what each loop carries, by identity
        self._cycles: dict[int, tuple[float, ...]] = {}  # of each operation of a block, by the block's identity
        self._blocks: dict[int, float] = {}
        vitis = nest.kernel.dialect == "vitis"
        self._behind_port = frozenset(a.name for a in nest.kernel.arrays if vitis and a.storage == "global" and a.dims)

    def carried(self, loop: HlsLoop) -> tuple[Carried, ...]:
        if loop.name not in self._carried:
            self._carried[loop.name] = carried(self.nest, loop)
        return self._carried[loop.name]

    def cycles(self, block: HlsBlock) -> tuple[float, ...]:
        """Cycles of each operation."""
        if id(block) not in self._cycles:
            self._cycles[id(block)] = tuple(self._operation(block, operation) for operation in block.operations)
        return self._cycles[id(block)]

    def _operation(self, block: HlsBlock, operation: HlsOperation) -> float:
        match operation.name:
            case "load" if operation.array in self._behind_port:
                return self.tool.transfers.request_cycles
            case "load":
                return self.tool.load_cycles if operation.subscripts else 0.0
            case "store":
                return self.tool.store_cycles if operation.subscripts else 0.0
            case "constant":
                return 0.0
        return self.tool.operator(operation, block.inputs(operation)).cycles

    def block(self, block: HlsBlock) -> float:
        """The longest path; a value that goes through a scalar is there when it is stored."""
        if id(block) not in self._blocks:
            self._blocks[id(block)] = self._longest(block)
        return self._blocks[id(block)]

    def _longest(self, block: HlsBlock) -> float:
        cycles = self.cycles(block)
        done: list[float] = []
        scalars: dict[str, float] = {}
        for position, operation in enumerate(block.operations):
            start = max((done[i] for i in operation.inputs), default=0.0)
            if operation.name == "load" and operation.array in scalars and not operation.subscripts:
                start = scalars[operation.array]
            done.append(start + cycles[position])
            if operation.name == "store" and operation.array is not None:
                scalars[operation.array] = done[-1]
        return max(done, default=0.0)

    def path(self, dependence: Carried, loop: HlsLoop, held: bool = False) -> float:
        """From the load to the store, where one block has both; else through both blocks. What each iteration of the
        innermost loop adds to stays in a register; with `held`, anything does."""
        store, load = dependence.store, dependence.load
        if store.block is not load.block or load.position > store.position:
            return self.block(store.block) + (0.0 if store.block is load.block else self.block(load.block))
        block = store.block
        kept = self.tool.holds_elements and store.operation.condition is None
        held = held or (loop.name not in moving(load) and (kept or load.loops[-1] is loop))
        cycles = self.cycles(block)
        reached: dict[int, float] = {load.position: 0.0 if held else cycles[load.position]}
        scalars: dict[str, float] = {}
        for position in range(load.position + 1, store.position + 1):
            operation = block.operations[position]
            starts = [reached[i] for i in operation.inputs if i in reached]
            if operation.name == "load" and operation.array in scalars and not operation.subscripts:
                starts.append(scalars[operation.array])
            if starts:
                stored = held and position == store.position
                reached[position] = max(starts) + (0.0 if stored else cycles[position])
                if operation.name == "store" and operation.array is not None:
                    scalars[operation.array] = reached[position]
        return reached.get(store.position, 0.0)

    def links(self, dependence: Carried, loop: HlsLoop) -> Expr:
        """Paths that `loop`'s copies string together, if it carries the dependence."""
        if loop.name not in self._own:
            self._own[loop.name] = frozenset((id(d.store), id(d.load)) for d in self.carried(loop))
        same = (id(dependence.store), id(dependence.load)) in self._own[loop.name]
        copies = self.lanes.of(loop)
        if not same:
            return alg.lift(1)
        if self.reduced(loop, dependence):
            return alg.maximum(1, alg.ceildiv(copies, alg.maximum(1, loop.unroll)))
        return copies

    def reduced(self, loop: HlsLoop, dependence: Carried) -> bool:
        return dependence.store.operation.array in loop.reductions

    def recurrence(self, loop: HlsLoop) -> Expr:
        """The initiation interval that dependences between iterations of the loop leave."""
        bounds: list[Expr] = []
        for dependence in self.carried(loop):
            path = self.path(dependence, loop)
            if path > 0:
                chain = alg.mul(path, *(self.links(dependence, inner) for inner in (loop, *self.nest.inside(loop))))
                chain = alg.add(chain, self.tool.carry_cycles)
                if (
                    self.tool.reorders_reductions
                    and self.reduced(loop, dependence)
                    and dependence.store.operation.subscripts
                ):
                    chain = alg.where(alg.compare(self.lanes.of(loop), "==", 1), 1, chain)
                bounds.append(alg.div(chain, dependence.distance) if dependence.distance > 1 else chain)
        return alg.maximum(1, *bounds)

    def body(self, loop: HlsLoop) -> Expr:
        """One pass of the copies of the loop's body, all inside unrolled."""
        inner = alg.add(*(self.item(item) for item in contents(loop.items)))
        return alg.add(inner, self._strung(loop))

    def item(self, item: HlsItem) -> Expr:
        if isinstance(item, HlsBlock):
            return alg.lift(self.block(item))
        if isinstance(item, HlsLoop):
            return self.body(item)
        return alg.add(*(self.item(inner) for inner in contents(item.items)))

    def _strung(self, loop: HlsLoop) -> Expr:
        """Cycles that chains and trees of the loop's copies add to one body's depth."""
        added: list[Expr] = [alg.lift(0)]
        for dependence in self.carried(loop):
            path = self.path(dependence, loop)
            if path > 0:
                chain = alg.mul(path, alg.sub(self.links(dependence, loop), 1))
                if self.reduced(loop, dependence):
                    wide = alg.minimum(loop.unroll, self.nest.most(loop))
                    chain = alg.add(chain, alg.mul(path, alg.ceil_log2(wide)))
                added.append(chain)
        return alg.maximum(*added)
