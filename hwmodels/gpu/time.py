"""Time of a launch: what its busiest multiprocessor takes for its blocks, or what the memory behind all of them takes.

| symbol | meaning |
|---|---|
| B | blocks of the busiest multiprocessor, ceil(blocks / multiprocessors) |
| b, W | blocks it holds at once, at most B; warps of a block |
| t | clocks a warp keeps the busiest of its pipes: issue, arithmetic, special, load and store, first-level cache |
| L | clocks a warp takes by itself: every instruction waits for the one before, less what is independent |

With n = b W warps on a multiprocessor, Little's law bounds what is done by n / L and by 1 / t warps a clock (V. Volkov,
"Understanding Latency Hiding on GPUs", PhD thesis, UC Berkeley 2016, chapter 4). All B blocks take

    throughput  B W t                     latency  ceil(B / b) L

and the launch the larger of these, of the second-level cache's time and of DRAM's. The larger is taken as the
fourth root of the sum of fourth powers: near the corner both count (his figure 4.3).
"""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.algebra import ExprLike
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.gpu.device import Gpu
from tunepass.hwmodels.gpu.traffic import Moved, moved
from tunepass.ir.gpu import GpuKernel

MS_PER_S, NS_PER_MS = 1e3, 1e6
WORD_BYTE = 4
BANKED = 32  # threads whose words are looked up at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """Constants that neither the source nor the device states. tests/benchmarks/bench_gpu.py chose them on recorded
    kernels; it also chooses them on all kernels but one and reports the one left out."""

    independent: float = 2.0  # operations that do not wait for one another, where the source does not say
    most_independent: float = 4.0  # of them that a compiler's order and the registers leave so
    loads_ahead: float = 2.0  # loads that a warp has under way, at most
    block_clocks: float = 60.0  # to begin and end a block on a multiprocessor


ASSUMED = Assumed()


@dataclass(frozen=True, slots=True)
class LaunchOccupancy:
    """Occupancy of the launch: `blocks` launched, `per_sm` at once."""

    blocks: Expr
    per_sm: Expr
    warps: Expr  # a block


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of the launch by what bounds it, and all together."""

    pipes: dict[str, Expr]
    latency: Expr
    l2: Expr
    dram: Expr
    total: Expr


def times(kernel: GpuKernel, gpu: Gpu, occupancy: LaunchOccupancy, spilled: Expr, assumed: Assumed = ASSUMED) -> Times:
    """`spilled`: bytes a thread keeps in local memory."""
    accesses = moved(kernel, gpu, occupancy.blocks)
    spills = _spills(kernel, spilled)
    pipes = _pipes(kernel, gpu, accesses, spills)
    busiest = alg.apply("ceil", alg.div(occupancy.blocks, float(gpu.sms)))
    resident = alg.maximum(1.0, alg.minimum(occupancy.per_sm, busiest))
    ms = MS_PER_S / gpu.clock_hz
    rounds = alg.apply("ceil", alg.div(busiest, resident))
    in_pipes = {name: alg.mul(ms, busiest, occupancy.warps, clocks) for name, clocks in pipes.items()}
    alone = alg.add(_alone(kernel, gpu, accesses, occupancy, spills, assumed), assumed.block_clocks)
    latency = alg.mul(ms, rounds, alone)
    l2 = _l2_ms(gpu, occupancy, accesses, spills)
    dram = _dram_ms(gpu, accesses)
    total = alg.add(gpu.launch_ns / NS_PER_MS, larger(*in_pipes.values(), latency, l2, dram))
    return Times(in_pipes, latency, l2, dram, total)


def larger(*items: ExprLike) -> Expr:
    """The larger, and more where several are near it: the fourth root of the sum of fourth powers."""
    squares = [alg.mul(item, item) for item in items]
    return alg.apply("sqrt", alg.apply("sqrt", alg.add(*(alg.mul(square, square) for square in squares))))


def _pipes(kernel: GpuKernel, gpu: Gpu, accesses: tuple[Moved, ...], spills: Expr) -> dict[str, Expr]:
    """Clocks that a warp keeps each pipe of its multiprocessor."""
    lanes, warp = gpu.architecture.lanes, float(gpu.limits.warp)
    fused, integer, special = _operations(kernel)
    double = kernel.work is not None and kernel.work.double
    loads = alg.add(*(m.instructions for m in accesses), 0.0)
    spilling = alg.mul(WORD_BYTE * warp / lanes.l1_byte, spills)
    return {
        "issue": alg.mul(1 / lanes.schedulers, alg.add(fused, integer, special, loads, spills)),
        "arithmetic": alg.mul(warp / (lanes.fp64 if double else lanes.fp32), fused),
        "integer": alg.mul(warp / lanes.integer, integer),
        "special": alg.mul(warp / lanes.special, special),
        "load": alg.add(*(alg.mul(m.instructions, _load_clocks(kernel, gpu, m)) for m in accesses), spilling),
    }


def _load_clocks(kernel: GpuKernel, gpu: Gpu, access: Moved) -> Expr:
    """Of one instruction of a warp: its addresses, what is looked up, and what goes back to the registers."""
    lanes, warp = gpu.architecture.lanes, float(gpu.limits.warp)
    vector = kernel.at(access.access.vector)
    addresses = warp / lanes.load
    if access.access.place == "constant":
        return access.sectors
    if access.in_shared:
        banks = min(gpu.architecture.banks, BANKED)
        wave = max(WORD_BYTE * banks / lanes.shared_byte, banks / lanes.load)
        byte = lanes.shared_byte
        looked_up = alg.mul(wave, access.wavefronts)
    else:
        byte = lanes.l1_byte
        looked_up = alg.mul(gpu.architecture.sector_byte / byte, access.sectors)
    back = alg.mul(warp * access.access.element_byte / byte, vector)
    return alg.maximum(addresses, looked_up, back)


def _operations(kernel: GpuKernel) -> tuple[Expr, Expr, Expr]:
    """Operations of a thread: pairs of a multiplication and an addition, integer operations, special functions."""
    work = kernel.work
    if work is None:
        return alg.lift(0.0), alg.lift(0.0), alg.lift(0.0)
    parts = (work.flops, work.integer, work.special)
    flops, integer, special = (alg.mul(1.0, kernel.at(e)) if e is not None else alg.lift(0.0) for e in parts)
    return alg.mul(0.5, flops), integer, special


def _spills(kernel: GpuKernel, spilled: Expr) -> Expr:
    """Loads and stores of a thread's spilled values: one of each whenever such a value is used, as often as the values
    that live in the thread are on average."""
    used: Expr = alg.lift(1.0)
    if kernel.accumulators is not None:
        fused, _, _ = _operations(kernel)
        used = alg.maximum(1.0, alg.div(fused, alg.maximum(1.0, kernel.at(kernel.accumulators))))
    return alg.mul(2.0 / WORD_BYTE, spilled, used)


def _alone(
    kernel: GpuKernel, gpu: Gpu, accesses: tuple[Moved, ...], occupancy: LaunchOccupancy, spills: Expr, assumed: Assumed
) -> Expr:
    """L of the notation."""
    work, latencies = kernel.work, gpu.architecture.latencies
    fused, integer, special = _operations(kernel)
    double = work is not None and work.double
    stated = work.independent if work is not None else None
    ilp = alg.lift(assumed.independent)
    if stated is not None:
        ilp = alg.minimum(assumed.most_independent, alg.maximum(1.0, kernel.at(stated)))
    chain = alg.mul(latencies.fp64 if double else latencies.fp32, fused)
    chain = alg.add(chain, alg.mul(latencies.fp32, integer), alg.mul(latencies.special, special))
    waits = [_wait(m, gpu, occupancy) for m in accesses]
    ahead = alg.minimum(assumed.loads_ahead, ilp)
    barriers: ExprLike = 0.0
    if work is not None and work.barriers is not None:
        barriers = alg.mul(latencies.shared, kernel.at(work.barriers))
    waits.append(alg.mul(float(latencies.l1), spills))
    return alg.add(alg.div(chain, ilp), alg.div(alg.add(*waits), ahead), barriers)


def _wait(access: Moved, gpu: Gpu, occupancy: LaunchOccupancy) -> Expr:
    """Clocks until what a thread loads is there, one load after another; stores are not waited for. The share of what a
    block asks for that it has not asked for before comes from behind the first-level cache, and so on."""
    latencies = gpu.architecture.latencies
    if access.access.written:
        return alg.lift(0.0)
    if access.in_shared:
        return alg.mul(access.instructions, alg.add(latencies.shared - 1.0, access.wavefronts))
    requested_byte = alg.mul(float(gpu.architecture.sector_byte), access.sectors, access.instructions, occupancy.warps)
    fresh = alg.div(access.block_byte, alg.maximum(1.0, requested_byte))
    first = alg.div(access.total_byte, alg.maximum(1.0, alg.mul(occupancy.blocks, requested_byte)))
    behind = alg.add(
        alg.mul(float(latencies.l2 - latencies.l1), fresh), alg.mul(float(latencies.dram - latencies.l2), first)
    )
    return alg.mul(access.instructions, alg.add(float(latencies.l1), behind))


def _l2_ms(gpu: Gpu, occupancy: LaunchOccupancy, accesses: tuple[Moved, ...], spills: Expr) -> Expr:
    local = alg.mul(float(WORD_BYTE * gpu.limits.warp), spills, occupancy.warps)
    byte = alg.mul(occupancy.blocks, alg.add(*(m.block_byte for m in accesses), local))
    return alg.mul(MS_PER_S / (gpu.l2_byte_per_clock * gpu.clock_hz), byte)


def _dram_ms(gpu: Gpu, accesses: tuple[Moved, ...]) -> Expr:
    """What the launch touches comes once: blocks that share data run near one another, or find it in the cache."""
    byte = alg.add(*(m.total_byte for m in accesses), 0.0)
    return alg.mul(MS_PER_S / gpu.dram_byte_per_s, byte)
