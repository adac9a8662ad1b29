"""Real rules where rounding and infinities need care."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tunepass.expr import python_eval
from tunepass.expr.interval.bounds import MAY_BE_UNDEFINED, NO_FLAGS, Bounds
from tunepass.expr.interval.real_rules import REAL_RULES

INF = math.inf
ENDS = [-INF, -1e300, -7.5, -2.0, -0.1, 0.0, 5e-324, 0.1, 0.5, 1.0, 3.0, 1e17, 1e300, INF]


def bounded(op: str, *operands: tuple[float, float]) -> tuple[float, float, int]:
    given = [Bounds(np.array([lo]), np.array([hi]), NO_FLAGS) for lo, hi in operands]
    with np.errstate(all="ignore"):
        bounds = REAL_RULES[op, len(operands)](given, NO_FLAGS)
    return float(bounds.lo[0]), float(bounds.hi[0]), int(np.broadcast_to(bounds.flags, 1)[0])


def computed(op: str, *operands: float) -> float | None:
    """The value by the plain reader; None where it is undefined."""
    try:
        return python_eval.defined(float((python_eval.BINARY.get(op) or python_eval.FUNCTION[op])(*operands)))
    except python_eval.UndefinedValue:
        return None


@pytest.mark.parametrize("op", [op for op, operands in REAL_RULES if operands == 2])
@pytest.mark.slow_but(4)
def test_corners_are_within(op: str) -> None:
    ranges = [(a, b) for a, b in itertools.product(ENDS, ENDS) if a <= b]
    for x, y in itertools.product(ranges, ranges):
        lo, hi, flags = bounded(op, x, y)
        assert not math.isnan(lo) and not math.isnan(hi)
        for a, b in itertools.product(x, y):
            value = computed(op, a, b)
            assert flags & MAY_BE_UNDEFINED if value is None else lo <= value <= hi, (x, y, a, b)


def test_a_quotient_rounded_up_to_an_integer_is_not_its_floor() -> None:
    assert 1.0 / 0.1 == 10.0 and 1.0 // 0.1 == 9.0
    assert bounded("//", (1.0, 1.0), (0.1, 0.1))[:2] == (9.0, 10.0)
    assert bounded("//", (7.0, 8.0), (2.0, 2.0)) == (3.0, 4.0, 0)
    assert bounded("ceildiv", (7.0, 8.0), (2.0, 2.0)) == (4.0, 4.0, 0)


def test_infinities() -> None:
    assert bounded("+", (0.0, INF), (1.0, INF)) == (1.0, INF, 0)
    assert bounded("+", (0.0, INF), (-INF, 1.0))[2] == MAY_BE_UNDEFINED
    assert bounded("*", (0.0, 0.0), (1.0, INF))[2] == MAY_BE_UNDEFINED
    assert bounded("*", (2.0, 3.0), (1.0, INF)) == (2.0, INF, 0)
    assert bounded("/", (1.0, 2.0), (1.0, INF)) == (0.0, 2.0, 0)
    assert bounded("/", (1.0, INF), (1.0, INF)) == (0.0, INF, MAY_BE_UNDEFINED)


@pytest.mark.parametrize("op,ranges", [("exp", [(-INF, 0.0), (700.0, 800.0)]), ("log", [(0.0, 5.0), (1e-300, INF)])])
def test_functions_of_the_library_are_allowed_their_error(op: str, ranges: list[tuple[float, float]]) -> None:
    for lo, hi in ranges:
        below, above, _ = bounded(op, (lo, hi))
        for x in (lo, hi):
            value = computed(op, x)
            assert below == -INF if value is None else below <= value <= above
