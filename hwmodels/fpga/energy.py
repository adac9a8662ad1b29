"""Energy of a program, J: what its operations, its memories and DRAM take, and what the device draws meanwhile.

    dynamic   sum over bodies of executions * sum over operations of e(op, width)
              + bytes moved * (e of DRAM + one write or read of on-chip memory)
    static    p * cycles / clock;  p = idle + per LUT * LUTs of the design
An operation that the device's file does not list takes what an integer addition of its width does; a wire, nothing.
"""

from __future__ import annotations

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.bandwidth import Bandwidth, iterations
from tunepass.hwmodels.fpga.curves import evaluate
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.widths import Close, closed_operations, elements_of, number_by_width
from tunepass.ir.hardware import Controller, Operation, Program

PICO = 1e-12
ACCESSES = ("_load", "_store", "_enq", "_deq", "_shift")
ADDITION = "fix_add"


def energy(program: Program, device: Fpga, cycles: Expr, luts: Expr) -> Expr:
    """Joules of one run."""
    numbers = device.energy
    moved = Bandwidth(program, device).bytes_of(program.accel)
    per_byte = numbers.dram_pj_per_byte + 8 * numbers.access_pj_per_bit
    dynamic = algebra.add(_bodies(program.accel, algebra.lift(1.0), device), algebra.mul(per_byte, moved))
    power = algebra.add(numbers.idle_w, algebra.mul(numbers.lut_w, luts))
    static = algebra.mul(power, algebra.div(cycles, device.clock_hz))
    return algebra.add(algebra.mul(PICO, dynamic), static)


def _bodies(controller: Controller, executions: Expr, device: Fpga) -> Expr:
    """Picojoules of all operations below, of which the controller itself is executed so often."""
    inside = algebra.mul(executions, iterations(controller.counters))
    parts = [algebra.mul(_each(controller.operations, device), inside)]
    if controller.reduction is not None:
        combine = _each(controller.reduction.operations, device)
        repeats = iterations(controller.reduce_counters) if controller.kind == "memreduce" else algebra.lift(1)
        if controller.kind == "memreduce":  # reads what the body made and the accumulator, writes that
            element = controller.reduction.element
            accesses = number_by_width((element,), lambda close: close(element).bits)
            combine = algebra.add(combine, algebra.mul(3 * device.energy.access_pj_per_bit, accesses))
        parts.append(algebra.mul(combine, inside, repeats))
    parts += [_bodies(stage, inside, device) for stage in controller.stages if isinstance(stage, Controller)]
    return algebra.add(*parts)


def _each(operations: tuple[Operation, ...], device: Fpga) -> Expr:
    """Picojoules of all of them, over the widths that are open."""

    def closed(close: Close) -> float:
        of_widths = closed_operations(operations, close)
        return sum(energy_of(operation, of_widths, device) for operation in of_widths)

    return number_by_width(elements_of(operations), closed)


def energy_of(operation: Operation, operations: tuple[Operation, ...], device: Fpga) -> float:
    """Picojoules of one operation; a comparison is as wide as what it compares."""
    bits = max([operation.element.bits, *(operations[i].element.bits for i in operation.inputs)])
    if operation.memory is not None and operation.name.endswith(ACCESSES):
        return device.energy.access_pj_per_bit * operation.element.bits
    return energy_of_kind(operation.name, bits, device)


def energy_of_kind(name: str, bits: int, device: Fpga) -> float:
    """Picojoules of an operation of so many bits."""
    known = device.energy.operations.get(name)
    if known is None:
        if name not in device.area:
            return 0.0
        known = device.energy.operations[ADDITION]
    return max(0.0, evaluate(known, bits))
