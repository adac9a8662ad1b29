"""Warnings, and operations that are shared."""

from __future__ import annotations

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
