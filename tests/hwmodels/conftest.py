"""The helpers of this folder as fixtures (tests are imported by path, not as a package)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tunepass.diagnostics import Source
from tunepass.expr import numpy_eval
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.hwmodels.fpga.device import Fpga, load
from tunepass.ir.hardware import Program


@pytest.fixture(scope="session")
def device() -> Fpga:
    """Stratix V without the fitted stretch: hand computations use the latencies of the table as they are."""
    return replace(load("stratix-v"), body_stretch=1.0)


@pytest.fixture(scope="session")
def program() -> Callable[..., Program]:
    """`program(accel, host)`: the program of an app with `host` statements and an accelerator body."""

    def build(accel: str, host: str = "") -> Program:
        text = f"object App extends SpatialApp {{\n  def main() {{\n{host}\n    Accel {{\n{accel}\n    }}\n  }}\n}}\n"
        (kernel,) = SpatialFrontend().parse(Source("App.scala", text)).kernels
        return kernel.body_as(Program)

    return build


@pytest.fixture(scope="session")
def number() -> Callable[..., float]:
    """`number(e, B=96)`: the value of an expression at one point."""

    def value(e: Expr, **values: int | bool) -> float:
        columns = {name: np.array([v]) for name, v in values.items()}
        return float(numpy_eval.evaluate(e, columns, 1).values[0])

    return value
