"""Constraints within one branch of a space: where a parameter that conditions read has a given value.

What the value decides is left out (`kernel == "rbf" or x + y >= 2` is `x + y >= 2` where the kernel is linear), so that
ranges and equations see the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.expr import nodes
from tunepass.expr.algebra import lift, substitute
from tunepass.expr.numpy_eval import evaluate_within
from tunepass.space.configuration import Value
from tunepass.space.constraint import Constraint


def within_branch(constraints: Sequence[Constraint], name: str, value: Value) -> list[Constraint] | None:
    """The constraints where the parameter `name` has `value`, without those that hold then; None where one does not."""
    left = []
    for constraint in constraints:
        if name not in nodes.free_names(constraint.expression):
            left.append(constraint)
            continue
        decided = _decided(substitute(constraint.expression, {name: lift(value)}))  # type: ignore[arg-type]
        if isinstance(decided, nodes.Expr):
            left.append(replace(constraint, expression=decided))
        elif not decided:
            return None
    return left


def _decided(e: nodes.Expr) -> nodes.Expr | bool:
    """The condition without parts that read no name; its truth where that is all."""
    if not nodes.free_names(e):
        evaluated = evaluate_within(e, {}, 1)
        return bool(evaluated.values.all() and evaluated.defined.all())
    if isinstance(e, nodes.Unary) and e.op == "not":
        part = _decided(e.operand)
        return replace(e, operand=part) if isinstance(part, nodes.Expr) else not part
    if not isinstance(e, nodes.Logical):
        return e
    parts = [_decided(operand) for operand in e.operands]
    deciding = e.op == "or"
    if deciding in parts:
        return deciding
    left = tuple(part for part in parts if isinstance(part, nodes.Expr))
    return replace(e, operands=left) if len(left) > 1 else left[0]
