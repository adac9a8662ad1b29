"""SMT-LIB text: symbols, literals, and formulas that fold what is known."""

from __future__ import annotations

import re
from fractions import Fraction

SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words of the language and of the theories, which a parameter may be called too.
RESERVED = frozenset({
    *("BINARY", "DECIMAL", "HEXADECIMAL", "NUMERAL", "STRING", "_", "as", "exists", "forall", "let", "match", "par"),
    *("assert", "Bool", "Int", "Real", "Array", "String", "true", "false", "not", "and", "or", "xor", "ite"),
    *("distinct", "div", "mod", "abs", "to_int", "to_real", "is_int", "select", "store"),
})  # fmt: skip
TRUE, FALSE = "true", "false"


def symbol(name: str) -> str:
    """A parameter's name as a symbol: itself, unless it means something already."""
    if name in RESERVED:
        return f"{name}.parameter"
    return name if SIMPLE.fullmatch(name) else f"|{name}|"


def integer(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def real(value: float | Fraction) -> str:
    """The exact number that a double is."""
    fraction = Fraction(value)
    size = abs(fraction)
    text = f"{size.numerator}.0" if size.denominator == 1 else f"(/ {size.numerator}.0 {size.denominator}.0)"
    return text if fraction >= 0 else f"(- {text})"


def literal(value: int | float, *, is_real: bool) -> str:
    return real(value) if is_real else integer(int(value))


def conjunction(*parts: str) -> str:
    return _joined("and", parts, neutral=TRUE, final=FALSE)


def disjunction(*parts: str) -> str:
    return _joined("or", parts, neutral=FALSE, final=TRUE)


def negation(part: str) -> str:
    if part in (TRUE, FALSE):
        return FALSE if part == TRUE else TRUE
    return part[5:-1] if part.startswith("(not ") else f"(not {part})"


def choice(condition: str, then: str, otherwise: str) -> str:
    if condition in (TRUE, FALSE) or then == otherwise:
        return then if condition != FALSE else otherwise
    return f"(ite {condition} {then} {otherwise})"


def either(value: str, constants: list[str]) -> str:
    """`value` is one of these."""
    return disjunction(*(f"(= {value} {constant})" for constant in constants))


def is_atom(text: str) -> bool:
    return not text.startswith("(")


def _joined(word: str, parts: tuple[str, ...], neutral: str, final: str) -> str:
    operands = [part for part in dict.fromkeys(parts) if part != neutral]
    if final in operands:
        return final
    if len(operands) < 2:
        return operands[0] if operands else neutral
    return f"({word} {' '.join(operands)})"
