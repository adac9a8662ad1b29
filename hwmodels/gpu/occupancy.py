"""How many blocks a multiprocessor holds at once, as the vendors' calculators count it.

    W = ceil(threads / warp)                                     warps of a block
    R = ceil(max(1, registers) * warp / unit) * unit             registers of a warp
    S = ceil((shared + reserved) / unit) * unit                  bytes of shared memory of a block
    warps:      floor(warps_per_sm / W)
    registers:  floor(P * floor(registers_per_sm / P / R) / W)   P partitions
    shared:     floor(shared_per_sm / S)
    blocks:     blocks_per_sm
    blocks_per_sm = the least of them, 0 for a block that cannot be launched; occupancy = blocks_per_sm W / warps_per_sm

A block is launched if its threads, its registers (R ceil(W / 4) 4, as the hardware checks it) and its shared memory are
within the limits of one block. NVIDIA: cuda_occupancy.h of CUDA 13.0 with the largest share of the SM's memory as
shared memory and the kernel opted in to what it asks for; a thread has 255 registers at most, where the header lets
256 pass. AMD: LLVM, AMDGPUBaseInfo.cpp (`getNumWavesPerEUWithNumVGPRs`, `getMaxWorkGroupsPerCU`), of vector registers
alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tunepass.expr import algebra as alg
from tunepass.expr.algebra import ExprLike
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.gpu.device import Gpu

Resource = Literal["warps", "registers", "shared", "blocks"]
CHECKED_PARTITIONS = 4  # the hardware's check of a block's registers counts them in all partitions; GP100's two as four


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """`limited_by` are all resources that allow no more blocks than there are; `blocks` what each alone allows."""

    blocks_per_sm: int
    warps_per_sm: int
    occupancy: float
    limited_by: tuple[Resource, ...]
    blocks: Mapping[Resource, int]
    warps_per_block: int
    registers_per_block: int  # as allocated
    shared_per_block_byte: int

    @property
    def fits(self) -> bool:
        return self.blocks_per_sm > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OccupancyExpressions:
    """The same over parameters."""

    blocks_per_sm: Expr
    warps_per_sm: Expr
    occupancy: Expr
    fits: Expr


@dataclass(frozen=True, slots=True)
class _Counted:
    """Blocks by resource, 0 where one block asks for too much of it, and what a block is given."""

    blocks: dict[Resource, Expr]
    warps: Expr
    registers: Expr
    shared: Expr


def occupancy(gpu: Gpu, threads: int, registers: int, shared: int) -> Occupancy:
    """Occupancy of blocks of `threads` with `registers` a thread and `shared` bytes a block, static and dynamic."""
    for quantity, value, least in (("threads", threads, 1), ("registers", registers, 0), ("shared bytes", shared, 0)):
        if value < least:
            raise ModelError(f"{quantity} >= {least} must hold, got {value}")
    counted = _count(gpu, threads, registers, shared)
    blocks: dict[Resource, int] = {resource: _integer(e) for resource, e in counted.blocks.items()}
    least = min(blocks.values())
    warps = _integer(counted.warps)
    return Occupancy(
        blocks_per_sm=least,
        warps_per_sm=least * warps,
        occupancy=least * warps / gpu.limits.warps_per_sm,
        limited_by=tuple(resource for resource, count in blocks.items() if count == least),
        blocks=blocks,
        warps_per_block=warps,
        registers_per_block=_integer(counted.registers),
        shared_per_block_byte=_integer(counted.shared),
    )


def occupancy_expressions(gpu: Gpu, threads: Expr, registers: Expr, shared: Expr) -> OccupancyExpressions:
    """`occupancy` of integer expressions; a block without threads does not fit."""
    counted = _count(gpu, threads, registers, shared)
    blocks = alg.minimum(*counted.blocks.values())
    warps = alg.mul(blocks, counted.warps)
    return OccupancyExpressions(
        blocks_per_sm=blocks,
        warps_per_sm=warps,
        occupancy=alg.div(warps, float(gpu.limits.warps_per_sm)),
        fits=alg.compare(blocks, ">=", 1),
    )


def _count(gpu: Gpu, threads: ExprLike, registers: ExprLike, shared: ExprLike) -> _Counted:
    limits = gpu.limits
    warps = alg.maximum(1, alg.ceildiv(threads, limits.warp))
    warp_registers = _rounded(alg.mul(alg.maximum(1, registers), limits.warp), limits.register_unit)
    block_shared = _rounded(alg.add(shared, limits.shared_reserved_byte), limits.shared_unit_byte)

    part = limits.registers_per_sm // limits.register_partitions
    resident = alg.mul(limits.register_partitions, alg.floordiv(part, warp_registers))
    checked = alg.mul(warp_registers, _rounded(warps, CHECKED_PARTITIONS))
    by_warps = alg.where(alg.compare(threads, ">=", 1), alg.floordiv(limits.warps_per_sm, warps), 0)
    lone = alg.compare(warps, "==", 1)
    return _Counted(
        blocks={
            "warps": _unless(threads, limits.threads_per_block, by_warps),
            "registers": _unless(
                registers,
                limits.registers_per_thread,
                _unless(checked, limits.registers_per_block, alg.floordiv(resident, warps)),
            ),
            "shared": _unless(
                block_shared,
                limits.shared_per_block_byte + limits.shared_reserved_byte,
                alg.floordiv(limits.shared_per_sm_byte, alg.maximum(limits.shared_unit_byte, block_shared)),
            ),
            "blocks": alg.where(lone, limits.lone_warp_blocks_per_sm, limits.blocks_per_sm),
        },
        warps=warps,
        registers=alg.mul(warp_registers, warps),
        shared=block_shared,
    )


def _rounded(amount: ExprLike, unit: int) -> Expr:
    return alg.mul(alg.ceildiv(amount, unit), unit)


def _unless(amount: ExprLike, limit: int, blocks: Expr) -> Expr:
    """No blocks where one asks for more than the limit."""
    return alg.where(alg.compare(amount, "<=", limit), blocks, 0)


def _integer(e: Expr) -> int:
    value = alg.number(e)
    assert isinstance(value, int)
    return value
