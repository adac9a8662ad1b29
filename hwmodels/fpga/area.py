"""Resources before placement, controller by controller (Spatial's AreaAnalyzer).

inner loop      P * operations + delay lines of P lanes
inner reduction P * map + (P - 1) * combine + 1 * combine (the accumulation), and the map's delay lines
block reduction body * P + Pm * Pr * combine + Pr * combine
outer loop      P * (stages + memories) + controller(stages) + counters
"""

from __future__ import annotations

from collections import Counter as Multiset
from dataclasses import dataclass, replace

from tunepass.expr import algebra
from tunepass.expr.nodes import INTEGER, Expr, Name
from tunepass.hwmodels.base import EstimatePart
from tunepass.hwmodels.fpga import memory as memories
from tunepass.hwmodels.fpga.dataflow import BodyTiming, analyse
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.places import errors_at, placed_area
from tunepass.hwmodels.fpga.resources import Area, constant, sized, total
from tunepass.hwmodels.fpga.widths import by_width, closed_operations, elements_of
from tunepass.ir.hardware import Controller, Counter, Operation, Program, Schedule, Transfer

COUNTER_BIT = 32  # of a counter whose end is not a constant


@dataclass(frozen=True, slots=True)
class Raw:
    """The design's resources, the surrounding shell included, and where they are."""

    area: Area
    parts: tuple[EstimatePart, ...]


def pipelined(controller: Controller) -> Expr:
    """1 when the controller's stages overlap, 0 when they run one after the other."""
    if controller.toggle is not None:
        return algebra.where(algebra.compare(Name(controller.toggle, INTEGER), "!=", 0), 1, 0)
    return algebra.lift(1 if controller.schedule in (Schedule.PIPELINED, Schedule.STREAM) else 0)


def par_of(counters: tuple[Counter, ...]) -> Expr:
    return algebra.mul(*(c.par for c in counters))


class AreaModel:
    """Area of a program on a device."""

    def __init__(self, program: Program, device: Fpga):
        self.program, self.device = program, device
        self.used = memories.accesses(program)
        overlap = {c.label: pipelined(c) for c in program.accel.walk()}
        self.buffers = memories.buffers_of(program, overlap)
        self.parts: list[EstimatePart] = []

    def raw(self) -> Raw:
        shell = constant(self.device.structures["fringe"])
        self.parts.append(EstimatePart("fringe", 0, shell))
        outside = [self._memory(m.name, 0) for m in self.program.memories]
        design = self._controller(self.program.accel, 0)
        return Raw(total([shell, *outside, design]), tuple(self.parts))

    def _controller(self, controller: Controller, depth: int) -> Area:
        with errors_at(controller.span):
            return placed_area(self._controller_area(controller, depth), controller.span)

    def _controller_area(self, controller: Controller, depth: int) -> Area:
        index = len(self.parts)
        par = par_of(controller.counters)
        if controller.schedule is Schedule.INNER:
            area = self._inner(controller, par, depth)
        else:
            inside = [self._stage(s, depth + 1) for s in controller.stages]
            inside += [self._memory(m.name, depth + 1) for m in controller.memories]
            area = total(inside).times(par) + self._control(controller)
        if controller.kind == "memreduce" and controller.reduction is not None:
            combine = self._combined(controller.reduction.operations)
            lanes = par_of(controller.reduce_counters)
            area = area + combine.times(algebra.mul(par, lanes)) + combine.times(lanes)
        if controller.kind == "reduce" and controller.schedule is not Schedule.INNER and controller.reduction:
            area = area + self._combined(controller.reduction.operations).times(par)
        area = total([area, *(self._counter(c) for c in (*controller.counters, *controller.reduce_counters))])
        self.parts.insert(index, EstimatePart(controller.label, depth, area, controller.span, times=par))
        return area

    def _stage(self, stage: Controller | Transfer, depth: int) -> Area:
        if isinstance(stage, Controller):
            return self._controller(stage, depth)
        kind = "load" if stage.kind in ("load", "gather") else "store"
        area = constant(self.device.structures[kind])
        self.parts.append(EstimatePart(f"{stage.kind} {stage.local}", depth, area, stage.span))
        return area

    def _inner(self, controller: Controller, par: Expr, depth: int) -> Area:
        operations = controller.operations
        lines = by_width(
            elements_of(operations),
            lambda close: self._delay_lines(analyse(closed_operations(operations, close), self.device), par),
        )
        pieces = [self._combined(operations).times(par), Area(lines)]
        pieces += [self._memory(m.name, depth + 1).times(par) for m in controller.memories]
        if controller.kind == "reduce" and controller.reduction is not None:
            pieces.append(self._combined(controller.reduction.operations).times(par))  # a tree of P - 1, and one
        return total(pieces)

    def _combined(self, operations: tuple[Operation, ...]) -> Area:
        """The operations, whatever widths of theirs are parameters."""
        every = elements_of(operations)
        return Area(by_width(every, lambda close: self._operations(closed_operations(operations, close))))

    def _operations(self, operations: tuple[Operation, ...]) -> Area:
        counted = Multiset((op.name, self._width(op, operations)) for op in operations if op.name in self.device.area)
        return total([constant(self.device.area[name], width).times(n) for (name, width), n in counted.items()])

    @staticmethod
    def _width(operation: Operation, operations: tuple[Operation, ...]) -> int:
        """A comparison is as wide as what it compares."""
        widths = [operations[i].element.bits for i in operation.inputs]
        return max([operation.element.bits, *widths]) if operation.element.bits == 1 else operation.element.bits

    def _delay_lines(self, body: BodyTiming, par: Expr) -> Area:
        """Short lines are registers; longer ones are block RAM as wide as all lanes together."""
        memory = self.device.memory
        registers = sum(d.width_bit * d.cycles for d in body.delays if self._short(d.width_bit * d.cycles))
        long = Multiset((d.width_bit, d.cycles) for d in body.delays if not self._short(d.width_bit * d.cycles))
        pieces = []
        for (width, cycles), n in sorted(long.items()):
            columns = algebra.maximum(1, algebra.floordiv(algebra.mul(width, par), memory.port_bit))
            rows = -(-cycles // memory.words(memory.port_bit))
            pieces.append(algebra.mul(n * rows, columns))
        return Area({"Mregs": algebra.mul(registers, par), "BRAM": algebra.add(*pieces) if pieces else 0})

    def _short(self, bits: int) -> bool:
        return bits < self.device.memory.delay_line_register_bit

    def _control(self, controller: Controller) -> Area:
        n = len(controller.stages) + (controller.kind == "memreduce")
        structures = self.device.structures
        if controller.schedule is Schedule.PARALLEL:
            return constant(structures["parallel"], n)
        if controller.schedule is Schedule.FORK:
            return constant(structures["fork"], n)
        if controller.schedule is Schedule.SEQUENTIAL and controller.kind == "accel":
            return constant(structures["sequential"], n)
        overlap = pipelined(controller)
        on, off = constant(structures["pipelined"], n), constant(structures["sequential"], n)
        return on.times(overlap) + off.times(algebra.sub(1, overlap))

    def _counter(self, counter: Counter) -> Area:
        stop = algebra.number(counter.stop) if counter.stop is not None else None
        bits = max(1, int(stop).bit_length()) if stop is not None else COUNTER_BIT
        if "counter" in self.device.templates:
            return sized(self.device.templates["counter"], bits, counter.par)
        return Area({"LUT3": algebra.add(bits, counter.par), "Regs": algebra.mul(bits, counter.par)})

    def _memory(self, name: str, depth: int) -> Area:
        memory = next(m for m in self.program.all_memories() if m.name == name)
        buffers = self.buffers.get(name, algebra.lift(1))
        with errors_at(memory.span):
            used = self.used.get(name, [])
            amounts = by_width(
                [memory.element],
                lambda close: memories.area_of(
                    replace(memory, element=close(memory.element)), used, buffers, self.device
                ),
            )
            area = placed_area(Area(amounts), memory.span)
        if area:
            self.parts.append(EstimatePart(f"{memory.kind} {name}", depth, area, memory.span))
        return area
