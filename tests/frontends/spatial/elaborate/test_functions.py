"""Functions of the program, inlined."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import app, operation_names, parse
from tunepass.diagnostics import SourceError


def test_placeholders_lambdas_and_names_are_functions() -> None:
    host = "def twice(a: Int): Int = a * 2"
    accel = "val x = SRAM[Int](8)\nForeach(8 by 1) { i => x(i) = twice(i) + List(i, x(i)).reduce(_ + _) }"
    names = operation_names(app(accel, host))
    assert names.count("fix_mul") == 1 and names.count("fix_add") == 2


def test_functions_that_call_each_other_are_one_diagnostic() -> None:
    host = """def f(a: Int): Int = { if (a > 0) { g(if (a > 1) { a } else { 1 }) } else { g(a) } }
      def g(a: Int): Int = f(a)"""
    with pytest.raises(SourceError, match="calls itself: hardware cannot be recursive"):
        parse(app("val x = SRAM[Int](8)\nForeach(8 by 1) { i => x(i) = f(i) }", host))


def test_a_function_that_builds_hardware_from_numbers_may_call_itself() -> None:
    host = """def pick[T](which: Boolean, a: T, b: T): T = mystery(which, a, b)
      def tree(at: scala.Int): Int = pick(at > 7, at, { tree(at + 1) + tree(at + 2) })"""
    parsed = parse(app("val x = SRAM[Int](8)\nForeach(8 by 1) { i => x(i) = tree(0) }", host))
    assert [w.message for w in parsed.warnings] == [
        "`tree`, which calls itself while the hardware is built, is not modelled; it is taken to cost nothing"
    ]
