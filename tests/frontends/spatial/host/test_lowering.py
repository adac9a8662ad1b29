"""Accelerators that cannot be lowered, and what host code gives them."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import app, controllers, parse
from tunepass.diagnostics import SourceError
from tunepass.expr.printer import to_text


def test_an_expression_too_deep_is_one_diagnostic() -> None:
    total = " + ".join(["x(i)"] * 2000)
    with pytest.raises(SourceError, match="nested too deeply"):
        parse(app(f"val x = SRAM[Int](8)\nForeach(8 by 1) {{ i => x(i) = {total} }}"))


def test_a_long_row_of_arguments_is_read() -> None:
    row = ", ".join(["1"] * 500)
    memories = f"val table = LUT[Int](500)({row}); val x = SRAM[Int](8)"
    (loop,) = controllers(app(f"{memories}\nForeach(8 by 1) {{ i => x(i) = table(i) }}"))
    assert [operation.name for operation in loop.operations] == ["iterator", "lut_load", "sram_store"]


def test_host_code_that_is_not_understood_names_unknown_values() -> None:
    host = "val (n, m) = try { f(3) } catch { case e => g }\nval k = 4; bound(k) = 8"
    parsed = parse(app("val x = SRAM[Int](k)\nForeach(k by 1) { i => x(i) = i }", host))
    (loop,) = controllers(app("val x = SRAM[Int](k)\nForeach(k by 1) { i => x(i) = i }", host))
    assert parsed.warnings == () and loop.counters[0].stop is not None
    assert to_text(loop.counters[0].stop) == "4"


def test_a_function_with_a_trailing_comma_is_called() -> None:
    text = """object App {
      def work(n: Int,
        m: Int,
      ): Unit = {
        Accel { val x = SRAM[Int](8); Foreach(n by 1) { i => x(i) = i } }
      }
      work(5, 6)
    }"""
    (loop,) = controllers(text)
    assert loop.counters[0].stop is not None and to_text(loop.counters[0].stop) == "5"
