"""The model of nests of tiles (ir/tiled_nests.py), whose code is compiled for the processor that it runs on.

| symbol | meaning |
|---|---|
| e(i) | points of a body along index i: a tile's where it is code of vectors, else 1 |
| v | the index along which what is written is contiguous; V elements fit a vector |
| n(A) | vectors or scalars of access A in a body: product over i != v of e(i), and ceil(e(v) / V) if A moves along v |

    time = bodies * max(issue, loads, stores, operations, chain) + loops begun + sum over levels of moved * miss time

in which the parts of a body are those of compute.py, of n(A) loads and stores. A compiler that cannot tell arrays apart
keeps no value in a register from one body to the next: what is read is loaded, what is written is stored in every body,
and a sum that the innermost loop does not move waits for itself through memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import BOOL, Constant, Expr, Type
from tunepass.expr.sharing import shared
from tunepass.hwmodels.base import Costs
from tunepass.hwmodels.cpu.compiled import YES
from tunepass.hwmodels.cpu.compute import SCALAR_INSTRUCTIONS, STRIDED_LOADS
from tunepass.hwmodels.cpu.device import Cpu
from tunepass.hwmodels.cpu.host import native_vector_byte
from tunepass.hwmodels.cpu.loops import Clauses, Item, Loops, real
from tunepass.hwmodels.cpu.traffic import Footprints, data_ns, streams
from tunepass.ir.accesses import Access, IterationWork
from tunepass.ir.kernel import Kernel
from tunepass.ir.tiled_nests import TiledNest, TiledNests, TileLoop

MS_PER_NS = 1e-6
RESERVED_REGISTERS = 3  # for what is read while sums are kept


def tiled_costs(kernel: Kernel, device: Cpu) -> Costs:
    """Costs of the kernel's nests on `device`, one core of it."""
    types = {p.name: p.type for p in kernel.parameters}
    native = replace(device, vector_byte=max(device.vector_byte, native_vector_byte()))
    total: Expr = alg.lift(0.0)
    for alternative in reversed(kernel.body_as(TiledNests).alternatives):
        ns = alg.add(*(_nest_ns(nest, native, types) for nest in alternative.nests))
        total = ns if alternative.condition is None else alg.where(alternative.condition, ns, total)
    values = {"time": shared(alg.mul(MS_PER_NS, total))}
    return Costs(values=values, units={"time": "ms"}, fits=YES, limits={}, name="the CPU model")


def _nest_ns(nest: TiledNest, device: Cpu, types: Mapping[str, Type]) -> Expr:
    loops = TiledLoops(nest, types)
    all_streams = streams(nest.work.accesses)
    levels = (*device.levels, device.pages)
    footprints = {
        kind: Footprints(loops, all_streams, *kind) for kind in {(level.block_byte, level.sets) for level in levels}
    }
    data = (data_ns(level, footprints[level.block_byte, level.sets], all_streams, loops) for level in levels)
    return alg.add(TileCompute(loops, nest, device).ns(), *data)


class TiledLoops(Loops):
    """The loops of a nest in their order, which no parameter changes."""

    def __init__(self, nest: TiledNest, types: Mapping[str, Type]):
        self.directives, self.types, self.trips = Clauses(), types, dict(nest.work.trips)
        self.indices, self.tiled = tuple(self.trips), ()
        points = () if nest.vectors else tuple(TileLoop(index, alg.lift(1)) for index in nest.points)
        self.sequence = (*nest.loops, *points)
        self.extents: list[dict[str, Expr]] = [{i: alg.lift(float(n)) for i, n in self.trips.items()}]
        for loop in self.sequence:
            within = self.extents[-1]
            whole, step = within[loop.index], real(loop.step)
            points_of_tile = alg.where(alg.compare(step, "<=", 0.0), whole, alg.minimum(whole, step))
            self.extents.append({**within, loop.index: points_of_tile})

    @property
    def depth(self) -> int:
        return len(self.sequence)

    def stands_at(self, item: Item, position: int) -> Expr:
        """The position of an index is that of its innermost loop; without a loop it is the innermost position."""
        positions = [q for q, loop in enumerate(self.sequence) if loop.index == item.index]
        return Constant(position == (positions[-1] if positions else self.depth - 1), BOOL)

    def extent(self, index: str, position: int) -> Expr:
        return self.extents[position][index]

    def iterations_at(self, position: int, of: Mapping[Item, Expr] | None = None) -> Expr:
        index = self.sequence[position].index
        steps = alg.div(self.extents[position][index], self.extents[position + 1][index])
        return alg.lift(1.0) if steps == alg.lift(1.0) else alg.maximum(1.0, steps)


class TileCompute:
    """The core's time for a nest, all data in the first-level cache."""

    def __init__(self, loops: TiledLoops, nest: TiledNest, device: Cpu):
        self.loops, self.work, self.nest, self.device, self.core = loops, nest.work, nest, device, device.core
        self.elements = max(1.0, device.vector_byte / self.work.element_byte)
        self.innermost = loops.sequence[-1].index if loops.sequence else ""
        self.along = _vector_index(self.work, nest.points) if nest.vectors else self._vectorized_loop()

    def ns(self) -> Expr:
        iterations = [self.loops.iterations_at(q) for q in range(self.loops.depth)]
        entries = [alg.lift(1.0)]
        for count in iterations[:-1]:
            entries.append(alg.mul(entries[-1], count))
        bodies = alg.mul(1.0, *iterations)
        if not self.nest.vectors and self.along:
            bodies = alg.mul(bodies, self._vector_share())
        return alg.add(alg.mul(bodies, self._body_ns()), alg.mul(self.core.enter_ns, alg.add(*entries)))

    def _vectorized_loop(self) -> str:
        """The innermost loop over points, if a compiler vectorizes it without reordering sums."""
        moved = [access.stride(self.innermost) for access in self.work.accesses]
        written = [access.stride(self.innermost) for access in self.work.accesses if access.written]
        return self.innermost if all(abs(s) <= 1 for s in moved) and all(abs(s) == 1 for s in written) else ""

    def _vector_share(self) -> Expr:
        """Bodies for each point where a loop is vectorized: what whole vectors leave over is scalar."""
        points = self.loops.extent(self.along, self.loops.depth - 1)
        whole = alg.apply("floor", alg.mul(1 / self.elements, points))
        bodies = alg.sub(points, alg.mul(self.elements - 1, whole))
        return alg.div(bodies, points)

    def _points(self, index: str) -> Expr:
        return self.loops.extent(index, self.loops.depth)

    def _vectors(self, index: str) -> Expr:
        """Vectors along the index in a body."""
        return alg.apply("ceil", alg.mul(1 / self.elements, self._points(index)))

    def _count(self, access: Access) -> Expr:
        """n(A) of the notation."""
        others = (self._points(index) for index, _ in access.strides if index != self.along)
        stride = abs(access.stride(self.along)) if self.along else 0
        if stride == 0:
            return alg.mul(1.0, *others)
        along = self._vectors(self.along) if stride == 1 else alg.mul(STRIDED_LOADS, self._points(self.along))
        return alg.mul(1.0, *others, along)

    def _body_ns(self) -> Expr:
        core, work = self.core, self.work
        loads = alg.add(*(self._count(a) for a in work.accesses if a.read))
        stores = alg.add(*(self._count(a) for a in work.accesses if a.written))
        scalars = alg.mul(1.0, *(self._points(i) for i in self.loops.indices if i != self.along))
        repeated = alg.mul(scalars, self._vectors(self.along)) if self.along else scalars
        operations = alg.mul(float(work.operations), repeated)
        spilled = self._spilled()
        overhead = alg.div(SCALAR_INSTRUCTIONS, alg.maximum(1.0, real(self.nest.unroll)))
        instructions = alg.add(loads, stores, operations, spilled, overhead)
        demands = [
            alg.mul(core.issue_ns, instructions),
            alg.mul(core.load_ns, alg.add(loads, spilled)),
            alg.mul(core.store_ns, alg.add(stores, spilled)),
            alg.mul(core.operation_ns, operations),
            *self._chains(),
        ]
        slow = alg.add(
            alg.mul(core.division_ns * work.divisions, repeated), alg.mul(core.call_ns * work.calls, repeated)
        )
        return alg.add(alg.maximum(*demands), slow)

    def _summed(self, access: Access) -> list[str]:
        """The indices over which an element that is read and written is a sum."""
        return [i for i in self.loops.indices if not access.stride(i)] if access.written and access.read else []

    def _chains(self) -> list[Expr]:
        chains = []
        for access in self.work.accesses:
            if summed := self._summed(access):
                each = alg.mul(self.core.chain_ns * self.work.chained, *(self._points(i) for i in summed))
                forward = self.core.forward_ns if self.innermost in summed else 0.0
                chains.append(alg.add(each, forward))
        return chains

    def _spilled(self) -> Expr:
        """Loads and stores of sums that the registers cannot keep through a body."""
        spills = []
        for access in self.work.accesses:
            if summed := self._summed(access):
                excess = alg.sub(self._count(access), float(self.device.registers - RESERVED_REGISTERS))
                spills.append(alg.mul(alg.maximum(0.0, excess), *(self._points(i) for i in summed)))
        return alg.add(0.0, *spills)


def _vector_index(work: IterationWork, points: tuple[str, ...]) -> str:
    """The index along which what is written is contiguous; else the innermost."""
    for index in reversed(points):
        if all(abs(access.stride(index)) == 1 for access in work.accesses if access.written):
            return index
    return points[-1] if points else ""
