"""Members of values: `target.name` and `target.name(arguments)`, by what the target is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunepass.frontends.spatial.elaborate import sequences
from tunepass.frontends.spatial.elaborate import values as v
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.functions import call, closure
from tunepass.frontends.spatial.elaborate.host_sizes import as_long
from tunepass.frontends.spatial.elaborate.memories import accesses
from tunepass.frontends.spatial.elaborate.numbers.arithmetic import binary
from tunepass.frontends.spatial.elaborate.numbers.reading import read
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import Struct


def selected(elaborator: Elaborator, node: n.Select, scope: v.Scope, name: str | None) -> v.Value:
    """`target.name`; `name` is for a memory that the target declares: `val x = SRAM[T](n).buffer`."""
    if isinstance(node.target, n.Ident) and scope.get(node.target.name) is None:
        return v.Unmodelled(f"{node.target.name}.{node.name}")
    target = elaborator.value(node.target, scope, name)
    if isinstance(target, v.Module):
        return _of_module(elaborator, target, node)
    if node.name == "value":
        return read(elaborator.context, target, node.span)
    if isinstance(target, v.TupleOf) and (node.name in target.names or re.fullmatch(r"_\d+", node.name)):
        index = target.names.index(node.name) if node.name in target.names else int(node.name[1:]) - 1
        return target.items[index] if index < len(target.items) else v.Unmodelled(node.name)
    collected = sequences.method(elaborator, target, node.name, (), scope)
    if collected is not None:
        return collected
    if isinstance(target, v.HostValue):
        return target.member(node.name) if node.name in accesses.SIZES else v.Unmodelled(node.name)
    return _of_hardware(elaborator, read(elaborator.context, target, node.span), node, scope)


def _of_module(elaborator: Elaborator, target: v.Module, node: n.Select) -> v.Value:
    """`Params.N`, `self.N`; a function without parameters is called."""
    value = target.scope.names.get(node.name)
    if isinstance(value, v.Closure) and not value.parameters:
        return call(elaborator, value, [], node.span)
    return value or v.Unmodelled(node.name)


def _of_hardware(elaborator: Elaborator, target: v.Value, node: n.Select, scope: v.Scope) -> v.Value:
    if isinstance(target, v.Wire):
        fields = dict(target.element.fields) if isinstance(target.element, Struct) else {}
        if node.name in fields:
            return v.Wire(
                elaborator.context.op("field", fields[node.name], (target.op,), span=node.span, told_by=(node.name,))
            )
        return target  # .reverse, .as16b and the like move bits around
    if isinstance(target, v.Known) and node.name in ("to", "length"):
        return target
    if isinstance(target, v.MemoryRef):
        return accesses.member(elaborator, target, node, (), scope)
    return v.Unmodelled(node.name)


def method(
    elaborator: Elaborator, function: n.Select, arguments: Sequence[n.Node], node: n.Node, scope: v.Scope
) -> v.Value:
    """`target.name(arguments)`, which is all of `node`."""
    context = elaborator.context
    if isinstance(function.target, n.Ident) and scope.get(function.target.name) is None:
        if context.in_hardware:
            context.unmodelled(f"`{function.span.text}(…)`", node.span)
        return v.Unmodelled(function.span.text)
    target = elaborator.value(function.target, scope)
    if isinstance(target, v.Module):
        member = target.scope.names.get(function.name)
        if isinstance(member, v.Closure):
            given = [closure(argument, scope) or elaborator.value(argument, scope) for argument in arguments]
            return call(elaborator, member, given, node.span)
    if isinstance(target, v.MemoryRef):
        return accesses.member(elaborator, target, function, arguments, scope)
    if isinstance(target, v.Closure) and function.name == "apply":
        return call(elaborator, target, [elaborator.value(a, scope) for a in arguments], node.span)
    collected = sequences.method(elaborator, target, function.name, tuple(arguments), scope)
    if collected is not None:
        return collected
    if isinstance(target, v.HostValue) and (made := as_long(target, function.name)) is not None:
        return made
    operands = [elaborator.value(a, scope) for a in arguments if not isinstance(a, n.Function)]
    if isinstance(target, (v.Known, v.Wire)) and len(operands) == 1:
        return binary(context, function.name, target, operands[0], node.span)
    if isinstance(target, (v.Wire, v.TupleOf)) or not context.in_hardware:
        return v.Unmodelled(function.name)
    return context.unmodelled(f"`.{function.name}(…)`", node.span)
