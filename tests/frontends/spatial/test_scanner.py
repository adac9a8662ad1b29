"""Tokens, newlines that end statements, strings and comments."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.spatial import syntax as s
from tunepass.frontends.spatial.heads import definition_head, lambda_parameters, split_commas, value_head
from tunepass.frontends.spatial.outline import apps, statements
from tunepass.frontends.spatial.parser import parse
from tunepass.frontends.spatial.scanner import scan


def texts(text: str) -> list[str]:
    return [("⏎" if t.breaks else "") + t.text for t in scan(Source("x", text)).items]


@pytest.mark.parametrize("text,tokens", [
    ("a\nb", ["a", "⏎b"]),
    ("a +\nb", ["a", "+", "b"]),
    ("a\n  + b", ["a", "⏎+", "b"]),  # Scala 2: a unary plus
    ("a\n  && b", ["a", "&&", "b"]),
    ("a\n.b", ["a", ".", "b"]),
    ("f(a,\nb)", ["f", "(", "a", ",", "b", ")"]),
    ("f(g {\na\nb\n})", ["f", "(", "g", "{", "a", "⏎b", "}", ")"]),
    ("if (c) a\nelse b", ["if", "(", "c", ")", "a", "else", "b"]),
    ("f(a)\n{ b }", ["f", "(", "a", ")", "{", "b", "}"]),
    ("1.to[Int] 1.5f 0x1F 10L 1e3", ["1", ".", "to", "[", "Int", "]", "1.5f", "0x1F", "10L", "1e3"]),
    ("i::i+B x := y <<= z", ["i", "::", "i", "+", "B", "x", ":=", "y", "<<=", "z"]),
    ("'a' 'LOOP '\\n'", ["'a'", "'LOOP", "'\\n'"]),
    ("a // c\n/* d /* e */ */ b", ["a", "⏎b"]),
    ('s"x ${f("}")} y" z', ['s"x ${f("}")} y"', "z"]),
    ('"""a\n"b" """ c', ['"""a\n"b" """', "c"]),
    ("`a b` _ => _", ["`a b`", "_", "=>", "_"]),
])  # fmt: skip
def test_tokens(text: str, tokens: list[str]) -> None:
    assert texts(text) == tokens


@settings(max_examples=150)
@given(st.text(alphabet="abAccel{}()[]=>:.,;_ \n\"'/*+-0 1", max_size=60))
def test_any_text_scans_or_is_diagnosed(text: str) -> None:
    try:
        tokens = scan(Source("x", text))
    except SourceError as error:
        assert len(error.diagnostics) == 1
        return
    assert all(text[t.start : t.end] == t.text for t in tokens.items)
    try:
        parse(tokens, 0, len(tokens.items))
    except SourceError as error:
        assert len(error.diagnostics) == 1


def test_heads() -> None:
    assert value_head("val x: Int =") == (("x",), "Int")
    assert value_head("val (a, b): (Int, T) =") == (("a", "b"), "(Int, T)")
    assert definition_head("def f[T: Num](x: T, y: Int)(implicit z: Q): T =") == (
        "f",
        ("x", "y", "z"),
        ("T", "Int", "Q"),
    )
    assert lambda_parameters("(i: Int, j) =>") == ("i", "j")
    assert split_commas("a, f(b, c), [d, e]") == ["a", " f(b, c)", " [d, e]"]


def test_statements_and_apps() -> None:
    tokens = scan(Source("x", "object A { val x = 1; val y = {\n 2\n}\nAccel { z } }\nclass B { }"))
    (app,) = apps(tokens)
    assert app.name == "A"
    shown = [tokens.span(a, b - 1).text for a, b in statements(tokens, app.first, app.last)]
    assert shown == ["val x = 1", "val y = {\n 2\n}", "Accel { z }"]


def test_precedence_follows_the_first_character() -> None:
    tokens = scan(Source("x", "a :: b + c * d par e"))
    (node,) = parse(tokens, 0, len(tokens.items)).statements
    assert isinstance(node, s.Infix) and node.operator == "par"
    assert isinstance(node.left, s.Infix) and node.left.operator == "::"
    assert isinstance(node.left.right, s.Infix) and node.left.right.operator == "+"
