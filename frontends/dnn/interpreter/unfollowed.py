"""What statements could have done that are not followed, because it is not known whether they run.

Names and fields that they set, lists that they change and what a function gives after a `return` among them are not
known any more: whatever depends on one of these tells so.
"""

from __future__ import annotations

import ast
from abc import ABC
from collections.abc import Iterator, Sequence

from tunepass.diagnostics import SourceError
from tunepass.frontends.dnn.interpreter.calls import Calls
from tunepass.frontends.dnn.interpreter.machine import Machine
from tunepass.frontends.dnn.interpreter.values import LOST, Instance, PyScope, PyValue, SequentialValue, Unknown

CHANGING = frozenset(
    {"append", "extend", "insert", "add", "add_module", "register_module", "update", "pop", "setdefault", "clear"}
)
INNER = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.AsyncFunctionDef)


class Unfollowed(Machine, ABC):
    """The part of the interpreter that forgets what may have changed."""

    calls: Calls

    def lose(self, body: Sequence[ast.stmt], scope: PyScope, lost: Unknown) -> None:
        """The statements may run, or not. SourceError where later layers depend on whether they return."""
        for node in _inside(body):
            match node:
                case ast.Name(ctx=ast.Store(), id=name) if not (name in self.parameters and self.is_own(node)):
                    scope.names[name] = lost
                case ast.Attribute(ctx=ast.Store(), value=owner, attr=name):
                    holder = self._quietly(owner, scope)
                    if isinstance(holder, Instance):
                        holder.fields[name] = lost
                case ast.Subscript(ctx=ast.Store(), value=owner):
                    self._spoil(self._quietly(owner, scope), lost)
                case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CHANGING:
                    self._spoil(self._quietly(owner, scope), lost)
                case ast.AugAssign(target=ast.Name() | ast.Attribute() as owner):
                    self._spoil(self._quietly(owner, scope), lost)
        if any(isinstance(node, ast.Return) for node in _inside(body)):
            scope.leaves(lost, self.calls.made())
        if any(isinstance(node, (ast.Break, ast.Continue)) for node in _inside(body, loops=False)):
            self.loops[-1:] = [(lost, self.calls.made())] if self.loops else []

    def _quietly(self, node: ast.expr, scope: PyScope) -> PyValue:
        """What a name, or a field of one, stands for; anything else is not looked at, because looking may change it."""
        if isinstance(node, ast.Name):
            return scope.find(node.id)
        if isinstance(node, ast.Attribute):
            holder = self._quietly(node.value, scope)
            return holder.fields.get(node.attr) if isinstance(holder, Instance) else None
        return None

    def _spoil(self, holder: PyValue, lost: Unknown) -> None:
        """What is in a list, a dictionary or a model is not known any more."""
        if isinstance(holder, Instance):
            holder = holder.container
        if isinstance(holder, SequentialValue):
            holder.items.append(lost)
        elif isinstance(holder, list):
            holder.append(lost)
        elif isinstance(holder, dict):
            holder[LOST] = lost

    def check_loop(self) -> None:
        """SourceError where layers follow in a loop of which it is not known whether it went on."""
        found = self.loops.pop()
        if found is not None and self.calls.made() > found[1]:
            raise self.doubtful("goes on", found[0])

    def doubtful(self, what: str, lost: Unknown) -> SourceError:
        return SourceError(
            f"whether this {what} is not known, and layers follow: {lost.reason}",
            lost.span,
            "make what it asks for a number, or a parameter",
        )


def _inside(body: Sequence[ast.stmt], loops: bool = True) -> Iterator[ast.AST]:
    """What stands in the statements, but for functions and classes, and for loops on demand."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, INNER) and (loops or not isinstance(node, (ast.For, ast.While))):
            waiting += ast.iter_child_nodes(node)
