"""Subscripts that a function of several whole numbers computes: `data[i * n + j]` for `m(i, j)`.

The arguments are taken to stay within their dimension, as the subscripts of `A[i][j]` are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from tunepass.frontends.c.scops.numbers.affine import Whole, polynomial
from tunepass.frontends.c.scops.numbers.affine_values import Affine
from tunepass.frontends.cfamily.syntax.tree import Binary, Cast, Expression, Name, Number


@dataclass(frozen=True, slots=True)
class Rowed(Binary):
    """One subscript that stands for several, `dimensions`; equal `strides` (texts) are equal ways to count rows."""

    dimensions: tuple[Expression, ...]
    strides: tuple[str, ...]


class _Symbols:
    """Every name is a number of its own."""

    def value_of(self, e: Name | Number) -> Whole | None:
        return Whole(Affine.of(e.text)) if isinstance(e, Name) else None

    def invariant(self, e: Expression) -> Whole | None:
        return None

    def quantity(self, definition: Callable[[str], str]) -> str:
        return "/"


def rowed(e: Expression, formals: Collection[str]) -> Expression:
    """`e`, a subscript in terms of a function's `formals`, with its dimensions if it has them: the outermost first."""
    terms = polynomial(e, _Symbols()) if isinstance(e, Binary) else None
    strides: dict[str, tuple[str, ...]] = {}
    for product, factor in (terms or {}).items():
        indices = [name for name in product if name in formals]
        if len(indices) != 1 or factor != 1 or indices[0] in strides or "/" in product:
            return e
        strides[indices[0]] = tuple(name for name in product if name not in formals)
    ordered = sorted(strides, key=lambda name: len(strides[name]), reverse=True)
    lengths = [len(strides[name]) for name in ordered]
    if not ordered or len(set(lengths)) != len(lengths) or not isinstance(e, Binary):
        return e
    dimensions = {part.text: part for part in _names(e) if part.text in ordered}
    return Rowed(
        e.op, e.left, e.right, tuple(dimensions[name] for name in ordered), tuple("*".join(strides[n]) for n in ordered)
    )


def _names(e: Expression) -> list[Name]:
    match e:
        case Name():
            return [e]
        case Binary(_, left, right):
            return [*_names(left), *_names(right)]
        case Cast(_, _, operand):
            return _names(operand)
    return []


def moved_on(e: Expression, by: Expression) -> Expression:
    """`e + by`: the subscript of what lies `by` elements behind; the next dimension if `e` is one of rows."""
    if isinstance(e, Rowed) and "" not in e.strides:
        return Rowed("+", e, by, (*e.dimensions, by), (*e.strides, ""))
    return Binary("+", e, by)
