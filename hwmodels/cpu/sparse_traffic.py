"""Blocks that move between a level and what is behind it while sparse loops run: traffic.py's product over the loops

    M_a = product over q of [ r_a(q) + m(W(q + 1)) (n(q) - r_a(q)) ],   r_a(q) = F_a(q) / F_a(q + 1)

with footprints F in expectation (sparse_arrays.py) and n(q) the mean iterations of the loop at q.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.cpu.device import Cpu, Level
from tunepass.hwmodels.cpu.sparse_arrays import Array, Blocks
from tunepass.hwmodels.cpu.sparse_counts import Counts
from tunepass.hwmodels.cpu.traffic import RAMP, lost

WRITTEN = 2.0  # a line that is written comes in, and goes out again
PAGE_BYTE = 4096


class Traffic:
    """The time in which misses are served, level by level."""

    def __init__(self, counts: Counts, arrays: Sequence[Array], device: Cpu):
        self.counts, self.arrays, self.device = counts, tuple(dict.fromkeys(arrays)), device
        positions = range(counts.loops.depth + 1)
        self.footprints: dict[int, dict[Array, list[Expr]]] = {}
        self.bytes: dict[int, list[Expr]] = {}
        for size in sorted({level.block_byte for level in (*device.levels, device.pages)}):
            blocks = Blocks(counts, size)
            blocks_of = {array: [blocks.of(array, q) for q in positions] for array in self.arrays}
            self.footprints[size] = blocks_of
            self.bytes[size] = [alg.mul(size, alg.add(*(f[q] for f in blocks_of.values()))) for q in positions]

    def ns(self, level: Level) -> Expr:
        terms: list[Expr] = []
        for array in self.arrays:
            written = WRITTEN if array.written and level.block_byte < PAGE_BYTE else 1.0
            extra = alg.mul(level.scattered_ns - level.miss_ns, self._scattered(array, level))
            terms.append(alg.mul(written, alg.add(level.miss_ns, extra), self.moved(array, level)))
        return alg.add(*terms)

    def cleared_ns(self, result: Array) -> Expr:
        """A dense result whose elements are hit here and there is set to zero first, row after row."""
        hit = any(self.counts.ranges[name].segments is not None for name, _ in result.strides)
        if not hit or result.stored:
            return alg.lift(0.0)
        size = math.prod(self.counts.ranges[name].extent for name in result.variables) * result.element_byte
        missed = [level for level in self.device.levels if size > level.size_byte]
        each = self.device.core.store_ns + sum(level.miss_ns for level in missed)
        return alg.lift(each * size / self.device.levels[0].block_byte)

    def moved(self, array: Array, level: Level) -> Expr:
        """M of the notation."""
        blocks, resident_byte = self.footprints[level.block_byte][array], self.bytes[level.block_byte]
        factors = [blocks[-1]]
        for q in range(self.counts.loops.depth):
            trips = alg.maximum(1.0, alg.div(self.counts.within[q], self.counts.within[q + 1]))
            fresh = alg.minimum(trips, alg.div(blocks[q], blocks[q + 1]))
            evicted = lost(resident_byte[q + 1], level)
            factors.append(alg.add(fresh, alg.mul(evicted, alg.sub(trips, fresh))))
        return alg.mul(*factors)

    def _scattered(self, array: Array, level: Level) -> Expr:
        """The share of blocks that nothing fetches ahead: all where a coordinate says which comes next, but for what
        follows in the same row; none where the array is walked from its beginning to its end."""
        loops = self.counts.loops
        hit = [name for name, _ in array.strides if self.counts.ranges[name].segments is not None]
        if not array.variables:
            return alg.lift(0.0)
        assert array.unit is not None
        unit = loops.unit(array.unit)
        if not hit:
            others = [name for name in array.variables if name != array.unit]
            if not others:
                return alg.lift(0.0)
            return alg.where(alg.compare(loops.positions[unit], ">", loops.deepest(others)), 0.0, 0.5)
        spread = max(segments.spread for name in hit if (segments := self.counts.ranges[name].segments) is not None)
        smallest = min(stride for name, stride in array.strides if name in hit)
        apart = min(1.0, spread * smallest / (RAMP * level.block_byte))
        if array.unit in hit:
            return alg.lift(apart)
        run = alg.mul(float(array.element_byte), self.counts.nominal[unit])
        short = alg.minimum(apart, alg.div(RAMP * level.block_byte, run))
        return alg.where(alg.compare(loops.positions[unit], ">", loops.deepest(hit)), short, apart)
