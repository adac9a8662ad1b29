"""The model of OpenCL kernels for Intel's FPGAs: what several kernels of one bitstream take together.

    seconds = launches (start + max(cycles / clock, time of global memory, groups dispatch))

The clock falls with the share of the device that is taken, which is that of all kernels of the bitstream.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.base import Costs
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.hls.energy import energy
from tunepass.hwmodels.hls.nest import Nest
from tunepass.hwmodels.hls.opencl import area
from tunepass.hwmodels.hls.opencl.numbers import Board, board
from tunepass.hwmodels.hls.opencl.requests import accesses, traffic
from tunepass.hwmodels.hls.opencl.timing import TimingModel
from tunepass.ir.hls import HlsKernel

UNITS = {
    "cycles": "cycles",
    "seconds": "s",
    "clock_hz": "Hz",
    "alms": "ALMs",
    "brams": "RAM blocks",
    "dsps": "DSP blocks",
    "energy": "J",
}
LUTS_OF_ALM = 2


def costs(kernels: Sequence[HlsKernel], fpga: Fpga | None = None, numbers: Board | None = None) -> Costs:
    """Named expressions over the parameters of the kernels, which are launched one after another."""
    numbers = numbers or board()
    fpga = fpga or devices.load(numbers.device)
    counted: dict[str, Expr] = {}
    for kernel in kernels:
        for name, e in area.counts(kernel, fpga, numbers).items():
            counted[name] = alg.add(counted.get(name, 0), e)
    alms, brams = area.amount(counted, numbers.alms), area.amount(counted, numbers.brams)
    of_board = fpga.name == numbers.device or "alms" not in fpga.capacity
    limits = {name: (numbers if of_board else fpga).capacity[name] for name in numbers.capacity}
    values = {"alms": alms, "brams": brams, "dsps": counted["dsp"]}
    ram = alg.mul(numbers.clock_mhz.ram, alg.div(brams, limits["brams"]))
    utilisation = alg.maximum(alg.div(alms, limits["alms"]), ram)
    clock = clock_hz(utilisation, numbers)
    cycles = alg.add(*(alg.mul(k.launches, TimingModel(k, numbers).cycles()) for k in kernels))
    fits = alg.both(*(alg.compare(values[name], "<=", limit) for name, limit in limits.items()))
    each = [alg.mul(k.launches, launch_seconds(k, clock, numbers)) for k in kernels]
    seconds, luts = alg.add(*each), alg.mul(LUTS_OF_ALM, alms)
    drawn = alg.add(*(energy(Nest(k), fpga, took, luts) for k, took in zip(kernels, each, strict=True)))
    timed = {"cycles": cycles, "seconds": seconds, "clock_hz": clock}
    return Costs({**timed, **values, "energy": drawn}, UNITS, fits, limits, expected=True)


def clock_hz(utilisation: Expr, numbers: Board) -> Expr:
    rule = numbers.clock_mhz
    fall = alg.mul(rule.slope, alg.apply("exp", alg.mul(rule.power, alg.apply("log", alg.maximum(0.01, utilisation)))))
    return alg.mul(1e6, alg.maximum(rule.least, alg.sub(rule.idle, fall)))


def launch_seconds(kernel: HlsKernel, clock: Expr, numbers: Board) -> Expr:
    run = kernel.range
    cycles = TimingModel(kernel, numbers).cycles()
    memory = alg.add(0.0, *(traffic(a, kernel, numbers).item_ns for a in accesses(kernel)))
    dispatch: Expr = alg.lift(0.0)
    if run is not None:
        memory = alg.mul(memory, run.work_items)
        groups = alg.ceildiv(run.work_items, run.group)
        dispatch = alg.where(alg.compare(run.compute_units, ">", 1), alg.mul(groups, numbers.dispatch_ns * 1e-9), 0.0)
    busy = alg.maximum(alg.div(cycles, clock), alg.mul(memory, 1e-9), dispatch)
    return alg.add(numbers.start_ns * 1e-9, alg.div(numbers.start_cycles, clock), busy)
