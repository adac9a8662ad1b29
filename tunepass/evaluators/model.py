"""Configurations priced by a model: nothing is compiled or run, and no two evaluations differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.algebra import lift
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.space.assignments import with_defaults
from tunepass.space.columns import Columns, length
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter
from tunepass.study.outcome import Evaluation, Infeasible, Measured, Outcome


@dataclass(frozen=True)
class ModelEvaluator:
    """`values` are the objectives by name; what passes one of `limits` (the most that the device has), or does not fit
    for another reason, is infeasible."""

    parameters: Sequence[Parameter]
    values: Mapping[str, Expr]
    limits: Mapping[str, tuple[Expr, int]]
    fit: Expr = field(default_factory=lambda: lift(True))
    _program: CompiledExpressions = field(init=False, repr=False)

    def __post_init__(self) -> None:
        limited = [expression for expression, _ in self.limits.values()]
        object.__setattr__(self, "_program", CompiledExpressions([*self.values.values(), *limited, self.fit]))

    def fits(self, columns: Columns) -> NDArray[np.bool_]:
        """Mask (n,) of configurations within all limits; it costs no evaluation."""
        n = length(columns)
        mask = np.ones(n, np.bool_)
        *limited, fit = self._program.run(columns, n)[len(self.values) :]
        for needed, (_, most) in zip(limited, self.limits.values()):
            mask &= np.asarray(needed) <= most
        mask &= np.asarray(fit, np.bool_)
        return mask

    def __call__(self, configuration: Configuration) -> Evaluation:
        return Evaluation(self.price(self.columns(configuration)))

    def columns(self, configuration: Configuration) -> Columns:
        """Columns of length 1."""
        values = with_defaults(self.parameters, configuration)
        return {p.name: p.column([values[p.name]]) for p in self.parameters}

    def price(self, columns: Columns) -> Outcome:
        """Of one configuration, whose columns may have further names that the expressions need."""
        *outputs, fit = [float(values[0]) for values in self._program.run(columns, 1)]
        for (name, (_, most)), needed in zip(self.limits.items(), outputs[len(self.values) :]):
            if needed > most:
                return Infeasible(f"{name} <= {most}")
        if not fit:
            return Infeasible("a block fits the device")
        values = dict(zip(self.values, outputs))
        undefined = next((name for name, value in values.items() if not math.isfinite(value)), None)
        return Measured(values) if undefined is None else Infeasible(f"the model has no value of {undefined}")

    def worthwhile(self, trials: int) -> int:
        """More at a time as the search goes on: a model answers faster than a strategy thinks."""
        return 1 if trials < 50 else 8 if trials < 200 else 16
