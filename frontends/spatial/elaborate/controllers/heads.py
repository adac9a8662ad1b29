"""What stands before a controller's arguments: `Foreach`, `Sequential.Foreach`, `Pipe(ii = 2).Reduce[T]`."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.reading import constant_of
from tunepass.frontends.spatial.elaborate.values import Scope
from tunepass.frontends.spatial.parameters.toggles import Mark, Toggle, mark_before, toggle_name
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.frontends.spatial.syntax.lexer import scan
from tunepass.frontends.spatial.syntax.parser import parse

Groups = list[tuple[n.Node, ...]]  # the groups of arguments, as in Reduce(a)(b){ c }{ d }
LOOPS = frozenset({"Foreach", "Reduce", "Fold", "MemReduce", "MemFold"})
BLOCKS = frozenset({"Pipe", "Sequential", "Parallel", "Stream", "Named"})
CONTROLLERS = LOOPS | BLOCKS | {"FSM"}


@dataclass(frozen=True, slots=True)
class Head:
    """`style` is Pipe, Sequential, Stream, … or empty; `interval` an initiation interval that the source asks for.

    `called` is the name that the source gives it, as in `'NAME.Foreach`. With a `mark` the rest is of the head that the
    mark keeps, and `span` is of the one that stands there.
    """

    name: str
    style: str
    interval: int | None
    span: Span
    called: str = ""
    mark: Mark | None = None

    def label(self, name: str | None) -> str:
        """The controller's label: the val it is bound to, or its name and line."""
        return name or f"{self.name.lower()}_{self.span.line}"

    def toggle(self, name: str | None) -> Toggle:
        """The parameter that switches the loop."""
        mark, span = self.mark, self.span
        if mark is not None:
            return Toggle(mark.name, span, Span(span.source, mark.span.start, span.end), False, mark.head)
        return Toggle(toggle_name(self.called or name or str(span.line)), span, span, True, span.text)


def controller_head(elaborator: Elaborator, node: n.Apply, scope: Scope) -> tuple[Head, Groups] | None:
    """The head of the controller that `node` applies, and its groups of arguments; None when it applies none."""
    groups: Groups = []
    applied: n.Node = node
    while isinstance(applied, n.Apply):
        groups.insert(0, applied.arguments)
        applied = applied.function
        head = _head(elaborator, applied, scope)
        if head is not None:
            return _switched_on(elaborator, head, scope), groups
    return None


def _switched_on(elaborator: Elaborator, head: Head, scope: Scope) -> Head:
    """The head that a mark before this one keeps, if there is one."""
    mark = mark_before(head.span) if head.style == "Sequential" else None
    if mark is None:
        return head
    with contextlib.suppress(SourceError):  # a comment that somebody changed
        tokens = scan(Source(head.span.source.name, mark.head))
        (node,) = parse(tokens, 0, len(tokens.items)).statements
        kept = _head(elaborator, node, scope)
        if kept is not None and kept.name == head.name:
            return replace(kept, span=head.span, mark=mark)
    return head


def _head(elaborator: Elaborator, node: n.Node, scope: Scope) -> Head | None:
    span = node.span
    if isinstance(node, n.Typed):
        node = node.target
    if isinstance(node, n.Ident):
        return Head(node.name, "", None, span) if node.name in CONTROLLERS and scope.get(node.name) is None else None
    if not isinstance(node, n.Select) or node.name not in CONTROLLERS:
        return None
    style, interval, called, prefix = "", None, "", node.target
    while True:
        match prefix:
            case n.Apply(function=function, arguments=(argument,)):  # Pipe(ii = 2), Pipe.II(2), Named("x")
                if isinstance(argument, n.Literal) and isinstance(argument.value, str):
                    called = argument.value.strip('"')
                else:
                    interval = given_interval(elaborator, argument, scope) or interval
                prefix = function
            case n.Select(target=target, name=name):
                style = style or (name if name in BLOCKS else "")
                prefix = target
            case n.Ident(name=name):
                style = style or (name if name in BLOCKS else "")
                called = name[1:] if name.startswith("'") else called
                is_prefix = name in BLOCKS or name.startswith("'") or name == "Accel"
                return Head(node.name, style, interval, span, called) if is_prefix else None
            case _:
                return None


def given_interval(elaborator: Elaborator, argument: n.Node, scope: Scope) -> int | None:
    """The number that `ii = 2` or `2` gives, if it is one."""
    value = argument.value if isinstance(argument, n.Assign) else argument
    number = constant_of(elaborator.value(value, scope))
    return number if isinstance(number, int) else None
