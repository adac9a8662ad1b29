"""Values of operators' formulas: numbers (expressions over parameters), words, and tuples of them.

Arithmetic goes element by element, and a number stands for a tuple of itself. A word that a parameter chooses is an
expression too, of a category's type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tunepass.diagnostics import TunepassError
from tunepass.expr import algebra
from tunepass.expr.algebra import ExprLike
from tunepass.expr.nodes import Expr
from tunepass.expr.printer import to_text
from tunepass.ir.graph import Shape

Value = Expr | str | tuple["Value", ...]


class GraphError(TunepassError):
    """A model that its operators cannot make sense of: shapes that do not fit, an attribute that is missing."""


def scalar(value: Value, subject: str = "a number") -> Expr:
    """The value, which has to be a number."""
    if isinstance(value, Expr):
        return value
    raise GraphError(f"{subject} was expected, not {told(value)}")


def vector(value: Value, subject: str = "several numbers") -> Shape:
    """The value, which has to be a tuple of numbers."""
    if isinstance(value, tuple):
        return tuple(scalar(item, f"a number in {subject}") for item in value)
    raise GraphError(f"{subject} were expected, not {told(value)}")


def whole(value: Value, subject: str) -> int:
    """The value, which has to be a whole number that no parameter decides."""
    known = algebra.number(value) if isinstance(value, Expr) else None
    if known is None or known != int(known):
        raise GraphError(f"{subject} has to be a whole number that no parameter decides, not {told(value)}")
    return int(known)


def spread(value: Value, length: int, subject: str = "a number or one for each dimension") -> Shape:
    """A number as often as there are dimensions; a tuple has to have that length."""
    if isinstance(value, Expr):
        return (value,) * length
    numbers = vector(value, subject)
    if len(numbers) != length:
        raise GraphError(f"{subject}: {length} are needed, {told(value)} has {len(numbers)}")
    return numbers


def elementwise(operation: Callable[[ExprLike, ExprLike], Expr], left: Value, right: Value) -> Value:
    """The operation on two numbers, or on each pair of two tuples; one number goes with each element of a tuple."""
    if isinstance(left, Expr) and isinstance(right, Expr):
        return operation(left, right)
    length = len(left) if isinstance(left, tuple) else len(right) if isinstance(right, tuple) else 0
    return tuple(operation(a, b) for a, b in zip(spread(left, length), spread(right, length)))


def balanced(terms: Sequence[Expr], join: Callable[[ExprLike, ExprLike], Expr], neutral: int) -> Expr:
    """Many terms joined as a balanced tree, whose depth grows with the logarithm of their number. Constants are folded
    first."""
    constant: ExprLike = neutral
    items: list[Expr] = []
    for term in terms:
        if algebra.number(term) is None:
            items.append(term)
        else:
            constant = join(constant, term)
    while len(items) > 1:
        items = [join(*items[i : i + 2]) if i + 1 < len(items) else items[i] for i in range(0, len(items), 2)]
    return join(items[0], constant) if items else algebra.lift(constant)


def total(terms: Sequence[Expr]) -> Expr:
    """The sum, 0 of none."""
    return balanced(terms, algebra.add, 0)


def product(terms: Sequence[Expr]) -> Expr:
    """The product, 1 of none."""
    return balanced(terms, algebra.mul, 1)


def told(value: Value) -> str:
    """How messages say a value."""
    if isinstance(value, tuple):
        return f"({', '.join(told(item) for item in value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, str):
        return repr(value)
    known = algebra.number(value)
    return str(known) if known is not None else to_text(value)
