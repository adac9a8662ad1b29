"""What an OpenCL kernel takes: counts of what it is made of, each with an amount from the board's numbers.

base          the shell of the board, once for each bitstream          unit     a compute unit
operator      ALMs of operators after the device's table               lane     loops and blocks of each SIMD lane
request       load-store units        request_bit   their width        request_copies    units beyond one an array
local         accesses of on-chip memory in a cycle                    state_bit   bits of private arrays in registers
block         RAM blocks of on-chip memory, its copies for ports
"""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.hls.opencl.numbers import Board
from tunepass.hwmodels.hls.opencl.requests import accesses, traffic
from tunepass.hwmodels.hls.opencl.walk import PlacedBlock, blocks
from tunepass.ir.hls import ONE, HlsArray, HlsKernel, HlsOperation

ON_CHIP = frozenset({"local", "constant"})
LUTS = ("LUT3", "LUT4", "LUT5", "LUT6", "LUT7")
BLOCK_BIT = 20480


def counts(kernel: HlsKernel, device: Fpga, board: Board) -> Mapping[str, Expr]:
    """The counts of one kernel, all compute units and lanes; `base` is the bitstream's and not here."""
    run = kernel.range
    lanes = run.simd if run is not None else ONE
    units = run.compute_units if run is not None else ONE
    placed = blocks(kernel)
    reached = [(access, traffic(access, kernel, board)) for access in accesses(kernel)]
    wide = [alg.mul(8.0, t.units, t.width_byte) for _, t in reached]
    each = {
        "operator": alg.mul(lanes, _operators(placed, device)),
        "lane": alg.mul(lanes, len(placed)),
        "request": alg.add(0, *(t.units for _, t in reached)),
        "request_bit": alg.add(0, *wide),
        "local": alg.mul(lanes, _local(placed, kernel)),
        "state_bit": alg.mul(lanes, _state(placed, kernel)),
        "block": alg.add(0, *(_memory_blocks(a, placed, kernel, lanes) for a in kernel.arrays)),
        "dsp": alg.mul(lanes, _dsps(placed, device)),
    }
    return {"unit": units} | {name: alg.mul(units, e) for name, e in each.items()}


def amount(total: Mapping[str, Expr], table: Mapping[str, float]) -> Expr:
    """`base`, and each count times its amount."""
    kept = (alg.mul(table.get(name, 0.0), e) for name, e in total.items() if table.get(name))
    return alg.add(table.get("base", 0.0), *kept)


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


def _local(placed: tuple[PlacedBlock, ...], kernel: HlsKernel) -> Expr:
    return alg.add(0, *(alg.mul(len(list(p.accesses(ON_CHIP, kernel))), p.copies) for p in placed))


def _state(placed: tuple[PlacedBlock, ...], kernel: HlsKernel) -> Expr:
    """Bits of private arrays that live in registers: only loops without iterations left move them."""
    return alg.add(0, *(_bits(array) for array in kernel.arrays if registers(array, placed)))


def registers(array: HlsArray, placed: tuple[PlacedBlock, ...]) -> bool:
    if array.storage not in ("local", "scalar"):
        return False
    for p in placed:
        whole = {u.loop.name for u in p.around if u.whole}
        for o in p.block.operations:
            if o.array == array.name and not all(
                s.affine and all(name in whole for name, _ in s.terms) for s in o.subscripts
            ):
                return False
    return True


def _bits(array: HlsArray) -> Expr:
    return alg.mul(array.element.bits, *array.dims)


def _memory_blocks(array: HlsArray, placed: tuple[PlacedBlock, ...], kernel: HlsKernel, lanes: Expr) -> Expr:
    """A copy of the memory for each two reads of a cycle, in blocks."""
    if array.storage not in ON_CHIP or registers(array, placed):
        return alg.lift(0)
    reads = alg.add(
        0,
        *(
            alg.mul(sum(o.array == array.name and o.name == "load" for o in p.block.operations), p.copies)
            for p in placed
        ),
    )
    copies = alg.maximum(1, alg.ceildiv(alg.mul(reads, lanes), 2))
    return alg.mul(copies, alg.ceildiv(_bits(array), BLOCK_BIT))
