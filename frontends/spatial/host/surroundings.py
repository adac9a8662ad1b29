"""What stands around an app's body: the members of other classes, its parents, its constructor, the command line."""

from __future__ import annotations

import contextlib

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra
from tunepass.frontends.spatial.elaborate.values import HostValue, Module, Scope, Text, Unmodelled, Value
from tunepass.frontends.spatial.host.code import HostCode
from tunepass.frontends.spatial.outline.apps import App, accels, runtime_arguments
from tunepass.frontends.spatial.outline.classes import Class, classes
from tunepass.frontends.spatial.outline.statements import arguments
from tunepass.frontends.spatial.syntax.lexer import Tokens


def app_scope(code: HostCode) -> Scope:
    """The scope of the app's body, before any of its statements."""
    tokens, app = code.tokens, code.app
    outer, known = Scope(), classes(tokens)
    named = {tokens.items[i].text for i in range(app.first, app.last - 1) if tokens.items[i + 1].text == "."}
    for name in named & known.keys() - {app.name}:
        members = Scope()
        code.add_members(known[name].body, members)
        outer.set(name, Module(members))
    scope = Scope(outer)
    if app.name in known:
        _inherit(code, known[app.name], known, scope, {app.name})
        _construct(code, known[app.name], known, scope)
    names = ["this", app.name]
    if tokens.items[app.first + 1].text == "=>":  # { self => …
        names.append(tokens.items[app.first].text)
    for name in names:
        scope.set(name, Module(scope))
    return scope


def _inherit(code: HostCode, heir: Class, known: dict[str, Class], scope: Scope, seen: set[str]) -> None:
    """The members of the parents that are in this file, the furthest first."""
    for name, _ in heir.parents:
        parent = known.get(name)
        if parent is not None and name not in seen and not accels(code.tokens, *parent.body):
            seen.add(name)
            _inherit(code, parent, known, scope, seen)
            code.add_members(parent.body, scope)


def _construct(code: HostCode, constructed: Class, known: dict[str, Class], scope: Scope) -> None:
    """The constructor's parameters: as a class of this file that extends it gives them, else their defaults."""
    names = tuple(name for name, _ in constructed.parameters)
    calls = (given for each in known.values() for name, given in each.parents if name == constructed.name and given)
    given = arguments(code.tokens, names, next(calls, (0, 0)))
    for name, default in constructed.parameters:
        expression = given.get(name, default)
        scope.set(name, HostValue(name))
        if expression is not None:
            with contextlib.suppress(SourceError):
                value = code.value(expression, scope)
                scope.set(name, HostValue(name) if isinstance(value, Unmodelled) else value)


def command_line(tokens: Tokens, app: App) -> tuple[Value, ...] | None:
    """What `args(0)` and so on are, where the app uses them and says what they are."""
    string = runtime_arguments(tokens, app)
    used = any(
        tokens.items[i].text == "args" and tokens.items[i + 1].kind == "(" for i in range(app.first, app.last - 1)
    )
    if string is None or not used:
        return None
    words = tokens.items[string].text.strip('"').split()
    return tuple(_word(i, word) for i, word in enumerate(words))


def _word(i: int, text: str) -> Value:
    """A word of a command line: a number where it is one."""
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return HostValue(f"args({i})", assumed=algebra.lift(number(text)), source="runtimeArgs")
    return Text(text)
