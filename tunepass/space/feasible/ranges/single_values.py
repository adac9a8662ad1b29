"""Numbers that constraints leave a single value (`x + y >= 2` over [0, 1]), which no draw and no box meets by chance.

Ranges are contracted from the constraints alone; every step widens them by more than its rounding, so that a single
value comes out as a range of some last places. The value is an end of the parameter or a short decimal in that range.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.expr import nodes
from tunepass.space.feasible.ranges.contraction import Contraction, whole_ranges
from tunepass.space.feasible.ranges.inverse_ranges import SLACK
from tunepass.space.parameter import Integer, NumericParameter, Ordinal, Parameter, Real

ROUNDS = 8  # contractions by all constraints
WIDENINGS = 64  # of SLACK for each node of the constraints: a range no wider is a single value
DIGITS = 12  # of a short decimal


def single_valued(parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr]) -> dict[str, float]:
    """The values of the reals and integers that `expressions` leave no other value, as far as ranges tell."""
    numeric = [p for p in parameters if isinstance(p, NumericParameter)]
    box = whole_ranges(numeric)
    contraction = Contraction(expressions, list(box))
    contraction.contract(box, contraction.known({}, 1), 1, rounds=ROUNDS)
    largest = max((abs(end) for p in numeric for end in p.ends()), default=0.0)
    widest = WIDENINGS * SLACK * max(1, contraction.nodes) * largest
    values: dict[str, float] = {}
    for p in numeric:
        lo, hi = (float(np.asarray(end).item()) for end in box[p.name][:2])
        if isinstance(p, Real) and p.grid is None and lo <= hi and hi - lo <= widest < p.hi - p.lo:
            values[p.name] = _value(p, lo, hi)
        elif isinstance(p, Integer) and lo == hi and p.admits(int(lo)):
            values[p.name] = int(lo)
    return values


def _value(p: Real, lo: float, hi: float) -> float:
    for end in (p.lo, p.hi):
        if lo <= end <= hi:
            return end
    middle = lo + (hi - lo) / 2
    short = float(f"{middle:.{DIGITS}g}")
    return min(max(short if lo <= short <= hi else middle, p.lo), p.hi)


def with_values(parameters: Sequence[Parameter], values: dict[str, list[float]]) -> list[Parameter]:
    """The parameters, those that are named with these values alone."""
    return [Ordinal(p.name, values[p.name]) if p.name in values else p for p in parameters]
