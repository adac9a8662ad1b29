"""Values bound to names, and the `for` of Scala."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import app, controllers, parse


@pytest.mark.parametrize("loop,count", [
    ("for (k <- 0 until 3) { x(k) = k }", 3),
    ("for (k <- 1 to n) { x(k) = k }", 4),
    ("for (k <- 0 until 3) yield { x(k) = k }", 3),
])  # fmt: skip
def test_a_for_over_constants_is_hardware_for_each(loop: str, count: int) -> None:
    (block,) = controllers(app(f"val x = SRAM[Int](8); val n = 4\nPipe {{ {loop} }}"))
    assert [operation.name for operation in block.operations].count("sram_store") == count


@pytest.mark.parametrize("loop,what", [
    ("for (k <- xs) { x(k) = k }", "this `for`"),
    ("for (k <- 0 until 2; j <- 0 until 2) { x(k) = j }", "this `for`"),
    ("for (k <- 0 until m) { x(k) = k }", "a `for` with ends unknown here"),
])  # fmt: skip
def test_any_other_for_is_a_warning(loop: str, what: str) -> None:
    parsed = parse(app(f"val x = SRAM[Int](8)\nPipe {{ {loop}; x(0) = 1 }}", "val m = args(0).to[Int]"))
    assert [w.message for w in parsed.warnings] == [f"{what} is not modelled; it is taken to cost nothing"]


def test_patterns_names_and_types() -> None:
    accel = """val x = SRAM[Int](8)
      val (a, b) = (2, 3); val c, d = 4
      val half: FixPt[TRUE, _8, _8] = 1
      var v = a; v = b
      Foreach(v by 1, d by 1) { (i, j) => x(i) = x(j) + half }"""
    (loop,) = controllers(app(accel))
    assert [str(counter.stop.value) for counter in loop.counters] == ["3", "4"]  # type: ignore[union-attr]
