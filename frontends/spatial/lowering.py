"""One app of a file, lowered: host statements up to `Accel` are evaluated for what they fix, then the accelerator."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tunepass.diagnostics import SourceError
from tunepass.frontends.spatial import outline
from tunepass.frontends.spatial import syntax as s
from tunepass.frontends.spatial.context import Context, finish, stages_of
from tunepass.frontends.spatial.evaluate import Lowering
from tunepass.frontends.spatial.heads import definition_head, split_commas
from tunepass.frontends.spatial.outline import App
from tunepass.frontends.spatial.parser import parse
from tunepass.frontends.spatial.scanner import MODIFIERS, Tokens
from tunepass.frontends.spatial.types import read_type
from tunepass.frontends.spatial.values import Closure, Host, Op, Scope
from tunepass.ir.hardware import Controller, Program, Schedule, Struct


@dataclass(frozen=True, slots=True)
class Lowered:
    """An app's program, with the context that holds its parameters, toggles and warnings."""

    app: App
    program: Program
    context: Context


def lower(tokens: Tokens, app: App) -> Lowered:
    """Raises SourceError for what cannot be read; what is not modelled is a warning in the context."""
    context = Context()
    host = _Host(tokens, context)
    _file_names(tokens, app, context)
    accels = outline.accels(tokens, app.first, app.last)
    if len(accels) > 1:
        context.warn("this app has more than one `Accel`; the first is taken", tokens.span(accels[1], accels[1]))
    scope = host.run(app.first, app.last, accels[0], Scope())
    program = host.accel(accels[0], scope)
    return Lowered(app, program, context)


def _file_names(tokens: Tokens, app: App, context: Context) -> None:
    """Type aliases and case classes anywhere in the file, the app's own last (they win)."""
    pieces = [(0, app.first), (app.last, len(tokens.items)), (app.first, app.last)]
    for first, last in pieces:
        for at in range(first, last - 3):
            token = tokens.items[at]
            if token.kind != "keyword":
                continue
            if token.text == "type" and tokens.items[at + 2].text == "=" and tokens.items[at + 1].kind == "name":
                end = next((i for i in range(at + 4, last) if tokens.items[i].breaks), last)
                text = tokens.source.text[tokens.items[at + 3].start : tokens.items[end - 1].end]
                context.aliases[tokens.items[at + 1].text] = re.split(r"[;\n}]", text)[0].strip()
            elif token.text == "class" and tokens.items[at - 1].text == "case" and tokens.items[at + 2].kind == "(":
                _struct(tokens, at, context)


def _struct(tokens: Tokens, at: int, context: Context) -> None:
    close = tokens.partner[at + 2]
    inside = tokens.source.text[tokens.items[at + 2].end : tokens.items[close].start]
    fields = []
    for part in split_commas(inside):
        name, _, type_ = part.partition(":")
        element = read_type(type_, context.aliases, context.structs)
        if element is None:
            return
        fields.append((name.strip(), element))
    context.structs[tokens.items[at + 1].text] = Struct(tuple(fields))


class _Host:
    """Evaluates host code: values it can, functions by name, everything else as opaque."""

    def __init__(self, tokens: Tokens, context: Context):
        self.tokens, self.context = tokens, context
        self.lowering = Lowering(context, tokens)

    def run(self, first: int, last: int, accel: int, scope: Scope) -> Scope:
        """Evaluate the statements of [first, last) down to the one that is token `accel`; the scope that it sees."""
        scope = Scope(scope)
        pieces = [self._strip(a, b) for a, b in outline.statements(self.tokens, first, last)]
        for a, b in pieces:  # functions may be used before they are written
            if a < b and self.tokens.items[a].text == "def" and not a <= accel < b:
                self._definition(a, b, scope)
        for a, b in pieces:
            if a <= accel < b:
                if a == accel:
                    return scope
                if self.tokens.items[a].text == "def":
                    self._parameters(a, b, scope)
                inner = outline.enclosing_block(self.tokens, a, b, accel)
                return self.run(*inner, accel, scope) if inner else scope
            if a < b and self.tokens.items[a].text != "def":
                self._statement(a, b, scope)
        return scope

    def _strip(self, first: int, last: int) -> tuple[int, int]:
        """A statement without its annotations and modifiers."""
        items, at = self.tokens.items, first
        while at < last:
            if items[at].text == "@" and at + 1 < last:
                at += 2
                while at < last and items[at].kind in ("[", "("):
                    at = self.tokens.partner[at] + 1
            elif items[at].text in MODIFIERS and items[at].kind == "keyword":
                at = self.tokens.partner[at + 1] + 1 if at + 1 < last and items[at + 1].kind == "[" else at + 1
            else:
                break
        return at, last

    def _statement(self, first: int, last: int, scope: Scope) -> None:
        """A host statement. One that does not parse binds its names to values unknown here."""
        if self.tokens.items[first].kind == "keyword" and self.tokens.items[first].text not in ("val", "var", "type"):
            return
        try:
            nodes = parse(self.tokens, first, last).statements
        except SourceError:
            if self._declares(first, last):
                raise
            if self.tokens.items[first].text in ("val", "var") and first + 1 < last:
                name = self.tokens.items[first + 1].text
                scope.set(name, Host(name))
            return
        for node in nodes:
            self.lowering.statement(node, scope)

    def _declares(self, first: int, last: int) -> bool:
        """Does the statement look like a design parameter? Then its mistakes are the user's to see."""
        return any(self.tokens.items[i].text == "->" for i in range(first, last))

    def _definition(self, first: int, last: int, scope: Scope) -> None:
        """A function: its body is parsed when it is first called, so host code may be anything."""
        found = self._head(first, last)
        if found is None:
            return
        name, parameters, equals = found
        body = s.Unparsed(self.tokens.span(first, first), equals, last)
        scope.set(name, Closure(name, parameters, body, scope))

    def _parameters(self, first: int, last: int, scope: Scope) -> None:
        found = self._head(first, last)
        for parameter in found[1] if found else ():
            scope.set(parameter, Host(parameter))

    def _head(self, first: int, last: int) -> tuple[str, tuple[str, ...], int] | None:
        """Name, parameters and the first token of the body of the `def` at `first`."""
        at = first + 1
        while at < last and self.tokens.items[at].text not in ("=", "{"):
            at = self.tokens.partner[at] + 1 if self.tokens.items[at].kind in ("(", "[") else at + 1
        if at >= last:
            return None
        head = self.tokens.source.text[self.tokens.items[first].start : self.tokens.items[at].start]
        name, parameters, _ = definition_head(head + "=")
        return name, parameters, at + 1 if self.tokens.items[at].text == "=" else at

    def accel(self, at: int, scope: Scope) -> Program:
        """The accelerator that token `at` opens."""
        body = at + 1
        if self.tokens.items[body].kind == "(":  # Accel(*) { … }
            body = self.tokens.partner[body] + 1
        if body >= len(self.tokens.items) or self.tokens.items[body].kind != "{":
            raise SourceError("`Accel` needs a body in braces", self.tokens.span(at, at))
        block = parse(self.tokens, body + 1, self.tokens.partner[body])
        with self.context.body() as frame:
            self.lowering.block(block, scope)
        ops = [o for o in frame.items if isinstance(o, Op)]
        inner = not frame.stages
        accel = Controller(
            label="accel",
            kind="accel",
            schedule=Schedule.INNER if inner else Schedule.SEQUENTIAL,
            stages=() if inner else stages_of(frame),
            operations=finish(ops) if inner else (),
            memories=tuple(frame.memories),
            span=self.tokens.span(at, at),
        )
        return Program(accel, tuple(self.context.outside))
