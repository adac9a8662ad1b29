"""Ranges `a until b by s par p`, `a::b`, and the sizes and factors that must be known before the hardware is built."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate import values as v
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.arithmetic import number_of
from tunepass.frontends.spatial.elaborate.numbers.extents import MEAN, is_open
from tunepass.frontends.spatial.elaborate.numbers.reading import held, read, stated
from tunepass.frontends.spatial.syntax import nodes as n

RANGE_OPERATORS = frozenset({"until", "to", "::", "by", "par"})


def range_value(elaborator: Elaborator, node: n.Infix, scope: v.Scope) -> v.Value:
    """The value of an infix expression with one of RANGE_OPERATORS; `memory par p` is a memory with its par."""
    left, right = elaborator.value(node.left, scope), elaborator.value(node.right, scope)
    zero, one = v.Known(algebra.lift(0)), v.Known(algebra.lift(1))
    if node.operator in ("until", "::", "to"):
        if isinstance(right, v.CounterRange):  # a :: step :: b associates to the right
            return v.CounterRange(left, right.stop, right.start, one, node.span)
        return v.CounterRange(left, right, one, one, node.span, _length(elaborator, node, scope))
    if node.operator == "par" and isinstance(left, v.MemoryRef) and left.memory.kind not in ("reg", "argin"):
        return v.ParMemory(left, par_factor(elaborator.context, right, node.right.span))
    base = left if isinstance(left, v.CounterRange) else v.CounterRange(zero, left, one, one, node.span)
    if isinstance(node.left, n.Star):
        base = v.CounterRange(zero, None, one, one, node.span)
    if node.operator == "by":
        return replace(base, step=right, span=node.span)
    return replace(base, par=right, span=node.span)


def _length(elaborator: Elaborator, node: n.Infix, scope: v.Scope) -> v.Value | None:
    """The `length` of `start :: start + length`, whatever start is; its operations are those of the end."""
    if not elaborator.context.in_hardware or not _begins_with(node.right, node.left):
        return None
    with elaborator.context.body():
        return read(elaborator.context, elaborator.value(node.right.right, scope), node.right.span)


def _begins_with(end: n.Node, start: n.Node) -> TypeGuard[n.Infix]:
    """Is `end` written as `start + length`?"""
    return isinstance(end, n.Infix) and end.operator == "+" and end.left.span.text == start.span.text


def known_number(context: Context, value: v.Value, span: Span, what: str) -> Expr:
    """The expression of a step or par factor; one that is not known here is taken as 1, with a warning."""
    known = number_of(read(context, value, span))
    if known is not None:
        return known
    context.warn(f"{what} is unknown here; it is taken as 1", span)
    return algebra.lift(1)


def par_factor(context: Context, value: v.Value, span: Span) -> Expr:
    """Hardware has a certain number of lanes: one that depends on an open size is taken as 1 too."""
    known = known_number(context, value, span, "this par factor")
    if not is_open(known):
        return known
    context.warn("this par factor is unknown here; it is taken as 1", span)
    return algebra.lift(1)


def trip_count(context: Context, value: v.Value, span: Span) -> Expr:
    """The number of iterations that `value` is: known, the mean of one that follows the counters around, or open."""
    value = read(context, value, span)
    known = number_of(value)
    if known is not None:
        return known
    mean = _mean(context, value)
    if mean is not None:
        return context.extents.of_data(f"trips_{span.line}", span, mean, MEAN)
    register = value.op.memory if isinstance(value, v.Wire) and value.op.name == "reg_read" else None
    return context.extents.of_data(register or f"trips_{span.line}", span)


def _mean(context: Context, value: v.Value) -> Expr | None:
    """The middle of the range of a value that moves with counters, rounded up; None for any other."""
    if not isinstance(value, v.Wire) or value.terms is None:
        return None
    total = value.offset
    for counter, scale in value.terms:
        if counter not in context.means:
            return None
        total = algebra.add(total, algebra.mul(scale, context.means[counter]))
    return total


def difference(context: Context, start: v.Value, stop: v.Value) -> Expr | None:
    """`stop - start` where both move with the same counters, else None."""
    first, last = _affine_parts(context, start), _affine_parts(context, stop)
    if first is None or last is None or first[0] != last[0]:
        return None
    return algebra.sub(last[1], first[1])


def range_length(context: Context, given: v.CounterRange) -> Expr:
    """The words or iterations of a range whose start the hardware computes."""
    assert given.stop is not None
    length = known_length(context, given)
    if length is not None:
        return length
    first, last = (number_of(value) or _mean(context, value) for value in (given.start, given.stop))
    if first is None or last is None:
        return trip_count(context, given.stop, given.span)
    return context.extents.of_data(f"trips_{given.span.line}", given.span, algebra.sub(last, first), MEAN)


def known_length(context: Context, given: v.CounterRange) -> Expr | None:
    """`stop - start` where it is the same in every iteration."""
    if given.stop is None:
        return None
    length = difference(context, given.start, given.stop)
    return length if length is not None or given.length is None else number_of(given.length)


def _affine_parts(context: Context, value: v.Value) -> tuple[frozenset[tuple[str, Expr]], Expr] | None:
    """Counters with their coefficients, and the offset; None for a value that is not affine."""
    if isinstance(value, v.Known):
        return frozenset(), value.expr
    if isinstance(value, v.MemoryRef) and value.host is not None:
        assert value.memory.span is not None
        known = stated(context, value, value.memory.span)
        number = held(value) if known is None else known
        return None if number is None else (frozenset(), number)
    if isinstance(value, v.HostValue):
        return frozenset(), context.extents.of_host(value, None)
    if isinstance(value, v.Wire) and value.terms is not None:
        return frozenset(value.terms), value.offset
    return None
