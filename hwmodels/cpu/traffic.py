"""Blocks (cache lines, pages) that move between a level and what is behind it, by reuse over the loops.

| symbol | meaning |
|---|---|
| q | a position in the schedule, 0 outermost; the loops from q on inwards run once per iteration of what is outside |
| F_a(q) | blocks of array a that one execution of the loops from q on touches (its footprint) |
| W(q) | bytes of all F_a(q) together: the working set, and the reuse distance between iterations of the loop at q - 1 |
| n(q) | iterations of the loop at q |
| m(x) | share of reuse that is lost at a reuse distance of x bytes |

One more iteration of the loop at q finds what the last one left if W(q + 1) fits (the layer condition of G. Rivera and
C.-W. Tseng, "Tiling optimizations for 3D scientific computations", SC 2000, and of H. Stengel et al., "Quantifying
performance bottlenecks of stencil computations using the execution-cache-memory model", ICS 2015, section 4.1), and
loads all of F_a(q + 1) again if it does not. From the outside in, the blocks moved for a are

    M_a = product over q of [ r_a(q) + m(W(q + 1)) (n(q) - r_a(q)) ],   r_a(q) = F_a(q) / F_a(q + 1)

which is F_a(0), each block once, where everything fits, and the number of iterations where nothing does. Footprints of
affine accesses follow M. E. Wolf and M. S. Lam, "A data locality optimizing algorithm", PLDI 1991, section 4; the
smooth m stands for caches that are not fully associative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.cpu.device import Level
from tunepass.hwmodels.cpu.loops import Item, Loops
from tunepass.ir.accesses import Access

STREAMS = 32.0  # runs of blocks that a processor's prefetchers follow at once
PAGE_BYTE = 4096
WRITTEN = 2.0  # a line that is written comes in, and goes out again
RAMP = 2.0  # blocks of a run before they do
FITS, OVERFLOWS = 0.6, 1.6  # shares of a level's size at which reuse begins to be lost, and at which none is left


@dataclass(frozen=True, slots=True)
class Dimension:
    """Indices that move an access by the same stride; its references are up to `spread` strides apart."""

    stride_byte: int
    indices: tuple[str, ...]
    spread: int


@dataclass(frozen=True, slots=True)
class Stream:
    """References to one array that differ in a constant only: what one loads the others find."""

    array: str
    element_byte: int
    dimensions: tuple[Dimension, ...]  # strides ascending
    written: bool

    def stride_byte(self, index: str) -> int:
        return next((d.stride_byte for d in self.dimensions if index in d.indices), 0)


def streams(accesses: Sequence[Access]) -> tuple[Stream, ...]:
    """The accesses that move, grouped; scalars stay in registers."""
    groups: dict[tuple[str, tuple[tuple[str, int], ...]], list[Access]] = {}
    for access in accesses:
        if access.strides:
            groups.setdefault((access.array, access.strides), []).append(access)
    return tuple(_stream(group) for group in groups.values())


def _stream(group: Sequence[Access]) -> Stream:
    first = group[0]
    indices: dict[int, list[str]] = {}
    for index, stride in first.strides:
        indices.setdefault(abs(stride), []).append(index)
    spread: dict[int, int] = {}
    left = [access.offset - min(a.offset for a in group) for access in group]
    for stride in sorted(indices, reverse=True):
        steps = [round(offset / stride) for offset in left]
        spread[stride] = max(steps) - min(steps)
        left = [offset - step * stride for offset, step in zip(left, steps)]
    return Stream(
        array=first.array,
        element_byte=first.element_byte,
        dimensions=tuple(
            Dimension(stride * first.element_byte, tuple(indices[stride]), spread[stride]) for stride in sorted(indices)
        ),
        written=any(access.written for access in group),
    )


class Footprints:
    """F and W of one block size at every position; with `sets`, W counts the room that rows which share sets take."""

    def __init__(self, loops: Loops, all_streams: Sequence[Stream], block_byte: int, sets: int = 1):
        self.loops, self.block_byte, self.sets = loops, block_byte, sets
        positions = range(loops.depth + 1)
        self.blocks = {s: [self._blocks(s, q) for q in positions] for s in all_streams}
        resident = [[self._held(s, q) for s in all_streams] for q in positions]
        self.bytes = [alg.mul(block_byte, alg.add(*blocks)) for blocks in resident]

    def _held(self, stream: Stream, position: int) -> Expr:
        """Blocks of the level that the footprint takes up: more than it has where its rows meet in few of the sets."""
        blocks = self.blocks[stream][position]
        if self.sets == 1:
            return blocks
        reached: list[Expr] = []
        rows: list[Expr] = []
        for dimension in stream.dimensions:
            if dimension.stride_byte >= self.block_byte:
                extent = self._extent(dimension, position)
                blocks_apart = max(1, round(dimension.stride_byte / self.block_byte))
                reached.append(alg.minimum(extent, float(self.sets // math.gcd(blocks_apart, self.sets))))
                rows.append(extent)
        spread = alg.minimum(float(self.sets), alg.mul(alg.div(blocks, alg.mul(1.0, *rows)), *reached))
        return alg.div(alg.mul(float(self.sets), blocks), spread)

    def _extent(self, dimension: Dimension, position: int) -> Expr:
        """Distinct strides of the dimension that are touched."""
        extents = [self.loops.extent(index, position) for index in dimension.indices]
        return alg.add(*extents, float(dimension.spread - len(extents) + 1))

    def _blocks(self, stream: Stream, position: int) -> Expr:
        """Runs of contiguous elements cover length / block blocks, at least one, where all begin at a block's start; on
        average over alignments they cover (length - element) / block + 1."""
        runs: list[Expr] = []
        steps: list[Expr] = []  # blocks by which the last element of a run is further than the first
        aligned = True
        for dimension in stream.dimensions:
            extent = self._extent(dimension, position)
            if dimension.stride_byte < self.block_byte:
                steps.append(alg.mul(dimension.stride_byte / self.block_byte, alg.sub(extent, 1.0)))
            else:
                runs.append(extent)
                aligned = aligned and dimension.stride_byte % self.block_byte == 0
        element = stream.element_byte / self.block_byte
        run = alg.maximum(1.0, alg.add(element, *steps)) if aligned else alg.add(1.0, *steps)
        return alg.mul(*runs, run)


def moved(stream: Stream, level: Level, loops: Loops, footprints: Footprints) -> Expr:
    """M of the notation: blocks that come into the level during the whole nest."""
    blocks = footprints.blocks[stream]
    factors: list[Expr] = []
    for q in range(loops.depth):
        fresh = alg.div(blocks[q], blocks[q + 1])
        evicted = lost(footprints.bytes[q + 1], level)
        factors.append(alg.add(fresh, alg.mul(evicted, alg.sub(loops.iterations_at(q), fresh))))
    return alg.mul(blocks[loops.depth], *factors)


def data_ns(level: Level, footprints: Footprints, all_streams: tuple[Stream, ...], loops: Loops) -> Expr:
    """The time in which the level's misses are served."""
    terms = []
    for stream in all_streams:
        written = WRITTEN if stream.written and level.block_byte < PAGE_BYTE else 1.0
        each = alg.mul(written, _miss_ns(stream, level, loops))
        terms.append(alg.mul(each, moved(stream, level, loops, footprints)))
    return alg.add(*terms)


def _miss_ns(stream: Stream, level: Level, loops: Loops) -> Expr:
    """Nanoseconds of a miss of one block, averaged over blocks that are fetched ahead of their use and others."""
    return alg.add(level.miss_ns, alg.mul(level.scattered_ns - level.miss_ns, scattered(stream, level, loops)))


def scattered(stream: Stream, level: Level, loops: Loops) -> Expr:
    """The share of its blocks that nothing fetches ahead: all where more than STREAMS runs are walked at once, and the
    first RAMP of each run."""
    near = [d for d in stream.dimensions if d.stride_byte < level.block_byte]
    if not near:
        return alg.lift(1.0)
    index = near[0].indices[0]
    result: Expr = alg.lift(1.0)
    for q in range(loops.depth):
        runs = [loops.extent(i, q + 1) for d in stream.dimensions if d not in near for i in d.indices]
        many = alg.div(alg.sub(alg.mul(1.0, *runs), STREAMS), STREAMS)
        short = alg.div(RAMP * level.block_byte, alg.mul(near[0].stride_byte, loops.extent(index, q)))
        share = alg.minimum(1.0, alg.maximum(many, short))
        result = alg.where(loops.stands_at(Item(index), q), share, result)
    return result


def lost(distance_byte: Expr, level: Level) -> Expr:
    """m of the notation: 0 up to FITS of the level's size, 1 from OVERFLOWS on, linear between."""
    scale = 1 / (level.size_byte * (OVERFLOWS - FITS))
    share = alg.sub(alg.mul(scale, distance_byte), FITS / (OVERFLOWS - FITS))
    return alg.minimum(1.0, alg.maximum(0.0, share))
