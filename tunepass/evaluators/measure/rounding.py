"""How far right results may be apart: from the rounding of the reference itself, where the source does not say.

The reference is run again so that it rounds otherwise, k = 1..: with every operation rounded up, and rounded down;
compiled with few optimisations and without contraction; compiled with sums reordered (`-ffast-math`) and contracted.

    s = max_i max_k |y_k,i - y_i|     y: what the reference computes, i: over the elements of an array

Rounding upwards moves a sum of n terms by 2 u sum_i |S_i| at most (S_i: its partial sums, u: the unit roundoff), by
half of that on average: the running error bound of Higham, Accuracy and Stability of Numerical Algorithms (2nd ed.,
2002), sections 3.3 and 4.2, which n u sum |x_j| bounds if n and the terms are known. Two evaluations within their
bounds are at most twice as far apart; other orders may have larger partial sums: FACTOR s is allowed. For n random
terms that grows with n^1.5 u, where another order makes about n u of difference: far from another algorithm, and
from sums in a shorter type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.evaluators.measure.tolerance import Array, Tolerance

FACTOR = 16.0  # 2 for two evaluations, 8 for partial sums that are larger in another order
SMALL = 1e-3
BLOCK = 1 << 15  # elements at a time, which caches hold
# By bytes of a floating type: no rounding is believed to cost more than this, of the outputs' size and at least of 1.
LARGEST = {2: 1e-2, 4: 1e-4, 8: 1e-6, 16: 1e-6}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTolerance:
    """What the source says. Without `relative`, rounding decides; without `absolute`, it is as large as `relative`, of
    outputs that are smaller than 1 times their size."""

    relative: float | None = None
    absolute: float | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """Of a floating array: the root of its mean square, its largest magnitude, and s, 0 where it is not known."""

    size: float
    peak: float
    rounding: float = 0.0

    def joined(self, other: Spread) -> Spread:
        return Spread(max(self.size, other.size), max(self.peak, other.peak), max(self.rounding, other.rounding))


def spread_of(values: Array, others: Sequence[Array] = ()) -> Spread:
    """`values` (n,) as the reference computes them, `others` as it does when it rounds otherwise; what is not finite
    does not count. Integers have none."""
    if values.dtype.kind != "f":
        return Spread(0.0, 0.0)
    counted, squares, peak, largest = 0, np.longdouble(0), np.longdouble(0), np.longdouble(0)
    for first in range(0, values.size, BLOCK):
        part = _wide(values[first : first + BLOCK])
        finite = part[np.isfinite(part)]
        high = np.longdouble(np.abs(finite).max(initial=0))
        counted, peak = counted + finite.size, max(peak, high)
        if high:
            scaled = finite / high  # so that no square leaves the range
            squares += high * high * np.dot(scaled, scaled)
        with np.errstate(invalid="ignore", over="ignore"):
            for other in others:
                apart = np.abs(_wide(other[first : first + BLOCK]) - part)
                largest = max(largest, np.longdouble(apart[np.isfinite(apart)].max(initial=0)))
    if not counted:
        return Spread(0.0, 0.0)
    return Spread(float(np.sqrt(squares / counted)), float(peak), float(largest))


def _wide(values: Array) -> NDArray[np.longdouble] | NDArray[np.float64]:
    """In a type in which differences of neighbours are exact."""
    return values.astype(np.longdouble) if values.dtype.itemsize > 8 else values.astype(np.float64)


def needs_rounding(stated: StatedTolerance, spread: Spread) -> bool:
    """Must the reference's rounding be known? If the source says nothing, if it says what would accept zeros, and if
    outputs are so small that nothing but rounding may be left in them."""
    if stated.relative is None:
        return True
    return spread.size < SMALL if stated.absolute is None else stated.absolute > spread.peak / 2


def tolerance_of(stated: StatedTolerance, spread: Spread, dtype: np.dtype[np.generic]) -> Tolerance:
    """For one array. An absolute tolerance stays below the outputs' size, unless rounding alone is as large."""
    if dtype.kind != "f":
        relative = stated.relative or 0.0
        return Tolerance(relative=relative, absolute=relative if stated.absolute is None else stated.absolute)
    rounding = FACTOR * spread.rounding
    if stated.relative is None:
        return Tolerance(absolute=min(rounding, LARGEST[dtype.itemsize] * max(1.0, spread.size)))
    if stated.absolute is None:
        scaled = stated.relative * min(1.0, spread.size)
        return Tolerance(relative=stated.relative, absolute=max(scaled, min(rounding, stated.relative)))
    return Tolerance(relative=stated.relative, absolute=min(stated.absolute, max(spread.peak / 2, rounding)))
