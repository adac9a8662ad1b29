"""Integer rules at the edges of 64 bits, where the random laws rarely look."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.expr import python_eval
from tunepass.expr.interval.bounds import MAY_BE_UNDEFINED, MAY_OVERFLOW, enclosing
from tunepass.expr.interval.integer_rules import INTEGER_RULES

EDGES = [-(2**63), -(2**63) + 1, -(2**32), -3, -1, 0, 1, 2, 3, 62, 63, 64, 2**31, 2**62, 2**63 - 1]
OF_TWO = [op for op, operands in INTEGER_RULES if operands == 2]


def value(op: str, a: int, b: int) -> int | str:
    try:
        return python_eval.fits(int((python_eval.BINARY.get(op) or python_eval.FUNCTION[op])(a, b)))
    except python_eval.UndefinedValue:
        return "undefined"
    except python_eval.OverflowValue:
        return "overflow"


@pytest.mark.parametrize("op", OF_TWO)
def test_points_at_the_edges_are_bounded(op: str) -> None:
    pairs = list(itertools.product(EDGES, EDGES))
    with np.errstate(all="ignore"):
        bounds = INTEGER_RULES[op, 2]([enclosing(*[[p[k] for p in pairs]] * 2) for k in (0, 1)], np.uint8(0))
    for pair, lo, hi, flags in zip(pairs, bounds.lo, bounds.hi, np.broadcast_to(bounds.flags, len(pairs))):
        match value(op, *pair):
            case "overflow":
                assert flags & MAY_OVERFLOW, pair
            case "undefined":
                assert flags & MAY_BE_UNDEFINED, pair
            case int() as exact:
                assert int(lo) <= exact <= int(hi), pair


@pytest.mark.parametrize("op", OF_TWO)
def test_ranges_hold_what_their_values_give(op: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(300):
        (a, c), (b, d) = (np.sort(rng.integers(-9, 10, 2)) for _ in range(2))
        with np.errstate(all="ignore"):
            bounds = INTEGER_RULES[op, 2]([enclosing([a], [c]), enclosing([b], [d])], np.uint8(0))
        values = [value(op, x, y) for x in range(a, c + 1) for y in range(b, d + 1)]
        exact = [v for v in values if isinstance(v, int)]
        assert not exact or bounds.lo[0] <= min(exact) <= max(exact) <= bounds.hi[0], (a, c, b, d)
        flags = int(np.broadcast_to(bounds.flags, 1)[0])
        assert "undefined" not in values or flags & MAY_BE_UNDEFINED
        assert not flags & MAY_OVERFLOW and "overflow" not in values


@pytest.mark.parametrize("lo,hi,possible,certain", [
    (-4, 0, False, False), (0, 1, True, False), (1, 2, True, True), (4, 4, True, True), (5, 7, False, False),
    (5, 8, True, False), (2**40, 2**40, True, True), (2**40 + 1, 2**41 - 1, False, False),
])  # fmt: skip
def test_powers_of_two(lo: int, hi: int, possible: bool, certain: bool) -> None:
    bounds = INTEGER_RULES["ispow2", 1]([enclosing(lo, hi)], np.uint8(0))
    assert (bounds.lo, bounds.hi) == (certain, possible)
