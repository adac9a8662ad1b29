"""Conditions over parameters, kept short."""

from __future__ import annotations

from tunepass.expr import algebra, typing
from tunepass.expr.nodes import Compare, Constant, Expr, If, Logical, Unary

TRUE, FALSE = typing.constant(True), typing.constant(False)


def negated(condition: Expr) -> Expr:
    if isinstance(condition, Constant):
        return TRUE if condition == FALSE else FALSE
    if isinstance(condition, Unary) and condition.op == "not":
        return condition.operand
    return typing.unary("not", condition)


def conjunction(*conditions: Expr) -> Expr:
    """Each once."""
    parts = [part for c in conditions for part in (c.operands if isinstance(c, Logical) and c.op == "and" else (c,))]
    return FALSE if FALSE in parts else algebra.both(*dict.fromkeys(parts))


def disjunction(*conditions: Expr) -> Expr:
    """Each once."""
    parts = [part for part in dict.fromkeys(conditions) if part != FALSE]
    if TRUE in parts or any(negated(part) in parts for part in parts):
        return TRUE
    if not parts:
        return FALSE
    return parts[0] if len(parts) == 1 else typing.logical("or", parts)


def folded(e: Expr) -> Expr:
    """Numbers that conditions choose, compared with a number, as these conditions: `if(c, 16, 4) > 8` is `c`."""
    match e:
        case Logical(op="and"):
            return conjunction(*map(folded, e.operands))
        case Logical():
            return disjunction(*map(folded, e.operands))
        case Unary(op="not"):
            return negated(folded(e.operand))
        case Compare(operands=(If() as chosen, Constant() as other), ops=(op,)):
            then, otherwise = algebra.compare(chosen.then, op, other), algebra.compare(chosen.otherwise, op, other)
            return _either(chosen.condition, then, otherwise)
        case Compare(operands=(Constant() as other, If() as chosen), ops=(op,)):
            then, otherwise = algebra.compare(other, op, chosen.then), algebra.compare(other, op, chosen.otherwise)
            return _either(chosen.condition, then, otherwise)
    return e


def _either(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    condition, then, otherwise = folded(condition), folded(then), folded(otherwise)
    if then == otherwise:
        return then
    return disjunction(conjunction(condition, then), conjunction(negated(condition), otherwise))
