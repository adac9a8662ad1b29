"""Statements: `val x = …`, `x(i) = …`, `x := …`, `type T = …`, and the `for` of Scala."""

from __future__ import annotations

from tunepass.expr import algebra
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.memories.accesses import store
from tunepass.frontends.spatial.elaborate.numbers.reading import constant_of
from tunepass.frontends.spatial.elaborate.values import (
    UNIT,
    HostValue,
    Known,
    MemoryRef,
    Scope,
    TupleOf,
    Unmodelled,
    Value,
)
from tunepass.frontends.spatial.syntax import nodes as n

_UNROLL_LIMIT = 256  # iterations of a Scala `for` over constants


def bind(elaborator: Elaborator, node: n.Value, scope: Scope) -> None:
    """`val name: type = value`, `val (a, b) = value`, `val a, b = value`."""
    context = elaborator.context
    name = node.names[0] if len(node.names) == 1 else None
    value = elaborator.value(node.value, scope, name)
    if isinstance(value, Unmodelled) and not context.in_hardware and name:
        value = HostValue(name)
    elif isinstance(value, HostValue) and name and name not in value.names:
        value.also.append(name)
    if node.type is not None and isinstance(value, Known) and value.element is None:
        value = Known(value.expr, context.element(node.type))
    if name is not None:
        scope.set(name, value)
        return
    for i, part in enumerate(node.names):  # `val a, b = 3` gives both 3
        item = value.items[i] if isinstance(value, TupleOf) and i < len(value.items) else value
        scope.set(part, HostValue(part) if isinstance(item, Unmodelled) and not context.in_hardware else item)


def assign(elaborator: Elaborator, node: n.Assign, scope: Scope) -> Value:
    """`m(i) = x` stores, `bound(x) = n` bounds, `v = x` changes a var."""
    match node.target:
        case n.Apply(function=n.Ident(name="bound"), arguments=(target,)):
            _bound(elaborator.value(target, scope), elaborator.value(node.value, scope))
            return UNIT
        case n.Apply() as element:
            return store(elaborator, element, node.value, scope)
    value = elaborator.value(node.value, scope)
    if isinstance(node.target, n.Ident):
        scope.assign(node.target.name, value)
    return UNIT


def _bound(target: Value, limit: Value) -> None:
    host = target.host if isinstance(target, MemoryRef) else target
    if isinstance(host, HostValue) and isinstance(limit, (Known, HostValue)):
        if isinstance(limit, Known):
            host.bound = limit.expr
        elif limit is not host:
            host.alias = limit


def unroll(elaborator: Elaborator, node: n.Comprehension, scope: Scope) -> Value:
    """A Scala `for` over constants runs while the hardware is built: every iteration is hardware."""
    context = elaborator.context
    match node.enumerators:
        case (n.Generator(pattern=n.Ident(name=name), source=n.Infix(operator="until" | "to") as source),):
            ends = [_constant(source.left, scope), _constant(source.right, scope)]
        case _:
            return context.unmodelled("this `for`", node.span)
    if not context.in_hardware:
        return Unmodelled("for")
    if not isinstance(ends[0], int) or not isinstance(ends[1], int):
        return context.unmodelled("a `for` with ends unknown here", node.span)
    values = range(ends[0], ends[1] + (source.operator == "to"))
    if len(values) > _UNROLL_LIMIT:
        return context.unmodelled(f"a `for` of more than {_UNROLL_LIMIT} iterations", node.span)
    for i in values:
        inner = Scope(scope)
        inner.set(name, Known(algebra.lift(i)))
        elaborator.block(node.body, inner)
    return UNIT


def _constant(node: n.Node, scope: Scope) -> int | float | bool | None:
    """The number that a literal or a name is."""
    match node:
        case n.Literal(value=int() as number):
            return number
        case n.Ident(name=name):
            value = scope.get(name)
            return constant_of(value) if value is not None else None
        case _:
            return None
