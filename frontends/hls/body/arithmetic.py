"""Arithmetic of C on values: folded where both sides are known or affine, an operation of the block otherwise."""

from __future__ import annotations

import math

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.frontends.cfamily.constants.literals import arithmetic
from tunepass.frontends.hls.body.linear import Linear
from tunepass.frontends.hls.body.state import State, known
from tunepass.frontends.hls.body.values import Value
from tunepass.ir.hardware import BIT, INT, Bit, Element, Fixed, Floating, Struct

NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "&": "and", "|": "or", "^": "xor", "<<": "shift",
    ">>": "shift", "<": "lt", "<=": "le", ">": "lt", ">=": "le", "==": "eq", "!=": "ne",
}  # fmt: skip
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
LOGICAL = {"&&": "bit_and", "||": "bit_or"}
PROMOTED, WIDE = 32, 64


def binary(state: State, op: str, left: Value, right: Value, span: Span | None) -> Value:
    if op in LOGICAL:
        return _logical(state, op, left, right, span)
    folded = _folded(op, left, right)
    if folded is not None:
        return folded
    element = common(left.element, right.element)
    family = family_of(element)
    if op in ("%", "&", "|", "^", "<<", ">>") and family == "flt":
        family = "fix"
    result = BIT if op in COMPARISONS else width(op, left, right, element)
    if op in (">", ">="):
        left, right = right, left
    operands = (left, right)
    if op not in ("<<", ">>"):
        operands = (convert(state, left, element, span), convert(state, right, element, span))
    inputs = tuple(state.op(v, span) for v in operands)
    if family == "bit" and NAMES[op] not in ("and", "or", "xor", "eq", "ne"):
        family = "fix"
    return state.result(state.operation(f"{family}_{NAMES[op]}", result, inputs, span), result, left, right)


def _logical(state: State, op: str, left: Value, right: Value, span: Span | None) -> Value:
    for one, other in ((left, right), (right, left)):
        number = one.number
        if number is not None:
            decided = bool(number) == (op == "||")
            return known(int(op == "||"), BIT) if decided else truth(state, other, span)
    a, b = truth(state, left, span), truth(state, right, span)
    inputs = (state.op(a, span), state.op(b, span))
    return state.result(state.operation(LOGICAL[op], BIT, inputs, span), BIT, a, b)


def truth(state: State, value: Value, span: Span | None) -> Value:
    """Whether it is other than 0."""
    if value.number is not None:
        return known(int(bool(value.number)), BIT)
    if isinstance(value.element, Bit):
        return value
    return binary(state, "!=", value, known(0, INT), span)


def negation(state: State, value: Value, span: Span | None) -> Value:
    """`!value`."""
    if value.number is not None:
        return known(int(not value.number), BIT)
    if not isinstance(value.element, Bit):
        return binary(state, "==", value, known(0, INT), span)
    return state.result(state.operation("bit_not", BIT, (state.op(value, span),), span), BIT, value)


def unary(state: State, op: str, value: Value, span: Span | None) -> Value:
    if op == "!":
        return negation(state, value, span)
    if op == "+":
        return value
    if op == "-" and value.linear is not None:
        return Value(_signed(value.element), linear=value.linear.scaled(-1))
    if value.number is not None:
        number = value.number
        return known(-number if op == "-" else ~int(number), value.element)
    name = "neg" if op == "-" else "not"
    element = _signed(value.element) if op == "-" else value.element
    family = family_of(element)
    return state.result(state.operation(f"{family}_{name}", element, (state.op(value, span),), span), element, value)


def mux(state: State, condition: Value, then: Value, other: Value, span: Span | None) -> Value:
    if then == other:
        return then
    element = common(then.element, other.element)
    a, b = convert(state, then, element, span), convert(state, other, element, span)
    inputs = (state.op(condition, span), state.op(a, span), state.op(b, span))
    return state.result(state.operation("mux", element, inputs, span), element, condition, a, b)


def _folded(op: str, left: Value, right: Value) -> Value | None:
    floating = isinstance(left.element, Floating) or isinstance(right.element, Floating)
    a, b = left.number, right.number
    if a is not None and b is not None:
        return _numbers(op, a, b, common(left.element, right.element), floating)
    if left.linear is None or right.linear is None or floating:
        return None
    linear = _linear(op, left.linear, right.linear)
    return None if linear is None else Value(width(op, left, right, INT) if linear.terms else INT, linear=linear)


def _numbers(op: str, a: int | float, b: int | float, element: Element, floating: bool) -> Value | None:
    if op in COMPARISONS:
        holds = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[op]
        return known(int(holds), BIT)
    if floating:
        try:
            number = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else math.nan}.get(op, math.nan)
        except OverflowError:
            return None
        return known(float(number), element) if math.isfinite(number) else None
    result = arithmetic(op, int(a), int(b))
    return None if result is None or abs(result) >= 1 << 62 else known(result, literal_element(result))


def _linear(op: str, a: Linear, b: Linear) -> Linear | None:
    match op:
        case "+":
            return a.plus(b)
        case "-":
            return a.minus(b)
        case "*":
            return a.times(b)
        case "<<" if isinstance(b.number, int) and 0 <= b.number < 62:
            return a.scaled(1 << b.number)
        case ">>" if isinstance(b.number, int) and 0 <= b.number < 62:
            return a.divided(1 << b.number)
        case "/" if isinstance(b.number, int) and b.number:
            exact = a.divided(b.number)
            return exact if exact is not None or a.terms else Linear(algebra.floordiv(a.offset, b.number))
        case "/" if a.constant is not None and b.constant is not None and b.number != 0:
            return Linear(algebra.floordiv(a.constant, b.constant))
        case "%" if isinstance(b.number, int) and b.number:
            if a.constant is not None:
                return Linear(algebra.mod(a.constant, b.number))
            return Linear(algebra.lift(0)) if a.divided(b.number) is not None else None
        case "%" if a.constant is not None and b.constant is not None and b.number != 0:
            return Linear(algebra.mod(a.constant, b.constant))
    return None


# --- types ----------------------------------------------------------------------------------------------------------


def family_of(element: Element) -> str:
    return "flt" if isinstance(element, (Floating, Struct)) else "bit" if isinstance(element, Bit) else "fix"


def _signed(element: Element) -> Element:
    if isinstance(element, Fixed):
        return Fixed(True, element.integer + (not element.signed and element.bits < PROMOTED), element.fraction)
    return INT if isinstance(element, Bit) else element


def literal_element(number: int) -> Fixed:
    """The narrowest type of a literal."""
    return Fixed(number < 0, max(1, number.bit_length() + (number < 0)), 0)


def common(a: Element, b: Element) -> Element:
    """The type that both are converted to."""
    if isinstance(a, Struct) or isinstance(b, Struct):
        return a if isinstance(a, Struct) else b
    if isinstance(a, Floating) or isinstance(b, Floating):
        real = [e for e in (a, b) if isinstance(e, Floating)]
        return max(real, key=lambda e: e.bits)
    if isinstance(a, Bit) and isinstance(b, Bit):
        return BIT
    x, y = (Fixed(False, 1, 0) if isinstance(e, Bit) else e for e in (a, b))
    signed = x.signed or y.signed
    integer = max(e.integer + (signed and not e.signed and e.bits < PROMOTED) for e in (x, y))
    return Fixed(signed, integer, max(x.fraction, y.fraction))


def width(op: str, left: Value, right: Value, element: Element) -> Element:
    """The type of a result: no wider than its operands make it, nor than C has it."""
    if not isinstance(element, Fixed):
        return element if not isinstance(element, Bit) or op in ("&", "|", "^") else Fixed(False, 2, 0)
    a, b = (e if isinstance(e, Fixed) else Fixed(False, 1, 0) for e in (left.element, right.element))
    most = max(PROMOTED if max(a.bits, b.bits) <= PROMOTED else WIDE, a.bits, b.bits)
    signed, integer, fraction = element.signed, element.integer, element.fraction
    amount = right.number
    match op:
        case "+" | "-":
            signed, integer = signed or op == "-", integer + 1
        case "*":
            integer, fraction = a.integer + b.integer, a.fraction + b.fraction
        case "/":
            integer, fraction = a.integer + b.fraction + b.signed, max(a.fraction, fraction)
        case "%":
            signed, integer = a.signed, min(a.integer, b.integer + (a.signed and not b.signed))
        case "&":
            least = [e.integer for e in (a, b) if not e.signed]
            signed, integer = (False, min(least)) if least else (True, integer)
        case "<<":
            by = int(amount) if amount is not None else most
            signed, integer, fraction = a.signed, a.integer + max(0, by), a.fraction
        case ">>":
            by = int(amount) if amount is not None else 0
            signed, integer, fraction = a.signed, max(1, a.integer - by), a.fraction
    excess = max(0, integer + fraction - most)
    dropped = min(excess, max(0, fraction - element.fraction))
    return Fixed(signed, max(1, integer - (excess - dropped)), fraction - dropped)


def convert(state: State, value: Value, element: Element, span: Span | None) -> Value:
    """As a value of that type; narrow whole numbers stay narrow."""
    have = value.element
    if have == element or isinstance(have, Struct) or isinstance(element, Struct):
        return value
    if isinstance(element, Floating):
        if value.number is not None:
            return known(float(value.number), element)
        name = "flt_convert" if isinstance(have, Floating) else "fix_to_flt"
        return state.result(state.operation(name, element, (state.op(value, span),), span), element, value)
    if isinstance(have, Floating):
        if value.number is not None:
            return known(int(value.number), element) if abs(value.number) < 1 << 62 else value
        return state.result(state.operation("flt_to_fix", element, (state.op(value, span),), span), element, value)
    if isinstance(element, Bit):
        return truth(state, value, span) if value.number is None else known(int(bool(value.number)), BIT)
    fits = isinstance(have, Bit) or (
        have.fraction <= element.fraction
        and have.integer <= element.integer - (element.signed and not have.signed)
        and (element.signed or not have.signed)
    )
    narrow = have if fits and not isinstance(have, Bit) else element
    if isinstance(have, Bit):
        narrow = Fixed(False, 1, 0)
    return Value(narrow, value.linear, value.real, value.op, value.block, value.moves)
