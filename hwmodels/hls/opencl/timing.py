"""Cycles of an OpenCL kernel: a range of work-items flows through pipelines, a task runs one loop after another.

    range    the most of N executions / (lanes * units) over blocks and the latency that one work-item needs
    task     innermost loop: (n - 1) II + depth; around one: n (what is inside + depth)
    II       a task's loop waits for what it carries: floating-point sums, and memory that is read, changed and written

Sums in registers are summed in a tree over unrolled copies; memory is passed from copy to copy.
"""

from __future__ import annotations

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.hls.opencl.numbers import Board
from tunepass.hwmodels.hls.opencl.walk import PlacedBlock, Unrolled, blocks, unrolled
from tunepass.ir.hls import ONE, HlsBlock, HlsItem, HlsKernel, HlsLoop, HlsOperation, HlsSubscript, NdRange, items_of


class TimingModel:
    def __init__(self, kernel: HlsKernel, board: Board):
        self.kernel, self.board = kernel, board
        self.placed = {id(p.block): p for p in blocks(kernel)}
        self.arrays = {array.name: array for array in kernel.arrays}

    def cycles(self) -> Expr:
        """Cycles of one launch, without stalls of the external memory."""
        run = self.kernel.range
        if run is None or alg.number(run.work_items) == 1:
            return self.task()
        if alg.number(run.work_items) is not None:
            return self.in_range(run)
        return alg.where(alg.compare(run.work_items, "==", 1), self.task(), self.in_range(run))

    def in_range(self, run: NdRange) -> Expr:
        groups = alg.ceildiv(run.work_items, run.group)
        items = alg.div(alg.mul(run.group, alg.ceildiv(groups, run.compute_units)), run.simd)
        passes = [alg.mul(items, p.executions) for p in self.placed.values()]
        latency = alg.add(*(self._latency(item) for item in self.kernel.whole.items))
        return alg.add(alg.maximum(1, *passes, latency))

    def _latency(self, item: HlsItem) -> Expr:
        if isinstance(item, HlsBlock):
            return self.depth(self.placed[id(item)])
        inside = alg.add(0, *(self._latency(i) for i in item.items))
        return alg.mul(unrolled(item, self.kernel).iterations, inside) if isinstance(item, HlsLoop) else inside

    # --- tasks ----------------------------------------------------------------------------------------------------

    def task(self) -> Expr:
        return alg.add(*(self._task(item) for item in self.kernel.whole.items))

    def _task(self, item: HlsItem) -> Expr:
        if isinstance(item, HlsBlock):
            return self.depth(self.placed[id(item)])
        inside = alg.add(0, *(self._task(i) for i in item.items))
        if not isinstance(item, HlsLoop):
            return inside
        n = unrolled(item, self.kernel).iterations
        if n == ONE:
            return inside
        loops = [i for i in items_of(item) if isinstance(i, HlsLoop) and i is not item]
        innermost = alg.both(*(alg.compare(unrolled(i, self.kernel).iterations, "<=", 1) for i in loops))
        pipelined = alg.add(alg.mul(alg.maximum(0, alg.sub(n, 1)), self.interval(item)), inside)
        return alg.where(innermost, pipelined, alg.mul(n, inside))

    def interval(self, loop: HlsLoop) -> Expr:
        """What the loop carries from one iteration to the next takes at least."""
        waits: list[Expr] = [ONE]
        started: set[str] = set()
        for item in items_of(loop):
            if isinstance(item, HlsBlock):
                waits += [wait for name, wait in self._carried(item, loop) if name not in started]
                started |= _set_anew(item)
        return alg.maximum(*waits)

    def _carried(self, block: HlsBlock, loop: HlsLoop) -> list[tuple[str, Expr]]:
        placed = self.placed[id(block)]
        carried: list[tuple[str, Expr]] = []
        for operation in block.operations:
            if operation.name != "store" or operation.array is None or operation.array in loop.independent:
                continue
            loads = [o for o in block.operations if o.name == "load" and _same(o, operation)]
            moved = {name for s in operation.subscripts if s.affine for name, _ in s.terms}
            if not loads or loop.name in moved:
                continue
            path = max((self._path(block, load, operation) for load in loads), default=-1.0)
            if path < 0:
                continue
            carried.append((operation.array, self._wait(path, operation, placed, loop)))
        return carried

    def _wait(self, path: float, store: HlsOperation, placed: PlacedBlock, loop: HlsLoop) -> Expr:
        if self._registers(store, placed):
            return alg.lift(max(1.0, path))
        moved = {name for s in store.subscripts if s.affine for name, _ in s.terms}
        chained = [u.copies for u in placed.around if u.loop.name not in moved]
        return alg.mul(path + self.board.load_cycles + self.board.store_cycles, *chained)

    def _registers(self, operation: HlsOperation, placed: PlacedBlock) -> bool:
        """Scalars, and arrays that only loops without iterations left move."""
        array = self.arrays[str(operation.array)]
        if array.storage == "global":
            return False
        whole = {u.loop.name for u in placed.around if u.whole}
        return all(s.affine and all(name in whole for name, _ in s.terms) for s in operation.subscripts)

    # --- depth ----------------------------------------------------------------------------------------------------

    def depth(self, placed: PlacedBlock) -> Expr:
        """Cycles through a block; sums over unrolled copies add a tree's height."""
        longest = max(self._finish(placed), default=0.0)
        sums = [o for o in placed.block.operations if o.name in ("flt_add", "flt_sub")]
        stores = {o.array for o in placed.block.operations if o.name == "store"}
        loads = {o.array for o in placed.block.operations if o.name == "load"}
        chains = [alg.mul(alg.sub(u.copies, 1), self._handed_on(placed, u)) for u in placed.around if u.copies != ONE]
        longest_chain = alg.add(longest, *chains)
        if not sums or not stores & loads:
            return longest_chain
        trees = [alg.ceil_log2(u.copies) for u in placed.around if u.copies != ONE and self._sums(placed, u)]
        return alg.add(longest_chain, *(alg.mul(t, self.board.cycles("flt_add")) for t in trees))

    def _handed_on(self, placed: PlacedBlock, loop: Unrolled) -> float:
        """Cycles from what a copy of the loop's body reads to what the next one does, where that is what it stores."""
        longest = 0.0
        for store in (o for o in placed.block.operations if o.name == "store"):
            for load in (o for o in placed.block.operations if o.name == "load" and o.array == store.array):
                if self._registers(store, placed) and _unmoved(store, load, loop.loop.name):
                    longest = max(longest, self._path(placed.block, load, store, frozenset({"mux"})))
                elif any(_ahead(s, o, loop.loop.name) for s, o in zip(store.subscripts, load.subscripts, strict=False)):
                    path = self._path(placed.block, load, store)
                    longest = max(longest, path + self.board.load_cycles + self.board.store_cycles if path >= 0 else 0)
        return longest

    def _sums(self, placed: PlacedBlock, loop: Unrolled) -> bool:
        return any(
            o.name == "store" and all(name != loop.loop.name for s in o.subscripts for name, _ in s.terms)
            for o in placed.block.operations
        )

    def _finish(self, placed: PlacedBlock) -> list[float]:
        done: list[float] = []
        for operation in placed.block.operations:
            start = max((done[i] for i in operation.inputs), default=0.0)
            done.append(start + self._cycles(operation, placed))
        return done

    def _cycles(self, operation: HlsOperation, placed: PlacedBlock) -> float:
        if operation.name == "constant":
            return 0.0
        if operation.array is None:
            return self.board.cycles(operation.name)
        storage = self.arrays[operation.array].storage
        if storage == "global":
            return self.board.global_cycles if operation.name == "load" else 0.0
        if storage == "scalar" or self._registers(operation, placed):
            return 0.0
        return self.board.load_cycles if operation.name == "load" else self.board.store_cycles

    def _path(
        self, block: HlsBlock, load: HlsOperation, store: HlsOperation, through: frozenset[str] | None = None
    ) -> float:
        """Cycles of the operations between them; -1 where the store does not depend on the load, or not `through`
        one of these."""
        reach = [-1.0] * len(block.operations)
        if through is not None and not any(o.name in through for o in block.operations):
            return -1.0
        for place, operation in enumerate(block.operations):
            before = max((reach[i] for i in operation.inputs), default=-1.0)
            if operation is load:
                reach[place] = 0.0
            elif operation is store:
                return before
            elif before >= 0:
                operation_cycles = 0.0 if operation.array is not None else self.board.cycles(operation.name)
                reach[place] = before + operation_cycles
        return -1.0


def _ahead(store: HlsSubscript, load: HlsSubscript, loop: str) -> bool:
    """Does a later copy of the loop's body read what an earlier one stores?"""
    if not (store.affine and load.affine) or dict(store.terms).get(loop) is None:
        return False
    apart = alg.number(alg.sub(store.offset, load.offset))
    return dict(store.terms).get(loop) == dict(load.terms).get(loop) and apart is not None and apart > 0


def _unmoved(store: HlsOperation, load: HlsOperation, loop: str) -> bool:
    """Is it one and the same element for all copies of the loop's body?"""
    return store.subscripts == load.subscripts and all(name != loop for s in store.subscripts for name, _ in s.terms)


def _same(load: HlsOperation, store: HlsOperation) -> bool:
    return load.array == store.array


def _set_anew(block: HlsBlock) -> set[str]:
    """Arrays that the block stores to and does not read."""
    read = {o.array for o in block.operations if o.name == "load"}
    return {str(o.array) for o in block.operations if o.name == "store" and o.array not in read}
