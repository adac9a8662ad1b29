"""Loops, reductions and what stands before them."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, controllers, parse
from tunepass.expr.printer import to_text
from tunepass.ir.hardware import Schedule


def test_reductions_have_an_accumulator_and_a_kind() -> None:
    accel = """val x = SRAM[Int](8); val y = SRAM[Int](8)
      val s = Reduce(0)(8 by 1 par 2) { i => x(i) } { _ * _ }
      MemReduce(y par 4)(2 by 1) { k => x } { (a, b) => max(a, b) }"""
    product, block = controllers(app(accel))
    assert product.reduction is not None and (product.reduction.accumulator, product.reduction.kind) == ("s", "product")
    assert block.reduction is not None and (block.reduction.kind, block.reduction.source) == ("max", "x")
    assert [(to_text(c.par), c.name) for c in block.reduce_counters] == [("4", "y.0")]


def test_a_head_gives_style_interval_and_label() -> None:
    accel = """val x = SRAM[Int](8)
      Sequential.Foreach(4 by 1) { k => Foreach(8 by 1) { i => x(i) = k }; Foreach(8 by 1) { i => x(i) = i } }
      val named = Pipe(ii = 3).Foreach(8 by 1) { i => x(i) = i }
      'LABEL.Foreach(8 by 1) { i => x(i) = i }"""
    sequential, pipe, labelled = controllers(app(accel))
    assert sequential.schedule is Schedule.SEQUENTIAL and sequential.toggle is None
    assert (pipe.label, pipe.interval) == ("named", 3)
    assert labelled.label == "foreach_7"


def test_two_stages_to_overlap_have_a_toggle() -> None:
    accel = """val x = SRAM[Int](8)
      Foreach(4 by 1) { k => Foreach(8 by 1) { i => x(i) = k }; Foreach(8 by 1) { i => x(i) = i } }
      Foreach(4 by 1) { k => Foreach(8 by 1) { i => x(i) = k } }"""
    both, single = controllers(app(accel))
    assert (both.toggle, single.toggle) == ("pipeline_5", None)
    assert [p.name for p in parse(app(accel)).kernels[0].parameters] == ["pipeline_5"]
