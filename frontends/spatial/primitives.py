"""Arithmetic on the values of a program: folded when known beforehand, an operation of the body otherwise."""

from __future__ import annotations

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Constant, Expr
from tunepass.frontends.spatial.context import Context
from tunepass.frontends.spatial.values import Host, Known, MemoryRef, Op, Opaque, Text, TupleOf, Value, Wire
from tunepass.ir.hardware import BIT, INT, Bit, Element, Fixed, Floating, Struct

BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod",
    "<": "lt", "<=": "le", ">": "lt", ">=": "le", "==": "eq", "===": "eq", "!=": "ne", "=!=": "ne",
    "&&": "and", "||": "or", "&": "and", "|": "or", "^": "xor", "<<": "shift", ">>": "shift", ">>>": "shift",
    "<+>": "add", "<->": "sub", "<*>": "mul", "</>": "div", "*&": "mul", "/&": "div",
}  # fmt: skip
COMPARISONS = frozenset({"lt", "le", "eq", "ne"})
UNARY = {
    "abs": "abs", "exp": "exp", "log": "log", "ln": "log", "sqrt": "sqrt", "sin": "trig", "cos": "trig",
    "tan": "trig", "sinh": "trig", "cosh": "trig", "tanh": "trig", "sigmoid": "exp", "floor": "round",
    "ceil": "round", "recip": "div", "sqrt_approx": "", "exp_taylor": "", "log_taylor": "",
}  # fmt: skip
# Multiplications and additions in sequence that stand for a polynomial approximation.
_POLYNOMIALS = {"exp_taylor": 5, "log_taylor": 4, "sqrt_approx": 3}


def family(element: Element) -> str:
    return "flt" if isinstance(element, Floating) else "bit" if isinstance(element, Bit) else "fix"


def read(context: Context, value: Value, span: Span) -> Value:
    """The value itself, or what a register, an argument or a host value holds."""
    if isinstance(value, Host):
        known = value.known()
        return Known(known) if known is not None else Opaque(value.name)
    if isinstance(value, MemoryRef) and value.memory.kind in ("reg", "argin", "argout", "stream"):
        if not context.in_hardware:
            known = value.host.known() if value.host else None
            return Known(known) if known is not None else Opaque(value.memory.name)
        bound = value.host.known() if value.host else None
        kind = value.memory.kind
        name = {"argin": "arg_read", "stream": "stream_read"}.get(kind, "reg_read")
        op = context.op(name, value.memory.element, memory=value.memory.name, span=span)
        return Wire(op, None if bound is None else (), bound if bound is not None else algebra.lift(0))
    return value


def binary(context: Context, operator: str, left: Value, right: Value, span: Span) -> Value:
    if isinstance(left, Text) or isinstance(right, Text):
        return Text("")
    left, right = read(context, left, span), read(context, right, span)
    if operator == "**":
        return power(context, left, right, span)
    name = BINARY.get(operator)
    if name is None:
        return Opaque(operator)
    if isinstance(left, Known) and isinstance(right, Known):
        return _fold(name, operator, left, right)
    if not context.in_hardware:
        return Opaque(operator)
    wires = [v for v in (left, right) if isinstance(v, Wire)]
    if not wires:
        return Opaque(operator)
    element = wires[0].element
    op = context.op(
        f"{family(element)}_{name}", BIT if name in COMPARISONS else element, tuple(w.op for w in wires), span=span
    )
    return _affine(op, name, left, right)


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
            return Opaque(operator)
        case "div" if isinstance(a, float) or isinstance(b, float):
            return Known(algebra.div(left.expr, right.expr), element)
        case "div":
            return Known(algebra.floordiv(left.expr, right.expr), element)
        case "mod":
            return Known(algebra.mod(left.expr, right.expr), element)
    if a is None or b is None:
        return Opaque(operator)
    if name in COMPARISONS:
        holds = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}.get(operator, (a == b) == (name == "eq"))
        return Known(algebra.lift(holds))
    if name in ("and", "or") and isinstance(a, (bool, int)) and isinstance(b, (bool, int)):
        return Known(algebra.lift(a & b if name == "and" else a | b))
    if operator in ("<<", ">>") and isinstance(a, int) and isinstance(b, int) and 0 <= b < 63:
        return Known(algebra.lift(a << b if operator == "<<" else a >> b))
    return Opaque(operator)


def _affine(op: Op, name: str, left: Value, right: Value) -> Wire:
    """The operation's wire, still affine in the counters after +, - and * by a known number."""
    if name in ("add", "sub") and _is_affine(left) and _is_affine(right):
        sign = 1 if name == "add" else -1
        terms = dict(_terms(left))
        for counter, coefficient in _terms(right):
            total = algebra.add(terms.get(counter, algebra.lift(0)), algebra.mul(sign, coefficient))
            terms[counter] = total
        kept = tuple((c, e) for c, e in terms.items() if algebra.number(e) != 0)
        offset = algebra.add(_offset(left), _offset(right)) if sign > 0 else algebra.sub(_offset(left), _offset(right))
        return Wire(op, kept, offset)
    if name == "mul":
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Known) and isinstance(other, Wire) and other.terms is not None:
                scaled = tuple((c, algebra.mul(one.expr, e)) for c, e in other.terms)
                return Wire(op, scaled, algebra.mul(one.expr, other.offset))
    if name == "div" and isinstance(left, Wire) and left.terms == () and isinstance(right, Known):
        return Wire(op, (), algebra.floordiv(left.offset, right.expr))
    return Wire(op)


def _is_affine(value: Value) -> bool:
    return isinstance(value, Known) or (isinstance(value, Wire) and value.terms is not None)


def _terms(value: Value) -> tuple[tuple[str, Expr], ...]:
    return value.terms or () if isinstance(value, Wire) else ()


def _offset(value: Value) -> Expr:
    return value.offset if isinstance(value, Wire) else value.expr if isinstance(value, Known) else algebra.lift(0)


def power(context: Context, base: Value, exponent: Value, span: Span) -> Value:
    """`x ** n` is n - 1 multiplications."""
    n = algebra.number(exponent.expr) if isinstance(exponent, Known) else None
    if isinstance(base, Known) and n is not None:
        b = algebra.number(base.expr)
        return Known(algebra.lift(b**n)) if b is not None and abs(n) < 64 else Opaque("**")
    if not isinstance(base, Wire) or not context.in_hardware:
        return Opaque("**")
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
        return Known(algebra.lift(not value)) if isinstance(value, bool) else Opaque(operator)
    if not isinstance(operand, Wire) or not context.in_hardware:
        return Opaque(operator)
    name = {"-": "neg", "!": "not", "~": "not"}.get(operator, "neg")
    op = context.op(f"{family(operand.element)}_{name}", operand.element, (operand.op,), span=span)
    if operator == "-" and operand.terms is not None:
        return Wire(op, tuple((c, algebra.sub(0, e)) for c, e in operand.terms), algebra.sub(0, operand.offset))
    return Wire(op)


def function(context: Context, name: str, arguments: list[Value], span: Span) -> Value | None:
    """A built-in function of numbers applied; None if `name` is none."""
    arguments = [read(context, a, span) for a in arguments]
    if name in ("min", "max") and len(arguments) == 2:
        return _extreme(context, name, arguments, span)
    if name in ("mux", "oneHotMux", "priorityMux"):
        return mux(context, arguments, span)
    if name == "pow" and len(arguments) == 2:
        return power(context, arguments[0], arguments[1], span)
    if name not in UNARY or len(arguments) != 1:
        return None
    operand = arguments[0]
    if isinstance(operand, Known):
        value = algebra.number(operand.expr)
        return Known(algebra.lift(abs(value))) if name == "abs" and value is not None else Opaque(name)
    if not isinstance(operand, Wire) or not context.in_hardware:
        return Opaque(name)
    if name in _POLYNOMIALS:
        return _polynomial(context, _POLYNOMIALS[name], operand, span)
    return Wire(context.op(f"{family(operand.element)}_{UNARY[name]}", operand.element, (operand.op,), span=span))


def _polynomial(context: Context, degree: int, x: Wire, span: Span) -> Wire:
    """Horner's rule: one multiplication and one addition for each degree."""
    result, kind = x.op, family(x.element)
    for _ in range(degree):
        product = context.op(f"{kind}_mul", x.element, (result, x.op), span=span)
        result = context.op(f"{kind}_add", x.element, (product,), span=span)
    return Wire(result)


def _extreme(context: Context, name: str, arguments: list[Value], span: Span) -> Value:
    a, b = arguments
    if isinstance(a, Known) and isinstance(b, Known):
        return Known(algebra.minimum(a.expr, b.expr) if name == "min" else algebra.maximum(a.expr, b.expr), a.element)
    wires = [v for v in arguments if isinstance(v, Wire)]
    if not wires or not context.in_hardware:
        return Opaque(name)
    op = context.op(f"{family(wires[0].element)}_{name}", wires[0].element, tuple(w.op for w in wires), span=span)
    # What models use for the smaller of a tile and what is left of it: the tile.
    known = [v for v in arguments if isinstance(v, Known)]
    return Wire(op, (), known[0].expr) if name == "min" and known else Wire(op)


def mux(context: Context, arguments: list[Value], span: Span) -> Value:
    """`mux(c, a, b)`; tuples are selected field by field."""
    choices = arguments[1:]
    condition = arguments[0] if arguments else Opaque("mux")
    if isinstance(condition, Known) and isinstance(algebra.number(condition.expr), bool) and len(choices) == 2:
        return choices[0] if algebra.number(condition.expr) else choices[1]
    if choices and all(isinstance(c, TupleOf) for c in choices):
        columns = zip(*(c.items for c in choices if isinstance(c, TupleOf)))
        names = next((c.names for c in choices if isinstance(c, TupleOf)), ())
        return TupleOf(tuple(mux(context, [condition, *column], span) for column in columns), names)
    choices = [read(context, c, span) for c in choices]
    wires = [v for v in choices if isinstance(v, Wire)]
    if not context.in_hardware or not (wires or isinstance(condition, Wire)):
        return Opaque("mux")
    element = wires[0].element if wires else next((c.element for c in choices if isinstance(c, Known)), None) or INT
    inputs = (*(() if not isinstance(condition, Wire) else (condition.op,)), *(w.op for w in wires))
    return Wire(context.op("mux", element, inputs, span=span))


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
    return Wire(context.op(name, element, (value.op,), span=span), value.terms, value.offset)


def wire(context: Context, value: Value, span: Span, element: Element = INT) -> Op | None:
    """The operation that carries `value` in the body; None for a known number, which is wired in."""
    value = read(context, value, span)
    if isinstance(value, Wire):
        return value.op
    if isinstance(value, TupleOf):
        parts = [wire(context, item, span, element) for item in value.items]
        inputs = tuple(p for p in parts if p is not None)
        fields = tuple((f"_{i + 1}", p.element if p is not None else element) for i, p in enumerate(parts))
        return context.op("field", Struct(fields), inputs, span=span)
    return None


def constant_of(value: Value) -> int | float | bool | None:
    """The number that `value` is, if it is one and depends on no parameter."""
    if isinstance(value, Known) and isinstance(value.expr, Constant):
        return algebra.number(value.expr)
    return None
