"""Values of C++ expressions, of which some are not numbers yet but expressions over parameters."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from tunepass.frontends.cfamily.syntax.tree import Block, Declaration


class Unknown(Exception):
    """The value of an expression is unknown."""


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
    """A function of the program or a lambda. `body` gives its statements when it is called."""

    formals: tuple[Declaration, ...]
    body: Callable[[], Block]


@dataclass(frozen=True, slots=True)
class Named:
    """What a call gave that only its receiver understands; or a name with its scopes, as `ktt::ComputeApi::CUDA`."""

    kind: str
    number: int = 0


Value = bool | int | float | str | Formula | Array | Function | Named | tuple["Value", ...]
MOST = 1 << 63  # of numbers
DIGITS = 400  # of a number that is read
INTEGER = re.compile(r"(0x[0-9a-f]+|0b[01]+|\d+)[ulz]*")
REAL = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[lf]?")
REALS = ("float", "double", "long double")
WHOLE = re.compile(r"(u?int\d*_t|s?size_t|(?:(?:un)?signed|short|long|int|char)(?: (?:unsigned|short|long|int|char))*)")


def truth(value: Value) -> bool | Formula:
    match value:
        case Formula(text, boolean):
            return value if boolean else Formula(f"({text} != 0)", True)
        case bool() | int() | float():
            return bool(value)
    raise Unknown


def negated(value: Value) -> Value:
    holds = truth(value)
    return Formula(f"(not {holds.text})", True) if isinstance(holds, Formula) else not holds


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
        computed = COUNTED[mark](left, right)
    elif mark in ("/", "%") and right == 0:
        raise Unknown
    elif float in (type(left), type(right)):
        if mark != "/":
            raise Unknown
        computed = left / right
    elif mark in ("/", "%"):
        whole = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        computed = whole if mark == "/" else left - whole * right
    elif mark == "<<" and 0 <= right < 63:
        computed = int(left) << int(right)
    else:
        raise Unknown
    if abs(computed) >= MOST:
        raise Unknown
    return computed


def number(text: str) -> int | float:
    """A number as C++ writes it. Raises Unknown for one that is too large or has the program's own suffix."""
    digits = text.replace("'", "").lower()
    whole, real = INTEGER.fullmatch(digits), REAL.fullmatch(digits)
    if (whole is None and real is None) or len(digits) > DIGITS:
        raise Unknown
    value = int(whole[1], _base(whole[1])) if whole is not None else float(digits.rstrip("lf"))
    if abs(value) >= MOST:
        raise Unknown
    return value


def _base(digits: str) -> int:
    return {"0x": 16, "0b": 2}.get(digits[:2], 8 if re.fullmatch("0[0-7]+", digits) else 10)


def converted(kind: str, value: Value) -> Value:
    """A number as the type `kind` holds it; other values, and other types, as they are."""
    if not isinstance(value, (bool, int, float)):
        return value
    if kind in REALS:
        return float(value)
    if kind == "bool":
        return bool(value)
    return int(value) if WHOLE.fullmatch(kind) else value
