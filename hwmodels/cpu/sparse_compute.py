"""The core's time for sparse loops, all data in the first-level cache.

What a loop does not move is loaded, and stored, outside of it: a value whose variables are all settled at position p is
loaded once for each iteration there. The innermost loop is vectorized along elements that are neighbours; coordinates
make a vector gather. Its time is the largest of what its resources need, as compute.py has it:

    t = max(instructions * issue, loads * load, stores * store, operations * operation, chained * chain)
        + divisions * division + sum over loops of entries * enter
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.cpu.compute import SCALAR_INSTRUCTIONS, STRIDED_LOADS, CompilerAbilities
from tunepass.hwmodels.cpu.device import Cpu
from tunepass.hwmodels.cpu.sparse_arrays import Array
from tunepass.hwmodels.cpu.sparse_counts import Counts
from tunepass.hwmodels.cpu.sparse_loops import NO, YES, FusedInto, Parts
from tunepass.ir.tensor import Access, Binary, Negation, Number, TensorExpr, TensorKernel

ENTERED = 6.0  # instructions that begin a loop, its end known
DIVIDED = 10.0  # that work out how many tiles what is left has, rounded up
UNFORESEEN = 2.0  # of a loop's `enter`, which is on average over loops: one that always ends otherwise than foreseen
RECOVERED = 3.0  # instructions that find the row of a position in a fused loop


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays that the loops read and write."""

    operands: tuple[Array, ...]
    result: Array
    coordinates: tuple[Array, ...]
    positions: tuple[Array, ...]

    @property
    def all(self) -> tuple[Array, ...]:
        return (*self.operands, self.result, *self.coordinates, *self.positions)


def operations(e: TensorExpr) -> tuple[int, int]:
    """Additions and multiplications, and divisions."""
    match e:
        case Binary(operator, left, right):
            a, b = operations(left), operations(right)
            divides = operator == "/"
            return a[0] + b[0] + (not divides), a[1] + b[1] + divides
        case Negation(operand):
            return operations(operand)
        case Access() | Number():
            return 0, 0


class SparseCompute:
    def __init__(self, body: TensorKernel, counts: Counts, arrays: Arrays, device: Cpu, compiled: CompilerAbilities):
        self.body, self.counts, self.arrays = body, counts, arrays
        self.loops, self.core, self.device, self.compiled = counts.loops, device.core, device, compiled
        self.sums = body.assignment.accumulates or any(v not in arrays.result.variables for v in self.loops.roots)
        flops, self.divisions = operations(body.assignment.right)
        self.flops = flops + self.sums
        self.iterations = counts.runs[-1]
        parts = [d for d in self.loops.derived.values() if isinstance(d, Parts) and not d.divided]
        self.exists = {
            d.inner: alg.where(alg.compare(d.factor, ">", 1), 1.0, 0.0) for d in parts
        }  # but for tiles of one
        self.steps = {d.outer for d in parts}

    def ns(self) -> Expr:
        *others, last = self.loops.names
        result = self._innermost(last)
        for name in others:
            result = alg.where(self.loops.innermost(name), self._innermost(name), result)
        return alg.add(result, self._entering(), self._workspaces())

    def stores(self) -> Expr:
        """How often an element of the result is written."""
        return self.counts.run_at(self.loops.deepest(self.arrays.result.variables))

    def _innermost(self, x: str) -> Expr:
        """All that is executed, with the loop `x` innermost."""
        core = self.core
        shrunk = self._shrunk(x)
        around = self._around(x)
        beside = alg.mul(1.0, *around.values())
        loads = alg.add(*(self._loaded(a, x, shrunk, around) for a in self.arrays.operands))
        loads = alg.add(loads, alg.mul(beside, self._structure_loads()))
        each_result = shrunk if self._contiguous(self.arrays.result, x) else beside
        stores = alg.mul(self.stores(), each_result)
        if self.sums:
            loads = alg.add(loads, stores)
        shrunk = alg.mul(shrunk, beside)
        flops = alg.mul(float(self.flops), self.iterations, shrunk)
        instructions = alg.add(loads, stores, flops, self._overhead(x, shrunk))
        demands = [
            alg.mul(core.issue_ns, instructions),
            alg.mul(core.load_ns, loads),
            alg.mul(core.store_ns, stores),
            alg.mul(core.operation_ns, flops),
        ]
        if self.sums and not self._moves(self.arrays.result, x):
            demands.append(alg.mul(core.chain_ns, self.iterations, shrunk))
        return alg.add(alg.maximum(*demands), alg.mul(core.division_ns * self.divisions, self.iterations))

    def _moves(self, array: Array, x: str) -> bool:
        return any(x in self.loops.leaves(name) for name in array.variables)

    def _contiguous(self, array: Array, x: str) -> bool:
        """Are neighbours in the array neighbours along the loop?"""
        unit = array.unit
        if unit is None or self.loops.unit(unit) != x:
            return False
        return not array.strides or self.counts.ranges[unit].segments is None

    def _loaded(self, array: Array, x: str, shrunk: Expr, around: Mapping[str, Expr]) -> Expr:
        times = self.counts.run_at(self.loops.deepest(array.variables))
        if not self._moves(array, x):
            return times
        for name, factor in around.items():
            gathered = self._moves(array, name) and not self._contiguous(array, name)
            strided = alg.where(alg.compare(factor, "<", 1), STRIDED_LOADS, 1.0)
            times = alg.mul(times, strided if gathered else factor)
        if self._contiguous(array, x):
            return alg.mul(times, shrunk)
        return alg.mul(times, alg.where(alg.compare(shrunk, "<", 1), STRIDED_LOADS, 1.0))

    def _around(self, x: str) -> dict[str, Expr]:
        """The same of loops that are asked for vectors where they stand around the innermost one: their elements go
        through it side by side, if it iterates as often for each."""
        factors: dict[str, Expr] = {}
        for name, directive in self.loops.parallel.items():
            vectorized = directive.unit == "CPUVector" and name != x and self._contiguous(self.arrays.result, name)
            if vectorized and not self._sets_trips(name, x):
                around = alg.compare(self.loops.positions[name], "==", self.loops.depth - 2)
                factors[name] = alg.where(around, self._vectors(self.loops.depth - 2), 1.0)
        return factors

    def _sets_trips(self, name: str, x: str) -> bool:
        """Does the loop `x` iterate more or less often with the iterations of the other?"""
        for root in self.loops.roots:
            if x in self.loops.leaves(root):
                segments = self.counts.ranges[root].segments
                sources = (root, *(segments.before if segments is not None else ()))
                if any(name in self.loops.leaves(source) for source in sources):
                    return True
        return False

    def _structure_loads(self) -> Expr:
        """A coordinate for each position, and where a segment begins and ends for each parent."""
        coordinates = [self.counts.run_at(self.loops.deepest(a.stored)) for a in self.arrays.coordinates]
        positions = [alg.mul(2.0, self.counts.run_at(self.loops.deepest(a.stored))) for a in self.arrays.positions]
        return alg.add(0.0, *coordinates, *positions)

    def _overhead(self, x: str, shrunk: Expr) -> Expr:
        """Instructions of the loops themselves, of the ends of tiles, and of finding the rows of fused loops."""
        unrolled = self.loops.unrolled.get(x, alg.lift(1.0))
        terms = [alg.mul(SCALAR_INSTRUCTIONS, self.iterations, alg.div(shrunk, unrolled))]
        terms += [alg.mul(SCALAR_INSTRUCTIONS, runs) for runs in self.counts.runs[:-1]]
        for name, derived in self.loops.derived.items():
            match derived:
                case Parts():
                    terms.append(self.counts.run_at(self.loops.deepest((name,))))
                case FusedInto(_, outer) if outer:
                    terms.append(alg.mul(RECOVERED, self.counts.run_at(self.loops.deepest((name,)))))
                case _:
                    pass
        return alg.add(*terms)

    def _shrunk(self, x: str) -> Expr:
        """Instructions for each iteration of the innermost loop `x`: 1 / elements where vectors do all of them."""
        result = self.arrays.result
        vectorized = x in self.loops.parallel and self.loops.parallel[x].unit == "CPUVector"
        if self._contiguous(result, x):
            allowed = YES if vectorized else self.compiled.vectorizes
        elif self._moves(result, x):
            allowed = NO
        else:
            allowed = YES if vectorized else alg.both(self.compiled.vectorizes, self.compiled.reorders)
        return alg.where(allowed, self._vectors(self.loops.depth - 1), 1.0)

    def _vectors(self, position: int) -> Expr:
        """Vectors for each iteration of the loop at a position; what is left over is done singly."""
        elements = alg.div(self.compiled.vector_byte, float(self.arrays.result.element_byte))
        trips = self.counts.trips(position)
        left = alg.minimum(trips, alg.mul(0.5, alg.sub(elements, 1.0)))  # on average over lengths
        vectors = alg.add(alg.div(alg.sub(trips, left), elements), left)
        return alg.minimum(1.0, alg.div(vectors, trips))

    def _entering(self) -> Expr:
        """Loops that are begun. The processor foresees how they end where they iterate as often as the last time: loops
        of a segment do until the next segment, dense ones where they are unrolled."""
        terms: list[Expr] = []
        entries = [self.counts.entries(q) for q in range(self.loops.depth)]
        for name in self.loops.roots:
            segments = self.counts.ranges[name].segments
            for leaf in self.loops.leaves(name):
                begun = alg.mul(
                    self.exists.get(leaf, alg.lift(1.0)), self.loops.at(self.loops.positions[leaf], entries)
                )
                steps = ENTERED + (DIVIDED if leaf in self.steps else 0.0)
                terms.append(alg.mul(steps * self.core.issue_ns, begun))
                if segments is None:
                    terms.append(alg.mul(self.core.enter_ns, begun))
                else:
                    changed = alg.minimum(begun, self.counts.run_at(self.loops.deepest(segments.before)))
                    terms.append(alg.mul(UNFORESEEN * segments.unlike * self.core.enter_ns, changed))
        return alg.add(*terms, self._searching())

    def _searching(self) -> Expr:
        """A tile of coordinates is looked for in the segment by halves, each of which the processor guesses."""
        terms: list[Expr] = []
        entries = [self.counts.entries(q) for q in range(self.loops.depth)]
        for name in self.loops.roots:
            if self.counts.by_coordinate(name):
                variable_range = self.counts.ranges[name]
                outermost, _ = self.counts.weights(name, alg.lift(variable_range.extent))[0]
                last = self.loops.deepest((name,))
                narrowed = alg.compare(self.loops.positions[outermost], "<", last)
                halves = math.log2(1 + variable_range.mean) * self.core.enter_ns
                terms.append(alg.where(narrowed, alg.mul(halves, self.loops.at(last, entries)), 0.0))
        return alg.add(0.0, *terms)

    def _workspaces(self) -> Expr:
        """What is precomputed is stored, loaded and set to zero once more than it would be."""
        terms: list[Expr] = []
        for directive in self.loops.precomputed:
            known = [v for v in directive.variables if v in self.counts.nominal]
            places = [self.loops.positions[leaf] for v in known for leaf in self.loops.leaves(v)]
            if places:
                first = alg.minimum(*places)
                entries = self.loops.at(first, [self.counts.entries(q) for q in range(self.loops.depth)])
                elements = [self.counts.nominal[v] for v in known]
                each = 2 * self.core.store_ns + self.core.load_ns
                terms.append(alg.mul(each, entries, *elements))
        return alg.add(0.0, *terms)
