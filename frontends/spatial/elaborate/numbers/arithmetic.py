"""Arithmetic on the values of a program: folded when known beforehand, an operation of the body otherwise."""

from __future__ import annotations

from dataclasses import replace

from tunepass.diagnostics import ExpressionError, Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.numbers.affine import affine_wire, negated_wire
from tunepass.frontends.spatial.elaborate.numbers.reading import constants, family, read
from tunepass.frontends.spatial.elaborate.values import Known, Text, Unmodelled, Value, Wire
from tunepass.ir.hardware import BIT

BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod",
    "<": "lt", "<=": "le", ">": "lt", ">=": "le", "==": "eq", "===": "eq", "!=": "ne", "=!=": "ne",
    "&&": "and", "||": "or", "&": "and", "|": "or", "^": "xor", "<<": "shift", ">>": "shift", ">>>": "shift",
    "<+>": "add", "<->": "sub", "<*>": "mul", "</>": "div", "*&": "mul", "/&": "div",
}  # fmt: skip
COMPARISONS = frozenset({"lt", "le", "eq", "ne"})


def binary(context: Context, operator: str, left: Value, right: Value, span: Span) -> Value:
    if isinstance(left, Text) or isinstance(right, Text):
        return Text("")
    left, right = read(context, left, span), read(context, right, span)
    if operator == "**":
        return power(context, left, right, span)
    name = BINARY.get(operator)
    if name is None:
        return Unmodelled(operator)
    if isinstance(left, Known) and isinstance(right, Known):
        try:
            return _fold(name, operator, left, right)
        except ExpressionError:  # the number is beyond 64 bits
            return context.unmodelled("a number beyond 63 bits", span)
    if not context.in_hardware:
        return Unmodelled(operator)
    wires = [v for v in (left, right) if isinstance(v, Wire)]
    if not wires:
        return Unmodelled(operator)
    element = wires[0].element
    result, inputs = BIT if name in COMPARISONS else element, tuple(w.op for w in wires)
    told_by = (operator, *constants((left, right)))
    op = context.op(f"{family(element)}_{name}", result, inputs, span=span, told_by=told_by)
    computed = affine_wire(op, name, left, right)
    return computed if computed.bound is not None else replace(computed, usual=_usual(name, operator, left, right))


def number_of(value: Value) -> Expr | None:
    """What models take a value for: the number that it is, or usually is."""
    if isinstance(value, Known):
        return value.expr
    return value.bound if isinstance(value, Wire) else None


def _usual(name: str, operator: str, left: Value, right: Value) -> Expr | None:
    """What models take the result for, where they take both operands for a number."""
    a, b = number_of(left), number_of(right)
    if a is None or b is None or name not in ("add", "sub", "mul", "div", "shift"):
        return None
    if name == "shift":
        places = algebra.number(b)
        if not isinstance(places, int) or not 0 <= places < 63:
            return None
        scale = 1 << places
        return algebra.mul(a, scale) if operator == "<<" else algebra.floordiv(a, scale)
    try:
        folded = _fold(name, operator, Known(a), Known(b))
    except ExpressionError:  # beyond 64 bits
        return None
    return folded.expr if isinstance(folded, Known) else None


def _fold(name: str, operator: str, left: Known, right: Known) -> Value:
    a, b = algebra.number(left.expr), algebra.number(right.expr)
    element = left.element or right.element
    match name:
        case "add":
            return Known(algebra.add(left.expr, right.expr), element)
        case "sub":
            return Known(algebra.sub(left.expr, right.expr), element)
        case "mul":
            return Known(algebra.mul(left.expr, right.expr), element)
        case "div" | "mod" if b == 0:
            return Unmodelled(operator)
        case "div" if isinstance(a, float) or isinstance(b, float):
            return Known(algebra.div(left.expr, right.expr), element)
        case "div":
            return Known(algebra.floordiv(left.expr, right.expr), element)
        case "mod":
            return Known(algebra.mod(left.expr, right.expr), element)
    if a is None or b is None:
        return Unmodelled(operator)
    if name in COMPARISONS:
        holds = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}.get(operator, (a == b) == (name == "eq"))
        return Known(algebra.lift(holds))
    if name in ("and", "or") and isinstance(a, (bool, int)) and isinstance(b, (bool, int)):
        return Known(algebra.lift(a & b if name == "and" else a | b))
    if operator in ("<<", ">>") and isinstance(a, int) and isinstance(b, int) and 0 <= b < 63:
        return Known(algebra.lift(a << b if operator == "<<" else a >> b))
    return Unmodelled(operator)


def power(context: Context, base: Value, exponent: Value, span: Span) -> Value:
    """`x ** n` is n - 1 multiplications."""
    n = algebra.number(exponent.expr) if isinstance(exponent, Known) else None
    if isinstance(base, Known) and n is not None:
        b = algebra.number(base.expr)
        return Known(algebra.lift(b**n)) if b is not None and abs(n) < 64 else Unmodelled("**")
    if not isinstance(base, Wire) or not context.in_hardware:
        return Unmodelled("**")
    result = base.op
    times = int(n) - 1 if n is not None and n == int(n) and 1 <= n <= 16 else 1
    for _ in range(times):
        result = context.op(f"{family(base.element)}_mul", base.element, (result, base.op), span=span)
    return Wire(result)


def prefixed(context: Context, operator: str, operand: Value, span: Span) -> Value:
    operand = read(context, operand, span)
    if isinstance(operand, Known):
        value = algebra.number(operand.expr)
        if operator == "-":
            return Known(algebra.sub(0, operand.expr), operand.element)
        if operator == "+":
            return operand
        return Known(algebra.lift(not value)) if isinstance(value, bool) else Unmodelled(operator)
    if not isinstance(operand, Wire) or not context.in_hardware:
        return Unmodelled(operator)
    name = {"-": "neg", "!": "not", "~": "not"}.get(operator, "neg")
    operation = f"{family(operand.element)}_{name}"
    op = context.op(operation, operand.element, (operand.op,), span=span, told_by=(operator,))
    return negated_wire(op, operand) if operator == "-" else Wire(op)
