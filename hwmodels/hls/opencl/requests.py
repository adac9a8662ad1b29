"""Global memory as an OpenCL compiler's load-store units reach it.

Accesses of one block that differ in a constant are one wide access, and copies of an unrolled loop that continue it
widen it. SIMD lanes are merged before either: what they do not continue is a unit of its own for each copy. Lines:

    continued      neighbours in the order of requests follow each other: lines of a run of them, `line_ns` each
    scattered      each request is for a line of its own, `scattered_ns`
    walked         on from a start that data give: `request_ns`, and `walked_ns` for a line's worth

Requests follow each other by work-items in a range, by iterations of the innermost loop in a task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.hls.opencl.numbers import Board
from tunepass.hwmodels.hls.opencl.walk import PlacedBlock, blocks
from tunepass.ir.hls import ONE, ZERO, HlsArray, HlsKernel, HlsOperation, NdRange

GLOBAL = frozenset({"global"})
LANE = ("get_global_id(0)", "get_local_id(0)")
GROUP = "get_group_id(0)"


@dataclass(frozen=True, slots=True)
class BlockAccess:
    """Operations of one block on one array that differ in constants alone: `count` of them."""

    operation: HlsOperation
    array: HlsArray
    placed: PlacedBlock
    count: int
    affine: bool
    moves: dict[str, Expr]  # elements of the flattened array for each iteration of a loop, or for each work-item
    dims: dict[str, int]  # of each array of the kernel

    def stride(self, name: str) -> Expr:
        return self.moves.get(name, ZERO)

    @property
    def element_byte(self) -> float:
        return max(1.0, self.array.element.bits / 8)


@dataclass(frozen=True, slots=True)
class Traffic:
    """Traffic of one access: load-store units in a compute unit, their width, and ns of memory time for a work-item."""

    units: Expr
    width_byte: Expr
    item_ns: Expr


def accesses(kernel: HlsKernel) -> tuple[BlockAccess, ...]:
    accesses_of_blocks: list[BlockAccess] = []
    for placed in blocks(kernel):
        accesses_of_blocks += _of_block(placed, kernel)
    return tuple(accesses_of_blocks)


def _of_block(placed: PlacedBlock, kernel: HlsKernel) -> Iterator[BlockAccess]:
    alike: dict[tuple[object, ...], list[HlsOperation]] = {}
    for operation in placed.accesses(GLOBAL, kernel):
        shape = tuple((s.terms, s.affine) for s in operation.subscripts)
        alike.setdefault((operation.name, operation.array, shape), []).append(operation)
    for (_, name, _), operations in alike.items():
        array = kernel.array(str(name))
        first = operations[0]
        offsets = {tuple(s.offset for s in o.subscripts) for o in operations}
        affine = all(s.affine for s in first.subscripts)
        dims = {a.name: len(a.dims) for a in kernel.arrays}
        yield BlockAccess(first, array, placed, len(offsets), affine, _moves(first, array), dims)


def _moves(operation: HlsOperation, array: HlsArray) -> dict[str, Expr]:
    moves: dict[str, Expr] = {}
    inner = ONE
    for place in range(len(operation.subscripts) - 1, -1, -1):
        for name, elements in operation.subscripts[place].terms:
            moves[name] = alg.add(moves.get(name, ZERO), alg.mul(elements, inner))
        if 0 < place < len(array.dims):
            inner = alg.mul(inner, array.dims[place])
    return moves


def traffic(access: BlockAccess, kernel: HlsKernel, board: Board) -> Traffic:
    """In a task where `kernel` has no range of work-items, or one of a single one."""
    run = kernel.range
    if run is None or alg.number(run.work_items) == 1:
        return _of_task(access, board)
    if alg.number(run.work_items) is not None:
        return _of_range(access, run, board)
    alone = alg.compare(run.work_items, "==", 1)
    task, range_ = _of_task(access, board), _of_range(access, run, board)
    return Traffic(
        alg.where(alone, task.units, range_.units),
        alg.where(alone, task.width_byte, range_.width_byte),
        alg.where(alone, task.item_ns, range_.item_ns),
    )


def _merged(access: BlockAccess) -> tuple[Expr, Expr]:
    """(units, width in elements): unrolled loops that continue an access widen it, innermost first."""
    width, units = alg.lift(access.count), ONE
    for loop in reversed(access.placed.around):
        stride = access.stride(loop.loop.name)
        continues = alg.compare(stride, "==", width) if access.affine or alg.number(stride) else alg.compare(0, "==", 1)
        same = alg.both(alg.compare(stride, "==", 0)) if access.affine else alg.compare(0, "==", 1)
        units = alg.where(continues, units, alg.where(same, units, alg.mul(units, loop.copies)))
        width = alg.where(continues, alg.mul(width, loop.copies), width)
    return units, width


def _weight(access: BlockAccess, board: Board) -> Expr:
    """Executions by one work-item, those that data decide in the mean."""
    return alg.mul(access.placed.executions, board.guarded if access.operation.guarded else 1.0)


def _lines(byte: Expr, board: Board) -> Expr:
    return alg.ceildiv(byte, board.line_byte)


def _of_task(access: BlockAccess, board: Board) -> Traffic:
    units, width = _merged(access)
    byte = alg.mul(width, access.element_byte)
    inner = next((u for u in reversed(access.placed.around) if not u.whole), None)
    step = alg.mul(access.stride(inner.loop.name), inner.copies, access.element_byte) if inner else ZERO
    near = alg.both(alg.compare(step, "<=", board.line_byte), alg.compare(step, ">=", -board.line_byte))
    streamed = alg.mul(alg.apply("abs", alg.div(step, board.line_byte)), board.line_ns)
    alone = alg.mul(_lines(byte, board), board.scattered_ns)
    each = alg.where(near, streamed, alone) if access.affine else alone
    return Traffic(units, byte, alg.mul(_weight(access, board), units, each))


def _of_range(access: BlockAccess, run: NdRange, board: Board) -> Traffic:
    if not access.affine:
        return _of_data(access, run, board)
    units, width = _merged(access)
    lane = alg.add(*(access.stride(name) for name in LANE))
    beside = run.width if run.width is not None else run.group
    apart = _apart(access, units, width)
    plain = _per_item(lane, width, beside, access, board)
    simd = _per_item(lane, alg.lift(1), beside, access, board)
    together = alg.compare(run.simd, "==", 1)
    units = alg.where(together, units, apart)
    byte = alg.mul(alg.where(together, width, alg.where(alg.compare(lane, "==", 1), run.simd, 1)), access.element_byte)
    each = alg.mul(units, alg.where(together, plain, simd))
    return Traffic(units, byte, alg.mul(_weight(access, board), each))


def _apart(access: BlockAccess, units: Expr, width: Expr) -> Expr:
    """Load-store units where SIMD lanes keep accesses from being merged."""
    return alg.mul(units, width)


def _per_item(lane: Expr, width: Expr, beside: Expr, access: BlockAccess, board: Board) -> Expr:
    """ns of one request of a unit of `width` elements: its share of the lines of a row of `beside` work-items."""
    byte = alg.mul(width, access.element_byte)
    step = alg.mul(lane, access.element_byte)
    row = alg.div(_lines(alg.mul(step, beside), board), beside)
    same = alg.div(_lines(byte, board), beside)
    near = alg.both(
        alg.compare(step, "<=", board.line_byte), alg.compare(step, "<=", alg.maximum(byte, board.line_byte))
    )
    continued = alg.mul(alg.where(alg.compare(step, "==", 0), same, row), board.line_ns)
    whole = alg.compare(step, "==", byte)
    far = alg.mul(_lines(byte, board), board.scattered_ns)
    return alg.where(whole, continued, alg.where(near, continued, far))


def _of_data(access: BlockAccess, run: NdRange, board: Board) -> Traffic:
    """An address that data decide: anywhere, a line for each copy; or on from a start that only data know, where loads
    find the rest of a line in a cache."""
    weight = _weight(access, board)
    copies = alg.mul(access.count, access.placed.copies)
    if gathers(access):
        return Traffic(
            alg.mul(copies, run.simd), alg.lift(access.element_byte), alg.mul(weight, copies, board.scattered_ns)
        )
    units, width = _merged(replace(access, moves=_steps(access), affine=True))
    byte = alg.mul(width, access.element_byte)
    if access.operation.name == "load":
        each = alg.mul(units, alg.add(board.request_ns, alg.mul(alg.div(byte, board.line_byte), board.walked_ns)))
    else:
        each = alg.mul(units, _lines(byte, board), board.scattered_ns)
    return Traffic(alg.mul(units, run.simd), byte, alg.mul(weight, each))


def gathers(access: BlockAccess) -> bool:
    """Does the address come from memory, and not only from where a scalar says that a stretch starts?"""
    return any(o.name == "load" and access.dims[str(o.array)] > 0 for o in _address(access))


def _address(access: BlockAccess) -> Iterator[HlsOperation]:
    """The operations that compute it."""
    operations = access.placed.block.operations
    start = access.operation.inputs if access.operation.name == "load" else access.operation.inputs[1:]
    waiting, seen = list(start), set[int]()
    while waiting:
        place = waiting.pop()
        if place not in seen:
            seen.add(place)
            yield operations[place]
            waiting += operations[place].inputs


def _steps(access: BlockAccess) -> dict[str, Expr]:
    """Elements by which loops move on from a start that data give."""
    steps: dict[str, Expr] = {}
    for operation in _address(access):
        if operation.name == "index":
            for name, elements in operation.subscripts[0].terms:
                steps[name] = alg.add(steps.get(name, ZERO), elements)
    return steps
