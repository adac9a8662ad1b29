"""Counters of loops: `N by B par P`, `0 until N`, `a::b`, `*`."""

from __future__ import annotations

from dataclasses import replace

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.ranges import known_number, par_factor, range_length, trip_count
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
        if counter.stop is not None:
            context.means[counter.name] = algebra.floordiv(algebra.add(counter.start, counter.stop), 2)
        scope.set(name, Wire(op, ((counter.name, algebra.lift(1)),)))


def _counter(context: Context, value: Value, node: n.Node, name: str) -> Counter:
    zero, one = algebra.lift(0), algebra.lift(1)
    if isinstance(value, Unmodelled) and value.reason == "*":
        return Counter(name, zero, None, one, one, node.span)
    if not isinstance(value, CounterRange):
        return Counter(name, zero, trip_count(context, value, node.span), one, one, node.span)
    step = known_number(context, value.step, node.span, "this step")
    if algebra.number(step) == 0:
        raise SourceError("a counter's step must not be 0", node.span)
    par = par_factor(context, value.par, node.span)
    if value.stop is None:
        return Counter(name, zero, None, step, par, node.span)
    start = read(context, value.start, node.span)
    stop = read(context, value.stop, node.span)
    if isinstance(start, Known):
        return Counter(name, start.expr, trip_count(context, stop, node.span), step, par, node.span)
    return Counter(name, zero, range_length(context, replace(value, start=start, stop=stop)), step, par, node.span)
