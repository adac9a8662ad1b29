"""Types that operators give, and what they refuse."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import ExpressionError
from tunepass.expr import nodes
from tunepass.expr.nodes import BOOL, INTEGER, REAL, CategoryType, OrderType, Type
from tunepass.expr.parser import parse

NAMES: dict[str, Type] = {
    "n": INTEGER, "x": REAL, "p": BOOL, "s": CategoryType(("a", "b")), "o": OrderType((0, 1, 2)),
    "w": OrderType(("u", "v")),
}  # fmt: skip


@pytest.mark.parametrize(
    "text,kind",
    [
        ("n + p", INTEGER), ("n / n", REAL), ("n // x", REAL), ("ceil(x)", INTEGER), ("if(p, n, x)", REAL),
        ("s in {'a'}", BOOL), ("o[1]", INTEGER), ("w[n]", CategoryType(("u", "v"))), ("pos(w, 'v')", INTEGER),
        ("min(p, p)", INTEGER), ("-p", INTEGER), ("n < x < 3", BOOL),
    ],
)  # fmt: skip
def test_types(text: str, kind: nodes.Type) -> None:
    assert parse(text, NAMES).type == kind


@pytest.mark.parametrize(
    "text",
    ["s + 1", "s < 'b'", "n and p", "x % s", "x << 1", "gcd(x, 2)", "o[3]", "pos(w, 'z')", "if(n, 1, 2)"],
)
def test_refused_at_the_operand(text: str) -> None:
    with pytest.raises(ExpressionError) as error:
        parse(text, NAMES)
    assert error.value.diagnostics[0].span is not None
