"""Tokens, newlines that end statements, strings and comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.spatial.syntax.lexer import scan
from tunepass.frontends.spatial.syntax.parser import parse


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


@examples(150)
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
