"""The model of GPU kernels: `time` in ms, and what a launch takes of the device, over the kernel's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import Columns, evaluate
from tunepass.expr.sharing import shared
from tunepass.hwmodels.base import Breakdown, CostModel, Costs, DeviceSummary, EstimatePart, Slice
from tunepass.hwmodels.gpu.device import Gpu, load, names
from tunepass.hwmodels.gpu.occupancy import occupancy_expressions
from tunepass.hwmodels.gpu.registers import estimate
from tunepass.hwmodels.gpu.resources import Resources
from tunepass.hwmodels.gpu.time import ASSUMED, Assumed, LaunchOccupancy, Times, times
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Kernel

UNITS = {"time": "ms", "shared": "bytes"}


def priced(kernel: GpuKernel, gpu: Gpu, resources: Resources, assumed: Assumed = ASSUMED) -> Costs:
    """`time` in ms, what the kernel takes and how many blocks fit. Names that `resources` have besides the parameters
    stay free: measured registers can be put in for them."""
    threads = alg.mul(*(kernel.at(extent) for extent in kernel.launch.block))
    blocks = alg.mul(*(kernel.at(extent) for extent in kernel.launch.grid))
    occupied = occupancy_expressions(gpu, threads, resources.registers, resources.shared)
    at_once = alg.mul(gpu.sms, alg.maximum(1, occupied.blocks_per_sm))
    occupancy = LaunchOccupancy(
        blocks=alg.mul(1.0, blocks),
        per_sm=alg.mul(1.0, occupied.blocks_per_sm),
        warps=alg.mul(1.0, alg.maximum(1, alg.ceildiv(threads, gpu.limits.warp))),
    )
    estimated = times(kernel, gpu, occupancy, alg.mul(1.0, resources.spill_byte), assumed)
    values = {
        "time": estimated.total,
        "threads": threads,
        "registers": resources.registers,
        "spill_byte": resources.spill_byte,
        "shared": resources.shared,
        "blocks_per_sm": occupied.blocks_per_sm,
        "occupancy": occupied.occupancy,
        "waves": alg.ceildiv(blocks, at_once),
    }
    return Costs(
        values={name: shared(value) for name, value in values.items()},
        units=UNITS,
        fits=shared(alg.both(occupied.fits, _static_fits(kernel, gpu, resources.shared))),
        limits={"threads": gpu.limits.threads_per_block, "shared": gpu.limits.shared_per_block_byte},
        timing=_parts(estimated),
        name="the GPU model",
    )


def _static_fits(kernel: GpuKernel, gpu: Gpu, shared_byte: Expr) -> Expr:
    """Arrays of the source may take less than what can be asked for at the launch."""
    dynamic = kernel.launch.dynamic_shared
    static = alg.sub(shared_byte, kernel.at(dynamic) if dynamic is not None else 0)
    return alg.compare(static, "<=", gpu.limits.static_shared_byte)


def _parts(estimated: Times) -> tuple[EstimatePart, ...]:
    """Bounds of the launch, each as if the rest took no time; the slowest counts."""
    bounds: Mapping[str, Expr] = {
        **estimated.pipes, "latency": estimated.latency, "L2": estimated.l2, "DRAM": estimated.dram,
    }  # fmt: skip
    whole = EstimatePart("launch", 0, {"time": shared(estimated.total)}, combine="slowest")
    return (whole, *(EstimatePart(label, 1, {"time": shared(value)}) for label, value in bounds.items()))


class GpuModel(CostModel):
    """CUDA and OpenCL kernels whose source states their launch and work, on any GPU that tunepass knows."""

    def devices(self) -> tuple[str, ...]:
        return names()

    def summary(self, device: str) -> DeviceSummary:
        gpu = load(device)
        capacity = {"SMs": gpu.sms, "L2 bytes": gpu.l2_byte, "memory bytes": gpu.dram_byte}
        return DeviceSummary(gpu.name, "gpu", gpu.description, gpu.clock_hz, capacity)

    def costs(self, kernel: Kernel, device: str, words: Sequence[str] = ()) -> Costs | None:
        if not isinstance(kernel.body, GpuKernel):
            return None
        gpu = load(device)
        return priced(kernel.body, gpu, estimate(kernel.body, gpu))

    def breakdown(self, costs: Costs, device: str, columns: Columns) -> Breakdown:
        """Breakdown of the time by the bounds of the launch, each alone."""
        whole, *bounds = costs.timing
        inside = tuple(_slice(part, columns) for part in bounds)
        return Breakdown(time=(_slice(whole, columns, inside),))


def _slice(part: EstimatePart, columns: Columns, inside: tuple[Slice, ...] = ()) -> Slice:
    values = {name: float(evaluate(e, columns, 1).values[0]) for name, e in part.values.items()}
    return Slice(part.label, part.span, values, {} if inside else values, inside)
