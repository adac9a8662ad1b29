"""Members of values: `target.name` and `target.name(arguments)`, by what the target is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunepass.frontends.spatial.elaborate import sequences
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.functions import call, closure
from tunepass.frontends.spatial.elaborate.host_sizes import as_long
from tunepass.frontends.spatial.elaborate.memories import accesses
from tunepass.frontends.spatial.elaborate.numbers.arithmetic import binary
from tunepass.frontends.spatial.elaborate.numbers.reading import read
from tunepass.frontends.spatial.elaborate.values import (
    Closure,
    HostValue,
    Known,
    MemoryRef,
    Module,
    Scope,
    TupleOf,
    Unmodelled,
    Value,
    Wire,
)
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import Struct


def selected(elaborator: Elaborator, node: n.Select, scope: Scope, name: str | None) -> Value:
    """`target.name`; `name` is for a memory that the target declares: `val x = SRAM[T](n).buffer`."""
    if isinstance(node.target, n.Ident) and scope.get(node.target.name) is None:
        return Unmodelled(f"{node.target.name}.{node.name}")
    target = elaborator.value(node.target, scope, name)
    if isinstance(target, Module):
        return _of_module(elaborator, target, node)
    if node.name == "value":
        return read(elaborator.context, target, node.span)
    if isinstance(target, TupleOf) and (node.name in target.names or re.fullmatch(r"_\d+", node.name)):
        index = target.names.index(node.name) if node.name in target.names else int(node.name[1:]) - 1
        return target.items[index] if index < len(target.items) else Unmodelled(node.name)
    collected = sequences.method(elaborator, target, node.name, (), scope)
    if collected is not None:
        return collected
    if isinstance(target, HostValue):
        return target.member(node.name) if node.name in accesses.SIZES else Unmodelled(node.name)
    return _of_hardware(elaborator, read(elaborator.context, target, node.span), node, scope)


def _of_module(elaborator: Elaborator, target: Module, node: n.Select) -> Value:
    """`Params.N`, `self.N`; a function without parameters is called."""
    value = target.scope.names.get(node.name)
    if isinstance(value, Closure) and not value.parameters:
        return call(elaborator, value, [], node.span)
    return value or Unmodelled(node.name)


def _of_hardware(elaborator: Elaborator, target: Value, node: n.Select, scope: Scope) -> Value:
    if isinstance(target, Wire):
        fields = dict(target.element.fields) if isinstance(target.element, Struct) else {}
        if node.name in fields:
            return Wire(
                elaborator.context.op("field", fields[node.name], (target.op,), span=node.span, told_by=(node.name,))
            )
        return target  # .reverse, .as16b and the like move bits around
    if isinstance(target, Known) and node.name in ("to", "length"):
        return target
    if isinstance(target, MemoryRef):
        return accesses.member(elaborator, target, node, (), scope)
    return Unmodelled(node.name)


def method(
    elaborator: Elaborator, function: n.Select, arguments: Sequence[n.Node], node: n.Node, scope: Scope
) -> Value:
    """`target.name(arguments)`, which is all of `node`."""
    context = elaborator.context
    if isinstance(function.target, n.Ident) and scope.get(function.target.name) is None:
        if context.in_hardware:
            context.unmodelled(f"`{function.span.text}(…)`", node.span)
        return Unmodelled(function.span.text)
    target = elaborator.value(function.target, scope)
    if isinstance(target, Module):
        member = target.scope.names.get(function.name)
        if isinstance(member, Closure):
            given = [closure(argument, scope) or elaborator.value(argument, scope) for argument in arguments]
            return call(elaborator, member, given, node.span)
    if isinstance(target, MemoryRef):
        return accesses.member(elaborator, target, function, arguments, scope)
    if isinstance(target, Closure) and function.name == "apply":
        return call(elaborator, target, [elaborator.value(a, scope) for a in arguments], node.span)
    collected = sequences.method(elaborator, target, function.name, tuple(arguments), scope)
    if collected is not None:
        return collected
    if isinstance(target, HostValue) and (made := as_long(target, function.name)) is not None:
        return made
    operands = [elaborator.value(a, scope) for a in arguments if not isinstance(a, n.Function)]
    if isinstance(target, (Known, Wire)) and len(operands) == 1:
        return binary(context, function.name, target, operands[0], node.span)
    if isinstance(target, (Wire, TupleOf)) or not context.in_hardware:
        return Unmodelled(function.name)
    return context.unmodelled(f"`.{function.name}(…)`", node.span)
