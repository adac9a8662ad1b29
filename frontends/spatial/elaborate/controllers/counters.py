"""Counters of loops: `N by B par P`, `0 until N`, `a::b`, `*`."""

from __future__ import annotations

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.ranges import difference, known_number
from tunepass.frontends.spatial.elaborate.numbers.reading import read
from tunepass.frontends.spatial.elaborate.values import CounterRange, Known, Scope, Unmodelled, Value, Wire
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import INT, Counter


def counters(
    elaborator: Elaborator, arguments: tuple[n.Node, ...], scope: Scope, names: tuple[str, ...]
) -> list[Counter]:
    """The counters of a loop, outermost first; `names` are its iterators."""
    made = []
    for i, argument in enumerate(arguments):
        value = elaborator.value(argument, scope)
        unique = elaborator.context.unique(names[i] if i < len(names) else "i")
        made.append(_counter(elaborator.context, value, argument, unique))
    return made


def bind_iterators(context: Context, names: tuple[str, ...], loop_counters: list[Counter], scope: Scope) -> None:
    """An iterator is an operation of the loop's body, affine in its counter."""
    for name, counter in zip(names, loop_counters):
        op = context.op("iterator", INT, span=counter.span)
        scope.set(name, Wire(op, ((counter.name, algebra.lift(1)),)))


def _counter(context: Context, value: Value, node: n.Node, name: str) -> Counter:
    zero, one = algebra.lift(0), algebra.lift(1)
    if isinstance(value, Unmodelled) and value.reason == "*":
        return Counter(name, zero, None, one, one, node.span)
    if not isinstance(value, CounterRange):
        return Counter(name, zero, known_number(context, value, node.span, "this trip count"), one, one, node.span)
    step = known_number(context, value.step, node.span, "this step")
    if algebra.number(step) == 0:
        raise SourceError("a counter's step must not be 0", node.span)
    par = known_number(context, value.par, node.span, "this par factor")
    if value.stop is None:
        return Counter(name, zero, None, step, par, node.span)
    start = read(context, value.start, node.span)
    stop = read(context, value.stop, node.span)
    length = difference(start, stop)
    if length is not None and not isinstance(start, Known):
        return Counter(name, zero, length, step, par, node.span)
    if length is None and isinstance(start, Wire):
        return Counter(name, zero, known_number(context, stop, node.span, "this trip count"), step, par, node.span)
    first = start.expr if isinstance(start, Known) else zero
    return Counter(name, first, known_number(context, stop, node.span, "this trip count"), step, par, node.span)
