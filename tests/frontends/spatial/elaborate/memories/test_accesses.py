"""Reads and writes."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, program
from tunepass.ir.hardware import Controller


def test_registers_are_written_by_method_and_by_operator() -> None:
    accel = program(
        app("val r = Reg[Int](0); val q = FIFO[Int](8)\nForeach(8 by 1) { i => r.write(q.deq(en = i == 0)); r :-= 1 }")
    )
    (loop,) = accel.accel.stages
    assert isinstance(loop, Controller)
    names = [op.name for op in loop.operations]
    assert names.count("reg_write") == 2 and "fifo_deq" in names and "fix_sub" in names
