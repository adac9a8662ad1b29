"""One app of a file, lowered: host statements up to `Accel` are evaluated for what they fix, then the accelerator."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span
from tunepass.expr import algebra
from tunepass.frontends.spatial import classes, outline
from tunepass.frontends.spatial import syntax as s
from tunepass.frontends.spatial.context import Context, finish, stages_of
from tunepass.frontends.spatial.evaluate import Lowering
from tunepass.frontends.spatial.heads import definition_head, split_commas
from tunepass.frontends.spatial.outline import App
from tunepass.frontends.spatial.parser import parse
from tunepass.frontends.spatial.scanner import MODIFIERS, Tokens
from tunepass.frontends.spatial.types import read_type
from tunepass.frontends.spatial.values import Closure, Host, Known, Module, Op, Opaque, Scope, Text, TupleOf, Value
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
    named = tokens.items[app.first + 1].text == "=>"  # { self => …
    scope = host.run(app.first + 2 * named, app.last, accels[0], host.surroundings(app))
    program = host.accel(accels[0], scope)
    host.assumptions()
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


def _word(i: int, text: str) -> Value:
    """A word of a command line: a number where it is one."""
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return Host(f"args({i})", assumed=algebra.lift(number(text)))
    return Text(text)


class _Host:
    """Evaluates host code: values it can, functions by name, everything else as opaque."""

    def __init__(self, tokens: Tokens, context: Context):
        self.tokens, self.context = tokens, context
        self.lowering = Lowering(context, tokens)
        self.arguments: tuple[Value, ...] = ()
        self.arguments_at: Span | None = None
        self.body: classes.Range = (0, 0)

    def surroundings(self, app: App) -> Scope:
        """The scope of the app's body: what the file's other classes, its parents and its constructor give it."""
        self.body = (app.first, app.last - 1)
        scope, known = Scope(), classes.classes(self.tokens)
        used = {
            self.tokens.items[i].text for i in range(app.first, app.last - 1) if self.tokens.items[i + 1].text == "."
        }
        for name in used & known.keys() - {app.name}:
            scope.set(name, Module(self._members(known[name], Scope())))
        body = Scope(scope)
        if app.name in known:
            self._inherit(known[app.name], known, body, {app.name})
            self._construct(known[app.name], known, body)
        if self.tokens.items[app.first + 1].text == "=>":  # { self => …
            body.set(self.tokens.items[app.first].text, Module(body))
        for name in ("this", app.name):
            body.set(name, Module(body))
        self._command_line(app, body)
        return body

    def _inherit(self, one: classes.Class, known: dict[str, classes.Class], scope: Scope, seen: set[str]) -> None:
        """The members of the parents that are in this file, the furthest first."""
        for name, _ in one.parents:
            parent = known.get(name)
            if parent is not None and name not in seen and not outline.accels(self.tokens, *parent.body):
                seen.add(name)
                self._inherit(parent, known, scope, seen)
                self._members(parent, scope)

    def _members(self, one: classes.Class, scope: Scope) -> Scope:
        """Functions and values of a body; what cannot be read there is left out."""
        pieces = [self._strip(a, b) for a, b in outline.statements(self.tokens, *one.body)]
        for wanted in (True, False):
            for a, b in pieces:
                if a < b and (self.tokens.items[a].text == "def") is wanted:
                    with contextlib.suppress(SourceError):
                        self._definition(a, b, scope) if wanted else self._statement(a, b, scope)
        return scope

    def _construct(self, one: classes.Class, known: dict[str, classes.Class], scope: Scope) -> None:
        """The constructor's parameters: as a class of this file that extends it gives them, else their defaults."""
        names = tuple(name for name, _ in one.parameters)
        calls = (given for other in known.values() for name, given in other.parents if name == one.name and given)
        given = classes.arguments(self.tokens, names, next(calls, (0, 0)))
        for name, default in one.parameters:
            at = given.get(name, default)
            scope.set(name, Host(name))
            if at is not None:
                with contextlib.suppress(SourceError):
                    value = self.lowering.block(parse(self.tokens, *at), scope)
                    scope.set(name, Host(name) if isinstance(value, Opaque) else value)

    def _command_line(self, app: App, scope: Scope) -> None:
        """`args(0)` is what `runtimeArgs` says, where the app says it."""
        at = classes.run_arguments(self.tokens, app.first, app.last)
        used = any(
            self.tokens.items[i].text == "args" and self.tokens.items[i + 1].kind == "("
            for i in range(app.first, app.last - 1)
        )
        if at is None or not used:
            return
        words = self.tokens.items[at].text.strip('"').split()
        self.arguments = tuple(_word(i, word) for i, word in enumerate(words))
        self.arguments_at = self.tokens.span(at, at)
        scope.set("args", TupleOf(self.arguments))

    def assumptions(self) -> None:
        """A warning where a word of the command line had to stand for what nothing bounds."""
        if self.arguments_at is not None and any(isinstance(a, Host) and a.asked for a in self.arguments):
            message = "the command line is not known here; what nothing bounds is as `runtimeArgs` has it"
            self.context.warn(message, self.arguments_at, "say `bound(x) = n` for a value that the host gives")

    def run(self, first: int, last: int, accel: int, scope: Scope) -> Scope:
        """Evaluate the statements of [first, last) down to the one that is token `accel`; the scope that it sees."""
        pieces = [self._strip(a, b) for a, b in outline.statements(self.tokens, first, last)]
        for a, b in pieces:  # functions may be used before they are written
            if a < b and self.tokens.items[a].text == "def" and not a <= accel < b:
                self._definition(a, b, scope)
        for a, b in pieces:
            if a <= accel < b:
                if a == accel:
                    return scope
                if self.tokens.items[a].text == "def":
                    scope = self._parameters(a, b, scope)
                inner = outline.enclosing_block(self.tokens, a, b, accel)
                return self.run(*inner, accel, Scope(scope)) if inner else scope
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

    def _parameters(self, first: int, last: int, scope: Scope) -> Scope:
        """A scope with the function's parameters, as the first call in the app gives them where that is known."""
        found = self._head(first, last)
        inner = Scope(scope)
        name, parameters = (found[0], found[1]) if found else ("", ())
        given = classes.arguments(self.tokens, parameters, self._call(name, first, last))
        for parameter in parameters:
            if parameter == "args" and scope.get("args") is not None:
                continue
            host = Host(parameter)
            at = given.get(parameter)
            if at is not None and at[1] - at[0] == 1:
                value = self.lowering.value(parse(self.tokens, *at), scope)
                host.assumed = value.expr if isinstance(value, Known) else None
            inner.set(parameter, host)
        return inner

    def _call(self, name: str, first: int, last: int) -> classes.Range:
        """The arguments of the first call of `name` outside of [first, last), in the app."""
        items = self.tokens.items
        for at in range(*self.body):
            if not first <= at < last and items[at].text == name and items[at + 1].kind == "(":
                return at + 2, self.tokens.partner[at + 1]
        return 0, 0

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
