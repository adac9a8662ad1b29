"""Branches."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, program
from tunepass.ir.hardware import Schedule


def test_a_branch_with_loops_forks() -> None:
    accel = program(app("""val x = SRAM[Int](8); val r = Reg[Int](0)
      Foreach(4 by 1) { k =>
        if (k < 2) { Foreach(8 by 1) { i => x(i) = i } } else { Foreach(4 by 1) { i => x(i) = 0 } }
        Foreach(8 by 1) { i => x(i) = k }
      }""")).accel  # fmt: skip
    schedules = [c.schedule for c in accel.walk()]
    assert Schedule.FORK in schedules
