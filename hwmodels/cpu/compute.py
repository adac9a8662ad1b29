"""Time in the core, all data in the first-level cache: throughput, dependent chains, remainders, loop overhead.

The innermost loop's time an iteration is the largest of what its resources need, as in the in-core part of the
execution-cache-memory model (J. Treibig and G. Hager, "Introducing a performance model for bandwidth-limited loop
kernels", PPAM 2009, section 3):

    t = max(instructions * issue, loads * load, stores * store, operations * operation, chained * chain / chains)
        + divisions * division + calls * call

Unrolled and jammed copies share what their loop does not move: an access is loaded once for all copies of the loops
that leave it where it is. A vector of v elements makes v iterations one where every write is contiguous along the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.cpu.device import Cpu
from tunepass.hwmodels.cpu.loops import Item, Loops, real
from tunepass.ir.accesses import Access, IterationWork

SCALAR_INSTRUCTIONS = 2.0  # of an iteration, for the index and the branch
STRIDED_LOADS = 1.5  # instructions for each element that a vector gathers


@dataclass(frozen=True, slots=True)
class CompilerAbilities:
    """Abilities of the compiler: `vectorizes` loops that no clause asks for, `reorders` sums, and the bytes of its
    vectors."""

    vectorizes: Expr
    reorders: Expr
    vector_byte: Expr


class Compute:
    """The core's time for a nest."""

    def __init__(self, loops: Loops, work: IterationWork, device: Cpu, compiled: CompilerAbilities):
        self.loops, self.work, self.core, self.device, self.compiled = loops, work, device.core, device, compiled
        directives = loops.directives
        self.jam = {i: loops.copies(directives.unroll_and_jam, i) for i in loops.indices}
        self.unroll = {i: loops.copies(directives.unroll, i) for i in loops.indices}

    def ns(self) -> Expr:
        """All iterations of the body, and the loops around them."""
        *others, last = self.loops.indices
        result = self._innermost(last)
        for index in reversed(others):
            result = alg.where(self.loops.is_innermost(index), self._innermost(index), result)
        return alg.add(result, self._entering())

    def iterations(self) -> float:
        total = 1.0
        for _, trips in self.work.trips:
            total *= trips
        return total

    def _innermost(self, x: str) -> Expr:
        """The whole nest's iterations with the loop over `x` innermost; those that copies leave over run singly."""
        whole = self._whole(self.jam)
        copied = self._iteration(x, self.jam, self.unroll[x])
        ones = {i: alg.lift(1.0) for i in self.jam}
        single = self._iteration(x, ones, alg.lift(1.0))
        mixed = alg.add(alg.mul(whole, copied), alg.mul(alg.sub(1.0, whole), single))
        return alg.mul(self.iterations(), mixed)

    def _whole(self, copies: dict[str, Expr]) -> Expr:
        """The share of iterations that whole groups of copies run."""
        return alg.mul(1.0, *(self._grouped(i, c) for i, c in copies.items()))

    def _grouped(self, index: str, size: Expr) -> Expr:
        """The share of the loop's iterations in whole groups of `size`, tile by tile."""
        if alg.number(size) == 1:
            return alg.lift(1.0)
        trips, tile = float(self.loops.trips[index]), self.loops.tiles[index]
        inside = alg.mul(alg.floordiv(trips, tile), alg.floordiv(tile, size))
        after = alg.floordiv(alg.mod(trips, tile), size)
        return alg.div(alg.mul(size, alg.add(inside, after)), trips)

    def _iteration(self, x: str, jam: dict[str, Expr], unroll: Expr) -> Expr:
        """ns of one iteration of the body, in vectors where it is vectorized; what they leave over is scalar."""
        scalar = self._resources(x, jam, unroll, alg.lift(1.0))
        if not self._can_vectorize(x):
            reordered = self._resources(x, jam, unroll, self._elements()) if self._contiguous(x) else scalar
            return alg.where(alg.both(self.compiled.vectorizes, self.compiled.reorders), reordered, scalar)
        elements = self._elements()
        share = self._grouped(x, elements)
        vector = self._resources(x, jam, unroll, elements)
        mixed = alg.add(alg.mul(share, vector), alg.mul(alg.sub(1.0, share), scalar))
        vectorized = self.loops.switched(self.loops.directives.vectorize, x)
        return alg.where(vectorized, mixed, alg.where(self.compiled.vectorizes, mixed, scalar))

    def _elements(self) -> Expr:
        return alg.div(self.compiled.vector_byte, float(self.work.element_byte))

    def _can_vectorize(self, x: str) -> bool:
        """Every write moves by one element along `x`."""
        return all(abs(a.stride(x)) == 1 for a in self.work.accesses if a.written)

    def _contiguous(self, x: str) -> bool:
        return all(abs(a.stride(x)) <= 1 for a in self.work.accesses)

    def _resources(self, x: str, jam: dict[str, Expr], unroll: Expr, elements: Expr) -> Expr:
        """The largest demand of one iteration, of which a vector has `elements`."""
        core, work = self.core, self.work
        loads = alg.add(*(self._loaded(a, x, jam, elements) for a in work.accesses if a.read))
        stores = alg.add(*(self._stored(a, x, jam, elements) for a in work.accesses if a.written))
        operations = alg.div(float(work.operations), elements)
        spilled = self._spilled(x, jam)
        copies = alg.mul(unroll, jam[x])
        overhead = alg.div(SCALAR_INSTRUCTIONS, alg.mul(copies, self._beside(x, jam), elements))
        instructions = alg.add(loads, stores, operations, spilled, overhead)
        demands = [
            alg.mul(core.issue_ns, instructions),
            alg.mul(core.load_ns, alg.add(loads, spilled)),
            alg.mul(core.store_ns, stores),
            alg.mul(core.operation_ns, operations),
            *self._chains(x, jam, copies, elements),
        ]
        slow = core.division_ns * work.divisions + core.call_ns * work.calls
        return alg.add(alg.maximum(*demands), slow)

    def _beside(self, x: str, jam: dict[str, Expr]) -> Expr:
        """Copies of the body side by side, those of `x` itself aside."""
        return alg.mul(1.0, *(c for i, c in jam.items() if i != x))

    def _shared(self, access: Access, x: str, jam: dict[str, Expr]) -> Expr:
        """Copies side by side that one load serves."""
        return alg.mul(1.0, *(c for i, c in jam.items() if i != x and not access.stride(i)))

    def _loaded(self, access: Access, x: str, jam: dict[str, Expr], elements: Expr) -> Expr:
        if not access.stride(x):
            return alg.lift(0.0)  # kept in a register
        each = alg.div(1.0, self._shared(access, x, jam))
        if abs(access.stride(x)) == 1:
            return alg.div(each, elements)
        return alg.where(alg.compare(elements, ">", 1), alg.mul(STRIDED_LOADS, each), each)

    def _stored(self, access: Access, x: str, jam: dict[str, Expr], elements: Expr) -> Expr:
        if not access.stride(x):
            return alg.lift(0.0)
        return alg.div(1.0, alg.mul(self._shared(access, x, jam), elements))

    def _chains(self, x: str, jam: dict[str, Expr], copies: Expr, elements: Expr) -> list[Expr]:
        """Sums that the innermost loop does not move wait for themselves; copies that move them are other sums, and
        pass through memory where the compiler cannot tell their elements apart."""
        chains = []
        for access in self.work.accesses:
            if access.written and access.read and not access.stride(x):
                sums = alg.mul(1.0, *(c for i, c in jam.items() if i != x and access.stride(i)))
                stored = alg.where(alg.compare(sums, ">", 1), alg.div(self.core.forward_ns, copies), 0.0)
                each = alg.add(self.core.chain_ns * self.work.chained, stored)
                chains.append(alg.div(each, alg.mul(sums, elements)))
        return chains

    def _spilled(self, x: str, jam: dict[str, Expr]) -> Expr:
        """Loads an iteration of values that the registers cannot keep."""
        invariant = [a for a in self.work.accesses if not a.stride(x)]
        if not invariant or all(alg.number(c) == 1 for c in jam.values()):
            return alg.lift(0.0)
        live = [alg.mul(1.0, *(c for i, c in jam.items() if i != x and a.stride(i))) for a in invariant]
        excess = alg.maximum(0.0, alg.sub(alg.add(*live), float(self.device.registers - 3)))
        return alg.div(excess, self._beside(x, jam))

    def _entering(self) -> Expr:
        """Every loop that is begun costs its start and its end: entries are the iterations of all loops around it."""
        each = {item: self._steps(item) for item in self.loops.items}
        entries = [alg.lift(1.0)]
        for q in range(self.loops.depth - 1):
            entries.append(alg.mul(entries[-1], self.loops.iterations_at(q, each)))
        return alg.mul(self.core.enter_ns, alg.add(*entries))

    def _steps(self, item: Item) -> Expr:
        """Times that the body of the loop is begun: copies that are jammed are one."""
        iterations = self.loops.iterations[item]
        if item.tile or alg.number(self.jam[item.index]) == 1:
            return iterations
        return alg.maximum(1.0, alg.div(iterations, self.jam[item.index]))


def instances(device: Cpu, loops: Loops, indices: Sequence[str]) -> Expr:
    """The share of the work that the busiest core has, of the parallel loops among `indices`."""
    shares: list[Expr] = []
    for index in indices:
        item = Item(index, index in loops.tiled)
        iterations = alg.maximum(1.0, loops.iterations[item])
        busiest = alg.div(alg.ceildiv(real(iterations), float(device.cores)), iterations)
        shares.append(alg.where(loops.switched(loops.directives.parallel, index), busiest, 1.0))
    return alg.mul(1.0, *shares)
