"""Bounds that should be tight, decisions, and how domains are read. The soundness law is in tests/properties."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tunepass.expr.domain import Domain, Range, extent
from tunepass.expr.interval import bounds as interval
from tunepass.expr.interval.bounds import Bounds
from tunepass.expr.nodes import BOOL, INTEGER, REAL, Category, Order, Type
from tunepass.expr.parser import parse

NAMES: dict[str, Type] = {
    "a": INTEGER,
    "b": INTEGER,
    "x": REAL,
    "f": BOOL,
    "s": Category(("static", "dynamic", "guided")),
    "o": Order((0, 1, 2)),
}
BOX: dict[str, Domain] = {
    "a": Range(1, 10),
    "b": Range(-3, 4),
    "x": Range(0.5, 2.0),
    "f": (True, False),
    "s": ("guided",),
}


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
def test_bounds(text: str, lo: int, hi: int, undefined: bool) -> None:
    assert interval.bounds(parse(text, NAMES), BOX) == Bounds(lo, hi, undefined, False)


def test_reals_are_rounded_outward() -> None:
    found = interval.bounds(parse("x / 3", NAMES), BOX)
    assert found.lo < 0.5 / 3 < 2 / 3 < found.hi
    assert found.hi == math.nextafter(2 / 3, math.inf)


def test_overflow_is_foreseen() -> None:
    found = interval.bounds(parse("a * 9223372036854775807", NAMES), BOX)
    assert found.may_overflow and found.hi == 2**63 - 1
    assert not interval.bounds(parse("a * 922337203685477580", NAMES), BOX).may_overflow


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
    ],
)
def test_decide(text: str, expected: bool | None) -> None:
    assert interval.decide(parse(text, NAMES), BOX) is expected


def test_few_values_of_one_name_are_enumerated() -> None:
    box: dict[str, Domain] = {"a": np.array([8, 16, 64]), "b": (2, 4)}
    e = parse("a % 8 == 0 and ispow2(a) and a * b % 2 >= 0", NAMES)
    assert interval.decide(e, box) is True
    assert interval.decide(parse("a % 8 == 0", NAMES), box, enumerate_small=False) is None
    assert interval.bounds(parse("(a - 12) ** 2", NAMES), box).lo == 16


def test_no_domain_means_anything() -> None:
    found = interval.bounds(parse("x + 1", NAMES), {})
    assert (found.lo, found.hi, found.may_be_undefined) == (-math.inf, math.inf, True)
    assert interval.bounds(parse("a + 1", NAMES), {}).may_overflow


def test_domains() -> None:
    assert extent(("dynamic", "guided"), NAMES["s"]) == (1, 2)
    assert extent(None, NAMES["s"]) == (0, 2)
    assert extent(np.array([3, 1]), REAL) == (1.0, 3.0)
    with pytest.raises(ValueError, match="lo <= hi"):
        Range(2, 1)
