"""Folding constructors: constants fold, neutral elements go, and no value changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tunepass.expr import algebra as alg
from tunepass.expr import numpy_eval
from tunepass.expr.nodes import INTEGER, Expr, Name
from tunepass.expr.parser import parse
from tunepass.expr.printer import to_text

A, B = Name("a", INTEGER), Name("b", INTEGER)


@pytest.mark.parametrize("built,text", [
    (alg.add(A, 0), "a"),
    (alg.add(2, A, 3), "a + 5"),
    (alg.add(A, -4), "a - 4"),
    (alg.add(1, 2), "3"),
    (alg.sub(alg.add(A, B), A), "b"),
    (alg.sub(alg.add(A, B), B), "a"),
    (alg.sub(A, A), "0"),
    (alg.sub(0, A), "-a"),
    (alg.mul(1, A), "a"),
    (alg.mul(2, A, 3), "6 * a"),
    (alg.mul(0, A), "0"),
    (alg.mul(), "1"),
    (alg.ceildiv(A, 1), "a"),
    (alg.ceildiv(A, A), "1"),
    (alg.ceildiv(7, 2), "4"),
    (alg.floordiv(A, 1), "a"),
    (alg.mod(A, 1), "0"),
    (alg.div(6, 4), "1.5"),
    (alg.maximum(A, 3, 5), "max(a, 5)"),
    (alg.minimum(A, A), "a"),
    (alg.ceil_log2(5), "3"),
    (alg.ceil_log2(1), "0"),
    (alg.where(alg.compare(A, "<", B), A, A), "a"),
    (alg.both(alg.lift(True), alg.compare(A, "<", B)), "a < b"),
])  # fmt: skip
def test_folds(built: Expr, text: str) -> None:
    assert to_text(built) == text


@examples(60)
@given(st.integers(-30, 30), st.integers(1, 30), st.integers(-5, 5), st.integers(1, 5))
def test_the_value_is_that_of_the_plain_expression(a: int, b: int, c: int, d: int) -> None:
    columns = {"a": np.array([a]), "b": np.array([b])}
    pairs = [
        (alg.add(A, c, B, d), a + c + b + d),
        (alg.sub(alg.mul(c, A), alg.add(B, d)), c * a - (b + d)),
        (alg.ceildiv(A, B), -(-a // b)),
        (alg.floordiv(alg.add(A, c), d), (a + c) // d),
        (alg.mod(A, B), a % b),
        (alg.maximum(A, c, B), max(a, b, c)),
        (alg.where(alg.compare(A, "<=", B), alg.add(A, 1), alg.mul(2, B)), a + 1 if a <= b else 2 * b),
    ]
    for e, value in pairs:
        assert float(numpy_eval.evaluate(e, columns, 1).values[0]) == value


def test_substitution_folds_again() -> None:
    e = alg.add(alg.mul(A, B), alg.ceildiv(A, B))
    assert to_text(alg.substitute(e, {"b": alg.lift(1)})) == "a + a"
    assert to_text(alg.substitute(e, {"a": alg.lift(6), "b": alg.lift(4)})) == "26"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if(a < 3, b, 7)", "b"),
        ("if(a < 3, 5, b)", "5"),
        ("if(b < a, a, b)", "if(b < 2, 2, b)"),
        ("if(1 < b < a and not (a == b), 1, 0)", "if(1 < b < 2 and not 2 == b, 1, 0)"),
        ("(b in {a, 3}) + 1", "(b in {2, 3}) + 1"),
    ],
)
def test_substitution_reaches_conditions(text: str, expected: str) -> None:
    e = parse(text, {"a": INTEGER, "b": INTEGER})
    assert to_text(alg.substitute(e, {"a": alg.lift(2)})) == expected
