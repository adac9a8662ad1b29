"""Whether `#if` holds: whole-number arithmetic on macros, names that are none counting as 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.frontends.c.scops.expressions import ExpressionParser, SyntaxFault
from tunepass.frontends.c.scops.macro_expansion import Expander, ExpansionError, Macro
from tunepass.frontends.c.scops.tokens import Token, tokens
from tunepass.frontends.c.scops.tree import Binary, Call, Conditional, Expression, Number, Unary

SHIFT_LIMIT = 64
BITS = 1 << 64


def holds(kind: str, body: str, macros: Mapping[str, Macro]) -> bool:
    """Is the branch after `#if body` (`ifdef`, `ifndef`) alive? What cannot be told is not."""
    words = list(tokens(body))
    if kind in ("ifdef", "ifndef"):
        return bool(words) and (words[0].text in macros) == (kind == "ifdef")
    try:
        parser = ExpressionParser(Expander(macros).expand(_defined(words, macros)))
        return bool(whole_number(parser.conditional()))
    except (SyntaxFault, ExpansionError):
        return False


def _defined(words: Sequence[Token], macros: Mapping[str, Macro]) -> list[Token]:
    """`defined X` and `defined(X)` as 1 or 0."""
    done: list[Token] = []
    position = 0
    while position < len(words):
        token = words[position]
        position += 1
        if not token.at("defined"):
            done.append(token)
            continue
        bracket = position < len(words) and words[position].at("(")
        name = words[position + bracket].text if position + bracket < len(words) else ""
        position += 3 if bracket else 1
        done.append(Token("number", "1" if name in macros else "0", token.start, token.end))
    return done


def whole_number(e: Expression) -> int | None:
    """The value of whole-number arithmetic; unknown names are 0, and None is what is not arithmetic."""
    if isinstance(e, Number):
        return literal(e.token.text)
    if isinstance(e, Conditional):
        return whole_number(e.then if whole_number(e.condition) else e.other)
    if isinstance(e, Unary):
        value = whole_number(e.operand)
        return None if value is None else {"-": -value, "!": int(not value), "~": ~value}.get(e.op.text, value)
    if isinstance(e, Binary):
        left, right = whole_number(e.left), whole_number(e.right)
        if e.op == "&&":
            return int(bool(left) and bool(right))
        if e.op == "||":
            return int(bool(left) or bool(right))
        return None if left is None or right is None else arithmetic(e.op, left, right)
    return None if isinstance(e, Call) else 0


def literal(text: str) -> int | None:
    """The value of a whole-number literal."""
    digits = text.lower().rstrip("ul").replace("'", "")
    try:
        base = (
            16 if digits.startswith("0x") else 8 if digits[:1] == "0" and digits.isdigit() and len(digits) > 1 else 10
        )
        value = int(digits, base) if len(digits) < 24 else None
    except ValueError:
        return None
    return value


def arithmetic(op: str, a: int, b: int) -> int | None:
    """`a op b` as C has it; None where that is not defined."""
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return (a * b) % BITS if abs(a) >= BITS or abs(b) >= BITS else a * b
        case "/" | "%" if b:
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)  # towards zero
            return quotient if op == "/" else a - quotient * b
        case "<<" | ">>" if 0 <= b < SHIFT_LIMIT:
            return (a << b) % BITS if op == "<<" else a >> b
        case "&" | "|" | "^":
            return {"&": a & b, "|": a | b, "^": a ^ b}[op]
        case "==" | "!=" | "<" | ">" | "<=" | ">=":
            return int({"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[op])
    return None
