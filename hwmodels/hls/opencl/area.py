"""Area of an OpenCL kernel: counts of its parts, each with an amount from the board's numbers.

base              the shell of the board, once for each bitstream
operator          ALMs of operators after the device's table
request, scatter  load-store units: of affine addresses, and of those that data decide
constant, local   accesses of on-chip memory in a cycle
carried_bit       bits of private arrays in registers, for each loop inside a loop (task_carried_bit in a task)
block, flight     RAM blocks of memories; of private ones a copy for each work-item in flight
"""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.hls.opencl.numbers import Board
from tunepass.hwmodels.hls.opencl.requests import accesses, traffic
from tunepass.hwmodels.hls.opencl.walk import PlacedBlock, Unrolled, bits, blocks, in_registers, shared
from tunepass.ir.hls import ONE, HlsArray, HlsKernel, HlsOperation

ON_CHIP = frozenset({"local", "constant"})
LUTS = ("LUT3", "LUT4", "LUT5", "LUT6", "LUT7")
BLOCK_BIT = 20480
IN_FLIGHT = 256  # work-items in a pipeline


def counts(kernel: HlsKernel, device: Fpga, board: Board) -> Mapping[str, Expr]:
    """The counts of one kernel, all compute units and lanes; `base` is the bitstream's and not here."""
    run = kernel.range
    lanes = run.simd if run is not None else ONE
    units = run.compute_units if run is not None else ONE
    placed = blocks(kernel)
    reached = [(access, traffic(access, kernel, board)) for access in accesses(kernel)]
    wide = [alg.mul(8.0, t.units, t.width_byte) for _, t in reached]
    carried = alg.mul(lanes, _carried(placed, kernel))
    alone = alg.lift(True) if run is None else alg.compare(run.work_items, "==", 1)
    each = {
        "operator": alg.mul(lanes, _operators(placed, device)),
        "lane": alg.mul(lanes, len(placed)),
        "request": alg.add(0, *(t.units for a, t in reached if a.affine)),
        "scatter": alg.add(0, *(t.units for a, t in reached if not a.affine)),
        "request_bit": alg.add(0, *wide),
        "local": alg.mul(lanes, _ports(placed, kernel, "local")),
        "constant": alg.mul(lanes, _ports(placed, kernel, "constant")),
        "state_bit": alg.mul(lanes, _state(kernel)),
        "carried_bit": alg.where(alone, 0, carried),
        "task_carried_bit": alg.where(alone, carried, 0),
        "block": alg.add(0, *(_memory_blocks(a, placed, kernel, lanes) for a in kernel.arrays)),
        "flight": alg.where(alone, 0, alg.mul(lanes, _in_flight(placed, kernel))),
        "dsp": alg.mul(lanes, _dsps(placed, device)),
    }
    return {"unit": units} | {name: alg.mul(units, e) for name, e in each.items()}


def amount(total: Mapping[str, Expr], table: Mapping[str, float]) -> Expr:
    """`base`, and each count times its amount."""
    parts = (alg.mul(table.get(name, 0.0), e) for name, e in total.items() if table.get(name))
    return alg.add(table.get("base", 0.0), *parts)


def _operators(placed: tuple[PlacedBlock, ...], device: Fpga) -> Expr:
    each: list[Expr] = []
    for p in placed:
        alms = sum(_alms(o, device) for o in p.block.operations)
        each.append(alg.mul(alms, p.copies))
    return alg.add(0, *each)


def _alms(operation: HlsOperation, device: Fpga) -> float:
    """Half of the LUTs, of which an ALM holds two, or of the registers, of which it holds four."""
    table = device.area.get(operation.name)
    if table is None:
        return 0.0
    bits = float(operation.element.bits)
    luts = sum(_at(table[name], bits) for name in LUTS if name in table)
    return max(luts / 2, _at(table["Regs"], bits) / 4 if "Regs" in table else 0.0)


def _dsps(placed: tuple[PlacedBlock, ...], device: Fpga) -> Expr:
    each: list[Expr] = []
    for p in placed:
        dsps = sum(
            _at(device.area[o.name]["DSPs"], float(o.element.bits))
            for o in p.block.operations
            if o.name in device.area and "DSPs" in device.area[o.name]
        )
        each.append(alg.mul(dsps, p.copies))
    return alg.add(0, *each)


def _at(curve: object, bits: float) -> float:
    if isinstance(curve, tuple):
        return float(sum(a * bits**k for k, a in enumerate(curve)))
    return float(curve.at(bits))  # type: ignore[attr-defined]


def _ports(placed: tuple[PlacedBlock, ...], kernel: HlsKernel, storage: str) -> Expr:
    """Accesses in a cycle of memories with addresses."""
    ports: list[Expr] = []
    for p in placed:
        for operation in p.accesses(frozenset({storage}), kernel):
            array = kernel.array(str(operation.array))
            ports.append(alg.where(in_registers(array, kernel), 0, p.copies))
    return alg.add(0, *ports)


def _state(kernel: HlsKernel) -> Expr:
    """Bits of private arrays that live in registers."""
    return alg.add(0, *(alg.where(in_registers(a, kernel), bits(a), 0) for a in kernel.arrays))


def _carried(placed: tuple[PlacedBlock, ...], kernel: HlsKernel) -> Expr:
    """The same bits for each loop that is left inside another: what waits for it is carried along its pipeline."""
    inner = {u.loop.name: (u, p.around[:i]) for p in placed for i, u in enumerate(p.around) if i and not u.whole}
    left = [alg.where(alg.compare(u.iterations, ">", 1), _any_left(around), 0) for u, around in inner.values()]
    return alg.mul(_state(kernel), alg.add(0, *left))


def _any_left(around: tuple[Unrolled, ...]) -> Expr:
    return alg.minimum(1, alg.add(0, *(alg.where(alg.compare(u.iterations, ">", 1), 1, 0) for u in around)))


def _in_flight(placed: tuple[PlacedBlock, ...], kernel: HlsKernel) -> Expr:
    """Blocks of private memory, a copy for each of the work-items that are in the pipeline at once."""
    private = [a for a in kernel.arrays if a.storage == "local" and not shared(a, kernel)]
    each = (alg.where(in_registers(a, kernel), 0, bits(a)) for a in private)
    return alg.mul(alg.add(0, *each), IN_FLIGHT / BLOCK_BIT)


def _memory_blocks(array: HlsArray, placed: tuple[PlacedBlock, ...], kernel: HlsKernel, lanes: Expr) -> Expr:
    """A copy of the memory for each two reads of a cycle, in blocks."""
    if array.storage not in ON_CHIP:
        return alg.lift(0)
    reads = alg.add(
        0,
        *(
            alg.mul(sum(o.array == array.name and o.name == "load" for o in p.block.operations), p.copies)
            for p in placed
        ),
    )
    copies = alg.maximum(1, alg.ceildiv(alg.mul(reads, lanes), 2))
    return alg.where(in_registers(array, kernel), 0, alg.mul(copies, alg.ceildiv(bits(array), BLOCK_BIT)))
