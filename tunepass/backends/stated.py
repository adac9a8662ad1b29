"""Costs that a source states itself, in a `model` pragma or an application's `model:`; how costs are told apart."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from tunepass.expr import numpy_eval
from tunepass.expr.algebra import lift
from tunepass.hwmodels.base import Costs
from tunepass.ir.kernel import Kernel
from tunepass.space.parameter import Parameter

SAMPLES = 64  # configurations that a digest is of


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


def costs_digest(costs: Costs, parameters: Sequence[Parameter]) -> str:
    """What costs say, in short: their values at a few configurations of the space, and their limits."""
    rng = np.random.default_rng(0)
    columns = {parameter.name: parameter.draw(SAMPLES, rng) for parameter in parameters}
    digest = hashlib.sha256(repr(sorted(costs.limits.items())).encode())
    for name, expression in {**costs.values, "fits": costs.fits}.items():
        values = np.asarray(numpy_eval.evaluate(expression, columns, SAMPLES).values, dtype=np.float64)
        digest.update(name.encode() + values.tobytes())
    return digest.hexdigest()[:12]
