"""An equation between reals solved for a name that it has once."""

from __future__ import annotations

from tunepass.expr import algebra, typing
from tunepass.expr.algebra import ExprLike
from tunepass.expr.nodes import Binary, Call, Compare, Expr, Name, RealType, Unary, free_names


def isolated(equation: Compare, name: str, sign: ExprLike) -> Expr | None:
    """The real value of `name` with which the equation holds, up to rounding; None where an operation around the name
    has no inverse here. Where the equation has no solution the value is undefined or breaks the equation. `sign`: of
    the root where what has the name is squared."""
    left, right = equation.operands
    e, value = (left, right) if name in free_names(left) else (right, left)
    while not isinstance(e, Name):
        step = _outermost(e, value, name, sign)
        if step is None:
            return None
        e, value = step
    return value if isinstance(value.type, RealType) else typing.binary("*", value, algebra.lift(1.0))


def _outermost(e: Expr, value: Expr, name: str, sign: ExprLike) -> tuple[Expr, Expr] | None:
    """The operand of `e` with the name in it, and the value that it must have for `e` to have `value`."""
    match e:
        case Unary("-", operand):
            return operand, algebra.sub(0, value)
        case Binary("+", left, right):
            inner, other = (left, right) if name in free_names(left) else (right, left)
            return inner, algebra.sub(value, other)
        case Binary("-", left, right):
            return (left, algebra.add(value, right)) if name in free_names(left) else (right, algebra.sub(left, value))
        case Binary("*", left, right) if left == right:
            return left, algebra.mul(sign, typing.call("sqrt", [value]))
        case Binary("*", left, right):
            inner, other = (left, right) if name in free_names(left) else (right, left)
            return inner, algebra.div(value, other)
        case Binary("/", left, right):
            return (left, algebra.mul(value, right)) if name in free_names(left) else (right, algebra.div(left, value))
        case Call(function="sqrt"):
            return e.arguments[0], algebra.mul(value, value)
        case Call(function="log"):
            return e.arguments[0], typing.call("exp", [value])
        case Call(function="exp"):
            return e.arguments[0], typing.call("log", [value])
    return None
