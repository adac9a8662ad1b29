"""How far right results may be apart: from the rounding of the reference itself, where the source does not say.

The reference is run again so that it rounds otherwise, k = 1..: with every operation rounded up, and rounded down;
compiled with few optimisations and without contraction; so compiled, and rounded up or down by chance, three times;
compiled with sums reordered (`-ffast-math`) and contracted. Rounding up moves a - b c by little where the errors of the
product and of the difference cancel: where one such number decides all others, as a pivot of an elimination does, none
but roundings by chance show how far they move (Vignes, 1993, "A stochastic arithmetic for reliable scientific
computation", section 2).

    s_i = max_k |y_k,i - y_i|       y: what the reference computes, i: an element of an array
    r_i = OF_ELEMENT max(s_i, p_i)  p_i: the median of s_j over the elements j that are pooled with i

Few roundings may all happen to move an element by little: it is pooled with those of like magnitude near it (`pooled`),
by the median, so that an element whose condition is its own widens no other's tolerance. Where the reference happens to
round nothing, as in sums of numbers of few bits, another order may: an element may be off by OF_ELEMENT roundings of
numbers as large as those near it.

Where a source states a tolerance, s = max_i s_i, of which FACTOR times as much is allowed.

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

Floats = NDArray[np.float64]

FACTOR = 16.0  # 2 for two evaluations, 8 for partial sums that are larger in another order
SMALL = 1e-3
BLOCK = 1 << 15  # elements at a time, which caches hold
NEIGHBOURS = 256  # consecutive elements, among which those of like magnitude are pooled
POOLS = (4, 8, 16, 32)  # elements that are pooled: as many as are of
LIKE = 64.0  # times the element's magnitude at most
TYPICAL = 0.99  # share of an array's elements whose roundings bound those of other inputs
OF_ELEMENT = 4.0 * FACTOR  # few roundings of one element are known
OF_ROUGH = 4.0  # of elements that are compared for what is wrong by much
FEW = 1 / 16  # share of an array's elements
UNIT = {2: 2.0**-10, 4: 2.0**-23, 8: 2.0**-52, 16: 2.0**-63}  # by bytes of a floating type: from 1 to the next number
# By bytes of a floating type: no rounding is believed to cost more than this, of the outputs' size and at least of 1.
LARGEST = {2: 1e-2, 4: 1e-4, 8: 1e-6, 16: 1e-6}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTolerance:
    """What the source says. Without `relative`, rounding decides; without `absolute`, it is as large as `relative`, of
    outputs that are smaller than 1 times their size."""

    relative: float | None = None
    absolute: float | None = None


@dataclass(frozen=True, slots=True)
class ValueSpread:
    """Of a floating array: the root of its mean square, its largest magnitude, and s, 0 where it is not known."""

    size: float
    peak: float
    rounding: float = 0.0

    def joined(self, other: ValueSpread) -> ValueSpread:
        return ValueSpread(max(self.size, other.size), max(self.peak, other.peak), max(self.rounding, other.rounding))


def spread_of(values: Array, others: Sequence[Array] = ()) -> ValueSpread:
    """`values` (n,) as the reference computes them, `others` as it does when it rounds otherwise; what is not finite
    does not count. Integers have none."""
    if values.dtype.kind != "f":
        return ValueSpread(0.0, 0.0)
    counted, squares, peak, largest = 0, np.longdouble(0), np.longdouble(0), np.longdouble(0)
    for first in range(0, values.size, BLOCK):
        part = _wide(values[first : first + BLOCK])
        finite = part[np.isfinite(part)]
        high = np.longdouble(np.abs(finite).max(initial=0))
        counted, peak = counted + finite.size, max(peak, high)
        if high:
            scaled = finite / high  # so that no square leaves the range
            with np.errstate(over="ignore"):
                squares += high * high * np.dot(scaled, scaled)
        with np.errstate(invalid="ignore", over="ignore"):
            for other in others:
                apart = np.abs(_wide(other[first : first + BLOCK]) - part)
                largest = max(largest, np.longdouble(apart[np.isfinite(apart)].max(initial=0)))
    if not counted:
        return ValueSpread(0.0, 0.0)
    return ValueSpread(float(np.sqrt(squares / counted)), float(peak), float(largest))


def _wide(values: Array) -> NDArray[np.longdouble] | NDArray[np.float64]:
    """In a type in which differences of neighbours are exact."""
    return values.astype(np.longdouble) if values.dtype.itemsize > 8 else values.astype(np.float64)


def needs_rounding(stated: StatedTolerance, spread: ValueSpread) -> bool:
    """Must the reference's rounding be known? If the source says nothing, if it says what would accept zeros, and if
    outputs are so small that nothing but rounding may be left in them."""
    if stated.relative is None:
        return True
    return spread.size < SMALL if stated.absolute is None else stated.absolute > spread.peak / 2


def tolerance_of(stated: StatedTolerance, spread: ValueSpread, dtype: np.dtype[np.generic]) -> Tolerance:
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


# --- by element ---------------------------------------------------------------------------------------------------


def moved_by(values: Array, others: Sequence[Array]) -> Floats:
    """s (n,): how far each element moves; 0 where it is not finite."""
    largest = np.zeros(values.shape)
    base = _wide(values)
    with np.errstate(invalid="ignore", over="ignore"):
        for other in others:
            apart = np.abs(_wide(other) - base).astype(np.float64)
            np.maximum(largest, np.where(np.isfinite(apart), apart, 0.0), out=largest)
    return largest


def pooled(values: Array, moved: Floats) -> Floats:
    """p (n,): among NEIGHBOURS consecutive elements, in their order of magnitude, the median of `moved` (n,) over the
    element's group of 32; of the first 16, 8 or 4 of these where the others are larger by more than LIKE; and at least
    the rounding of one number as large as the neighbours' median."""
    size = values.size
    width = min(NEIGHBOURS, size // POOLS[-1] * POOLS[-1] or size)
    if not width:
        return np.zeros(size)
    rows = size // width
    with np.errstate(invalid="ignore", over="ignore"):
        magnitudes = np.abs(values).astype(np.float64)
    magnitudes[~np.isfinite(magnitudes)] = np.inf
    unit = UNIT[values.dtype.itemsize]
    pool = np.empty(size)
    pool[: rows * width] = _pooled_rows(magnitudes[: rows * width], moved[: rows * width], width, unit)
    if rows * width < size:  # the last ones with those before them
        rest = size - rows * width
        pool[-rest:] = _pooled_rows(magnitudes[-width:], moved[-width:], width, unit)[-rest:]
    return pool


def largest(values: Array, moved: Floats) -> Floats:
    """In place of `pooled`, (n,): how far any element moves, and the rounding of the largest."""
    with np.errstate(invalid="ignore", over="ignore"):
        magnitudes = np.abs(values).astype(np.float64)
    peak = magnitudes[np.isfinite(magnitudes)].max(initial=0.0)
    return np.full(values.size, max(UNIT[values.dtype.itemsize] * peak, moved.max(initial=0.0)))


def _pooled_rows(magnitudes: Floats, moved: Floats, width: int, unit: float) -> Floats:
    """The pools of rows of `width` elements, each for itself."""
    order = np.argsort(magnitudes.reshape(-1, width), axis=1, kind="stable")
    group = min(POOLS[-1], width)
    ordered = np.take_along_axis(magnitudes.reshape(-1, width), order, axis=1).reshape(-1, group)
    moves = np.take_along_axis(moved.reshape(-1, width), order, axis=1).reshape(-1, group)
    typical = np.take_along_axis(magnitudes.reshape(-1, width), order[:, (width - 1) // 2, None], axis=1)
    typical[~np.isfinite(typical)] = 0.0
    pool = np.repeat(unit * typical, width // group, axis=0) * np.ones(group)
    for count in (*(c for c in POOLS if c < group), group) if group >= POOLS[0] else ():
        median = np.partition(moves[:, :count], (count - 1) // 2, axis=1)[:, (count - 1) // 2, None]
        like = ordered[:, count - 1, None] / LIKE <= ordered
        np.copyto(pool, np.maximum(pool, median), where=like)
    spread = np.empty(order.shape)
    np.put_along_axis(spread, order, pool.reshape(-1, width), axis=1)
    return spread.reshape(-1)


def believed(rounding: Floats, spread: ValueSpread, dtype: np.dtype[np.generic]) -> Floats:
    """Tolerances (n,), OF_ELEMENT times what rounding moves, of which at most LARGEST is believed; more, where few
    elements alone need it: those of which FACTOR times that is larger, if all of OF_ELEMENT is larger for many."""
    most = LARGEST[dtype.itemsize] * max(1.0, spread.size)
    if are_few(rounding > most):
        return rounding
    moved_far = rounding > most * (OF_ELEMENT / FACTOR)
    cut = np.minimum(rounding, most)
    return np.where(moved_far, rounding, cut) if are_few(moved_far) else cut


def is_steady(moved: Floats, spread: ValueSpread, dtype: np.dtype[np.generic]) -> bool:
    """Does rounding move few elements by more than is believed? FACTOR times what moves an element bounds what another
    order makes of it: OF_ELEMENT is for those that the few roundings happen to move by little."""
    with np.errstate(over="ignore"):
        return are_few(FACTOR * moved > LARGEST[dtype.itemsize] * max(1.0, spread.size))


def are_few(marked: NDArray[np.bool_]) -> bool:
    return bool(marked.sum() <= FEW * marked.size)


def is_roughly_steady(moved: Floats, spread: ValueSpread, dtype: np.dtype[np.generic]) -> bool:
    """Does rounding move no element by so much of the largest output that what is wrong by much hides behind it?"""
    return bool(OF_ROUGH * moved.max(initial=0.0) <= LARGEST[dtype.itemsize] * max(1.0, spread.peak))


def tolerance_of_elements(moved: Floats, pool: Floats, spread: ValueSpread, dtype: np.dtype[np.generic]) -> Tolerance:
    """For an array of which the source says nothing: r (n,). `spread` is the array's own."""
    with np.errstate(over="ignore"):
        return Tolerance(elements=believed(OF_ELEMENT * np.maximum(moved, pool), spread, dtype))


def tolerance_of_other_inputs(moved: Floats, spread: ValueSpread, dtype: np.dtype[np.generic]) -> Tolerance:
    """For results of inputs much like those whose roundings are known: an element that moves little may move more."""
    typical = float(np.quantile(moved, TYPICAL, method="higher")) if moved.size else 0.0
    with np.errstate(over="ignore"):
        return Tolerance(elements=believed(OF_ELEMENT * np.maximum(moved, typical), spread, dtype))
