"""Host code cut into statements and arguments."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.frontends.spatial.outline.apps import apps
from tunepass.frontends.spatial.outline.statements import arguments, statements
from tunepass.frontends.spatial.syntax.lexer import scan


def test_statements_and_apps() -> None:
    tokens = scan(Source("x", "object A { val x = 1; val y = {\n 2\n}\nAccel { z } }\nclass B { }"))
    (app,) = apps(tokens)
    assert app.name == "A"
    shown = [tokens.span(a, b - 1).text for a, b in statements(tokens, app.first, app.last)]
    assert shown == ["val x = 1", "val y = {\n 2\n}", "Accel { z }"]


def test_modifiers_and_annotations_are_left_out() -> None:
    tokens = scan(Source("x", "@inline private[this] val x = 1\noverride implicit def f = 2"))
    shown = [tokens.span(a, b - 1).text for a, b in statements(tokens, 0, len(tokens.items))]
    assert shown == ["val x = 1", "def f = 2"]


def test_arguments_by_position_and_by_name() -> None:
    tokens = scan(Source("x", "f(a, g(b, c), last = [d, e])"))
    given = arguments(tokens, ("first", "second", "third"), (2, len(tokens.items) - 1))
    shown = {name: tokens.span(a, b - 1).text for name, (a, b) in given.items()}
    assert shown == {"first": "a", "second": "g(b, c)", "last": "[d, e]"}
