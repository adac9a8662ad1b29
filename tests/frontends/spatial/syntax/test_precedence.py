"""How a row of infix operators is grouped."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.frontends.spatial.syntax.lexer import scan
from tunepass.frontends.spatial.syntax.parser import parse


def grouping(node: n.Node) -> str:
    match node:
        case n.Infix():
            return f"({grouping(node.left)} {node.operator} {grouping(node.right)})"
        case _:
            return node.span.text


@pytest.mark.parametrize("text,groups", [
    ("a :: b + c * d par e", "((a :: (b + (c * d))) par e)"),
    ("a until b by c par d", "(((a until b) by c) par d)"),
    ("a :: b :: c", "(a :: (b :: c))"),
    ("a - b - c", "((a - b) - c)"),
    ("a | b ^ c & d == e < f", "(a | (b ^ (c & (d == (e < f)))))"),
    ("a && b || c", "((a && b) || c)"),
    ("a ~~ b * c", "((a ~~ b) * c)"),  # a character of no class binds tightest
    ("a -> b -> c", "((a -> b) -> c)"),
    ("-a * b", "(-a * b)"),
    ("a _b c + d", "(a _b (c + d))"),
])  # fmt: skip
def test_grouping(text: str, groups: str) -> None:
    tokens = scan(Source("x", text))
    (node,) = parse(tokens, 0, len(tokens.items)).statements
    assert grouping(node) == groups and node.span.text == text
