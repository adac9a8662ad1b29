"""Ranges `a until b by s par p`, `a::b`, and the sizes and factors that must be known before the hardware is built."""

from __future__ import annotations

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.reading import read
from tunepass.frontends.spatial.elaborate.values import (
    CounterRange,
    HostValue,
    Known,
    MemoryRef,
    ParMemory,
    Scope,
    Value,
    Wire,
)
from tunepass.frontends.spatial.syntax import nodes as n

RANGE_OPERATORS = frozenset({"until", "to", "::", "by", "par"})


def range_value(elaborator: Elaborator, node: n.Infix, scope: Scope) -> Value:
    """The value of an infix expression with one of RANGE_OPERATORS; `memory par p` is a memory with its par."""
    left, right = elaborator.value(node.left, scope), elaborator.value(node.right, scope)
    zero, one = Known(algebra.lift(0)), Known(algebra.lift(1))
    if node.operator in ("until", "::", "to"):
        if isinstance(right, CounterRange):  # a :: step :: b associates to the right
            return CounterRange(left, right.stop, right.start, one, node.span)
        return CounterRange(left, right, one, one, node.span)
    if node.operator == "par" and isinstance(left, MemoryRef) and left.memory.kind not in ("reg", "argin"):
        return ParMemory(left, known_number(elaborator.context, right, node.right.span, "a par factor"))
    base = left if isinstance(left, CounterRange) else CounterRange(zero, left, one, one, node.span)
    if isinstance(node.left, n.Star):
        base = CounterRange(zero, None, one, one, node.span)
    if node.operator == "by":
        return CounterRange(base.start, base.stop, right, base.par, node.span)
    return CounterRange(base.start, base.stop, base.step, right, node.span)


def known_number(context: Context, value: Value, span: Span, what: str) -> Expr:
    """The expression of a size, step or par factor; one that hardware would compute is taken as 1, with a warning."""
    value = read(context, value, span)
    if isinstance(value, Known):
        return value.expr
    if isinstance(value, Wire) and value.bound is not None:
        return value.bound
    hint = "say `bound(x) = n` for a value that the host gives"
    context.warn(f"{what} is unknown here; it is taken as 1", span, hint)
    return algebra.lift(1)


def difference(start: Value, stop: Value) -> Expr | None:
    """`stop - start` where both move with the same counters, else None."""
    first, last = _affine_parts(start), _affine_parts(stop)
    if first is None or last is None or first[0] != last[0]:
        return None
    return algebra.sub(last[1], first[1])


def _affine_parts(value: Value) -> tuple[frozenset[tuple[str, Expr]], Expr] | None:
    """Counters with their coefficients, and the offset; None for a value that is not affine."""
    if isinstance(value, Known):
        return frozenset(), value.expr
    if isinstance(value, MemoryRef) and value.host is not None:
        value = value.host
    if isinstance(value, HostValue):
        known = value.known()
        return None if known is None else (frozenset(), known)
    if isinstance(value, Wire) and value.terms is not None:
        return frozenset(value.terms), value.offset
    return None
