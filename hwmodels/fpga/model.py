"""The FPGA model: a program and a device give cycles, resources, and whether it fits."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra
from tunepass.expr.numpy_eval import Columns
from tunepass.hwmodels.base import Breakdown, Costs
from tunepass.hwmodels.fpga import breakdown
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.fpga.area import AreaModel
from tunepass.hwmodels.fpga.cycles import CycleModel
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.energy import energy
from tunepass.hwmodels.fpga.on_fpgas import OnFpgas
from tunepass.hwmodels.fpga.placement import place
from tunepass.ir.hardware import Program
from tunepass.ir.kernel import Kernel

UNITS = {
    "cycles": "cycles",
    "seconds": "s",
    "alms": "ALMs",
    "luts": "LUTs",
    "ffs": "registers",
    "dsps": "DSP blocks",
    "brams": "RAM blocks",
    "channels": "DRAM channels",
    "energy": "J",
}


def costs(program: Program, device: Fpga) -> Costs:
    """Named expressions over the program's parameters; `fits` when every listed capacity holds."""
    timing, area = CycleModel(program, device), AreaModel(program, device)
    cycles = timing.total()
    raw = area.raw()
    values = {"cycles": cycles, "seconds": algebra.div(cycles, device.clock_hz), **place(raw.area, device)}
    values["energy"] = energy(program, device, cycles, values["luts"])
    limits = {name: limit for name, limit in device.capacity.items() if name in values}
    fits = algebra.both(*(algebra.compare(values[name], "<=", limit) for name, limit in limits.items()))
    parts = tuple(timing.parts), raw.parts
    return Costs(values, UNITS, fits, limits, *parts, within_fit=timing.within_fit())


class FpgaModel(OnFpgas):
    """Accelerator programs on FPGAs."""

    def costs(self, kernel: Kernel, device: str, words: Sequence[str] = ()) -> Costs | None:
        if not isinstance(kernel.body, Program):
            return None
        return costs(kernel.body, devices.load(device))

    def breakdown(self, costs: Costs, device: str, columns: Columns) -> Breakdown:
        fpga = devices.load(device)
        resources = tuple(name for name in breakdown.RESOURCES if name in costs.values)
        return Breakdown(breakdown.cycles(costs, columns), breakdown.resources(costs, fpga, columns), resources)
