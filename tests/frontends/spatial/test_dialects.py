"""Constructs that programs which nobody here wrote are made of, each small and of our own writing."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import app, operation_names, parse
from tunepass.ir.kernel import Kernel

CONSTRUCTS = {
    "a body below its condition": ("", "val x = SRAM[Int](8)\nForeach(8 by 1) { i =>\nif (i == 3)\nx(i) = 1\n}"),
    "else below a body": ("", "val x = SRAM[Int](8)\nForeach(8 by 1) { i =>\nx(i) = if (i < 4)\n i\nelse\n 7 }"),
    "a for above its body": ("", "val x = SRAM[Int](8)\nfor (k <- 0 until 2)\nx(k) = k"),
    "a list taken apart": (
        "",
        "val x = SRAM[Int](8)\nval a :: b :: rest = List(1, 2, 3)\nForeach(8 by 1) { i => x(i) = i + a }",
    ),
    "a map of texts": ('val m = Map("a" -> 1, "b" -> 2)', "val x = SRAM[Int](8)\nForeach(8 by 1) { i => x(i) = i }"),
    "a method between its operands": ("", "val x = SRAM[Int](8)\nList(1, 2) foreach { k => x(k) = k }"),
    "an unsigned literal": (
        "val top = 18446744073709551615L",
        "val x = SRAM[Int](8)\nForeach(8 by 1) { i => x(i) = i }",
    ),
    "a product beyond a word": (
        "val b = 4611686018427387904L * 4",
        "val x = SRAM[Int](8)\nForeach(8 by 1) { i => x(i) = i }",
    ),
}


def kernel(name: str) -> Kernel:
    host, accel = CONSTRUCTS[name]
    parsed = parse(app(accel, host))
    assert parsed.warnings == ()
    return parsed.kernels[0]


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_it_is_read_without_a_warning(name: str) -> None:
    assert kernel(name).body is not None


def test_a_body_below_its_condition_is_the_conditions() -> None:
    host, accel = CONSTRUCTS["else below a body"]
    assert operation_names(app(accel, host)) == ["iterator", "fix_lt", "mux", "sram_store"]
