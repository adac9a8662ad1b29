"""Costs that a source states itself: `#pragma tunepass model`, and `model:` of an application."""

from __future__ import annotations

from tunepass.expr.algebra import lift
from tunepass.hwmodels.base import Costs
from tunepass.ir.kernel import Kernel


def stated_costs(kernel: Kernel) -> Costs | None:
    """The stated expressions by objective. They are in a unit of their own, and nothing limits them."""
    if not kernel.models:
        return None
    return Costs(
        values={model.name: model.expression for model in kernel.models},
        units={},
        fits=lift(True),
        limits={},
        name="the model in the source",
    )
