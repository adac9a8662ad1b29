"""The canonical text of trees, and of literals that need care."""

from __future__ import annotations

import pytest

from tunepass.expr import typing
from tunepass.expr.nodes import BOOL, INTEGER, CategoryType, Type
from tunepass.expr.parser import parse
from tunepass.expr.printer import to_text

NAMES: dict[str, Type] = {
    "a": INTEGER,
    "b": INTEGER,
    "f": BOOL,
    "s": CategoryType(('say "hi"', "tab\there", "back\\slash")),
}


@pytest.mark.parametrize(
    "text",
    [
        "a - (b - 1)",
        "(a ** 2) ** 3 + a ** 2 ** 3",
        "-(3) + -3 + -a ** 2 + (-a) ** 2 + (-2) ** 2",
        "(a < b) == f",
        "not (f and f) or f and (f or f)",
        "(f and f) and f",
        "if(f, a, b) == 1",
        "a in {1, b + 2} and not a in {3}",
        "1e-300 < 2.5e+300 == (0.1 < a / 3)",
        "a << 2 >> (1 << b)",
        's == "say \\"hi\\"" or s in {"tab\\there", "back\\\\slash"}',
    ],
)
def test_canonical_text_prints_as_itself(text: str) -> None:
    e = parse(text, NAMES)
    assert parse(to_text(e), NAMES) == e
    assert to_text(parse(to_text(e), NAMES)) == to_text(e)


def test_parentheses_only_where_needed() -> None:
    assert to_text(parse("((a) + ((b) * (2)))", NAMES)) == "a + b * 2"
    assert to_text(typing.unary("-", typing.constant(3))) == "-(3)"
