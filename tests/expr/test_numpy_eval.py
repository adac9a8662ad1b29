"""The reference's semantics: Python's operators, exact integers, laziness element by element."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tunepass.diagnostics import ExpressionError
from tunepass.expr import numpy_eval
from tunepass.expr.nodes import BOOL, INTEGER, REAL, CategoryType, OrderType, Type
from tunepass.expr.parser import parse

NAMES: dict[str, Type] = {
    "a": INTEGER,
    "b": INTEGER,
    "x": REAL,
    "y": REAL,
    "f": BOOL,
    "s": CategoryType(("static", "dynamic")),
    "t": CategoryType(("dynamic", "guided")),
    "o": OrderType((0, 1, 2)),
    "w": OrderType(("i", "j")),
}
COLUMNS = {
    "a": np.array([7, -7, 7, 0]),
    "b": np.array([2, 2, -2, 0]),
    "x": np.array([7.5, -7.5, 7.5, 0.0]),
    "y": np.array([2.0, 2.0, -2.0, 0.0]),
    "f": np.array([True, False, True, False]),
    "s": np.array([0, 1, 1, 0]),
    "t": np.array([0, 0, 1, 1]),
    "o": np.array([[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]]),
    "w": np.array([[0, 1], [1, 0], [0, 1], [1, 0]]),
}


def values(text: str) -> list[object]:
    found = numpy_eval.evaluate(parse(text, NAMES), COLUMNS, 4)
    return [v if d else None for v, d in zip(found.values.tolist(), found.defined)]


@pytest.mark.parametrize(
    "text,expected",
    [
        ("a // b", [3, -4, -4, None]),
        ("a % b", [1, 1, -1, None]),
        ("x // y", [3.0, -4.0, -4.0, None]),
        ("x % y", [1.5, 0.5, -0.5, None]),
        ("a / b", [3.5, -3.5, -3.5, None]),
        ("ceildiv(a, b)", [4, -3, -3, None]),
        ("a ** b", [49, 49, None, 1]),
        ("f + f", [2, 0, 2, 0]),
        ("-f", [-1, 0, -1, 0]),
        ("a << b", [28, -28, None, 0]),
        ("a >> b", [1, -2, None, 0]),
        ("round(x)", [8, -8, 8, 0]),
        ("floor(x) + ceil(x)", [15, -15, 15, 0]),
        ("round(x - 5)", [2, -12, 2, -5]),
        ("log(a)", [math.log(7), None, math.log(7), None]),
        ("sqrt(a) >= 0", [True, None, True, True]),
        ("min(a, b, 1) + max(a)", [8, -14, 5, 0]),
        ("gcd(a, 14) + lcm(a, b)", [21, 21, 21, 14]),
        ("ispow2(b)", [True, True, False, False]),
        ('s == "static"', [True, False, False, True]),
        ("s == t", [False, True, False, False]),
        ('if(f, "x", "y") == "x"', [True, False, True, False]),
        ("s in {t}", [False, True, False, False]),
        ("o[a - 7]", [0, None, 1, None]),
        ("pos(o, 2)", [2, 0, 1, 0]),
        ("pos(o, b)", [2, 0, None, 2]),
        ('w[0] == "i"', [True, False, True, False]),
        ("pos(w, w[1])", [1, 1, 1, 1]),
        ("if(f, 1, 2.5)", [1.0, 2.5, 1.0, 2.5]),
        ("abs(a) == 7 == abs(a)", [True, True, True, False]),
        ("x ** 0.5 > 0", [True, None, True, False]),
    ],
)
def test_values(text: str, expected: list[object]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    "text,expected",
    [
        ("b != 0 and a % b == 1", [True, True, False, False]),
        ("a % b == 1 and b != 0", [True, True, False, None]),
        ("b == 0 or a % b == 1", [True, True, False, True]),
        ("if(b == 0, 0, a // b)", [3, -4, -4, 0]),
        ("0 < b < a // b", [True, False, False, False]),
        ("not (a % b == 1)", [False, False, True, None]),
        ("a in {1 // b, 7}", [True, False, True, None]),
    ],
)
def test_only_what_python_would_evaluate_counts(text: str, expected: list[object]) -> None:
    assert values(text) == expected


def test_an_undefined_constraint_is_not_satisfied() -> None:
    got = numpy_eval.satisfied(parse("not (a % b == 1)", NAMES), COLUMNS, 4)
    assert got.tolist() == [False, False, True, False]


BIG = {"a": np.array([1, 2**62, 3]), "b": np.array([1, 2, 0])}


@pytest.mark.parametrize("text", ["a * b + 1", "a + a", "-(-a - a - 1) - 1", "a << b", "lcm(a, a - 1)", "a ** (b + 1)"])
def test_overflow_is_an_error_with_the_span(text: str) -> None:
    with pytest.raises(ExpressionError, match="overflow") as caught:
        numpy_eval.evaluate(parse(text, NAMES), BIG, 3)
    span = caught.value.diagnostics[0].span
    assert span is not None


def test_overflow_names_the_innermost_node() -> None:
    with pytest.raises(ExpressionError) as caught:
        numpy_eval.evaluate(parse("1 + a * b < 3", NAMES), BIG, 3)
    span = caught.value.diagnostics[0].span
    assert span is not None and span.text == "a * b"


def test_overflow_in_a_branch_not_taken_does_not_count() -> None:
    got = numpy_eval.evaluate(parse("if(a < 10, a * a * a, 0) > 0 and (a > 10 or a * 4 > 0)", NAMES), BIG, 3)
    assert got.values.tolist() == [True, False, True]


def test_the_edges_of_64_bits() -> None:
    columns = {"a": np.array([-(2**63), 2**63 - 1])}
    assert numpy_eval.evaluate(parse("a % -1", NAMES), columns, 2).values.tolist() == [0, 0]
    assert numpy_eval.evaluate(parse("a * 1 + 0", NAMES), columns, 2).values.tolist() == [-(2**63), 2**63 - 1]
    for text in ("-a", "abs(a)", "a // -1", "a - 1", "gcd(a, 0)", "floor(a * 1.0)"):
        with pytest.raises(ExpressionError, match="overflow"):
            numpy_eval.evaluate(parse(text, NAMES), columns, 2)


def test_a_missing_or_misshapen_column_is_said() -> None:
    with pytest.raises(ExpressionError, match="no column for `x`"):
        numpy_eval.evaluate(parse("x > 1", NAMES), {}, 4)
    with pytest.raises(ExpressionError, match="must have shape"):
        numpy_eval.evaluate(parse("o[0] == 1", NAMES), {"o": np.zeros((4, 2), int)}, 4)


def test_a_power_of_constants_at_the_edge() -> None:
    e = parse("a < (-9223372036854775808) ** 1", NAMES)
    assert numpy_eval.evaluate(e, COLUMNS, 4).values.tolist() == [False] * 4
