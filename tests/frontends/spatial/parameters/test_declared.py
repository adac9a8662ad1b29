"""Domains and defaults of design parameters."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import app, parse
from tunepass.diagnostics import SourceError
from tunepass.frontends.spatial.frontend import SpatialFrontend


def test_exact_domains() -> None:
    (kernel,) = parse(app("val x = SRAM[Int](a)\nForeach(8 par b) { i => x(i) = c }",
        "val a = 4 (1 -> 2 -> 32); val b = 2 DECAY (1 -> 8); val c = 7 (3 -> 3)")).kernels  # fmt: skip
    a, b = kernel.parameters
    assert a.domain == (1, *range(2, 33, 2)) and tuple(b.domain) == tuple(range(1, 9))
    assert (a.prior.a, a.prior.b) == (0.5, 1.5)  # a size, nothing written: decay


def test_a_default_outside_of_its_range_is_moved_and_written() -> None:
    text = app("val x = SRAM[Int](a)\nForeach(a by 1) { i => x(i) = i }", "val a = 20 (96 -> 192)")
    (kernel,) = parse(text).kernels
    assert kernel.parameters[0].default == 96
    assert SpatialFrontend().emit((kernel,))[0].text == text


def test_a_range_of_any_length_is_not_listed() -> None:
    declared = "val a = 700 (64 -> 64 -> 1000000000000); val b = 2 (1 -> 1000000000000); val c = 7 (0 -> 3 -> 9)"
    (kernel,) = parse(app("val x = SRAM[Int](a)\nForeach(8 par b, c by 1) { (i, j) => x(i) = j }", declared)).kernels
    a, b, c = kernel.parameters
    assert a.domain == range(64, 10**12 + 1, 64) and b.domain == range(1, 10**12 + 1)
    assert (a.default, b.default, c.default) == (704, 2, 6)


@pytest.mark.parametrize("written", ["3 -> 2 -> 1000000000000", "1 -> 9223372036854775807"])
def test_what_cannot_be_a_range_is_refused_where_it_stands(written: str) -> None:
    with pytest.raises(SourceError, match=r"a parameter has at most|below 2\*\*62"):
        parse(app("val x = SRAM[Int](a)\nForeach(a by 1) { i => x(i) = i }", f"val a = 20 ({written})"))
