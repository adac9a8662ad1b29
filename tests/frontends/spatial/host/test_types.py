"""Type aliases and case classes of a file."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, parse
from tunepass.diagnostics import Source
from tunepass.frontends.spatial.elaborate.types import read_type
from tunepass.frontends.spatial.host.types import file_types
from tunepass.frontends.spatial.outline.apps import apps
from tunepass.frontends.spatial.syntax.lexer import scan
from tunepass.ir.hardware import INT, Fixed, Program, Struct


def test_case_classes_by_field() -> None:
    text = "case class Cell(score: Int16, ptr: Int16)\n" + app("""val m = SRAM[Cell](8)
      val best = Reg[Int16](0)
      Foreach(8 by 1) { i =>
        val cell = if (i == 0) Cell(0, 0) else Cell(m(i).score + 1, 2)
        best := cell.score
        m(i) = cell
      }""")  # fmt: skip
    parsed = parse(text)
    assert parsed.warnings == ()
    found = parsed.kernels[0].body_as(Program)
    assert found is not None
    names = [op.name for c in found.accel.walk() for op in c.operations]
    assert {"reg_write", "sram_store", "sram_load", "field", "mux"} <= set(names)


def test_aliases_end_with_their_statement_and_the_apps_own_win() -> None:
    text = "object Other { type T = Int }\n" + app(
        "val x = Reg[T](0)\nx := 1", "type T = FixPt[TRUE, _16, _16]; val n = 3"
    )
    tokens = scan(Source("x", text))
    names = file_types(tokens, apps(tokens)[0])
    assert read_type(names.aliases["T"], names) == Fixed(True, 16, 16)


def test_a_type_that_no_memory_holds_is_an_alias_still() -> None:
    tokens = scan(Source("x", "type F = Int => Int\ncase class P(a: Int, f: F)\ncase class Q(a: Int)\n" + app("x")))
    names = file_types(tokens, apps(tokens)[0])
    assert read_type(names.aliases["F"], names) is None
    assert names.structs == {"Q": Struct((("a", INT),))}
