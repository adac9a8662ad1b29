"""Domains and defaults of design parameters."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, parse
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
