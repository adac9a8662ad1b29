"""Functions of the program: lambdas, `_ + _`, names of functions; calling one inlines it."""

from __future__ import annotations

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.values import Closure, MemoryRef, Scope, Unmodelled, Value, Wire
from tunepass.frontends.spatial.syntax import nodes as n

_CALL_DEPTH_LIMIT = 64


def closure(node: n.Node, scope: Scope) -> Closure | None:
    """The function that an argument is: a lambda, `{_ + _}`, or the name of one."""
    node = with_placeholders(node)
    if isinstance(node, n.Block) and len(node.statements) == 1 and isinstance(node.statements[0], n.Function):
        node = node.statements[0]
    if isinstance(node, n.Function):
        return Closure("function", node.parameters, node.body, scope)
    if isinstance(node, n.Ident):
        value = scope.get(node.name)
        return value if isinstance(value, Closure) else None
    return None


def call(elaborator: Elaborator, function: Closure, arguments: list[Value], span: Span) -> Value:
    """The value of `function`'s body, its operations added to the body that is being filled."""
    context, name = elaborator.context, function.name
    calls = [given for called, given in context.calls if called == name]
    if len(context.calls) >= _CALL_DEPTH_LIMIT:
        raise _endless(name, arguments, calls, span)
    inner = Scope(function.scope)
    for i, parameter in enumerate(function.parameters):
        inner.set(parameter, arguments[i] if i < len(arguments) else Unmodelled(parameter))
    context.calls.append((name, arguments))
    try:
        return elaborator.block(function.body, inner)
    except RecursionError:  # long bodies reach Python's limit first
        raise _endless(name, arguments, calls, span) from None
    except _TooDeep as deep:
        if deep.function != name or calls:
            raise
        return context.unmodelled(f"`{name}`, which calls itself while the hardware is built,", span)
    finally:
        context.calls.pop()


class _TooDeep(Exception):
    """A function calls itself with other numbers each time, and what would end that is not understood."""

    def __init__(self, function: str):
        self.function = function


def _endless(name: str, arguments: list[Value], calls: list[list[Value]], span: Span) -> Exception:
    """What is wrong with a function that calls itself: with the same numbers, or with values of the hardware, it would
    never end."""
    same = calls and arguments == calls[-1] and not any(isinstance(a, Unmodelled) for a in arguments)
    if same or not calls or any(isinstance(a, (Wire, MemoryRef)) for a in calls[0]):
        return SourceError(f"`{name}` calls itself: hardware cannot be recursive", span)
    return _TooDeep(name)


def with_placeholders(node: n.Node) -> n.Node:
    """`_ + _` and `_._1 < 3` as functions of as many values as there are placeholders."""
    names: list[str] = []
    body = _named(node, names)
    return n.Function(node.span, tuple(names), body) if names else node


def _named(node: n.Node, names: list[str]) -> n.Node:
    """`node` with each placeholder replaced by a new name, appended to `names`."""
    match node:
        case n.Placeholder():
            names.append(f"_{len(names)}")
            return n.Ident(node.span, names[-1])
        case n.Infix():
            left = _named(node.left, names)
            return n.Infix(node.span, node.operator, left, _named(node.right, names))
        case n.Select():
            return n.Select(node.span, _named(node.target, names), node.name)
        case n.Prefixed():
            return n.Prefixed(node.span, node.operator, _named(node.operand, names))
        case n.Apply():
            function = _named(node.function, names)
            return n.Apply(node.span, function, tuple(_named(argument, names) for argument in node.arguments))
        case n.Ascribed():
            return _named(node.value, names)
        case n.Block() if len(node.statements) == 1:
            return _named(node.statements[0], names)
        case _:
            return node
