"""C text of an expression of names, numbers and arithmetic, in brackets where it needs them."""

from __future__ import annotations

from tunepass.frontends.cfamily.syntax.tree import Binary, Cast, Expression, Items, Name, Number, Unary
from tunepass.frontends.cfamily.text.tokens import BRACKETS, closings, tokens


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


def initial_value(value: Expression | None, text: str) -> tuple[Expression, str] | None:
    """The one value that `= value`, `{value}` or `(value)` sets a variable to, with its text; None of anything else."""
    if value is None or not text:
        return None
    if text.startswith("="):
        return value, text[1:].strip()
    if not isinstance(value, Items) or len(value.parts) != 1 or f"{text[0]}{text[-1]}" not in ("()", "{}"):
        return None
    return value.parts[0], text[1:-1].strip()


def grouped(text: str) -> str:
    """In brackets unless it binds as one operand wherever it stands."""
    return text if _is_whole(text) else f"({text})"


def _is_whole(text: str) -> bool:
    """A name or a number with subscripts, calls and members after it, or something in brackets."""
    code = list(tokens(text))
    ends = closings(code)
    position = ends.get(0, len(code)) + 1 if code and code[0].at(*BRACKETS) else 1
    if position > 1 and position < len(code):
        return False  # perhaps a cast
    while position < len(code):
        if code[position].at("(", "["):
            position = ends.get(position, len(code)) + 1
        elif code[position].at(".", "->"):
            position += 2
        else:
            return False
    return bool(code) and (code[0].kind in ("name", "number") or code[0].at(*BRACKETS))
