"""Bounds of values in one box or in many, as doubles, and how the ends of a result are closed.

Readers compute reals node by node in doubles, correctly rounded, and rounding is monotonic: ends computed the same way
hold every value of sums, differences, products, quotients and roots, without rounding outward. Integers below 2**52 are
exact; ends beyond are moved outward. Functions of the mathematics library are allowed what it may be off by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.uint8]
Masks = NDArray[np.bool_]
MAY_BE_UNDEFINED, MAY_OVERFLOW = 1, 2
LIMIT, EXACT = 2.0**63, 2.0**52
LIBM = 2.0**-49  # relative: 4 units in the last place in the reader's value, and as many in the ends
TINY = 2.0**-1070  # the same beside 0
NO_FLAGS: Flags = np.zeros((), np.uint8)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Row i: every defined value in box i is in [lo[i], hi[i]]. flags (n,): MAY_BE_UNDEFINED, MAY_OVERFLOW or'd.

    Booleans are 0 and 1, strings their codes. What is the same in all boxes may have shape ().
    """

    lo: Floats
    hi: Floats
    flags: Flags

    @property
    def never(self) -> Masks:
        """Rows in which a Boolean is satisfied nowhere."""
        return np.equal(self.hi, 0)

    @property
    def always(self) -> Masks:
        """Rows in which a Boolean is satisfied everywhere."""
        return np.equal(self.lo, 1) & np.equal(self.flags, 0)


Rule = Callable[[Sequence[Bounds], Flags], Bounds]  # operands, and their flags or'd


def joined(operands: Sequence[Bounds]) -> Flags:
    """The flags of all operands, or'd."""
    operand_flags = [x.flags for x in operands if x.flags.ndim or x.flags]
    return reduce(np.bitwise_or, operand_flags) if operand_flags else NO_FLAGS


def flagged(mask: Masks, flag: int) -> Flags:
    return np.asarray(mask, np.uint8) * np.uint8(flag)


def enclosing(lo: ArrayLike, hi: ArrayLike) -> Bounds:
    """Bounds of integers that are given, not computed: ends that a double may not hold are moved outward."""
    low, high = np.asarray(lo, np.float64), np.asarray(hi, np.float64)
    if low.size and (low.min() < -EXACT or high.max() > EXACT):
        low = np.where(np.abs(low) > EXACT, np.nextafter(low, -np.inf), low)
        high = np.where(np.abs(high) > EXACT, np.nextafter(high, np.inf), high)
    return Bounds(low, high, NO_FLAGS)


def integer(lo: Floats, hi: Floats, flags: Flags) -> Bounds:
    """Outward to integers, and cut to 64 bits. Integers below 2**52 stay as they are."""
    if not lo.size or (lo.min() > -EXACT and hi.max() < EXACT):
        return Bounds(lo, hi, flags)
    lo, hi = np.ceil(np.nextafter(lo, -np.inf)), np.floor(np.nextafter(hi, np.inf))
    over = (lo < -LIMIT) | (hi >= LIMIT)
    return Bounds(np.clip(lo, -LIMIT, LIMIT), np.clip(hi, -LIMIT, LIMIT), flags | flagged(over, MAY_OVERFLOW))


def real(lo: Floats, hi: Floats, flags: Flags, undefined: Masks) -> Bounds:
    """`undefined`: rows in which an infinity may make a value undefined; ends that are lost to it may be anything."""
    lost = np.isnan(lo) | np.isnan(hi)
    if not (lost.any() or undefined.any()):
        return Bounds(lo, hi, flags)
    flags = flags | flagged(undefined | lost, MAY_BE_UNDEFINED)
    return Bounds(np.where(lost, -np.inf, lo), np.where(lost, np.inf, hi), flags)


def finite(*ends: Floats) -> bool:
    """Is no end in any row infinite or NaN?"""
    return all(np.isfinite(end).all() for end in ends)


def extremes(corners: Sequence[Floats]) -> tuple[Floats, Floats]:
    return reduce(np.minimum, corners), reduce(np.maximum, corners)


def at_least(x: Bounds, least: float) -> bool:
    """Is no value in any row below?"""
    return bool(x.lo.size == 0 or x.lo.min() >= least)
