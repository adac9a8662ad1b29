"""`f(arguments)`: a declaration, a controller, a memory, a function of the program or one of Spatial's own."""

from __future__ import annotations

from tunepass.frontends.spatial.elaborate import methods, sequences
from tunepass.frontends.spatial.elaborate import values as v
from tunepass.frontends.spatial.elaborate.controllers.dispatch import add_controller
from tunepass.frontends.spatial.elaborate.declarations import declare
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.functions import call, closure
from tunepass.frontends.spatial.elaborate.host_sizes import array, asserted
from tunepass.frontends.spatial.elaborate.memories.accesses import access
from tunepass.frontends.spatial.elaborate.memories.constructors import construct
from tunepass.frontends.spatial.elaborate.numbers.builtins import builtin, convert
from tunepass.frontends.spatial.elaborate.numbers.reading import constant_of
from tunepass.frontends.spatial.syntax import nodes as n

_WITHOUT_HARDWARE = frozenset((
    "println", "print", "printArray", "printMatrix", "printTensor3", "assert", "require", "breakpoint", "exit",
    "getArg", "sleep", "writeCSV1D", "writeCSV2D",
))  # fmt: skip
_CONVERSIONS = frozenset({"to", "as", "unchecked"})


def apply(elaborator: Elaborator, node: n.Apply, scope: v.Scope, name: str | None) -> v.Value:
    """The value of an application; `name` is the val it is bound to."""
    if any(_is_range(argument) for argument in node.arguments):
        return declare(elaborator, node.function, node.arguments, None, node.span, scope, name)
    made = (
        array(elaborator, node, scope, name)
        or add_controller(elaborator, node, scope, name)
        or construct(elaborator, node, scope, name)
        or sequences.make(elaborator, node, scope)
    )
    if made is not None:
        return made
    match node.function:
        case n.Ident(name=called):
            return _call_named(elaborator, called, node, scope, name)
        case n.Typed(target=n.Select() as target, types=types) if target.name in _CONVERSIONS:
            value = elaborator.value(target.target, scope)
            if isinstance(value, v.HostValue):  # it is still what bound() speaks of
                return value
            element = elaborator.context.element(types[0] if len(types) == 1 else None)
            return convert(elaborator.context, value, element, node.span)
        case (n.Select() as target) | n.Typed(target=n.Select() as target):
            return methods.method(elaborator, target, node.arguments, node, scope)
        case n.Typed(target=target):
            return elaborator.value(n.Apply(node.span, target, node.arguments), scope, name)
        case function:
            return _apply_value(elaborator, elaborator.value(function, scope), node, scope, name)


def _is_range(argument: n.Node) -> bool:
    """`1 -> 16`; what begins with a text is an entry of a Scala `Map`."""
    first = argument
    while isinstance(first, n.Infix) and first.operator == "->":
        first = first.left
    return first is not argument and not (isinstance(first, n.Literal) and isinstance(first.value, str))


def _call_named(elaborator: Elaborator, called: str, node: n.Apply, scope: v.Scope, name: str | None) -> v.Value:
    """`called(arguments)`."""
    if called in ("assert", "require") and node.arguments and not elaborator.context.in_hardware:
        asserted(elaborator, node.arguments[0], scope)
    if called in _WITHOUT_HARDWARE:
        return v.UNIT
    match called, node.arguments:
        case "setArg" | "setMem", (register, given):
            return _set_register(elaborator.value(register, scope), elaborator.value(given, scope))
        case "loadParam" | "define", (_, given):  # what a file or a flag may override
            return elaborator.value(_unnamed(given), scope, name)
        case "Bit" | "Bool", (given,):
            return elaborator.value(given, scope)
        case "param", (default,):
            return declare(elaborator, default, (), None, node.span, scope, name)
        case "pack", items:
            return v.TupleOf(tuple(elaborator.value(item, scope) for item in items))
    struct = elaborator.context.types.structs.get(called)
    if struct is not None:
        fields = tuple(elaborator.value(_unnamed(argument), scope) for argument in node.arguments)
        return v.TupleOf(fields, tuple(field for field, _ in struct.fields))
    target = scope.get(called)
    if isinstance(target, v.Closure):
        arguments = [closure(argument, scope) or elaborator.value(argument, scope) for argument in node.arguments]
        return call(elaborator, target, arguments, node.span)
    if target is not None:
        return _apply_value(elaborator, target, node, scope, name)
    operands = [elaborator.value(argument, scope) for argument in node.arguments]
    result = builtin(elaborator.context, called, operands, node.span)
    return result if result is not None else elaborator.context.unmodelled(f"`{called}(…)`", node.span)


def _apply_value(elaborator: Elaborator, target: v.Value, node: n.Apply, scope: v.Scope, name: str | None) -> v.Value:
    """`target(arguments)`."""
    if isinstance(target, v.Known):  # `16 (1, 2, 4)`: an explicit list of values
        return declare(elaborator, node.function, node.arguments, None, node.span, scope, name)
    if isinstance(target, v.MemoryRef):
        return access(elaborator, target, node.arguments, node.span, scope)
    if isinstance(target, v.TupleOf) and len(node.arguments) == 1:
        index = constant_of(elaborator.value(node.arguments[0], scope))
        if isinstance(index, int) and 0 <= index < len(target.items):
            return target.items[index]
        return v.Unmodelled("element")
    if isinstance(target, v.Closure):
        return call(elaborator, target, [elaborator.value(argument, scope) for argument in node.arguments], node.span)
    if isinstance(target, v.HostValue) and all(isinstance(a, (n.Block, n.Function)) for a in node.arguments):
        return target  # `xs.zip(ys){ (a, b) => … }`
    for argument in node.arguments:
        if not isinstance(argument, (n.Block, n.Function)):
            elaborator.value(argument, scope)
    return elaborator.context.unmodelled("this call", node.span)


def _unnamed(argument: n.Node) -> n.Node:
    """The value of an argument, named or not."""
    return argument.value if isinstance(argument, n.Assign) else argument


def _set_register(register: v.Value, given: v.Value) -> v.Value:
    """`setArg(register, value)`: the register holds what the host gives it."""
    source = given.host if isinstance(given, v.MemoryRef) and given.host else given
    if isinstance(register, v.MemoryRef) and register.host and isinstance(source, (v.HostValue, v.Known)):
        register.host.alias = source if isinstance(source, v.HostValue) else v.HostValue("value", source.expr)
    return v.UNIT
