"""What stands before a controller's arguments: `Foreach`, `Sequential.Foreach`, `Pipe(ii = 2).Reduce[T]`."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.reading import constant_of
from tunepass.frontends.spatial.elaborate.values import Scope
from tunepass.frontends.spatial.syntax import nodes as n

Groups = list[tuple[n.Node, ...]]  # the groups of arguments, as in Reduce(a)(b){ c }{ d }
LOOPS = frozenset({"Foreach", "Reduce", "Fold", "MemReduce", "MemFold"})
BLOCKS = frozenset({"Pipe", "Sequential", "Parallel", "Stream", "Named"})
CONTROLLERS = LOOPS | BLOCKS | {"FSM"}


@dataclass(frozen=True, slots=True)
class Head:
    """`style` is Pipe, Sequential, Stream, … or empty; `interval` an initiation interval that the source asks for."""

    name: str
    style: str
    interval: int | None
    span: Span

    def label(self, name: str | None) -> str:
        """The controller's label: the val it is bound to, or its name and line."""
        return name or f"{self.name.lower()}_{self.span.line}"


def controller_head(elaborator: Elaborator, node: n.Apply, scope: Scope) -> tuple[Head, Groups] | None:
    """The head of the controller that `node` applies, and its groups of arguments; None when it applies none."""
    groups: Groups = []
    applied: n.Node = node
    while isinstance(applied, n.Apply):
        groups.insert(0, applied.arguments)
        applied = applied.function
        head = _head(elaborator, applied, scope)
        if head is not None:
            return head, groups
    return None


def _head(elaborator: Elaborator, node: n.Node, scope: Scope) -> Head | None:
    span = node.span
    if isinstance(node, n.Typed):
        node = node.target
    if isinstance(node, n.Ident):
        return Head(node.name, "", None, span) if node.name in CONTROLLERS and scope.get(node.name) is None else None
    if not isinstance(node, n.Select) or node.name not in CONTROLLERS:
        return None
    style, interval, prefix = "", None, node.target
    while True:
        match prefix:
            case n.Apply(function=function, arguments=(argument,)):  # Pipe(ii = 2), Pipe.II(2), Named("x")
                interval = given_interval(elaborator, argument, scope) or interval
                prefix = function
            case n.Select(target=target, name=name):
                style = name if name in BLOCKS else style
                prefix = target
            case n.Ident(name=name):
                style = name if name in BLOCKS else style
                is_prefix = name in BLOCKS or name.startswith("'") or name == "Accel"
                return Head(node.name, style, interval, span) if is_prefix else None
            case _:
                return None


def given_interval(elaborator: Elaborator, argument: n.Node, scope: Scope) -> int | None:
    """The number that `ii = 2` or `2` gives, if it is one."""
    value = argument.value if isinstance(argument, n.Assign) else argument
    number = constant_of(elaborator.value(value, scope))
    return number if isinstance(number, int) else None
