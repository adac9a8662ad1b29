"""Statements: `val x = …`, `x(i) = …`, `x := …`, `type T = …`, and the `for` of Scala."""

from __future__ import annotations

from tunepass.expr import algebra
from tunepass.frontends.spatial.elaborate import values as v
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.memories.accesses import store
from tunepass.frontends.spatial.elaborate.numbers.reading import constant_of
from tunepass.frontends.spatial.syntax import nodes as n

_UNROLL_LIMIT = 256  # iterations of a Scala `for` over constants


def bind(elaborator: Elaborator, node: n.Value, scope: v.Scope) -> None:
    """`val name: type = value`, `val (a, b) = value`, `val a, b = value`."""
    context = elaborator.context
    name = node.names[0] if len(node.names) == 1 else None
    value = elaborator.value(node.value, scope, name)
    if isinstance(value, v.Unmodelled) and not context.in_hardware and name:
        value = v.HostValue(name)
    elif isinstance(value, v.HostValue) and name and name not in value.names:
        value.also.append(name)
    if node.type is not None and isinstance(value, v.Known) and value.element is None:
        value = v.Known(value.expr, context.element(node.type))
    if name is not None:
        scope.set(name, value)
        return
    for i, part in enumerate(node.names):  # `val a, b = 3` gives both 3
        item = value.items[i] if isinstance(value, v.TupleOf) and i < len(value.items) else value
        scope.set(part, v.HostValue(part) if isinstance(item, v.Unmodelled) and not context.in_hardware else item)


def assign(elaborator: Elaborator, node: n.Assign, scope: v.Scope) -> v.Value:
    """`m(i) = x` stores, `bound(x) = n` bounds, `v = x` changes a var."""
    match node.target:
        case n.Apply(function=n.Ident(name="bound"), arguments=(target,)):
            _bound(elaborator.value(target, scope), elaborator.value(node.value, scope))
            return v.UNIT
        case n.Apply() as element:
            return store(elaborator, element, node.value, scope)
    value = elaborator.value(node.value, scope)
    if isinstance(node.target, n.Ident):
        scope.assign(node.target.name, value)
    return v.UNIT


def _bound(target: v.Value, limit: v.Value) -> None:
    host = target.host if isinstance(target, v.MemoryRef) else target
    if isinstance(host, v.HostValue) and isinstance(limit, (v.Known, v.HostValue)):
        if isinstance(limit, v.Known):
            host.bound = limit.expr
        elif limit is not host:
            host.alias = limit


def unroll(elaborator: Elaborator, node: n.Comprehension, scope: v.Scope) -> v.Value:
    """A Scala `for` over constants runs while the hardware is built: every iteration is hardware."""
    context = elaborator.context
    match node.enumerators:
        case (n.Generator(pattern=n.Ident(name=name), source=n.Infix(operator="until" | "to") as source),):
            ends = [_constant(source.left, scope), _constant(source.right, scope)]
        case _:
            return context.unmodelled("this `for`", node.span)
    if not context.in_hardware:
        return v.Unmodelled("for")
    if not isinstance(ends[0], int) or not isinstance(ends[1], int):
        return context.unmodelled("a `for` with ends unknown here", node.span)
    values = range(ends[0], ends[1] + (source.operator == "to"))
    if len(values) > _UNROLL_LIMIT:
        return context.unmodelled(f"a `for` of more than {_UNROLL_LIMIT} iterations", node.span)
    for i in values:
        inner = v.Scope(scope)
        inner.set(name, v.Known(algebra.lift(i)))
        elaborator.block(node.body, inner)
    return v.UNIT


def _constant(node: n.Node, scope: v.Scope) -> int | float | bool | None:
    """The number that a literal or a name is."""
    match node:
        case n.Literal(value=int() as number):
            return number
        case n.Ident(name=name):
            value = scope.get(name)
            return constant_of(value) if value is not None else None
        case _:
            return None
