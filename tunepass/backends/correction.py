"""Costs corrected by what tools reported of some configurations: what they say of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import CategoryType, Constant, Expr, Name
from tunepass.expr.numpy_eval import Columns
from tunepass.hwmodels.base import Costs
from tunepass.hwmodels.residual import FEW, Floats, learn_residual
from tunepass.space.assignments import with_defaults
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Parameter, Permutation

Reported = Mapping[Configuration, Mapping[str, float]]
WIDE = 8.0  # a range of positive numbers whose ends are farther apart is seen as logarithms
MOST_INDICATORS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """`sentence` tells people of which quantities, by how many reports, and how far off they were before and after."""

    costs: Costs
    sentence: str


def by_residuals(costs: Costs, parameters: Sequence[Parameter], reported: Reported) -> Corrected | None:
    """Each quantity that was reported has a factor of its own; None where no model value is better for it."""
    values, sentences = dict(costs.values), []
    terms = tuple(terms_of(parameters))
    for name in costs.values:
        columns, amounts = table(parameters, reported, name)
        residual = learn_residual(costs.values[name], terms, columns, amounts) if len(amounts) >= FEW else None
        if residual is not None:
            values[name] = residual.corrected(costs.values[name])
            sentences.append(f"{name} off by {residual.before - 1:.0%} -> {residual.after - 1:.0%}")
    if not sentences:
        return None
    sentence = f"corrected by {len(reported)} reports: {', '.join(sentences)}"
    return Corrected(costs=replace(costs, values=values), sentence=sentence)


def table(parameters: Sequence[Parameter], reported: Reported, name: str) -> tuple[Columns, Floats]:
    """The configurations that have this quantity as columns (n,), and its amounts (n,)."""
    known = [(configuration, amounts[name]) for configuration, amounts in reported.items() if name in amounts]
    rows = [with_defaults(parameters, configuration) for configuration, _ in known]
    columns = {p.name: p.column([row[p.name] for row in rows]) for p in parameters}
    return columns, np.array([amount for _, amount in known], np.float64)


def terms_of(parameters: Sequence[Parameter]) -> Iterator[Expr]:
    """What a correction may depend on: numbers, on the logarithmic scale where they range far; each value of others."""
    for p in parameters:
        if isinstance(p, Permutation):
            continue
        name = Name(p.name, p.type)
        if isinstance(p, Categorical):
            yield from _indicators(name, p.domain[1:])
            continue
        low, high = p.ends()
        yield alg.apply("log2", alg.mul(1.0, name)) if low > 0 and high / low > WIDE else alg.mul(1.0, name)


def _indicators(name: Name, values: Sequence[object]) -> Iterator[Expr]:
    for value in values[:MOST_INDICATORS]:
        if isinstance(value, bool):
            yield alg.where(name, 1.0, 0.0)
        elif isinstance(value, str):
            assert isinstance(name.type, CategoryType)
            yield alg.where(alg.compare(name, "==", Constant(value, name.type)), 1.0, 0.0)
        elif isinstance(value, (int, float)):
            yield alg.where(alg.compare(name, "==", value), 1.0, 0.0)
