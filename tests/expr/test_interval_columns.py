"""Many boxes at once give what one box at a time gives. Soundness on random expressions is in tests/properties."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.expr import interval
from tunepass.expr.domain import Range
from tunepass.expr.interval_columns import bounds_columns
from tunepass.expr.nodes import INTEGER, Type
from tunepass.expr.parser import parse

NAMES: dict[str, Type] = {"a": INTEGER, "b": INTEGER}


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
        one = interval.bounds(e, {n: Range(int(lo[n][i]), int(hi[n][i])) for n in NAMES}, enumerate_small=False)
        if text in ("a // b", "ceildiv(a, b)") and not ends[i, 1].any():
            continue  # undefined all over; any bounds will do
        assert (got.lo[i], got.hi[i], bool(got.flags[i] & 1)) == (one.lo, one.hi, one.may_be_undefined)
        assert one.may_overflow or not got.flags[i] & 2
    decided = [
        interval.decide(e, {n: Range(int(lo[n][i]), int(hi[n][i])) for n in NAMES}, enumerate_small=False)
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
