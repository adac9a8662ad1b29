"""The model of kernels for high-level synthesis: a kernel and a device give cycles, resources, and whether it fits."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra as alg
from tunepass.expr.numpy_eval import Columns
from tunepass.hwmodels.base import Breakdown, Costs
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.on_fpgas import OnFpgas
from tunepass.hwmodels.hls import tools
from tunepass.hwmodels.hls.area import AreaModel
from tunepass.hwmodels.hls.cycles import CycleModel
from tunepass.hwmodels.hls.nest import Nest
from tunepass.hwmodels.hls.opencl import model as opencl
from tunepass.hwmodels.hls.tools import HlsTool
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Kernel

UNITS = {
    "cycles": "cycles",
    "seconds": "s",
    "luts": "LUTs",
    "ffs": "registers",
    "dsps": "DSP blocks",
    "brams": "RAM blocks",
}


def costs(kernel: HlsKernel, fpga: Fpga, tool: HlsTool | None = None) -> Costs:
    """Named expressions over the kernel's parameters, for one version of a tool (its dialect's newest)."""
    if kernel.dialect == "intel":
        return opencl.costs([kernel], fpga)
    tool = tool or tools.tool(tools.default_tool(kernel.dialect))
    timing = CycleModel(Nest(kernel), tool)
    cycles = alg.mul(kernel.launches, timing.total())
    clock = fpga.clock_hz if kernel.clock_hz is None else kernel.clock_hz
    values = {"cycles": cycles, "seconds": alg.div(cycles, clock), **AreaModel(timing).values()}
    limits = {name: limit for name, limit in fpga.capacity.items() if name in values}
    fits = alg.both(*(alg.compare(values[name], "<=", limit) for name, limit in limits.items()))
    return Costs(values, UNITS, fits, limits, tuple(timing.parts), name=_named(kernel, tool), expected=True)


def _named(kernel: HlsKernel, tool: HlsTool) -> str:
    return f"the model of {tool.name}" if tool.name.startswith(kernel.dialect) else f"the model of {kernel.dialect}"


class HlsModel(OnFpgas):
    """C and OpenCL for FPGAs, on the devices of accelerator programs."""

    def costs(self, kernel: Kernel, device: str, words: Sequence[str] = ()) -> Costs | None:
        if not isinstance(kernel.body, HlsKernel):
            return None
        return costs(kernel.body, devices.load(device))

    def breakdown(self, costs: Costs, device: str, columns: Columns) -> Breakdown:
        return Breakdown()
