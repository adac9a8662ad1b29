"""Counters of loops: `N by B par P`, `0 until N`, `a::b`, `*`; sizes and factors that must be known beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunepass.diagnostics import SourceError, Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial import memories, primitives
from tunepass.frontends.spatial import syntax as s
from tunepass.frontends.spatial.values import Host, Known, Opaque, Range, Scope, Value, Wire
from tunepass.ir.hardware import Counter

if TYPE_CHECKING:
    from tunepass.frontends.spatial.evaluate import Lowering


def fixed(lowering: Lowering, value: Value, span: Span, what: str, assumed: int = 1) -> Expr:
    """The expression of a size, step or par factor; one that hardware would compute is warned about."""
    value = primitives.read(lowering.context, value, span)
    if isinstance(value, Known):
        return value.expr
    if isinstance(value, Host):
        known = value.known()
        if known is not None:
            return known
    if isinstance(value, Wire) and value.bound is not None:
        return value.bound
    lowering.context.warn(
        f"{what} is unknown here; it is taken as {assumed}", span, "say `bound(x) = n` for a value that the host gives"
    )
    return algebra.lift(assumed)


def counters(lowering: Lowering, arguments: tuple[s.Node, ...], scope: Scope, names: tuple[str, ...]) -> list[Counter]:
    """The counters of a loop, outermost first."""
    found = []
    for i, argument in enumerate(arguments):
        name = names[i] if i < len(names) else "i"
        found.append(_counter(lowering, lowering.value(argument, scope), argument, lowering.context.unique(name)))
    return found


def _counter(lowering: Lowering, value: Value, node: s.Node, name: str) -> Counter:
    zero, one = algebra.lift(0), algebra.lift(1)
    if isinstance(value, Opaque) and value.reason == "*":
        return Counter(name, zero, None, one, one, node.span)
    if not isinstance(value, Range):
        return Counter(name, zero, fixed(lowering, value, node.span, "this trip count"), one, one, node.span)
    step = fixed(lowering, value.step, node.span, "this step")
    if algebra.number(step) == 0:
        raise SourceError("a counter's step must not be 0", node.span)
    par = fixed(lowering, value.par, node.span, "this par factor")
    if value.stop is None:
        return Counter(name, zero, None, step, par, node.span)
    start = primitives.read(lowering.context, value.start, node.span)
    stop = primitives.read(lowering.context, value.stop, node.span)
    length = memories.difference(start, stop)
    if length is not None and not isinstance(start, Known):
        return Counter(name, zero, length, step, par, node.span)
    if length is None and isinstance(start, Wire):
        return Counter(name, zero, fixed(lowering, stop, node.span, "this trip count"), step, par, node.span)
    first = start.expr if isinstance(start, Known) else zero
    return Counter(name, first, fixed(lowering, stop, node.span, "this trip count"), step, par, node.span)
