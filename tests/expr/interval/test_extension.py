"""Bounds that are tight where they can be, decisions, and that they hold every value. Random expressions are laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.examples import examples
from tunepass.expr import numpy_eval, python_eval
from tunepass.expr.domain import Domain, Interval, ends
from tunepass.expr.interval.bounds import MAY_BE_UNDEFINED, MAY_OVERFLOW, Bounds
from tunepass.expr.interval.extension import IntervalExtension, name_bounds
from tunepass.expr.nodes import BOOL, INTEGER, REAL, CategoryType, Expr, Name, OrderType, Type
from tunepass.expr.parser import parse

NAMES: dict[str, Type] = {
    "a": INTEGER,
    "b": INTEGER,
    "x": REAL,
    "f": BOOL,
    "s": CategoryType(("static", "dynamic", "guided")),
    "r": CategoryType(("guided", "runtime")),
    "o": OrderType((0, 1, 2)),
}
BOX: dict[str, Domain] = {
    "a": Interval(1, 10),
    "b": Interval(-3, 4),
    "x": Interval(0.5, 2.0),
    "f": (True, False),
    "s": ("guided",),
    "r": ("guided", "runtime"),
}


def in_box(text: str, box: dict[str, Domain]) -> Bounds:
    """The bounds of an expression over one box; names without a domain may be anything."""
    given = {name: ends(domain, NAMES[name]) for name, domain in box.items()}
    lo, hi = ({name: np.array([pair[k]]) for name, pair in given.items()} for k in (0, 1))
    return IntervalExtension([parse(text, NAMES)]).bounds(lo, hi, 1)[0]


def in_boxes(e: Expr, lo: dict[str, NDArray[np.int64]], hi: dict[str, NDArray[np.int64]], n: int) -> Bounds:
    return IntervalExtension([e]).bounds(lo, hi, n)[0]


MORE_NAMES: dict[str, Type] = {**NAMES, "t": BOOL, "order": OrderType((0, 1, 2))}
TEXTS = [
    "a + 2 * b - 3", "a * b", "a - a * b", "-a", "a / b", "(a - 40) // b", "ceildiv(a, b)", "a % b", "(a - 30) % 7",
    "max(a, b) - min(a, 2 * b)", "abs(a - b)", "sqrt(a)", "exp(a / 50) + log(b) + log2(a)", "lcm(a, b)", "gcd(a, b)",
    "ceil(a / 7) + floor(b / 3) + round(a * 0.3)", "if(a < b, a, 2 * b)", "if(t, a, b)", "a < b", "a <= b and t",
    "a == b or not t", "a in {3, 5, b}", "a != b", "a < b <= 60", "ispow2(a)", "a ** 2", "2 ** (a / 20)",
    "a << min(b, 20)", "(a * 1000) >> (b % 7)", "(b - 30) ** 3", "(a / 3) // (b - 30.5)", "(a - 30.5) % (b / 4)",
    "a // 0.1", "ceildiv(a * 0.5, b)", "(a - 30) ** (b % 4)", "gcd(a - 30, b)", "sqrt(a) ** 1.5",
    "1 / (1 + exp(-0.1 * (a - b)))", "exp(a * 30) * (b - 7)", "(a - 30.5) / (b - 30)", "sqrt(a - 30.5) + log(b - 30)",
    "ceildiv(ceildiv(960, a), b) * (a + 3)", "exp(a * 40) - exp(b * 40)", "ceil(a * 9 / 9) * round(b / 2)",
]  # fmt: skip


@pytest.mark.parametrize(
    "text,lo,hi,undefined",
    [
        ("a + b", -2, 14, False),
        ("a * b", -30, 40, False),
        ("a // b", -10, 10, True),
        ("a % 4", 0, 3, False),
        ("a % 16", 1, 10, False),
        ("b % -4", -3, 0, False),
        ("2 ** a", 2, 1024, False),
        ("b ** 2", 0, 16, False),
        ("2 ** b", 1, 16, True),
        ("a << 2", 4, 40, False),
        ("abs(b)", 0, 4, False),
        ("min(a, b, 2)", -3, 2, False),
        ("ceildiv(a, 3)", 1, 4, False),
        ("gcd(a, 12)", 1, 10, False),
        ("if(f, a, b)", -3, 10, False),
        ("if(a > 0, a, b)", 1, 10, False),
        ("o[0] + pos(o, 1)", 0, 4, False),
        ("floor(x + 1)", 1, 3, False),
        ("f + f", 0, 2, False),
    ],
)
def test_bounds_are_tight(text: str, lo: int, hi: int, undefined: bool) -> None:
    bounds = in_box(text, BOX)
    assert (bounds.lo[0], bounds.hi[0], bool(bounds.flags[0] & MAY_BE_UNDEFINED)) == (lo, hi, undefined)
    assert not bounds.flags[0] & MAY_OVERFLOW


def test_the_ends_of_reals_are_computed_as_their_values_are() -> None:
    bounds = in_box("x / 3", BOX)
    assert (bounds.lo[0], bounds.hi[0]) == (0.5 / 3, 2.0 / 3)
    bounds = in_box("exp(x)", BOX)
    assert bounds.lo[0] < math.exp(0.5) < math.exp(2.0) < bounds.hi[0]


def test_overflow_is_foreseen() -> None:
    assert in_box("a * 9223372036854775807", BOX).flags[0] & MAY_OVERFLOW
    assert not in_box("a * 922337203685477000", BOX).flags[0] & MAY_OVERFLOW


@pytest.mark.parametrize(
    "text,expected",
    [
        ("a > 0", True),
        ("a > 10", False),
        ("a > 5", None),
        ("b != 0 and a % b >= 0", None),
        ("a < 0 and a % b == 0", False),
        ("a > 0 or a % b == 0", True),
        ("1 // b < 100", None),  # undefined at b == 0
        ('s == "guided"', True),
        ('s == "static"', False),
        ("0 < a < 11 < 12", True),
        ("a in {20, 30}", False),
        ("not a in {20, 30}", True),
        ("o[2] < 3", True),
        ("s == r", None),
        ('s == "guided" and s in {"guided", "static"}', True),
    ],
)
def test_decisions(text: str, expected: bool | None) -> None:
    bounds = in_box(text, BOX)
    assert (bool(bounds.always[0]), bool(bounds.never[0])) == (expected is True, expected is False)


def test_strings_of_different_lists_are_compared_by_their_text() -> None:
    assert in_box("s == r", {"s": ("guided",), "r": ("guided",)}).always[0]
    assert in_box("s == r", {"s": ("static", "dynamic"), "r": ("runtime",)}).never[0]


def test_no_domain_means_anything() -> None:
    bounds = in_box("x + 1", {})
    assert (bounds.lo[0], bounds.hi[0]) == (-math.inf, math.inf) and bounds.flags[0] & MAY_BE_UNDEFINED
    assert in_box("a + 1", {}).flags[0] & MAY_OVERFLOW
    alone = name_bounds(Name("a", INTEGER), None)
    assert alone.lo <= -(2.0**63) and alone.hi >= 2.0**63 and not alone.flags


@pytest.mark.parametrize("text", TEXTS)
def test_a_row_is_bounded_as_it_is_alone(text: str) -> None:
    """Rules may take a shorter way where all rows allow it; the bounds are the same."""
    e, rng = parse(text, MORE_NAMES), np.random.default_rng(5)
    corners = np.sort(rng.integers(-12, 13, (60, 2, 2)), axis=2)
    lo, hi = {"a": corners[:, 0, 0], "b": corners[:, 1, 0]}, {"a": corners[:, 0, 1], "b": corners[:, 1, 1]}
    lo["t"], hi["t"] = np.zeros(60, np.int64), np.ones(60, np.int64)
    together = in_boxes(e, lo, hi, 60)
    for i in range(60):
        row = slice(i, i + 1)
        alone = in_boxes(e, {n: c[row] for n, c in lo.items()}, {n: c[row] for n, c in hi.items()}, 1)
        assert (together.lo[i], together.hi[i]) == (alone.lo[0], alone.hi[0])
        assert together.flags[i] == alone.flags[0]


@pytest.mark.parametrize("big", [2**53 + 1, -(2**53) - 1, 2**62 + 1])
def test_constants_that_no_double_holds_are_bounded_outward(big: int) -> None:
    for text in (f"ceildiv({big}, a)", f"{big} // a", f"{big} + a"):
        e = parse(text, MORE_NAMES)
        for a in (1, 3, 9):
            bounds = in_boxes(e, {"a": np.array([a])}, {"a": np.array([a])}, 1)
            assert bounds.lo[0] <= python_eval.evaluate(e, {"a": a}) <= bounds.hi[0], text


@pytest.mark.parametrize("text", TEXTS)
@examples(20)
@given(seed=st.integers(0, 10_000))
@pytest.mark.slow_but(3)
def test_every_value_is_within_the_bounds(text: str, seed: int) -> None:
    e, rng = parse(text, MORE_NAMES), np.random.default_rng(seed)
    lo = {n: rng.integers(1, 60, 8) for n in ("a", "b")}
    hi = {n: low + rng.integers(0, 20, 8) for n, low in lo.items()}
    lo["t"], hi["t"] = np.sort(rng.integers(0, 2, (2, 8)), axis=0)
    bounds = in_boxes(e, lo, hi, 8)
    for _ in range(20):
        columns: dict[str, NDArray[np.generic]] = {n: rng.integers(lo[n], hi[n] + 1) for n in lo}
        columns["t"] = columns["t"].astype(bool)
        value = numpy_eval.evaluate(e, columns, 8)
        inside = (bounds.lo <= value.values) & (value.values <= bounds.hi)
        assert np.all(np.where(value.defined, inside, bounds.flags & MAY_BE_UNDEFINED))


def test_a_point_has_its_value() -> None:
    e = parse("ceildiv(960, a) * (40 + b) + (a % b) + ceil(a / 3 * 3)", NAMES)
    point = {"a": np.array([7, 96]), "b": np.array([3, 5])}
    bounds = in_boxes(e, point, point, 2)
    assert np.array_equal(bounds.lo, bounds.hi)
    assert np.array_equal(bounds.lo, numpy_eval.evaluate(e, point, 2).values)


def test_expressions_together_are_bounded_as_alone() -> None:
    exprs = [parse(text, MORE_NAMES) for text in (*TEXTS[:8], "3 * 4 + 0.5", "order[1] + a")]
    lo, hi = {"a": np.array([1, 5]), "b": np.array([2, 3])}, {"a": np.array([4, 9]), "b": np.array([2, 7])}
    for e, bounds in zip(exprs, IntervalExtension(exprs).bounds(lo, hi, 2)):
        alone = in_boxes(e, lo, hi, 2)
        assert bounds.lo.shape == bounds.hi.shape == bounds.flags.shape == (2,)
        assert np.array_equal(bounds.lo, alone.lo) and np.array_equal(bounds.hi, alone.hi)
