"""Whole-number expressions of generated code: read from isl, shifted, printed as C."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import islpy as isl


@dataclass(frozen=True, slots=True)
class Number:
    value: int


@dataclass(frozen=True, slots=True)
class Name:
    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """`operator` is C's, or `min`, `max`, `floor` (division rounded down) or `?:`."""

    operator: str
    operands: tuple[Expression, ...]


Expression = Number | Name | Operation

_OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "minus": "neg",
    "min": "min",
    "max": "max",
    "fdiv_q": "floor",
    "div": "/",
    "pdiv_q": "/",
    "pdiv_r": "%",
    "zdiv_r": "%",
    "cond": "?:",
    "select": "?:",
    "and_": "&&",
    "and_then": "&&",
    "or_": "||",
    "or_else": "||",
    "eq": "==",
    "le": "<=",
    "lt": "<",
    "ge": ">=",
    "gt": ">",
}
_PRECEDENCE = {"*": 6, "/": 6, "%": 6, "+": 5, "-": 5, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 3, "&&": 2, "||": 1}


def read(expression: isl.AstExpr) -> Expression:
    """Of isl's."""
    import islpy as isl

    kind = expression.get_type()
    if kind == isl.ast_expr_type.int:
        return Number(int(str(expression.get_val())))
    if kind == isl.ast_expr_type.id:
        return Name(expression.get_id().get_name())
    operator = _OPERATORS[expression.get_op_type().name]
    operands = [read(expression.get_op_arg(n)) for n in range(expression.get_op_n_arg())]
    if operator == "+":
        return add(operands[0], operands[1])
    if operator == "-" and isinstance(operands[1], Number):
        return add(operands[0], Number(-operands[1].value))
    if operator in ("min", "max"):
        return extreme(operator, *operands)
    return Operation(operator, tuple(operands))


def add(a: Expression, b: Expression) -> Expression:
    """a + b, with the number in it last and one."""
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value + b.value)
    if isinstance(a, Number):
        a, b = b, a
    if b == Number(0):
        return a
    if isinstance(b, Number) and isinstance(a, Operation):
        if a.operator == "+" and isinstance(a.operands[1], Number):
            return add(a.operands[0], Number(a.operands[1].value + b.value))
        if a.operator in ("min", "max"):
            return extreme(a.operator, *(add(operand, b) for operand in a.operands))
    if isinstance(b, Operation) and b.operator == "neg":
        return Operation("-", (a, b.operands[0]))
    if isinstance(b, Operation) and b.operator == "+" and isinstance(b.operands[1], Number):
        return add(add(a, b.operands[0]), b.operands[1])
    return Operation("+", (a, b))


def extreme(operator: str, *operands: Expression) -> Expression:
    """The least or largest, of different operands."""
    flat: list[Expression] = []
    for operand in operands:
        inside = operand.operands if isinstance(operand, Operation) and operand.operator == operator else (operand,)
        flat += [part for part in inside if part not in flat]
    return flat[0] if len(flat) == 1 else Operation(operator, tuple(flat))


def substituted(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    match expression:
        case Name(name):
            return values.get(name, expression)
        case Operation(operator, operands):
            changed = tuple(substituted(operand, values) for operand in operands)
            if operator == "+":
                return add(changed[0], changed[1])
            if operator == "neg" and isinstance(changed[0], Operation) and changed[0].operator == "+":
                inner, number = changed[0].operands
                if isinstance(number, Number):
                    return add(Operation("neg", (inner,)), Number(-number.value))
            if operator in ("min", "max"):
                return extreme(operator, *changed)
            return Operation(operator, changed)
    return expression


def names_in(expression: Expression) -> frozenset[str]:
    match expression:
        case Name(name):
            return frozenset([name])
        case Operation(_, operands):
            return frozenset().union(*(names_in(operand) for operand in operands))
    return frozenset()


def slope(expression: Expression, name: str) -> int | None:
    """1 where it never falls as `name` rises, -1 where it never rises, 0 where neither matters; None if unknown."""
    match expression:
        case Number():
            return 0
        case Name(other):
            return int(other == name)
        case Operation(operator, operands):
            slopes = [slope(operand, name) for operand in operands]
            if not any(s != 0 for s in slopes):
                return 0
            known = [s for s in slopes if s is not None]
            if len(known) < len(slopes):
                return None
            return _joined_slope(operator, operands, known)


def _joined_slope(operator: str, operands: tuple[Expression, ...], slopes: list[int]) -> int | None:
    match operator:
        case "neg":
            return -slopes[0]
        case "-":
            slopes = [slopes[0], -slopes[1]]
        case "*":
            factor, other = (0, 1) if isinstance(operands[0], Number) else (1, 0)
            number = operands[factor]
            return slopes[other] * (1 if number.value >= 0 else -1) if isinstance(number, Number) else None
        case "/" | "floor":
            divisor = operands[1]
            return slopes[0] if isinstance(divisor, Number) and divisor.value > 0 else None
        case "+" | "min" | "max":
            pass
        case _:
            return None
    different = {s for s in slopes if s}
    return different.pop() if len(different) == 1 else None


def printed(expression: Expression, texts: Mapping[str, str]) -> str:
    """C; `texts` says what names are called there."""
    return _text(expression, texts, 0)


def _text(expression: Expression, texts: Mapping[str, str], around: int) -> str:
    match expression:
        case Number(value):
            return str(value) if value >= 0 or not around else f"({value})"
        case Name(name):
            text = texts.get(name, name)
            return text if not around or re.fullmatch(r"(?:\(long\))?[\w.]+", text) else f"({text})"
        case Operation(operator, operands):
            text, level = _operation(operator, operands, texts)
            return f"({text})" if level < around else text


def _operation(operator: str, operands: tuple[Expression, ...], texts: Mapping[str, str]) -> tuple[str, int]:
    """Its text and how tightly it binds."""
    if operator == "neg":
        return f"-{_text(operands[0], texts, 7)}", 6
    if operator in ("min", "max"):
        sign = "<" if operator == "min" else ">"
        first, *rest = operands
        second = Operation(operator, tuple(rest)) if len(rest) > 1 else rest[0]
        a, b = _text(first, texts, 5), _text(second, texts, 5)
        return f"{a} {sign} {b} ? {a} : {b}", 0
    if operator == "?:":
        condition, yes, no = (_text(operand, texts, 1) for operand in operands)
        return f"{condition} ? {yes} : {no}", 0
    if operator == "floor":
        dividend, divisor = _text(operands[0], texts, 5), _text(operands[1], texts, 7)
        loose = _text(operands[0], texts, 7)
        return f"{dividend} < 0 ? -(({divisor} - 1 - {loose}) / {divisor}) : {loose} / {divisor}", 0
    level = _PRECEDENCE[operator]
    negated = _negated(operands[0]) if operator == "+" and not isinstance(operands[1], Number) else None
    if negated is not None:
        return f"{_text(operands[1], texts, level)} - {_text(negated, texts, level + 1)}", level
    a, b = _text(operands[0], texts, level), _text(operands[1], texts, level + 1)
    if operator == "+" and isinstance(operands[1], Number) and operands[1].value < 0:
        return f"{a} - {-operands[1].value}", level
    return f"{a} {operator} {b}", level


def _negated(expression: Expression) -> Expression | None:
    """What an expression that starts with a minus takes away."""
    match expression:
        case Operation("neg", (inner,)):
            return inner
        case Operation("*", (Number(factor), inner)) if factor < 0:
            return Operation("*", (Number(-factor), inner)) if factor < -1 else inner
    return None
