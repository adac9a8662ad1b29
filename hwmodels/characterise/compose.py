"""The templates that one design point is made of, and how many of each: what can be synthesised to check an estimate.

The controller tree is walked as area.py does; sizes are numbers, because the point fixes every parameter. What has no
template (DRAM transfers, delay lines, scalar registers, functions such as exp) is left out and named.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tunepass.expr import algebra, numpy_eval
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.characterise.verilog import FAMILIES, Template
from tunepass.hwmodels.characterise.write import ALIASES
from tunepass.hwmodels.fpga import memory as memories
from tunepass.hwmodels.fpga.area import COUNTER_BIT, AreaModel, pipelined
from tunepass.hwmodels.fpga.dataflow import BodyTiming
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.resources import Area, total
from tunepass.hwmodels.fpga.widths import number_by_width
from tunepass.ir.hardware import Controller, Counter, Operation, Program, Schedule, Transfer

Point = Mapping[str, int | bool]


class Composition(AreaModel):
    """An area whose resources are templates by name."""

    def __init__(self, program: Program, device: Fpga, point: Point):
        super().__init__(program, device)
        self._columns = {name: np.array([value]) for name, value in point.items()}
        self._made: dict[str, Template] = {}
        self.left_out: set[str] = set()

    def templates(self) -> dict[Template, int]:
        """Template -> copies in the whole design."""
        outside = [self._memory(m.name, 0) for m in self.program.memories]
        amounts = total([*outside, self._controller(self.program.accel, 0)])
        counted = {self._made[name]: self._number(amount) for name, amount in amounts.items()}
        return {template: n for template, n in counted.items() if n}

    def _number(self, e: Expr) -> int:
        return int(numpy_eval.evaluate(e, self._columns, 1).values[0])

    def _one(self, template: Template, n: int = 1) -> Area:
        self._made[template.name] = template
        return Area({template.name: n})

    def _stage(self, stage: Controller | Transfer, depth: int) -> Area:
        if isinstance(stage, Controller):
            return self._controller(stage, depth)
        self.left_out.add(f"{stage.kind} {stage.local}")
        return Area()

    def _operations(self, operations: tuple[Operation, ...]) -> Area:
        areas = []
        for op in operations:
            family = ALIASES.get(op.name, op.name)
            if family in FAMILIES and FAMILIES[family].sizes == ("w",):
                areas.append(self._one(Template.of(family, w=self._width(op, operations))))
            elif op.name in self.device.area:
                self.left_out.add(op.name)
        return total(areas)

    def _delay_lines(self, body: BodyTiming, par: Expr) -> Area:
        if body.delays:
            self.left_out.add("delay lines")
        return Area()

    def _control(self, controller: Controller) -> Area:
        n = len(controller.stages) + (controller.kind == "memreduce")
        if controller.schedule is Schedule.FORK or n == 0:
            return Area()
        if controller.schedule is Schedule.PARALLEL:
            return self._one(Template.of("parallel", n=n))
        overlap = controller.kind != "accel" and self._number(pipelined(controller))
        return self._one(Template.of("pipelined" if overlap else "sequential", n=n))

    def _counter(self, counter: Counter) -> Area:
        stop = algebra.number(counter.stop) if counter.stop is not None else None
        bits = max(1, int(stop).bit_length()) if stop is not None else COUNTER_BIT
        return self._one(Template.of("counter", w=bits, n=self._number(counter.par)))

    def _memory(self, name: str, depth: int) -> Area:
        memory = next(m for m in self.program.all_memories() if m.name == name)
        if memory.kind not in ("sram", "fifo", "filo", "linebuffer"):
            if memory.kind in ("reg", "regfile"):
                self.left_out.add("registers")
            return Area()
        width = self._number(number_by_width([memory.element], lambda close: close(memory.element).bits))
        buffers = self._number(self.buffers.get(name, algebra.lift(1)))
        used = self.used.get(name, [])
        along = [self._number(b) for b in memories.banks_of(memory, used)] if memory.kind == "sram" else []
        banks, words = 1, 1
        for i, dim in enumerate(memory.dims):
            bank = along[i] if along else 1
            banks, words = banks * bank, words * -(-self._number(dim) // bank)
        if memory.kind in ("fifo", "filo"):
            return self._one(Template.of("fifo", w=width, d=words))
        if buffers > 1:
            return self._one(Template.of("buffered", w=width, d=words, n=buffers), banks)
        return self._one(Template.of("sram", w=width, d=words), banks)
