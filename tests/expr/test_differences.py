"""Signs of differences hold of every pair of values, and are found where models of networks need them."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tunepass.expr.interval.differences import signs
from tunepass.expr.nodes import BOOL, INTEGER, REAL, CategoryType, Expr
from tunepass.expr.numpy_eval import evaluate
from tunepass.expr.parser import parse

NAMES = {"n": INTEGER, "k": INTEGER, "f": INTEGER, "r": REAL, "on": BOOL, "pad": CategoryType(("same", "valid"))}
VALUES = {"n": range(1, 7), "k": range(1, 6), "f": range(2, 10), "r": (0.5, 1.25, 3.0), "on": (0, 1), "pad": (0, 1)}
DOMAINS = {name: np.array(list(values), np.float64) for name, values in VALUES.items()}


def found(text: str) -> dict[str, int]:
    (result,) = signs([parse(text, NAMES)], DOMAINS)
    return {name: sign for name, sign in result.items() if re.search(rf"\b{name}\b", text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n * (k * k * f + 1)", {"n": 1, "k": 1, "f": 1}),
        ("n * (16 - k) - f", {"n": 1, "k": -1, "f": -1}),
        ("(16 - k) // f + 1", {"k": -1, "f": -1}),
        ("ceildiv(n * 7, f)", {"n": 1, "f": -1}),
        ("10 * n - n // 2", {"n": 1}),
        ("n * f - n", {"n": 1, "f": 1}),
        ("max(n * f, k + f) + r", {"n": 1, "k": 1, "f": 1, "r": 1}),
        ('if(pad == "same", n * f, (n + 1) * f)', {"n": 1, "f": 1, "pad": 0}),
        ("if(on, n, n + k)", {"n": 1, "k": 1, "on": 0}),
        ("n * r + f / r", {"n": 1, "f": 1, "r": 0}),
        ("n // 2 * 2 - n", {"n": 0}),
        ("n * r - n", {"n": 0, "r": 1}),
        ("n % f + f % 2", {"n": 0, "f": 0}),
        ("(k - 3) * (k - 3) + n", {"k": 0, "n": 1}),
        ("n * f <= 12", {"n": -1, "f": -1}),
        ("n * f <= 12 and k >= 2", {"n": -1, "f": -1, "k": 1}),
    ],
)
def test_monotone_names(text: str, expected: dict[str, int]) -> None:
    assert found(text) == expected
    check(parse(text, NAMES))


def check(e: Expr) -> None:
    """Every claimed sign holds between any two values of the name, whatever the others are."""
    rows = list(product(*VALUES.values()))
    columns = {name: np.array([row[i] for row in rows]) for i, name in enumerate(VALUES)}
    columns["on"] = columns["on"].astype(bool)
    values = np.asarray(evaluate(e, columns, len(rows)).values, np.float64).reshape([len(v) for v in VALUES.values()])
    (claimed,) = signs([e], DOMAINS)
    for axis, name in enumerate(VALUES):
        steps = np.diff(values, axis=axis)
        assert claimed[name] != 1 or (steps >= 0).all(), name
        assert claimed[name] != -1 or (steps <= 0).all(), name


TERMS = st.recursive(
    st.sampled_from(["n", "k", "f", "r", "1", "3", "on"]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*"]), inner),
        st.builds("max({}, {})".format, inner, inner),
        st.builds("({} // (f + k))".format, inner.filter(lambda t: "r" not in t)),
        st.builds("({} / (n + {} * {}))".format, inner, inner, inner),
        st.builds("if(n <= {}, {}, {})".format, inner, inner, inner),
        st.builds('if(pad == "same", {}, {})'.format, inner, inner),
    ),
    max_leaves=8,
)


@examples(150)
@given(TERMS)
def test_claimed_signs_hold(text: str) -> None:
    check(parse(f"1 * ({text})", NAMES))
