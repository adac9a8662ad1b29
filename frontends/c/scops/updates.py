"""Associative updates, whose order is free but for rounding: `x += e`, `x = e * x`, `x = x > e ? x : e`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from tunepass.frontends.c.scops.effects import PURE, Effects
from tunepass.frontends.cfamily.tokens import Token
from tunepass.frontends.cfamily.tree import (
    Assign,
    Binary,
    Call,
    Conditional,
    Evaluated,
    Expression,
    Index,
    Member,
    Name,
    Number,
    Statement,
    Step,
    Unary,
)

OPERATOR_OF = {"+=": "+", "-=": "+", "*=": "*"}
KEEPS_LEFT = {"+": ("+", "-"), "*": ("*",)}  # operators that keep what is on their left in the sum, in the product

SUBTRACTED = Token("op", "-", 0, 0, True)


@dataclass(frozen=True, slots=True)
class Update:
    """`effect` is where in `Effects.found` the element stands that is read and written."""

    operator: str
    effect: int


def updated(s: Statement, effects: Effects) -> Update | None:
    """Whether the statement is one update; the read of its element in `effects` becomes one with the write."""
    if not isinstance(s, Evaluated) or not effects.found or not effects.found[-1].written:
        return None
    match s.expression:
        case Assign(op, _, _) if op in OPERATOR_OF:
            return Update(OPERATOR_OF[op], len(effects.found) - 1)
        case Step():
            return Update("+", len(effects.found) - 1)
        case Assign("=", target, value):
            own = key(target)
            for operator in ("+", "*"):
                if own is not None and _is_once(own, list(_operands(value, operator))):
                    return _merged(effects, operator, 1)
            extreme = _extreme(value)
            if own is not None and extreme is not None and [key(e) for e in extreme.operands].count(own) == 1:
                return _merged(effects, extreme.operator, extreme.reads)
    return None


@dataclass(frozen=True, slots=True)
class Extreme:
    """The larger or the smaller of two; each operand is read `reads` times."""

    operator: str
    operands: tuple[Expression, Expression]
    reads: int


def _extreme(e: Expression) -> Extreme | None:
    """`a > b ? a : b`, `a > b ? b : a`, `fmax(a, b)`."""
    match e:
        case Call(Name() as function, (a, b)) if function.text.rstrip("fl") in ("max", "min", "fmax", "fmin"):
            return Extreme("max" if "max" in function.text else "min", (a, b), 1) if function.text in PURE else None
        case Conditional(Binary("<" | "<=" | ">" | ">=" as op, a, b), then, other):
            left, right = key(a), key(b)
            if None in (left, right) or {left, right} != {key(then), key(other)} or left == right:
                return None
            return Extreme("max" if (op[0] == ">") == (key(then) == left) else "min", (a, b), 2)
    return None


def _is_once(own: Hashable, operands: list[Expression]) -> bool:
    return len(operands) > 1 and [key(e) for e in operands].count(own) == 1


def _operands(e: Expression, operator: str) -> Iterator[Expression]:
    """The terms of a sum or the factors of a product; what is subtracted comes as its negative."""
    while isinstance(e, Binary) and e.op in KEEPS_LEFT[operator]:
        yield e.right if e.op == operator else Unary(SUBTRACTED, e.right)
        e = e.left
    yield e


def _merged(effects: Effects, operator: str, reads: int) -> Update | None:
    """The reads of the element are dropped: the write, which is last, reads it. There are no more than `reads`."""
    write = effects.found[-1]
    own = (write.root.text, tuple(key(e) for e in write.subscripts))
    others = [e for e in effects.found[:-1] if (e.root.text, tuple(key(s) for s in e.subscripts)) != own]
    if len(others) + 1 + reads != len(effects.found):
        return None
    effects.found[:] = [*others, replace(write, read=True)]
    return Update(operator, len(others))


def key(e: Expression) -> Hashable:
    """Equal for equal code without effects; None of any other."""
    match e:
        case Name(token) | Number(token):
            return token.text
        case Index(base, subscript):
            parts = (key(base), key(subscript))
            return None if None in parts else ("[]", *parts)
        case Member(base, name, arrow):
            inner = key(base)
            return None if inner is None else (name.text, arrow, inner)
        case Conditional(a, b, c):
            parts3 = (key(a), key(b), key(c))
            return None if None in parts3 else ("?", *parts3)
        case Unary(op, operand):
            inner = key(operand)
            return None if inner is None else (op.text, inner)
        case Binary(op, left, right):
            parts = (key(left), key(right))
            return None if None in parts else (op, *parts)
    return None
