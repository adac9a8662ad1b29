"""Bounds over many boxes: they hold every value, and are exact where a box is a point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunepass.diagnostics import ExpressionError
from tunepass.expr import boxes, numpy_eval
from tunepass.expr.nodes import BOOL, INTEGER, Order
from tunepass.expr.parser import parse

NAMES = {"a": INTEGER, "b": INTEGER, "t": BOOL}
TEXTS = [
    "a + 2 * b - 3", "a * b", "a - a * b", "-a", "a / b", "(a - 40) // b", "ceildiv(a, b)", "a % b", "(a - 30) % 7",
    "max(a, b) - min(a, 2 * b)", "abs(a - b)", "sqrt(a)", "exp(a / 50) + log(b) + log2(a)", "lcm(a, b)", "gcd(a, b)",
    "ceil(a / 7) + floor(b / 3) + round(a * 0.3)", "if(a < b, a, 2 * b)", "if(t, a, b)", "a < b", "a <= b and t",
    "a == b or not t", "a in {3, 5, b}", "a != b", "a < b <= 60", "ispow2(a)", "a ** 2",
    "1 / (1 + exp(-0.1 * (a - b)))",
    "ceildiv(ceildiv(960, a), b) * (a + 3)",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@settings(max_examples=20)
@given(data=st.data())
def test_every_value_is_within_the_bounds(text: str, data: st.DataObject) -> None:
    e = parse(text, NAMES)
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    lo = {n: rng.integers(1, 60, 8) for n in ("a", "b")}
    hi = {n: low + rng.integers(0, 20, 8) for n, low in lo.items()}
    t = rng.integers(0, 2, (2, 8))
    ends = {n: (lo[n].astype(float), hi[n].astype(float)) for n in lo}
    ends["t"] = (t.min(axis=0).astype(float), t.max(axis=0).astype(float))
    ((low, high),) = boxes.bounds([e], ends)
    for _ in range(20):
        columns = {n: rng.integers(lo[n], hi[n] + 1) for n in lo}
        columns["t"] = rng.integers(ends["t"][0].astype(int), ends["t"][1].astype(int) + 1).astype(bool)
        values = np.asarray(numpy_eval.evaluate(e, columns, 8).values, dtype=float)
        slack = boxes.SLACK * np.maximum(1, np.abs(values))
        assert np.all(values >= low - slack) and np.all(values <= high + slack)


def test_a_point_has_its_value() -> None:
    e = parse("ceildiv(960, a) * (40 + b) + (a % b)", NAMES)
    a, b = np.array([7.0, 96.0]), np.array([3.0, 5.0])
    ((low, high),) = boxes.bounds([e], {"a": (a, a), "b": (b, b)})
    assert np.array_equal(low, high) and np.array_equal(low, np.ceil(960 / a) * (40 + b) + a % b)


def test_what_has_no_bounds_says_so() -> None:
    order = parse("order[0]", {"order": Order((0, 1, 2))})
    with pytest.raises(ExpressionError, match="no bounds over boxes"):
        boxes.bounds([order], {"a": (np.zeros(1), np.zeros(1))})
