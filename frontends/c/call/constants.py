"""The value of an expression over known scalars."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import evaluate


def constant_value(e: Expr, scalars: Mapping[str, int | float] | None = None) -> bool | int | float | None:
    """A number or Boolean; None where the expression is undefined. Raises ExpressionError on overflow."""
    columns = {name: np.array([value]) for name, value in (scalars or {}).items()}
    result = evaluate(e, columns, 1)
    if not bool(np.all(result.defined)):
        return None
    value = np.asarray(result.values).reshape(-1)[0].item()
    return value if isinstance(value, (bool, int, float)) else None
