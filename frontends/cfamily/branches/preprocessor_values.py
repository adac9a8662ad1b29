"""Values of expressions in `#if`: 64-bit numbers with or without a sign (C11, 6.10.1), for given values of names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.syntax.tree import Binary, Conditional, Expression, Items, Name, Number, Text, Unary

WORDS = 1 << 64
LARGEST = (1 << 63) - 1
SHIFTS = 64


class UndefinedValueError(Exception):
    """A compiler refuses it, or it is no number."""


@dataclass(frozen=True, slots=True)
class Computed:
    value: int
    unsigned: bool = False


def computed(e: Expression, names: Callable[[str], int]) -> Computed:
    """Raises UndefinedValueError."""
    match e:
        case Number(token):
            return _number(token.text)
        case Text(token):
            return _character(token.text)
        case Name():
            return Computed(names(e.text))
        case Items(parts=(only,)):
            return computed(only, names)
        case Unary(op, operand):
            return _unary(op.text, computed(operand, names))
        case Binary("&&" | "||" as op, left, right):
            first = bool(computed(left, names).value)
            return Computed(int(first if first == (op == "||") else bool(computed(right, names).value)))
        case Binary(op, left, right):
            return _binary(op, computed(left, names), computed(right, names))
        case Conditional(condition, then, other):
            return computed(then if computed(condition, names).value else other, names)
    raise UndefinedValueError


def _number(text: str) -> Computed:
    value = literal(text)
    if value is None:
        raise UndefinedValueError
    digits = text.lower().rstrip("lz")
    return _stored(value, unsigned=digits.endswith("u") or value > LARGEST)


def _character(text: str) -> Computed:
    if len(text) != 3 or text[0] != "'" or not text.isascii():
        raise UndefinedValueError
    return Computed(ord(text[1]))


def _unary(op: str, operand: Computed) -> Computed:
    if op == "!":
        return Computed(int(not operand.value))
    values = {"-": -operand.value, "+": operand.value, "~": ~operand.value}
    if op not in values:
        raise UndefinedValueError
    return _stored(values[op], unsigned=operand.unsigned)


def _stored(value: int, *, unsigned: bool) -> Computed:
    if unsigned:
        return Computed(value % WORDS, True)
    if not -LARGEST - 1 <= value <= LARGEST:
        raise UndefinedValueError
    return Computed(value)


def _binary(op: str, left: Computed, right: Computed) -> Computed:
    if op in ("<<", ">>"):
        return _shifted(op, left, right)
    unsigned = left.unsigned or right.unsigned
    a, b = (left.value % WORDS, right.value % WORDS) if unsigned else (left.value, right.value)
    compared = {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
    if op in compared:
        return Computed(int(compared[op]))
    if op in ("/", "%"):
        if b == 0:
            raise UndefinedValueError
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return _stored(quotient if op == "/" else a - quotient * b, unsigned=unsigned)
    values = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
    if op not in values:
        raise UndefinedValueError
    return _stored(values[op], unsigned=unsigned)


def _shifted(op: str, left: Computed, right: Computed) -> Computed:
    if not 0 <= right.value < SHIFTS:
        raise UndefinedValueError
    value = left.value << right.value if op == "<<" else left.value >> right.value
    return _stored(value, unsigned=left.unsigned)
