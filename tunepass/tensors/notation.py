"""Index expressions: their accesses, variables, and their text as TACO writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from tunepass.ir.tensor import Access, Assignment, Binary, Negation, Number, TensorExpr, accesses

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}
NEGATION_LEVEL, ATOM_LEVEL = 3, 4


def variables(expression: TensorExpr) -> tuple[str, ...]:
    """Index variables in the order of their first use."""
    return tuple(dict.fromkeys(v for access in accesses(expression) for v in access.index))


def free_variables(assignment: Assignment) -> tuple[str, ...]:
    """The index variables of the result."""
    return tuple(dict.fromkeys(assignment.left.index))


def reduction_variables(assignment: Assignment) -> tuple[str, ...]:
    """The index variables that are summed over."""
    return tuple(v for v in variables(assignment.right) if v not in assignment.left.index)


def all_variables(assignment: Assignment) -> tuple[str, ...]:
    """The result's variables first."""
    return free_variables(assignment) + reduction_variables(assignment)


def replaced(expression: TensorExpr, old: TensorExpr, new: TensorExpr) -> TensorExpr:
    """`expression` with every part that equals `old`, spans apart, replaced."""
    if same(expression, old):
        return new
    match expression:
        case Negation(operand):
            return Negation(replaced(operand, old, new))
        case Binary(operator, left, right):
            return Binary(operator, replaced(left, old, new), replaced(right, old, new))
    return expression


def same(one: TensorExpr, other: TensorExpr) -> bool:
    """Do both read the same, spans apart?"""
    return expression_text(one) == expression_text(other)


def contains(expression: TensorExpr, part: TensorExpr) -> bool:
    if same(expression, part):
        return True
    match expression:
        case Negation(operand):
            return contains(operand, part)
        case Binary(_, left, right):
            return contains(left, part) or contains(right, part)
    return False


def is_linear(expression: TensorExpr, part: TensorExpr) -> bool:
    """Is every use of `part` a factor or a term, outside divisors?"""
    match expression:
        case Binary("/", left, right):
            return not contains(right, part) and is_linear(left, part)
        case Binary(_, left, right):
            return is_linear(left, part) and is_linear(right, part)
        case Negation(operand):
            return is_linear(operand, part)
    return True


def renamed(expression: TensorExpr, names: Mapping[str, str]) -> TensorExpr:
    """`expression` with index variables renamed."""
    match expression:
        case Access():
            return replace(expression, index=tuple(names.get(v, v) for v in expression.index))
        case Negation(operand):
            return Negation(renamed(operand, names))
        case Binary(operator, left, right):
            return Binary(operator, renamed(left, names), renamed(right, names))
    return expression


def expression_text(expression: TensorExpr) -> str:
    """TACO's own text: `B(i,j) * (C(j,k) + 2)`."""
    return _text(expression)[0]


def assignment_text(assignment: Assignment) -> str:
    operator = "+=" if assignment.accumulates else "="
    return f"{expression_text(assignment.left)} {operator} {expression_text(assignment.right)}"


def _text(expression: TensorExpr) -> tuple[str, int]:
    match expression:
        case Access(tensor, index):
            return (f"{tensor}({','.join(index)})" if index else tensor), ATOM_LEVEL
        case Number(value):
            return _number_text(value), ATOM_LEVEL if value >= 0 else NEGATION_LEVEL
        case Negation(operand):
            return f"-{_at_level(operand, NEGATION_LEVEL + 1)}", NEGATION_LEVEL
        case Binary(operator, left, right):
            level = PRECEDENCE[operator]
            return f"{_at_level(left, level)} {operator} {_at_level(right, level + 1)}", level


def _number_text(value: int | float) -> str:
    """TACO reads no exponents."""
    if isinstance(value, int):
        return str(value)
    text = f"{Decimal(repr(value)):f}"
    return text if "." in text else f"{text}.0"


def _at_level(expression: TensorExpr, level: int) -> str:
    text, operator_level = _text(expression)
    return text if operator_level >= level else f"({text})"
