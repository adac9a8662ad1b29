"""An integer that overflows is told with the loop or the memory that it comes from."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import app
from tunepass.backends.base import Target
from tunepass.backends.model import ModelBackend
from tunepass.diagnostics import ExpressionError, Source
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.jobs.estimates import Estimator


@pytest.mark.parametrize(
    "accel,place",
    [
        (
            "Foreach({n} by B) { i => Foreach({n} by 1) { j => s load x(0::64); Foreach(64 by 1) { k => s(k) = k } } }",
            5,
        ),
        (
            "Foreach({n} by 1) { i => Foreach({n} by 1) { j => s load x(0::64); Foreach(64 by 1) { k => s(k) = k } } }",
            5,
        ),
        ("Pipe { s load x(0::64) }\nval t = SRAM[Int](B, {n}, {n})", 6),
    ],
)
def test_an_overflow_names_its_line(accel: str, place: int) -> None:
    text = app(
        f"val s = SRAM[Int](64)\n{accel.replace('{n}', '4000000000000')}", "val x = DRAM[Int](64); val B = 1 (1 -> 4)"
    )
    with pytest.raises(ExpressionError, match="64 bits") as raised:
        (kernel,) = SpatialFrontend().parse(Source("App.scala", text)).kernels
        backend = ModelBackend(kernel, Target(device="stratix-v"))
        model = Estimator(backend, backend.costs())
        model.prices([model.default])
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.span is not None and diagnostic.span.line == place
