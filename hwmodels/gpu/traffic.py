"""What the accesses of a kernel move: instructions, wavefronts of shared memory, sectors of the caches, bytes of DRAM.

| symbol | meaning |
|---|---|
| w | threads of a warp |
| r | rows (x threads each) that a warp has threads of, on average: 1 + (w - gcd(x, w)) / x, at most the block's |
| l | threads of a warp in one row: w / r |
| e, v | bytes of an element, elements of an instruction |
| s, R | elements between neighbours in a row, and between rows |

Sectors an instruction of a warp asks for: those of a row, max(l s e, v e) / sector bytes where its neighbours share
them and l ceil(v e / sector bytes) at most, times the rows, less where rows share them (R e < sector bytes). Wavefronts
are the words that the fullest bank is asked for (CUDA C++ Programming Guide 12.6, "Shared Memory"); the rows of a warp
whose ranges of banks meet count together.
"""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr, IntegerType
from tunepass.hwmodels.gpu.device import Gpu
from tunepass.ir.gpu import GpuAccess, GpuKernel

WORD_BYTE = 4  # of a bank
LARGEST_ROWS = 32  # of one warp


@dataclass(frozen=True, slots=True)
class Warps:
    """The geometry of a block's warps; `rows` and `lanes` are r and l of the notation, both real."""

    width: int
    x: Expr
    threads: Expr
    count: Expr  # a block
    rows: Expr
    lanes: Expr

    @classmethod
    def of(cls, kernel: GpuKernel, width: int) -> Warps:
        x, y, z = (kernel.at(extent) for extent in kernel.launch.block)
        threads = alg.mul(x, y, z)
        beside = alg.div(alg.sub(width, alg.apply("gcd", x, width)), x)
        rows = alg.minimum(alg.add(1.0, beside), alg.mul(1.0, y, z))
        return cls(
            width,
            x,
            threads,
            alg.maximum(1, alg.ceildiv(threads, width)),
            rows,
            alg.div(alg.minimum(threads, float(width)), rows),
        )


@dataclass(frozen=True, slots=True)
class Moved:
    """What one access is to a warp and to the launch: `instructions` a thread; `wavefronts` (of shared memory) and
    `sectors` an instruction of a warp; `block_byte` a block takes from the second-level cache, `total_byte` the launch
    needs at least."""

    access: GpuAccess
    instructions: Expr
    wavefronts: Expr
    sectors: Expr
    block_byte: Expr
    total_byte: Expr

    @property
    def in_shared(self) -> bool:
        return self.access.place == "shared"


def moved(kernel: GpuKernel, gpu: Gpu, blocks: Expr) -> tuple[Moved, ...]:
    """Traffic of every access; `blocks` are launched."""
    warps = Warps.of(kernel, gpu.limits.warp)
    banked = Warps.of(kernel, min(gpu.limits.warp, gpu.architecture.banks, 32))
    return tuple(_moved(kernel, access, gpu, warps, banked, blocks) for access in kernel.accesses)


def _moved(kernel: GpuKernel, access: GpuAccess, gpu: Gpu, warps: Warps, banked: Warps, blocks: Expr) -> Moved:
    count, vector = kernel.at(access.count), kernel.at(access.vector)
    instructions = alg.div(count, vector)
    if access.place == "shared":
        halves = gpu.limits.warp / banked.width
        waves = alg.mul(halves, wavefronts(kernel, access, banked))
        return Moved(access, instructions, waves, alg.lift(0.0), alg.lift(0.0), alg.lift(0.0))
    if access.place == "constant":  # an operand of the instruction where all threads read the same
        each = alg.where(alg.compare(kernel.at(access.stride), "==", 0), 0.0, instructions)
        return Moved(access, each, alg.lift(0.0), warps.lanes, alg.lift(0.0), alg.lift(0.0))
    sector = gpu.architecture.sector_byte
    requested_sectors = sectors(kernel, access, warps, sector)
    byte = access.element_byte
    requested = alg.mul(float(sector), requested_sectors, instructions, warps.count)
    block = requested
    if access.distinct is not None:
        distinct_byte = alg.mul(float(byte), kernel.at(access.distinct))
        block = alg.minimum(requested, alg.mul(distinct_byte, wasted(kernel, access, warps, sector, requested_sectors)))
    total = alg.mul(blocks, block)
    if access.total is not None:
        total = alg.minimum(total, alg.mul(float(byte), kernel.at(access.total)))
    return Moved(access, instructions, alg.lift(0.0), requested_sectors, block, total)


def wasted(kernel: GpuKernel, access: GpuAccess, warps: Warps, sector: int, requested_sectors: Expr) -> Expr:
    """Bytes of the sectors asked for over those used, where rows are short: their ends share sectors with no other."""
    row = alg.maximum(float(access.element_byte), alg.mul(float(access.element_byte), warps.x, 1.0))
    return alg.minimum(float(sector) / access.element_byte, alg.add(1.0, alg.div(sector / 2.0, row)))


def sectors(kernel: GpuKernel, access: GpuAccess, warps: Warps, sector: int) -> Expr:
    """Sectors of one instruction of a warp, on average."""
    byte = float(access.element_byte)
    stride, vector = kernel.at(access.stride), kernel.at(access.vector)
    thread_byte = alg.mul(byte, vector)  # bytes a thread
    apart = alg.mul(byte, alg.apply("abs", stride))
    if access.row_stride is None:
        lanes, rows = alg.mul(warps.lanes, warps.rows), alg.lift(1.0)
    else:
        lanes, rows = warps.lanes, warps.rows
    spread = alg.div(alg.add(thread_byte, alg.mul(apart, alg.sub(lanes, 1.0))), float(sector))
    most = alg.mul(lanes, alg.maximum(1.0, alg.div(thread_byte, float(sector))))
    in_row = alg.maximum(1.0, alg.minimum(spread, most))
    if access.row_stride is None:
        return in_row
    between = alg.div(alg.mul(byte, alg.apply("abs", kernel.at(access.row_stride))), float(sector))
    return alg.mul(in_row, alg.add(1.0, alg.mul(alg.sub(rows, 1.0), alg.minimum(1.0, between))))


def wavefronts(kernel: GpuKernel, access: GpuAccess, warps: Warps) -> Expr:
    """Wavefronts of one instruction of a warp: the words of its fullest bank."""
    words = max(1.0, access.element_byte / WORD_BYTE)
    vector, stride = kernel.at(access.vector), kernel.at(access.stride)
    thread_words = alg.mul(words, vector)  # words a thread
    none = alg.compare(stride, "==", 0)
    banks = float(warps.width)
    lanes = warps.lanes if access.row_stride is not None else alg.mul(warps.lanes, warps.rows)
    met = _shared_factor(stride, vector, warps.width)
    in_row = alg.where(none, thread_words, alg.mul(lanes, thread_words, met))  # bank places that a row's words take
    depth = alg.maximum(1.0, alg.div(in_row, banks))
    if access.row_stride is None:
        return depth
    between = kernel.at(access.row_stride)
    window = alg.minimum(banks, in_row)
    return alg.mul(depth, _meeting(between, words, window, warps))


def _shared_factor(stride: Expr, vector: Expr, banks: int) -> Expr:
    """How many neighbours a bank serves where each is `stride` elements on: gcd(stride, banks), in units of vectors."""
    if not (isinstance(stride.type, IntegerType) and isinstance(vector.type, IntegerType)):
        return alg.lift(1.0)
    steps = alg.maximum(1, alg.floordiv(alg.apply("abs", stride), vector))
    return alg.mul(1.0, alg.apply("gcd", steps, banks))


def _meeting(between: Expr, words: float, window: Expr, warps: Warps) -> Expr:
    """Rows of a warp whose windows of banks meet the first one's, itself included; rows that are one row in memory are
    served together."""
    if not isinstance(between.type, IntegerType):
        return alg.lift(1.0)
    step = alg.mul(max(1, int(words)), alg.apply("abs", between))
    terms: list[Expr] = [alg.lift(1.0)]
    for row in range(1, LARGEST_ROWS):
        place = alg.mod(alg.mul(row, step), warps.width)
        near = alg.minimum(alg.mul(1.0, place), alg.sub(float(warps.width), alg.mul(1.0, place)))
        there = alg.minimum(1.0, alg.maximum(0.0, alg.sub(warps.rows, float(row))))
        terms.append(alg.where(alg.compare(near, "<", window), there, 0.0))
    return alg.where(alg.compare(step, "==", 0), 1.0, alg.add(*terms))
