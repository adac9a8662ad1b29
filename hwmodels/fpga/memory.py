"""On-chip memories: how many banks, copies and blocks (Spatial's MemoryAnalyzer and area model).

    banks  = product over dimensions of the par of the counters that index it, at most the dimension
    depth  = product of ceildiv(dimension, banks of it)
    blocks = columns * ceildiv(depth, words a block holds), columns = max(1, width // port width)
    total  = blocks * banks * buffers;   buffers = 1 + the distance of the stages of a MetaPipe that write and read
A memory used along two different dimensions is banked diagonally: lcm of the two. On a device whose synthesis tool was
watched, the blocks are those of the tool's choice among the shapes that a block can have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.device import Fpga, priced
from tunepass.hwmodels.fpga.resources import Area, constant, sized
from tunepass.ir.hardware import Controller, Memory, Program, Stage, Transfer

NO_PRICE = 1e300  # dearer than any shape
TIE = 1e-9  # blocks: prices that are no closer than rounding
SCALARS = frozenset({"reg", "argout"})


@dataclass(frozen=True, slots=True)
class ParallelAccess:
    """How one access spreads over a memory's dimensions: its parallel factor along each."""

    pars: tuple[Expr, ...]
    write: bool


def accesses(program: Program) -> dict[str, list[ParallelAccess]]:
    """Every access of every memory, in program order."""
    accesses_of: dict[str, list[ParallelAccess]] = {}
    pars: dict[str, Expr] = {}
    sizes = {m.name: len(m.dims) for m in program.all_memories()}
    for controller in program.accel.walk():
        pars |= {c.name: c.par for c in (*controller.counters, *controller.reduce_counters)}
        counter_names = {c.name for c in controller.counters}
        for op in controller.operations:
            if op.memory is not None and op.index:
                along = tuple(
                    algebra.mul(
                        *(pars[c] for c in index.counters if c in pars and (c in counter_names or not counter_names))
                    )
                    for index in op.index
                )
                accesses_of.setdefault(op.memory, []).append(
                    ParallelAccess(along, op.name.endswith(("_store", "_enq", "_shift")))
                )
        for name, access in _block_accesses(controller):
            accesses_of.setdefault(name, []).append(access)
        for stage in controller.stages:
            if isinstance(stage, Transfer) and sizes.get(stage.local):
                ones = (algebra.lift(1),) * (sizes[stage.local] - 1)
                accesses_of.setdefault(stage.local, []).append(
                    ParallelAccess((*ones, stage.par), stage.kind in ("load", "gather"))
                )
    return accesses_of


def _block_accesses(controller: Controller) -> Iterator[tuple[str, ParallelAccess]]:
    """A block reduction reads and writes its accumulator, and reads what its body made."""
    if controller.kind != "memreduce" or controller.reduction is None:
        return
    along = tuple(c.par for c in controller.reduce_counters)
    yield controller.reduction.accumulator, ParallelAccess(along, False)
    yield controller.reduction.accumulator, ParallelAccess(along, True)
    if controller.reduction.source is not None:
        yield controller.reduction.source, ParallelAccess(along, False)


def banks_of(memory: Memory, used: list[ParallelAccess]) -> tuple[Expr, ...]:
    """Banks along each dimension; a diagonal pattern is one number of banks, along the last."""
    shapes = [a.pars for a in used if len(a.pars) == len(memory.dims)]
    if not shapes:
        return tuple(algebra.lift(1) for _ in memory.dims)
    along = [algebra.maximum(*(shape[d] for shape in shapes)) for d in range(len(memory.dims))]
    spread = [d for d, par in enumerate(along) if algebra.number(par) != 1]
    if len(spread) > 1 and not any(sum(algebra.number(p) != 1 for p in shape) > 1 for shape in shapes):
        diagonal = along[spread[0]]
        for d in spread[1:]:
            diagonal = algebra.apply("lcm", diagonal, along[d])
        return (*(algebra.lift(1) for _ in memory.dims[1:]), diagonal)
    return tuple(algebra.minimum(par, dim) for par, dim in zip(along, memory.dims))


def blocks(width_bit: int, depth: Expr, device: Fpga) -> Expr:
    """Blocks of RAM for `depth` words of `width_bit`."""
    memory = device.memory
    if not memory.shapes:
        columns = max(1, width_bit // memory.port_bit)
        return algebra.mul(columns, algebra.ceildiv(depth, memory.words(width_bit)))
    best: Expr = algebra.lift(0)
    least: Expr = algebra.lift(NO_PRICE)
    for (width, words, cost), each in zip(memory.shapes, priced(memory.shapes)):  # the first of the cheapest
        rows, columns = algebra.ceildiv(depth, words), -(-width_bit // width)
        count = algebra.mul(columns * cost, rows)
        several = algebra.where(algebra.compare(rows, ">", 1), 1, 0)
        multiplexer = algebra.mul(memory.row_blocks_per_bit * width_bit, several)
        price = algebra.add(algebra.mul(columns * each, rows), multiplexer)
        cheaper = algebra.compare(price, "<", algebra.sub(least, TIE))
        best, least = algebra.where(cheaper, count, best), algebra.where(cheaper, price, least)
    return best


def area_of(memory: Memory, used: list[ParallelAccess], buffers: Expr, device: Fpga) -> Area:
    """One instance of a memory; `buffers` copies of it when MetaPipe stages pass it on."""
    width = memory.element.bits
    if memory.kind in SCALARS:
        return Area({"LUT3": algebra.mul(width, algebra.sub(buffers, 1)), "Mregs": algebra.mul(width, buffers)})
    elements = algebra.mul(*memory.dims) if memory.dims else algebra.lift(1)
    if memory.kind == "regfile":
        registers = algebra.mul(width, elements, buffers)
        return Area({"LUT3": algebra.mul(width, algebra.sub(buffers, 1)), "Mregs": registers})
    if memory.kind not in ("sram", "linebuffer", "fifo", "filo"):
        return Area()
    along = banks_of(memory, used) if memory.kind == "sram" else tuple(algebra.lift(1) for _ in memory.dims)
    banks = algebra.mul(*along)
    depth = algebra.mul(*(algebra.ceildiv(dim, bank) for dim, bank in zip(memory.dims, along)))
    design = Area({"BRAM": algebra.mul(blocks(width, depth, device), banks, buffers)})
    if memory.kind in ("fifo", "filo") and "fifo" in device.templates:
        return design + sized(device.templates["fifo"], width, depth)
    return design + _ring(width, banks, buffers, device)


def _ring(width: int, banks: Expr, buffers: Expr, device: Fpga) -> Area:
    """What hands each bank of several buffers on: as characterised, or a mux and a register as deep as the buffers."""
    several = algebra.where(algebra.compare(buffers, ">", 1), 1, 0)
    if "buffered" in device.templates:
        return sized(device.templates["buffered"], width, buffers).times(algebra.mul(banks, several))
    mux = constant(device.area["mux"], width)["LUT3"]
    control = algebra.mul(several, banks, buffers, buffers)
    return Area({"LUT3": algebra.mul(mux, control), "Mregs": algebra.mul(width, control)})


def buffers_of(program: Program, pipelined: Mapping[str, Expr]) -> dict[str, Expr]:
    """Copies of each memory: 1 + the distance between the first stage of a MetaPipe that uses it and the last.

    `pipelined` gives 1 or 0 for each controller by label: whether its stages overlap.
    """
    buffers: dict[str, Expr] = {}
    for controller in program.accel.walk():
        for memory in controller.memories:
            distance = _distance(controller, memory.name)
            overlap = pipelined.get(controller.label, algebra.lift(0))
            buffers[memory.name] = algebra.add(1, algebra.mul(overlap, distance))
    return buffers


def _distance(controller: Controller, memory: str) -> int:
    users = [i for i, stage in enumerate(controller.stages) if memory in _uses(stage)]
    if not users:
        return 0
    last = users[-1]
    if controller.kind == "memreduce" and controller.reduction and controller.reduction.source == memory:
        last = len(controller.stages)  # the accumulation is the last stage
    return last - users[0]


def _uses(stage: Stage) -> set[str]:
    if isinstance(stage, Transfer):
        return {stage.local}
    names: set[str] = set()
    for controller in stage.walk():
        names |= {op.memory for op in controller.operations if op.memory is not None}
        names |= {s.local for s in controller.stages if isinstance(s, Transfer)}
        if controller.reduction is not None:
            names |= {n for n in (controller.reduction.accumulator, controller.reduction.source) if n is not None}
    return names
