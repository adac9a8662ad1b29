"""Associative updates: `x += e`, `x = x + e`, `x = e * x`, whose order is free as far as rounding allows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from tunepass.frontends.c.scops.effects import Effects
from tunepass.frontends.c.scops.tokens import Token
from tunepass.frontends.c.scops.tree import (
    Assign,
    Binary,
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
                    return _merged(effects, operator)
    return None


def _is_once(own: Hashable, operands: list[Expression]) -> bool:
    return len(operands) > 1 and [key(e) for e in operands].count(own) == 1


def _operands(e: Expression, operator: str) -> Iterator[Expression]:
    """The terms of a sum or the factors of a product; what is subtracted comes as its negative."""
    while isinstance(e, Binary) and e.op in KEEPS_LEFT[operator]:
        yield e.right if e.op == operator else Unary(SUBTRACTED, e.right)
        e = e.left
    yield e


def _merged(effects: Effects, operator: str) -> Update | None:
    """The one read of the element is dropped: the write, which is last, reads it."""
    write = effects.found[-1]
    own = (write.root.text, tuple(key(e) for e in write.subscripts))
    for position, effect in enumerate(effects.found[:-1]):
        if (effect.root.text, tuple(key(e) for e in effect.subscripts)) == own:
            effects.found[-1] = replace(write, read=True)
            del effects.found[position]
            return Update(operator, len(effects.found) - 1)
    return None


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
        case Unary(op, operand):
            inner = key(operand)
            return None if inner is None else (op.text, inner)
        case Binary(op, left, right):
            parts = (key(left), key(right))
            return None if None in parts else (op, *parts)
    return None
