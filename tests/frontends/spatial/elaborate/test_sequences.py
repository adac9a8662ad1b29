"""Scala's collections."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, program
from tunepass.ir.hardware import Controller


def test_scala_collections_are_hardware_of_their_own() -> None:
    accel = program(app("""val xs = List.tabulate(3) { i => SRAM[Int](8) }
      xs.zipWithIndex.foreach { case (x, i) =>
        Foreach(8 by 1) { j => x(j) = j + i }
      }
      val sums = List.tabulate(2) { i => Reg[Int](i) }
      Foreach(8 by 1) { j => sums(0) := xs.map { x => x(j) }.reduce { _ + _ } }
      (0 until 2).foreach { k => sums(k) :+= 1 }""")).accel  # fmt: skip
    assert [s.kind for s in accel.stages if isinstance(s, Controller)] == ["foreach"] * 4 + ["unit"]
    total = accel.stages[3]
    assert isinstance(total, Controller)
    assert [op.name for op in total.operations].count("sram_load") == 3
    last = accel.stages[4]
    assert isinstance(last, Controller) and [op.name for op in last.operations].count("reg_write") == 2
