"""The model of kernels for high-level synthesis: a kernel and a device give cycles, resources, and whether it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import Columns
from tunepass.hwmodels.base import Breakdown, Costs
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.on_fpgas import OnFpgas
from tunepass.hwmodels.hls import breakdown, tools
from tunepass.hwmodels.hls.area import RESOURCES, AreaModel
from tunepass.hwmodels.hls.cycles import CycleModel
from tunepass.hwmodels.hls.energy import energy
from tunepass.hwmodels.hls.nest import Nest
from tunepass.hwmodels.hls.opencl import model as opencl
from tunepass.hwmodels.hls.tools import HlsTool
from tunepass.hwmodels.hls.widths import by_width
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Kernel

COPIES_EFFORT = 0.3  # of 0.2 to 1, best on HLSyn's records of 2018.3 (tests/benchmarks/bench_hls.py, searches)
UNITS = {
    "cycles": "cycles",
    "seconds": "s",
    "luts": "LUTs",
    "ffs": "registers",
    "dsps": "DSP blocks",
    "brams": "RAM blocks",
    "energy": "J",
}


def costs(kernel: HlsKernel, fpga: Fpga, tool: HlsTool | None = None) -> Costs:
    """Named expressions over the kernel's parameters, for one version of a tool (its dialect's newest)."""
    return by_width(kernel, lambda variant: _costs(variant, fpga, tool))


def _costs(kernel: HlsKernel, fpga: Fpga, tool: HlsTool | None) -> Costs:
    if kernel.dialect == "intel":
        return opencl.costs([kernel], fpga)
    tool = tool or tools.tool(tools.default_tool(kernel.dialect))
    stated = None if kernel.clock_hz is None else alg.number(kernel.clock_hz)
    tool = tool if stated is None else tool.at(stated)
    timing = CycleModel(Nest(kernel), tool)
    cycles = alg.mul(kernel.launches, timing.total())
    area = AreaModel(timing)
    clock = fpga.clock_hz if kernel.clock_hz is None else kernel.clock_hz
    values = {"cycles": cycles, "seconds": alg.div(cycles, clock), **area.values()}
    copied_bits = timing.transfers.bits() if kernel.dialect == "merlin" else None
    values["energy"] = energy(timing.nest, fpga, values["seconds"], values["luts"], copied_bits)
    limits = {name: limit for name, limit in fpga.capacity.items() if name in values}
    fits = alg.both(*(alg.compare(values[name], "<=", limit) for name, limit in limits.items()))
    return Costs(
        values, UNITS, fits, limits, tuple(timing.parts), area.parts(),
        name=_named(kernel, tool), expected=True, effort=effort(timing, values, limits),
    )  # fmt: skip


def effort(timing: CycleModel, values: Mapping[str, Expr], limits: Mapping[str, int]) -> Expr:
    """By what a design is put back in a search with the tool: the more copies it is asked for, the more often the tool
    refuses them or does not end; and what takes more than the device has is off by a factor, or will not be built."""
    copies = alg.apply("exp", alg.mul(COPIES_EFFORT, alg.apply("log", alg.maximum(1.0, timing.lanes.most()))))
    over = alg.maximum(1.0, *(alg.div(values[name], limit) for name, limit in limits.items()))
    return alg.mul(copies, over, over)


def _named(kernel: HlsKernel, tool: HlsTool) -> str:
    return f"the model of {tool.name}" if tool.name.startswith(kernel.dialect) else f"the model of {kernel.dialect}"


class HlsModel(OnFpgas):
    """C and OpenCL for FPGAs, on the devices of accelerator programs."""

    def costs(self, kernel: Kernel, device: str, words: Sequence[str] = ()) -> Costs | None:
        if not isinstance(kernel.body, HlsKernel):
            return None
        return costs(kernel.body, devices.load(device))

    def breakdown(self, costs: Costs, device: str, columns: Columns) -> Breakdown:
        resources = tuple(name for name in RESOURCES if name in devices.load(device).capacity)
        return Breakdown(breakdown.cycles(costs, columns), breakdown.area(costs, columns), resources)
