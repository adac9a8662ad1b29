"""C text of an expression of names, numbers and arithmetic, in brackets where it needs them."""

from __future__ import annotations

import re

from tunepass.frontends.cfamily.tree import Binary, Cast, Expression, Name, Number, Unary


def plain_text(e: Expression) -> str | None:
    """None of anything else."""
    match e:
        case Name(token) | Number(token):
            return token.text
        case Unary(op, operand) if op.text in ("-", "+"):
            inner = plain_text(operand)
            return None if inner is None else f"({op.text}{inner})"
        case Cast(type_, False, operand):
            inner = plain_text(operand)
            return None if inner is None else f"({type_})({inner})"
        case Binary(op, left, right) if op in ("+", "-", "*", "/"):
            a, b = plain_text(left), plain_text(right)
            return None if a is None or b is None else f"({a} {op} {b})"
    return None


def is_whole(text: str) -> bool:
    """Does it bind as one operand wherever it stands?"""
    return bool(re.fullmatch(r"\w+(?:\s*(?:\[[^\[\]]*\]|\([^()]*\)|(?:\.|->)\s*\w+))*", text))
