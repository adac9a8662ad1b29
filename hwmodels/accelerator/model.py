"""The model of accelerators before any register transfer is written, in Aladdin's manner (Shao et al., ISCA 2014).

    cycles   sum over layers of steps + multiply-add + 1                    steps: layers.py; reference: schedule.py
    energy   sum over operations of executions e(op, width) + accesses      J of an inference
    power    rate energy + leakage                                          mW; without a stated rate, at full speed
    area     multipliers (most lanes of a layer) + other units (all layers) + registers, without SRAM

    leakage  of those units, of registers and of SRAM; nothing is switched off
The network runs at the device's one clock. Products with 0 take as much as others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.accelerator.device import Process, load, names
from tunepass.hwmodels.accelerator.layers import Layer, layers_of
from tunepass.hwmodels.accelerator.units import ACCESSES, SizedUnit, bank_bytes, product_unit, read_pj, unit_of
from tunepass.hwmodels.base import CostModel, Costs, DeviceSummary, EstimatePart
from tunepass.hwmodels.hls.nest import Nest, Placed
from tunepass.hwmodels.hls.widths import by_width
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Kernel

PICO, NANO, MILLI, KIB = 1e-12, 1e-9, 1e-3, 1024
UNITS = {
    "cycles": "cycles",
    "seconds": "s",
    "energy": "J",
    "power": "mW",
    "leakage": "mW",
    "logic_area": "um2",
    "sram_byte": "B",
}


def costs(kernel: HlsKernel, process: Process) -> Costs:
    """Named expressions over the kernel's parameters. SourceError for a kernel that is no network of layers."""
    return by_width(kernel, lambda variant: _Design(variant, process).costs())


@dataclass(frozen=True)
class _Design:
    """One kernel whose widths are known."""

    kernel: HlsKernel
    process: Process

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        return layers_of(self.kernel)

    @cached_property
    def nest(self) -> Nest:
        return Nest(self.kernel)

    def costs(self) -> Costs:
        self._check_clock()
        cycles = alg.add(*(self.cycles(layer) for layer in self.layers))
        seconds = alg.mul(self.process.clock_ns * NANO, cycles)
        energy = alg.mul(PICO, self.dynamic_pj())
        leakage, rate = self.leakage_mw(), self.kernel.rate
        dynamic_w = alg.div(energy, seconds) if rate is None else alg.mul(rate, energy)
        values = {
            "cycles": cycles,
            "seconds": seconds,
            "energy": energy,
            "power": alg.add(alg.div(dynamic_w, MILLI), leakage),
            "leakage": leakage,
            "logic_area": self.logic_um2(),
            "sram_byte": self.sram_byte(),
        }
        in_time = alg.lift(True) if rate is None else alg.compare(alg.mul(rate, seconds), "<=", 1.0)
        largest = self.process.sram.read_pj[-1][0]
        within = (alg.compare(self.bank_byte(layer), "<=", largest) for layer in self.layers)
        return Costs(
            values, UNITS, in_time, {}, tuple(self._parts()),
            name="the model of accelerators", within_fit=alg.both(*within),
        )  # fmt: skip

    def _check_clock(self) -> None:
        stated = self.kernel.clock_hz
        hz = 1 / (self.process.clock_ns * NANO)
        number = None if stated is None else alg.number(stated)
        if stated is not None and (number is None or abs(number - hz) > 0.01 * hz):
            hint = f"leave `clock` out, or write `clock({hz / 1e6:.1f})`"
            raise SourceError(f"{self.process.name} has numbers for one clock", self.kernel.span, hint)

    # --- time -----------------------------------------------------------------------------------------------------

    def cycles(self, layer: Layer) -> Expr:
        """After the last read its multiply-add, then a cycle for the output."""
        return alg.add(layer.steps, self.process.multiply_add_cycles + 1)

    def _parts(self) -> Sequence[EstimatePart]:
        return [
            EstimatePart(layer.outer.name, 0, {"cycles": self.cycles(layer)}, layer.outer.span) for layer in self.layers
        ]

    # --- energy ---------------------------------------------------------------------------------------------------

    def dynamic_pj(self) -> Expr:
        """Energy of one inference."""
        terms = []
        for placed in self.nest.operations:
            trips = (loop.trip for loop in placed.loops)
            terms.append(alg.mul(self._execution_pj(placed), *trips))
        return alg.add(0.0, *terms)

    def _execution_pj(self, placed: Placed) -> Expr:
        operation = placed.operation
        if operation.name not in ACCESSES:
            unit = unit_of(placed, self.process)
            return alg.lift(0.0 if unit is None else unit.energy_pj)
        for layer in self.layers:
            if layer.weights.name == operation.array:
                return read_pj(self.process.sram, self.bank_byte(layer), operation.element.bits)
        accumulators = {layer.accumulator.name for layer in self.layers}
        if not operation.subscripts and operation.array not in accumulators:
            return alg.lift(0.0)  # a scalar within a cycle is a wire
        return alg.lift(operation.element.bits * self.process.register.energy_pj)

    # --- area and leakage -----------------------------------------------------------------------------------------

    def bank_byte(self, layer: Layer) -> Expr:
        return bank_bytes(self.process.sram, layer.bank_words, layer.weights.element.bits)

    def sram_byte(self) -> Expr:
        return alg.add(*(alg.mul(layer.banks, self.bank_byte(layer)) for layer in self.layers))

    def register_bits(self) -> Expr:
        """Arrays that are no weights, and a sum for each lane."""
        weights = {layer.weights.name for layer in self.layers}
        arrays = [a for a in self.kernel.arrays if a.dims and a.name not in weights]
        bits = [alg.mul(array.element.bits, *array.dims) for array in arrays]
        sums = [alg.mul(layer.accumulator.element.bits, layer.lanes) for layer in self.layers]
        return alg.add(*bits, alg.maximum(*sums))

    def units(self, amount: Callable[[SizedUnit], float]) -> Expr:
        """Multipliers are shared by layers, as many as the most at once; other units are a layer's own (Aladdin)."""
        unshared = []
        for layer in self.layers:
            for placed in self.nest.operations:
                unit = unit_of(placed, self.process) if layer.outer in placed.loops else None
                if unit is not None and unit.unit is not self.process.multiplier:
                    unshared.append(alg.mul(amount(unit), layer.lanes))
        multipliers = [
            alg.mul(amount(product_unit(self.process, *layer.multiplied)), layer.lanes) for layer in self.layers
        ]
        return alg.add(alg.maximum(*multipliers), *unshared)

    def logic_um2(self) -> Expr:
        registers = alg.mul(self.process.register.area_um2, self.register_bits())
        return alg.add(self.units(lambda unit: unit.area_um2), registers)

    def leakage_mw(self) -> Expr:
        sram = alg.mul(self.process.sram.leakage_mw_per_kib / KIB, self.sram_byte())
        registers = alg.mul(self.process.register.leakage_mw, self.register_bits())
        return alg.add(self.units(lambda unit: unit.leakage_mw), registers, sram)


class AcceleratorModel(CostModel):
    """Fixed-point networks as C for high-level synthesis, on a process of its own."""

    def devices(self) -> tuple[str, ...]:
        return names()

    def summary(self, device: str) -> DeviceSummary:
        process = load(device)
        clock_hz = 1e9 / process.clock_ns
        return DeviceSummary(process.name, "accelerator", process.description, clock_hz, {})

    def costs(self, kernel: Kernel, device: str, words: Sequence[str] = ()) -> Costs | None:
        return costs(kernel.body, load(device)) if isinstance(kernel.body, HlsKernel) else None
