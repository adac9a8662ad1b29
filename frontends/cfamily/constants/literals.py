"""Whole numbers of C: literals and arithmetic on them."""

from __future__ import annotations

SHIFT_LIMIT = 64
BITS = 1 << 64
BASES = {"0x": 16, "0b": 2}


def literal(text: str) -> int | None:
    """The value of a whole-number literal."""
    digits = text.lower().rstrip("ul").replace("'", "")
    try:
        octal = digits[:1] == "0" and digits.isdigit() and len(digits) > 1
        base = BASES.get(digits[:2], 8 if octal else 10)
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
