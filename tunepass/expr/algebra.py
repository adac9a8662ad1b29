"""Expressions built by programs: constructors that fold constants and drop neutral elements.

`add(mul(2, n), 0)` is `2 * n`. Python numbers may stand for constants.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import replace

from tunepass.expr import typing
from tunepass.expr.nodes import BOOL, Binary, Call, Compare, Constant, Expr, If, Index, Logical, Member, Name, Unary

ExprLike = Expr | int | float | bool


def lift(e: ExprLike) -> Expr:
    return e if isinstance(e, Expr) else typing.constant(e)


def number(e: ExprLike) -> int | float | None:
    """The value of a numeric constant, None for anything else."""
    if not isinstance(e, Expr):
        return e
    return e.value if isinstance(e, Constant) and isinstance(e.value, (int, float)) else None


def add(*terms: ExprLike) -> Expr:
    total: int | float = 0
    terms_left: list[Expr] = []
    for term in terms:
        value = number(term)
        if value is None:
            terms_left.append(lift(term))
        else:
            total = total + value
    if not terms_left:
        return lift(total)
    result = terms_left[0]
    for term in terms_left[1:]:
        result = typing.binary("+", result, term)
    if total == 0:
        return result
    return typing.binary("+", result, lift(total)) if total > 0 else typing.binary("-", result, lift(-total))


def sub(left: ExprLike, right: ExprLike) -> Expr:
    """`(x + 3) - x` is 3 as well: what a tile's range needs."""
    value = number(right)
    if value is not None:
        return add(left, -value)
    left, right = lift(left), lift(right)
    if left == right:
        return lift(0)
    if isinstance(left, Binary) and left.op == "+":
        if left.left == right:
            return left.right
        if left.right == right:
            return left.left
    if number(left) == 0:
        return typing.unary("-", right)
    return typing.binary("-", left, right)


def mul(*factors: ExprLike) -> Expr:
    product: int | float = 1
    factors_left: list[Expr] = []
    for factor in factors:
        value = number(factor)
        if value is None:
            factors_left.append(lift(factor))
        else:
            product = product * value
    if not factors_left or product == 0:
        return lift(product)
    result = lift(product) if product != 1 else factors_left.pop(0)
    for factor in factors_left:
        result = typing.binary("*", result, factor)
    return result


def div(left: ExprLike, right: ExprLike) -> Expr:
    """Real division."""
    a, b = number(left), number(right)
    if a is not None and b:
        return lift(a / b)
    if b == 1:
        return lift(left)
    return typing.binary("/", lift(left), lift(right))


def floordiv(left: ExprLike, right: ExprLike) -> Expr:
    a, b = number(left), number(right)
    if a is not None and b:
        return lift(a // b)
    return lift(left) if b == 1 else typing.binary("//", lift(left), lift(right))


def mod(left: ExprLike, right: ExprLike) -> Expr:
    a, b = number(left), number(right)
    if a is not None and b:
        return lift(a % b)
    return lift(0) if b == 1 else typing.binary("%", lift(left), lift(right))


def ceildiv(left: ExprLike, right: ExprLike) -> Expr:
    a, b = number(left), number(right)
    if a is not None and b:
        return lift(-(-a // b))
    if b == 1:
        return lift(left)
    if lift(left) == lift(right):
        return lift(1)
    return typing.call("ceildiv", (lift(left), lift(right)))


def maximum(*items: ExprLike) -> Expr:
    return _extreme("max", items)


def minimum(*items: ExprLike) -> Expr:
    return _extreme("min", items)


def _extreme(function: str, items: Iterable[ExprLike]) -> Expr:
    operands_left: list[Expr] = []
    values: list[int | float] = []
    for item in items:
        value = number(item)
        if value is not None:
            values.append(value)
        elif lift(item) not in operands_left:
            operands_left.append(lift(item))
    if values:
        operands_left.append(lift(max(values) if function == "max" else min(values)))
    return operands_left[0] if len(operands_left) == 1 else typing.call(function, operands_left)


def ceil_log2(e: ExprLike) -> Expr:
    """The height of a balanced binary tree over `e` leaves."""
    value = number(e)
    if value is not None:
        return lift(max(0, (int(value) - 1).bit_length()))
    return typing.call("ceil", (typing.call("log2", (lift(e),)),))


def apply(function: str, *arguments: ExprLike) -> Expr:
    """A function of the language, without folding."""
    return typing.call(function, [lift(a) for a in arguments])


def compare(left: ExprLike, op: str, right: ExprLike) -> Expr:
    a, b = number(left), number(right)
    if a is not None and b is not None:
        return lift(_COMPARISONS[op](a, b))
    return typing.compare((lift(left), lift(right)), (op,))


def both(*conditions: Expr) -> Expr:
    """Conjunction; true without conditions."""
    remaining = [c for c in conditions if not (isinstance(c, Constant) and c.value is True)]
    if not remaining:
        return Constant(True, BOOL)
    return remaining[0] if len(remaining) == 1 else typing.logical("and", remaining)


def where(condition: Expr, then: ExprLike, otherwise: ExprLike) -> Expr:
    if isinstance(condition, Constant):
        return lift(then if condition.value else otherwise)
    then, otherwise = lift(then), lift(otherwise)
    return then if then == otherwise else typing.conditional(condition, then, otherwise)


def substitute(e: Expr, values: dict[str, Expr]) -> Expr:
    """`e` with names replaced, folding again on the way up."""
    match e:
        case Name():
            return values.get(e.name, e)
        case Unary(op="-"):
            return sub(0, substitute(e.operand, values))
        case Unary():
            return replace(e, operand=substitute(e.operand, values))
        case Binary():
            left, right = substitute(e.left, values), substitute(e.right, values)
            return _FOLDS[e.op](left, right) if e.op in _FOLDS else typing.binary(e.op, left, right)
        case Call(function="ceildiv"):
            return ceildiv(*(substitute(a, values) for a in e.arguments))
        case Call():
            return typing.call(e.function, [substitute(a, values) for a in e.arguments])
        case If():
            then, otherwise = substitute(e.then, values), substitute(e.otherwise, values)
            return where(substitute(e.condition, values), then, otherwise)
        case Compare() if len(e.ops) == 1:
            return compare(substitute(e.operands[0], values), e.ops[0], substitute(e.operands[1], values))
        case Compare() | Logical():
            return replace(e, operands=tuple(substitute(o, values) for o in e.operands))
        case Member():
            choices = tuple(substitute(c, values) for c in e.choices)
            return replace(e, item=substitute(e.item, values), choices=choices)
        case Index():
            return replace(e, index=substitute(e.index, values))
        case _:
            return e


_FOLDS: dict[str, Callable[[ExprLike, ExprLike], Expr]] = {
    "+": add, "-": sub, "*": mul, "/": div, "//": floordiv, "%": mod,
}  # fmt: skip
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
