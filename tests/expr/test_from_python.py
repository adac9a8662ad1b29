"""Python expressions in tunepass's language: the translation computes what Python computes, or says it cannot."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.diagnostics import ExpressionError
from tunepass.expr.from_python import from_python
from tunepass.expr.nodes import IntegerType, OrderType
from tunepass.expr.numpy_eval import satisfied
from tunepass.expr.parser import parse

NAMES = {"a": IntegerType(), "b": IntegerType(), "order": OrderType((0, 1, 2))}


def holds(text: str, a: int, b: int, order: tuple[int, ...] = (0, 1, 2)) -> bool:
    expression = parse(from_python(text, {"width": 15, "shift": -3}, {"pos_order": "order"}), NAMES)
    return bool(satisfied(expression, {"a": np.array([a]), "b": np.array([b]), "order": np.array([order])}, 1)[0])


@pytest.mark.parametrize(
    "text",
    [
        "a == 1 or b % 2 != 0",
        "not (a > 1 and b >= 2)",
        "1 < a <= b",
        "a*b + (width-1) < 4*8",
        "-a + shift * b // 2 <= -4",
        "a in [1, 2] and b not in (2, 3)",
        "(a if a > b else b) == 3",
        "a ** 2 / b >= 1.5",
        "max(a, b) - min(a, b) == abs(a - b)",
        "a << 2 > b + True",
    ],
)
def test_it_computes_what_python_computes(text: str) -> None:
    for a, b in itertools.product(range(1, 5), repeat=2):
        wanted = eval(text, {"a": a, "b": b, "width": 15, "shift": -3, "max": max, "min": min, "abs": abs})  # noqa: S307
        assert holds(text, a, b) is bool(wanted), (a, b)


def test_permutations_and_their_inverse() -> None:
    assert holds("order[0] == 2", 1, 1, (2, 0, 1)) and not holds("order[0] == 2", 1, 1)
    assert holds("pos_order[2] < pos_order[0]", 1, 1, (2, 0, 1)) and not holds("pos_order[2] < pos_order[0]", 1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "a.b",
        "lambda: 1",
        "[x for x in (1, 2)]",
        "a in b",
        "f(a)",
        "a if",
        "a is b",
        "(" * 300 + "a" + ")" * 300,
        "a" + " + a" * 20_000,
        "os.path.min(a)",
        "f'{a}'",
    ],
)
def test_what_has_no_translation_is_a_diagnostic(text: str) -> None:
    with pytest.raises(ExpressionError):
        from_python(text)
