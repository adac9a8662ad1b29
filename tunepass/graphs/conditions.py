"""Conditions on parameters: joined, negated. None stands for what always holds."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.expr.typing import logical


def both(left: Expr | None, right: Expr | None) -> Expr | None:
    if left is None or right is None:
        return left if right is None else right
    return algebra.both(left, right)


def either(conditions: Sequence[Expr]) -> Expr:
    return conditions[0] if len(conditions) == 1 else logical("or", list(conditions))


def negated(condition: Expr) -> Expr:
    return (
        algebra.compare(condition, "==", 0) if str(condition.type) != "Bool" else algebra.where(condition, False, True)
    )
