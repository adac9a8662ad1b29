"""C text of whole-number arithmetic that nothing in a scop changes, affine or not: `n * m`, `sizeof a / sizeof *a`."""

from __future__ import annotations

from collections.abc import Callable

from tunepass.frontends.c.scops.numbers.c_types import SIGNED, UNSIGNED
from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.syntax.tree import Binary, Cast, Expression, Name, Number, SizeOf, Unary
from tunepass.frontends.cfamily.types.declared import canonical_type

OPERATORS = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|")


def invariant_text(e: Expression, text_of: Callable[[Name | Number], str | None]) -> str | None:
    """The text, in brackets where it needs them; None where something varies. `text_of` is that of a parameter."""
    match e:
        case Number(token):
            known = text_of(e)
            return known or (token.text if literal(token.text) is not None else None)
        case Name():
            return text_of(e)
        case SizeOf(_, text):
            return text
        case Unary(op, operand) if op.text in ("-", "~"):
            inner = invariant_text(operand, text_of)
            return inner and f"({op.text}{inner})"
        case Cast(type_, False, operand) if canonical_type(type_) in SIGNED | UNSIGNED:
            inner = invariant_text(operand, text_of)
            return inner and f"(({type_}){inner})"
        case Binary(op, left, right) if op in OPERATORS:
            a, b = invariant_text(left, text_of), invariant_text(right, text_of)
            return f"({a} {op} {b})" if a and b else None
    return None
