"""Host code: the values and functions that it names; a statement that is not understood names unknown values."""

from __future__ import annotations

import contextlib

from tunepass.diagnostics import SourceError
from tunepass.frontends.spatial.elaborate.program import ProgramElaborator
from tunepass.frontends.spatial.elaborate.values import Closure, HostValue, Known, Scope, Value
from tunepass.frontends.spatial.outline.apps import App
from tunepass.frontends.spatial.outline.statements import (
    TokenRange,
    after,
    arguments,
    enclosing_block,
    statements,
)
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.frontends.spatial.syntax.lexer import Tokens
from tunepass.frontends.spatial.syntax.parser import parse, parse_signature


class HostCode:
    """Evaluates the host code of `app` with the elaborator of its program."""

    def __init__(self, tokens: Tokens, app: App, elaborator: ProgramElaborator):
        self.tokens, self.app, self.elaborator = tokens, app, elaborator

    def run_until(self, accel: int, first: int, last: int, scope: Scope) -> Scope:
        """Evaluate the statements of [first, last) down to token `accel`, inwards; the scope that it sees."""
        pieces = list(statements(self.tokens, first, last))
        for start, end in pieces:  # functions may be used before they are written
            if self._is_definition(start, end) and not start <= accel < end:
                self._define(start, end, scope)
        for start, end in pieces:
            if start <= accel < end:
                if start == accel:
                    return scope
                inside = self._with_parameters(start, end, scope) if self._is_definition(start, end) else scope
                block = enclosing_block(self.tokens, start, end, accel)
                return self.run_until(accel, *block, Scope(inside)) if block else inside
            if not self._is_definition(start, end):
                self._evaluate(start, end, scope)
        return scope

    def add_members(self, body: TokenRange, scope: Scope) -> None:
        """Functions and values of a class's body; what cannot be read there is left out."""
        pieces = list(statements(self.tokens, *body))
        for start, end in pieces:
            if self._is_definition(start, end):
                self._define(start, end, scope)
        for start, end in pieces:
            if not self._is_definition(start, end):
                with contextlib.suppress(SourceError):
                    self._evaluate(start, end, scope)

    def value(self, expression: TokenRange, scope: Scope) -> Value:
        return self.elaborator.block(parse(self.tokens, *expression), scope)

    def _is_definition(self, first: int, last: int) -> bool:
        return first < last and self.tokens.items[first].text == "def"

    def _evaluate(self, first: int, last: int, scope: Scope) -> None:
        """A statement. One that does not parse binds its name to a value unknown here."""
        if first >= last:
            return
        start = self.tokens.items[first]
        if start.kind == "keyword" and start.text not in ("val", "var", "type"):
            return
        try:
            nodes = parse(self.tokens, first, last).statements
        except SourceError:
            if self._declares_parameter(first, last):  # a mistake is the user's to see
                raise
            if start.text in ("val", "var") and first + 1 < last:
                name = self.tokens.items[first + 1].text
                scope.set(name, HostValue(name))
            return
        for node in nodes:
            self.elaborator.value(node, scope)

    def _declares_parameter(self, first: int, last: int) -> bool:
        """Does the statement look like a design parameter?"""
        return any(self.tokens.items[i].text == "->" for i in range(first, last))

    def _define(self, first: int, last: int, scope: Scope) -> None:
        """A function: its body is parsed when it is first called, so host code may be anything."""
        signature, body = self._signature(first, last)
        if signature is not None:
            unparsed = n.Unparsed(self.tokens.span(first, first), body, last)
            scope.set(signature.name, Closure(signature.name, signature.parameter_names, unparsed, scope))

    def _with_parameters(self, first: int, last: int, scope: Scope) -> Scope:
        """A scope with the function's parameters, as the first call in the app gives them where that is known."""
        signature, _ = self._signature(first, last)
        inner = Scope(scope)
        if signature is None:
            return inner
        given, around = self._first_call(signature.name, first, last, scope)
        by_parameter = arguments(self.tokens, signature.parameter_names, given)
        for name in signature.parameter_names:
            if name == "args" and scope.get("args") is not None:
                continue
            host, argument = HostValue(name), by_parameter.get(name)
            if argument is not None:
                host.alias = self._passed(argument, around)
                host.members = host.alias.members if host.alias is not None else host.members
            inner.set(name, host)
        return inner

    def _passed(self, argument: TokenRange, scope: Scope) -> HostValue | None:
        """What a parameter is set from; None where the argument says nothing."""
        try:
            value = self.value(argument, scope)
        except SourceError:
            return None
        known = HostValue("value", value.expr) if isinstance(value, Known) else value
        return known if isinstance(known, HostValue) else None

    def _first_call(self, name: str, first: int, last: int, scope: Scope) -> tuple[TokenRange, Scope]:
        """The arguments of the first call of `name` in the app outside of [first, last), and what they may name: the
        values of the function that calls."""
        items = self.tokens.items
        for i in range(self.app.first, self.app.last - 1):
            if not first <= i < last and items[i].text == name and items[i + 1].kind == "(":
                return (i + 2, self.tokens.partner[i + 1]), self._scope_at(i, scope)
        return (0, 0), scope

    def _scope_at(self, call: int, scope: Scope) -> Scope:
        """The scope of a call inside a function of the app; nothing of that function is kept but its values."""
        for start, end in statements(self.tokens, self.app.first, self.app.last):
            if start < call < end and self._is_definition(start, end):
                block = enclosing_block(self.tokens, start, end, call)
                with contextlib.suppress(SourceError):
                    return self.run_until(call, *block, Scope(scope)) if block else scope
        return scope

    def _signature(self, first: int, last: int) -> tuple[n.Signature | None, int]:
        """The signature of the `def` at `first`, None where it is not understood, and the first token of the body."""
        i = first + 1
        while i < last and self.tokens.items[i].text not in ("=", "{"):
            i = after(self.tokens, i)
        if i >= last:
            return None, last
        body = i + 1 if self.tokens.items[i].text == "=" else i
        try:
            return parse_signature(self.tokens, first, i), body
        except SourceError:
            return None, body
