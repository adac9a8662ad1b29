"""Spatial's functions of numbers: `abs`, `exp`, `min`, `mux`, `.to[T]` and the like."""

from __future__ import annotations

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.numbers.arithmetic import number_of, power
from tunepass.frontends.spatial.elaborate.numbers.reading import constants, family, read
from tunepass.frontends.spatial.elaborate.values import Known, TupleOf, Unmodelled, Value, Wire
from tunepass.ir.hardware import INT, Element, Fixed

_UNARY = {
    "abs": "abs", "exp": "exp", "log": "log", "ln": "log", "sqrt": "sqrt", "sin": "trig", "cos": "trig",
    "tan": "trig", "sinh": "trig", "cosh": "trig", "tanh": "trig", "sigmoid": "exp", "floor": "round",
    "ceil": "round", "recip": "div",
}  # fmt: skip
# Multiplications and additions in sequence that stand for a polynomial approximation.
_POLYNOMIALS = {"exp_taylor": 5, "log_taylor": 4, "sqrt_approx": 3}


def builtin(context: Context, name: str, arguments: list[Value], span: Span) -> Value | None:
    """A built-in function of numbers applied; None if `name` is none."""
    arguments = [read(context, a, span) for a in arguments]
    if name in ("min", "max") and len(arguments) == 2:
        return _extreme(context, name, arguments, span)
    if name in ("mux", "oneHotMux", "priorityMux"):
        return mux(context, arguments, span)
    if name == "pow" and len(arguments) == 2:
        return power(context, arguments[0], arguments[1], span)
    if name not in _UNARY.keys() | _POLYNOMIALS.keys() or len(arguments) != 1:
        return None
    operand = arguments[0]
    if isinstance(operand, Known):
        value = algebra.number(operand.expr)
        return Known(algebra.lift(abs(value))) if name == "abs" and value is not None else Unmodelled(name)
    if not isinstance(operand, Wire) or not context.in_hardware:
        return Unmodelled(name)
    if name in _POLYNOMIALS:
        return _polynomial(context, name, operand, span)
    operation = f"{family(operand.element)}_{_UNARY[name]}"
    return Wire(context.op(operation, operand.element, (operand.op,), span=span, told_by=(name,)))


def _polynomial(context: Context, name: str, x: Wire, span: Span) -> Wire:
    """Horner's rule: one multiplication and one addition of a coefficient for each degree."""
    result, kind = x.op, family(x.element)
    for degree in range(_POLYNOMIALS[name]):
        product = context.op(f"{kind}_mul", x.element, (result, x.op), span=span)
        result = context.op(f"{kind}_add", x.element, (product,), span=span, told_by=(name, str(degree)))
    return Wire(result)


def _extreme(context: Context, name: str, arguments: list[Value], span: Span) -> Value:
    a, b = arguments
    if isinstance(a, Known) and isinstance(b, Known):
        return Known(algebra.minimum(a.expr, b.expr) if name == "min" else algebra.maximum(a.expr, b.expr), a.element)
    wires = [v for v in arguments if isinstance(v, Wire)]
    if not wires or not context.in_hardware:
        return Unmodelled(name)
    element, inputs = wires[0].element, tuple(w.op for w in wires)
    op = context.op(f"{family(element)}_{name}", element, inputs, span=span, told_by=constants(arguments))
    # What models use for the smaller of a tile and what is left of it: the tile.
    known = [v for v in arguments if isinstance(v, Known)]
    if name == "min" and known:
        return Wire(op, (), known[0].expr)
    numbers = [number for v in arguments if (number := number_of(v)) is not None]
    if name == "max":
        return Wire(op, usual=algebra.maximum(*numbers) if len(numbers) == 2 else None)
    return Wire(op, usual=algebra.minimum(*numbers) if numbers else None)


def mux(context: Context, arguments: list[Value], span: Span) -> Value:
    """`mux(c, a, b)`; tuples are selected field by field."""
    choices = arguments[1:]
    condition = arguments[0] if arguments else Unmodelled("mux")
    if isinstance(condition, Known) and isinstance(algebra.number(condition.expr), bool) and len(choices) == 2:
        return choices[0] if algebra.number(condition.expr) else choices[1]
    if choices and all(isinstance(c, TupleOf) for c in choices):
        columns = zip(*(c.items for c in choices if isinstance(c, TupleOf)))
        names = next((c.names for c in choices if isinstance(c, TupleOf)), ())
        return TupleOf(tuple(mux(context, [condition, *column], span) for column in columns), names)
    choices = [read(context, c, span) for c in choices]
    wires = [v for v in choices if isinstance(v, Wire)]
    if not context.in_hardware or not (wires or isinstance(condition, Wire)):
        return Unmodelled("mux")
    element = wires[0].element if wires else next((c.element for c in choices if isinstance(c, Known)), None) or INT
    inputs = (*(() if not isinstance(condition, Wire) else (condition.op,)), *(w.op for w in wires))
    numbers = [number for choice in choices if (number := number_of(choice)) is not None]
    usual = algebra.maximum(*numbers) if choices and len(numbers) == len(choices) else None
    return Wire(context.op("mux", element, inputs, span=span, told_by=constants([condition, *choices])), usual=usual)


def convert(context: Context, value: Value, element: Element, span: Span) -> Value:
    """`value.to[T]`."""
    value = read(context, value, span)
    if isinstance(value, Known):
        number = algebra.number(value.expr)
        if isinstance(number, float) and isinstance(element, Fixed) and element.fraction == 0:
            return Known(algebra.lift(int(number)), element)
        return Known(value.expr, element)
    if not isinstance(value, Wire) or value.element == element:
        return value
    before, after = family(value.element), family(element)
    name = f"{before}_to_{after}" if {before, after} == {"fix", "flt"} else f"{after}_convert"
    return Wire(context.op(name, element, (value.op,), span=span), value.terms, value.offset, value.usual)
