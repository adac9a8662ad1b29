"""Masks of the rows that lie in their parameters' domains, and of those that meet conditions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.expr import nodes
from tunepass.expr.numpy_eval import evaluate_within
from tunepass.space.columns import Columns, Mask, length
from tunepass.space.parameter import Parameter


def within(parameters: Sequence[Parameter], columns: Columns) -> Mask:
    """Mask of the rows (n,) with a value of each parameter."""
    inside = np.ones(length(columns), dtype=bool)
    for p in parameters:
        inside &= p.inside(columns[p.name])
    return inside


def met(expressions: Sequence[nodes.Expr], columns: Columns, n: int) -> Mask:
    """Mask of the rows (n,) that meet all conditions; one that overflows does not hold."""
    ok = np.ones(n, dtype=bool)
    for e in expressions:
        truth = evaluate_within(e, columns, n)
        ok &= truth.values.astype(bool) & truth.defined
    return ok
