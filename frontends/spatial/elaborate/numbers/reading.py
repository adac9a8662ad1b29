"""Values read: what a register holds, the operation that carries a value, the number that it is."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Constant, Expr
from tunepass.frontends.spatial.elaborate import values as v
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.ir.hardware import INT, Bit, Element, Floating, Struct

_READ_OF = {"argin": "arg_read", "stream": "stream_read", "reg": "reg_read", "argout": "reg_read"}


def read(context: Context, value: v.Value, span: Span) -> v.Value:
    """The value itself, or what a register, an argument or a host value holds."""
    if isinstance(value, v.HostValue):
        return v.Known(context.extents.of_host(value, span))
    if not isinstance(value, v.MemoryRef) or value.memory.kind not in _READ_OF:
        return value
    memory, known = value.memory, stated(context, value, span)
    if not context.in_hardware:
        return v.Known(known) if known is not None else v.Unmodelled(memory.name)
    op = context.op(_READ_OF[memory.kind], memory.element, memory=memory.name, span=span)
    return v.Wire(op, usual=held(value)) if known is None else v.Wire(op, (), known)


def stated(context: Context, register: v.MemoryRef, span: Span) -> Expr | None:
    """What the host or a bound says of a register: an argument's value is open at worst."""
    host = register.host
    if host is None or (register.memory.kind != "argin" and host.bound is None and host.alias is None):
        return None
    return context.extents.of_host(host, span)


def held(register: v.MemoryRef) -> Expr | None:
    """The number that the hardware has written to a register, the largest of several; None where one is not known."""
    numbers = register.host.held if register.host is not None else []
    known = [number for number in numbers if number is not None]
    return algebra.maximum(*known) if known and len(known) == len(numbers) else None


def wire(context: Context, value: v.Value, span: Span, element: Element = INT) -> v.Op | None:
    """The operation that carries `value` in the body; None for a known number, which is wired in."""
    value = read(context, value, span)
    if isinstance(value, v.Wire):
        return value.op
    if isinstance(value, v.TupleOf):
        parts = [wire(context, item, span, element) for item in value.items]
        inputs = tuple(p for p in parts if p is not None)
        fields = tuple((f"_{i + 1}", p.element if p is not None else element) for i, p in enumerate(parts))
        return context.op("field", Struct(fields), inputs, span=span, told_by=constants(value.items))
    return None


def constant_of(value: v.Value) -> int | float | bool | None:
    """The number that `value` is, if it is one and depends on no parameter."""
    if isinstance(value, v.Known) and isinstance(value.expr, Constant):
        return algebra.number(value.expr)
    return None


def family(element: Element) -> str:
    """The prefix of an operation's name: flt, bit or fix."""
    return "flt" if isinstance(element, Floating) else "bit" if isinstance(element, Bit) else "fix"


def constants(operands: Sequence[v.Value]) -> tuple[str | v.Value, ...]:
    """What tells operations of the same inputs apart: the operands that are none, each in its place."""
    return tuple("" if isinstance(operand, v.Wire) else operand for operand in operands)
