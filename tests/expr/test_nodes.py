"""Structural equality, spans apart, and the walk."""

from __future__ import annotations

from tunepass.expr.nodes import INTEGER, REAL, Constant, Name, free_names, walk
from tunepass.expr.parser import parse


def test_nodes_are_equal_by_structure_and_not_by_place() -> None:
    names = {"a": INTEGER, "b": INTEGER}
    assert parse("a+b", names) == parse(" a  + b", names)
    assert hash(parse("a+b", names)) == hash(parse(" a  + b", names))
    assert parse("a+b", names) != parse("b+a", names)
    assert Name("a", INTEGER) != Name("a", REAL)


def test_constants_that_compare_equal_in_python_stay_apart() -> None:
    texts = ["1", "1.0", "True", "0.0", "-0.0", "0"]
    assert len({parse(text, {}) for text in texts}) == len(texts)
    assert Constant(1, INTEGER) != Constant(1.0, REAL)


def test_walk_meets_a_shared_node_once_and_children_first() -> None:
    e = parse("a + 1 < b", {"a": INTEGER, "b": INTEGER})
    order = list(walk(e))
    assert order[-1] is e and len(order) == 5
    assert all(order.index(child) < i for i, node in enumerate(order) for child in node.children)


def test_free_names() -> None:
    assert free_names(parse("if(a > 1, b, 2) == a", {"a": INTEGER, "b": INTEGER})) == {"a", "b"}
