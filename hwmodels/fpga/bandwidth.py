"""The cycles that moving a program's words takes at least: no design moves more than the channels of the board.

    row        max(whole bursts of the row, what a channel moves while it opens a row)   bytes
    element    as a row, of a gather or a scatter
    stage      a transfer: rows times the bytes of one; a controller: iterations times the sum over its stages
    floor      ceil(copies * bytes / bytes a cycle), where `copies` is the par of all loops around
What runs at the same time shares the channels: the stages of a pipeline, of a Parallel, and the copies of a loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.area import par_of
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.places import errors_at
from tunepass.hwmodels.fpga.widths import number_by_width
from tunepass.ir.hardware import Controller, Counter, Program, Schedule, Stage, Transfer


class Bandwidth:
    """The DRAM traffic of a program's stages, and how long it takes at least."""

    def __init__(self, program: Program, device: Fpga):
        self.device = device
        self._bytes: dict[int, Expr] = {}
        self._copies: dict[int, Expr] = {}
        self._visit(program.accel, algebra.lift(1))

    def bytes_of(self, stage: Stage) -> Expr:
        """Bytes that one execution of one copy moves."""
        return self._bytes[id(stage)]

    def copies_of(self, stage: Stage) -> Expr:
        """How many of it run side by side: the par of all loops around."""
        return self._copies[id(stage)]

    def floor(self, stages: Sequence[Stage]) -> Expr:
        """Cycles that `stages` of one controller take at least when each is executed once, in all copies of them."""
        moving = [stage for stage in stages if algebra.number(self._bytes[id(stage)]) != 0]
        if not moving:
            return algebra.lift(0)
        copies = self._copies[id(moving[0])]
        rate = self.device.dram.byte_per_cycle(self.device.clock_hz)
        moved = algebra.mul(copies, algebra.add(*(self._bytes[id(stage)] for stage in moving)))
        return _ceil(algebra.div(moved, rate))

    def together(self, stages: Sequence[Stage]) -> Expr:
        """The floor of stages that run at the same time; 0 where one at most moves anything: it has its own."""
        moving = [stage for stage in stages if algebra.number(self._bytes[id(stage)]) != 0]
        return self.floor(moving) if len(moving) > 1 else algebra.lift(0)

    def _visit(self, stage: Stage, copies: Expr) -> Expr:
        self._copies[id(stage)] = copies
        with errors_at(stage.span):
            moved = self._transferred(stage) if isinstance(stage, Transfer) else self._moved(stage, copies)
        self._bytes[id(stage)] = moved
        return moved

    def _moved(self, controller: Controller, copies: Expr) -> Expr:
        inside = [self._visit(child, algebra.mul(copies, par_of(controller.counters))) for child in controller.stages]
        once = algebra.maximum if controller.schedule is Schedule.FORK else algebra.add
        return algebra.mul(iterations(controller.counters), once(*inside)) if inside else algebra.lift(0)

    def _transferred(self, transfer: Transfer) -> Expr:
        dram = self.device.dram
        *outer, words = transfer.lengths
        width = number_by_width([transfer.element], lambda close: close(transfer.element).bits)
        if transfer.kind in ("gather", "scatter"):
            bursts = algebra.ceildiv(width, 8 * dram.burst_byte)
            each = algebra.maximum(algebra.mul(dram.burst_byte, bursts), round(dram.row_byte))
            return algebra.mul(*outer, words, each)
        bits = algebra.mul(words, width)
        row = algebra.mul(dram.burst_byte, algebra.ceildiv(bits, 8 * dram.burst_byte))
        return algebra.mul(*outer, algebra.maximum(round(dram.row_byte), row))


def iterations(counters: tuple[Counter, ...]) -> Expr:
    """How often a body is executed, in all lanes; a counter without end counts once."""
    bounded = [c for c in counters if c.stop is not None]
    return algebra.mul(*(algebra.ceildiv(algebra.sub(c.stop or 0, c.start), c.step) for c in bounded))


def _ceil(e: Expr) -> Expr:
    value = algebra.number(e)
    return algebra.lift(-int(-value // 1)) if value is not None else algebra.apply("ceil", e)
