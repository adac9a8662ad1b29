"""The C text of a term."""

from __future__ import annotations

from collections.abc import Callable

from tunepass.ir.tensor import Access, Binary, Element, Negation, Number, TensorExpr
from tunepass.tensors.terms import Term

Reader = Callable[[Access], str]  # the C text of the number an access is


def product_text(term: Term, read: Reader, element: Element) -> str:
    """`term` without its sign."""
    factors = [factor_text(factor, read, element) for factor in term.factors]
    text = " * ".join(factors)
    for divisor in term.divisors:
        text += " / " + factor_text(divisor, read, element)
    return text


def factor_text(expression: TensorExpr, read: Reader, element: Element) -> str:
    match expression:
        case Access():
            return read(expression)
        case Number(value):
            return number_text(value, element)
        case Negation(operand):
            return f"(-{factor_text(operand, read, element)})"
        case Binary(operator, left, right):
            return f"({factor_text(left, read, element)} {operator} {factor_text(right, read, element)})"


def number_text(value: int | float, element: Element) -> str:
    """A literal: of floating point in an expression of such numbers, so that 1/2 is a half."""
    if element in ("double", "float") or isinstance(value, float):
        text = repr(float(value)) + "f" * (element == "float")
    else:
        text = f"{value}L" if element == "long" else str(value)
    return f"({text})" if value < 0 else text
