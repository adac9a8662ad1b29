"""Bodies as stages."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, program
from tunepass.ir.hardware import Controller


def test_operations_between_loops_become_a_unit_pipe() -> None:
    accel = program(app("""val x = SRAM[Int](8); val r = Reg[Int](0)
      Foreach(8 by 1) { i => x(i) = i }
      r := x(3) * 2
      Foreach(8 by 1) { i => x(i) = r.value }""")).accel  # fmt: skip
    assert [s.kind for s in accel.stages if isinstance(s, Controller)] == ["foreach", "unit", "foreach"]
