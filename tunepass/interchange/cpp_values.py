"""Values of C++ expressions, of which some are not numbers yet but expressions over parameters."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from tunepass.interchange.cpp_tokens import Token


class Unknown(Exception):
    """What an expression gives is not known here."""


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression of tunepass's over parameters."""

    text: str
    boolean: bool = False


@dataclass(frozen=True, slots=True)
class Array:
    """A std::vector that is filled elsewhere; `element` as C has it."""

    length: int
    element: str


@dataclass(frozen=True, slots=True)
class Function:
    """`body` is the place of its opening brace."""

    formals: tuple[str, ...]
    body: int


@dataclass(frozen=True, slots=True)
class Named:
    """What a call gave that only its receiver understands; or a name with its scopes, as `ktt::ComputeApi::CUDA`."""

    kind: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Typed:
    """A number with the type that it was declared with."""

    value: bool | int | float
    element: str


Value = bool | int | float | str | Formula | Array | Function | Named | Typed | tuple["Value", ...]
MOST = 1 << 63  # of whole numbers


def plain(value: Value) -> Value:
    return value.value if isinstance(value, Typed) else value


def truth(value: Value) -> bool | Formula:
    value = plain(value)
    match value:
        case Formula(text, boolean):
            return value if boolean else Formula(f"({text} != 0)", True)
        case bool() | int() | float():
            return bool(value)
    raise Unknown


def negated(value: Value) -> Value:
    found = truth(value)
    return Formula(f"(not {found.text})", True) if isinstance(found, Formula) else not found


def both(mark: str, left: Value, right: Callable[[], Value]) -> Value:
    """`&&` and `||`; the right side is not asked for where the left one settles it."""
    first = truth(left)
    if isinstance(first, bool):
        return first if first == (mark == "||") else truth(right())
    second = truth(right())
    if isinstance(second, bool):
        return first if second == (mark == "&&") else second
    return Formula(f"({first.text} {'and' if mark == '&&' else 'or'} {second.text})", True)


def chosen(condition: Formula, one: Value, other: Value) -> Value:
    if all(isinstance(v, bool) or (isinstance(v, Formula) and v.boolean) for v in (one, other)):
        yes = both("&&", condition, lambda: one)
        no = both("&&", negated(condition), lambda: other)
        return both("||", yes, lambda: no)
    return Formula(f"if({condition.text}, {number_text(one)}, {number_text(other)})")


def number_text(value: Value) -> str:
    value = plain(value)
    match value:
        case Formula(text, boolean):
            return f"if({text}, 1, 0)" if boolean else text
        case bool() | int():
            return str(int(value))
        case float():
            return repr(value)
        case _:
            raise Unknown


COMPARED: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COUNTED: dict[str, Callable[[float, float], float]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def binary(mark: str, left: Value, right: Value) -> Value:
    """The operators of arithmetic and of comparison. Whole numbers divide as in C."""
    left, right = plain(left), plain(right)
    if isinstance(left, str) and isinstance(right, str) and mark == "+":
        return left + right
    if isinstance(left, Named) and isinstance(right, Named) and mark in ("==", "!="):
        return (left == right) == (mark == "==")
    if isinstance(left, (bool, int, float)) and isinstance(right, (bool, int, float)):
        return _computed(mark, left, right)
    words = {"/": "//"}.get(mark, mark)
    if mark not in COMPARED and mark not in COUNTED and mark not in ("/", "%"):
        raise Unknown
    if (mark == "*" and left == 1) or (mark in ("*", "/") and right == 1):
        return right if right != 1 else left
    return Formula(f"({number_text(left)} {words} {number_text(right)})", mark in COMPARED)


def _computed(mark: str, left: float, right: float) -> Value:
    if mark in COMPARED:
        return COMPARED[mark](left, right)
    if mark in COUNTED:
        found = COUNTED[mark](left, right)
    elif mark in ("/", "%") and right == 0:
        raise Unknown
    elif float in (type(left), type(right)):
        if mark != "/":
            raise Unknown
        found = left / right
    elif mark in ("/", "%"):
        whole = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        found = whole if mark == "/" else left - whole * right
    elif mark == "<<" and 0 <= right < 63:
        found = int(left) << int(right)
    else:
        raise Unknown
    if abs(found) >= MOST:
        raise Unknown
    return found


def number(token: Token) -> int | float:
    text = token.text.replace("'", "")
    if text[:2] in ("0x", "0X"):
        return int(text.rstrip("uUlLzZ"), 16)
    text = text.rstrip("uUlLfFzZ")
    if not text.isdigit():
        return float(text)
    return int(text, 8) if re.fullmatch("0[0-7]+", text) else int(text)
