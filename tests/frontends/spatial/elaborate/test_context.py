"""Warnings, and operations that are shared."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import app, operation_names, parse


def test_what_is_not_modelled_is_a_warning_at_its_line() -> None:
    parsed = parse(app("val x = SRAM[Int](8)\nForeach(n by 1) { i => x(i) = mystery(i) }", "val n = args(0).to[Int]"))
    assert [(w.span.line if w.span else 0, w.message) for w in parsed.warnings] == [
        (5, "`n` is not known here; times assume 8"),
        (5, "`mystery(…)` is not modelled; it is taken to cost nothing"),
    ]


def test_equal_pure_operations_are_one_and_loads_are_not() -> None:
    accel = "val x = SRAM[Int](8)\nForeach(8 by 1) { i => x(i) = (i * i) + (i * i) + x(i) + x(i) }"
    names = operation_names(app(accel))
    assert names.count("fix_mul") == 1 and names.count("sram_load") == 2


def test_an_unknown_type_is_warned_about_once() -> None:
    parsed = parse(app("val x = SRAM[Mystery](8); val y = SRAM[Mystery](8)\nForeach(8 by 1) { i => x(i) = y(i) }"))
    assert [w.message for w in parsed.warnings] == ["the type `Mystery` is not known here; taken as a 32-bit integer"]


@pytest.mark.parametrize(
    "expression,operation,times",
    [
        ("p * 1.5f + p * 2.5f", "flt_mul", 2),
        ("p * 1.5f + p * 1.5f", "flt_mul", 1),
        ("(p - 1.0f) * (1.0f - p)", "flt_sub", 2),
        ("sin(p) + cos(p)", "flt_trig", 2),
        ("min(p, 1.0f) + min(p, 2.0f)", "flt_min", 2),
        ("mux(p > 1.0f, p, 2.0f) + mux(p > 3.0f, p, 2.0f)", "flt_lt", 2),
        ("mux(p > p, p, 2.0f) + mux(p < p, p, 2.0f)", "flt_lt", 2),
        ("mux(p > p, p, 2.0f) + mux(p > p, p, 3.0f)", "mux", 2),
        ("p * a + p * b", "flt_mul", 2),
        ("p * a + p * a", "flt_mul", 1),
    ],
)
def test_operations_that_differ_in_a_constant_or_an_operator_differ(
    expression: str, operation: str, times: int
) -> None:
    accel = f"""val x = SRAM[Float](8); val a = strange(1); val b = strange(1)
Foreach(8 by 1) {{ i => val p = x(i); x(i) = {expression} }}"""
    assert operation_names(app(accel)).count(operation) == times
