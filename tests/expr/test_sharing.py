"""Equal parts become one node; nothing else changes."""

from __future__ import annotations

import pytest

from tunepass.expr.nodes import BOOL, INTEGER, CategoryType, Expr, OrderType, walk
from tunepass.expr.parser import parse
from tunepass.expr.sharing import Sharing, shared
from tunepass.expr.typing import binary

NAMES = {"a": INTEGER, "b": INTEGER, "on": BOOL, "word": CategoryType(("x", "y")), "order": OrderType(("i", "j"))}


def count(e: Expr) -> int:
    return sum(1 for _ in walk(e))


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("(a + b) * (a + b)", 4),
        ("(a + b) * (b + a)", 5),
        ("a - 1 + (1 - a) + 1.0", 7),
        ("if(on and not on, -a, -a)", 6),
        ("min(a, a, b) + min(a, a, b)", 4),
        ("(1 < a < 1) + (a in {1, 2, 1})", 6),
        ("(order[a] == 'i') + (pos(order, i) == a) + (word == 'x') + (order[a] == 'i')", 13),
    ],
)
def test_equal_parts_are_one_node(text: str, nodes: int) -> None:
    e = parse(text, NAMES)
    found = shared(e)
    assert found == e and count(found) == nodes <= count(e)
    assert len({(type(n), n.label, n.type, n.children) for n in walk(found)}) == nodes


def test_what_is_shared_already_is_handed_out_again() -> None:
    """2**200 paths: whoever follows them one by one never ends."""
    e, sharing = parse("a + b", NAMES), Sharing()
    for _ in range(200):
        e = binary("+", e, e)
        assert sharing.shared(sharing.shared(e)) is sharing.shared(e)
    assert count(sharing.shared(e)) == 203
