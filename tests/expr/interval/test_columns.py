"""Many boxes at once give what one box at a time gives, and hold every value. Random ones: tests/properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tunepass.expr import numpy_eval
from tunepass.expr.domain import Range
from tunepass.expr.interval import bounds as interval
from tunepass.expr.interval.columns import ManyBoxes, bounds_columns
from tunepass.expr.interval.operations import MAY_BE_UNDEFINED
from tunepass.expr.nodes import BOOL, INTEGER, Order, Type
from tunepass.expr.parser import parse

NAMES: dict[str, Type] = {"a": INTEGER, "b": INTEGER, "t": BOOL, "order": Order((0, 1, 2))}
TEXTS = [
    "a + 2 * b - 3", "a * b", "a - a * b", "-a", "a / b", "(a - 40) // b", "ceildiv(a, b)", "a % b", "(a - 30) % 7",
    "max(a, b) - min(a, 2 * b)", "abs(a - b)", "sqrt(a)", "exp(a / 50) + log(b) + log2(a)", "lcm(a, b)", "gcd(a, b)",
    "ceil(a / 7) + floor(b / 3) + round(a * 0.3)", "if(a < b, a, 2 * b)", "if(t, a, b)", "a < b", "a <= b and t",
    "a == b or not t", "a in {3, 5, b}", "a != b", "a < b <= 60", "ispow2(a)", "a ** 2",
    "1 / (1 + exp(-0.1 * (a - b)))", "exp(a * 30) * (b - 7)", "(a - 30.5) / (b - 30)", "sqrt(a - 30.5) + log(b - 30)",
    "ceildiv(ceildiv(960, a), b) * (a + 3)", "exp(a * 40) - exp(b * 40)", "ceil(a * 9 / 9) * round(b / 2)",
]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "a + b - 3",
        "a * b",
        "a // b",
        "ceildiv(a, b)",
        "a % b",
        "a % 7",
        "abs(a) + min(a, b, 2)",
        "gcd(a, b) + a ** 2",
        "a * b <= 20 and b != 0 and a % b == 0",
        "if(a > b, a, b) in {3, 4}",
        "not a == b",
    ],
)
def test_rows_are_boxes(text: str) -> None:
    rng = np.random.default_rng(5)
    ends = np.sort(rng.integers(-12, 13, (200, 2, 2)), axis=2)
    lo, hi = {"a": ends[:, 0, 0], "b": ends[:, 1, 0]}, {"a": ends[:, 0, 1], "b": ends[:, 1, 1]}
    e = parse(text, NAMES)
    got = bounds_columns(e, lo, hi, 200)
    for i in range(200):
        one = interval.bounds(e, {n: Range(int(lo[n][i]), int(hi[n][i])) for n in lo}, enumerate_small=False)
        if text in ("a // b", "ceildiv(a, b)") and not ends[i, 1].any():
            continue  # undefined all over; any bounds will do
        assert (got.lo[i], got.hi[i], bool(got.flags[i] & 1)) == (one.lo, one.hi, one.may_be_undefined)
        assert one.may_overflow or not got.flags[i] & 2
    decided = [
        interval.decide(e, {n: Range(int(lo[n][i]), int(hi[n][i])) for n in lo}, enumerate_small=False)
        for i in range(200)
    ]
    if e.type != INTEGER:
        assert [d is True for d in decided] == got.always.tolist()
        assert [d is False for d in decided] == got.never.tolist()


@pytest.mark.parametrize("big", [2**53 + 1, -(2**53) - 1, 2**62 + 1])
def test_constants_that_no_double_holds_are_bounded_outward(big: int) -> None:
    for text in (f"ceildiv({big}, a)", f"{big} // a", f"{big} + a"):
        e = parse(text, NAMES)
        for a in (1, 3, 9):
            got, one = bounds_columns(e, {"a": np.array([a])}, {"a": np.array([a])}, 1), interval.bounds(e, {"a": (a,)})
            assert got.lo[0] <= one.lo == one.hi <= got.hi[0], text


@pytest.mark.parametrize("text", TEXTS)
@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_every_value_is_within_the_bounds(text: str, seed: int) -> None:
    e, rng = parse(text, NAMES), np.random.default_rng(seed)
    lo = {n: rng.integers(1, 60, 8) for n in ("a", "b")}
    hi = {n: low + rng.integers(0, 20, 8) for n, low in lo.items()}
    lo["t"], hi["t"] = np.sort(rng.integers(0, 2, (2, 8)), axis=0)
    found = bounds_columns(e, lo, hi, 8)
    for _ in range(20):
        columns: dict[str, NDArray[np.generic]] = {n: rng.integers(lo[n], hi[n] + 1) for n in lo}
        columns["t"] = columns["t"].astype(bool)
        value = numpy_eval.evaluate(e, columns, 8)
        inside = (found.lo <= value.values) & (value.values <= found.hi)
        assert np.all(np.where(value.defined, inside, found.flags & MAY_BE_UNDEFINED))


def test_a_point_has_its_value() -> None:
    e = parse("ceildiv(960, a) * (40 + b) + (a % b) + ceil(a / 3 * 3)", NAMES)
    at = {"a": np.array([7, 96]), "b": np.array([3, 5])}
    found = bounds_columns(e, at, at, 2)
    assert np.array_equal(found.lo, found.hi)
    assert np.array_equal(found.lo, numpy_eval.evaluate(e, at, 2).values)


def test_expressions_together_are_bounded_as_alone() -> None:
    exprs = [parse(text, NAMES) for text in (*TEXTS[:8], "3 * 4 + 0.5", "order[1] + a")]
    lo, hi = {"a": np.array([1, 5]), "b": np.array([2, 3])}, {"a": np.array([4, 9]), "b": np.array([2, 7])}
    for e, found in zip(exprs, ManyBoxes(exprs).bounds(lo, hi, 2)):
        alone = bounds_columns(e, lo, hi, 2)
        assert found.lo.shape == found.hi.shape == found.flags.shape == (2,)
        assert np.array_equal(found.lo, alone.lo) and np.array_equal(found.hi, alone.hi)
