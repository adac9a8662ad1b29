"""Launch limits of a GPU as constraints over a kernel's parameters, before anything is compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.expr.algebra import ceildiv, compare, lift, mul, sub
from tunepass.expr.interval.extension import IntervalExtension
from tunepass.expr.nodes import Expr
from tunepass.expr.printer import to_text
from tunepass.hwmodels.gpu.device import Gpu
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

# Of a grid and of a block in x, y, z. NVIDIA: CUDA C++ Programming Guide 13.0, table "Technical Specifications per
# Compute Capability"; AMD: what hipDeviceProp_t says of gfx9 and gfx11.
MOST_BLOCKS = {"nvidia": (2**31 - 1, 65_535, 65_535), "amd": (2**31 - 1, 65_536, 65_536)}
MOST_THREADS = {"nvidia": (1024, 1024, 64), "amd": (1024, 1024, 1024)}
CHECKED_WARPS = 4  # the registers of a block are counted for as many warps, rounded up to these

Limit = tuple[str, Expr, int]  # what is limited, how much of it a configuration has, the most there is
Three = tuple[int, int, int]  # x, y, z


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchLimits:
    """Of the device called `name`. `shared_byte` is what a launch may ask for, `static_shared_byte` what arrays of the
    source may take; `gpu` has what is known of its registers."""

    name: str
    threads: int
    block: Three
    grid: Three
    shared_byte: int
    static_shared_byte: int
    gpu: Gpu | None = None

    @classmethod
    def of(cls, gpu: Gpu) -> LaunchLimits:
        limits = gpu.limits
        return cls(
            name=gpu.name,
            threads=limits.threads_per_block,
            block=MOST_THREADS[gpu.vendor],
            grid=MOST_BLOCKS[gpu.vendor],
            shared_byte=limits.shared_per_block_byte,
            static_shared_byte=limits.static_shared_byte,
            gpu=gpu,
        )


def with_limits(kernel: Kernel, device: LaunchLimits) -> Kernel:
    """The kernel with what the device refuses as further constraints. SpaceError where that is everything."""
    constraints = list(_constraints(kernel, device))
    return replace(kernel, constraints=(*kernel.constraints, *constraints)) if constraints else kernel


def _constraints(kernel: Kernel, device: LaunchLimits) -> Iterator[Constraint]:
    limits = limits_of(kernel.body_as(GpuKernel), device)
    conditions = [compare(amount, "<=", most) for _, amount, most in limits]
    always, never = _decided(conditions, kernel.parameters)
    for (resource, amount, most), condition, holds, fails in zip(limits, conditions, always, never):
        if fails:
            why = f"which has at most {most:,} {resource}: {to_text(amount)}"
            span = kernel.body_as(GpuKernel).span or kernel.span
            raise SpaceError(f"{kernel.name} cannot be launched on {device.name}, {why}", span)
        if not holds:
            yield Constraint(
                condition, f"{to_text(amount)} <= {most} ({resource} on {device.name})", kernel.span, derived=True
            )


def limits_of(body: GpuKernel, device: LaunchLimits) -> list[Limit]:
    """Each once, by the first words that it has."""
    by_text: dict[tuple[str, int], Limit] = {}
    for resource, amount, most in _limits(body, device):
        by_text.setdefault((to_text(amount), most), (resource, amount, most))
    return list(by_text.values())


def _limits(body: GpuKernel, device: LaunchLimits) -> Iterator[Limit]:
    """What the launch and the source's own words say; what a compiler decides is not among them."""
    grid, block = (tuple(map(body.at, extent)) for extent in (body.launch.grid, body.launch.block))
    yield "threads in a block", mul(*block), device.threads
    for axis, extent, most in zip("xyz", block, device.block):
        yield f"threads in a block's {axis}", extent, most
    for axis, extent, most in zip("xyz", grid, device.grid):
        yield f"blocks in a grid's {axis}", extent, most
    if body.shared is not None or body.launch.dynamic_shared is not None:
        dynamic = body.at(body.launch.dynamic_shared or lift(0))
        shared = dynamic if body.shared is None else body.at(body.shared)
        asks = body.launch.dynamic_shared is not None and body.dialect == "cuda"  # OpenCL asks for no more than usual
        yield "bytes of shared memory", shared, device.shared_byte if asks else device.static_shared_byte
        if asks and body.shared is not None:
            yield "bytes of shared arrays in the source", sub(shared, dynamic), device.static_shared_byte
    if body.registers is not None and device.gpu is not None:
        registers = registers_of_block(body, device.gpu, body.at(body.registers))
        yield "registers in a block", registers, device.gpu.limits.registers_per_block


def registers_of_block(body: GpuKernel, gpu: Gpu, registers: Expr) -> Expr:
    """As they are handed out to the warps of a block whose threads have so many."""
    threads, limits = mul(*map(body.at, body.launch.block)), gpu.limits
    warps = mul(ceildiv(ceildiv(threads, limits.warp), CHECKED_WARPS), CHECKED_WARPS)
    return mul(ceildiv(mul(registers, limits.warp), limits.register_unit), limits.register_unit, warps)


def _decided(conditions: Sequence[Expr], parameters: Sequence[Parameter]) -> tuple[list[bool], list[bool]]:
    """Which conditions hold in every configuration, and which in none, as far as bounds tell."""
    lo = {p.name: np.array([p.ends()[0]]) for p in parameters}
    hi = {p.name: np.array([p.ends()[1]]) for p in parameters}
    bounds = IntervalExtension(conditions).bounds(lo, hi, 1)
    return [bool(b.always[0]) for b in bounds], [bool(b.never[0]) for b in bounds]
