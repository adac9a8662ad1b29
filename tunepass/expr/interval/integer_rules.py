"""Interval rules of operations on integers. A rule takes the bounds of the operands and their flags or'd."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.expr.interval import bounds

WORD = 64.0  # bits: a larger shift or exponent gives nothing new, or overflows


def add(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    return bounds.integer(x[0].lo + x[1].lo, x[0].hi + x[1].hi, flags)


def subtract(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    return bounds.integer(x[0].lo - x[1].hi, x[0].hi - x[1].lo, flags)


def negate(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    return bounds.integer(-x[0].hi, -x[0].lo, flags)


def corner_products(a: bounds.Bounds, b: bounds.Bounds) -> list[bounds.Floats]:
    """The products of ends among which the smallest and the largest product are."""
    if bounds.at_least(a, 0) and bounds.at_least(b, 0):
        return [a.lo * b.lo, a.hi * b.hi]
    return [y * z for y in (a.lo, a.hi) for z in (b.lo, b.hi)]


def multiply(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    return bounds.integer(*bounds.extremes(corner_products(*x)), flags)


def _outward(
    lo: bounds.Floats, hi: bounds.Floats, exact: float, relative: float
) -> tuple[bounds.Floats, bounds.Floats]:
    """Ends from `exact` on, to which several roundings led, are moved outward."""
    lo, hi = np.clip(lo, -4 * bounds.LIMIT, 4 * bounds.LIMIT), np.clip(hi, -4 * bounds.LIMIT, 4 * bounds.LIMIT)
    lo = np.where(np.abs(lo) < exact, lo, lo - np.abs(lo) * relative)
    return lo, np.where(np.abs(hi) < exact, hi, hi + np.abs(hi) * relative)


def holds_zero(x: bounds.Bounds) -> bounds.Masks:
    return (x.lo <= 0) & (x.hi >= 0)


def floor_divide(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    a, b = x
    if (
        bounds.at_least(a, 0) and bounds.at_least(b, 1) and (not a.hi.size or a.hi.max() < bounds.EXACT)
    ):  # no quotient rounds to an integer
        return bounds.Bounds(np.floor(a.lo / b.hi), np.floor(a.hi / b.lo), flags)
    across, only_zero = (b.lo < 0) & (b.hi > 0), (b.lo == 0) & (b.hi == 0)
    low, high = np.where(b.lo == 0, 1.0, b.lo), np.where(b.hi == 0, -1.0, b.hi)
    divisors = [low, high, np.where(across, -1.0, low), np.where(across, 1.0, low)]
    lo, hi = bounds.extremes([np.floor_divide(y, d) for y in (a.lo, a.hi) for d in divisors])
    lo, hi = _outward(lo, hi, bounds.EXACT / 4, 2.0**-50)
    lo, hi = np.where(only_zero, 0.0, lo), np.where(only_zero, 0.0, hi)  # no value is defined
    return bounds.integer(lo, hi, flags | bounds.flagged(holds_zero(b), bounds.MAY_BE_UNDEFINED))


def ceil_divide(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    a, b = x
    if bounds.at_least(a, 0) and bounds.at_least(b, 1) and (not a.hi.size or a.hi.max() < bounds.EXACT):
        return bounds.Bounds(np.ceil(a.lo / b.hi), np.ceil(a.hi / b.lo), flags)
    negated = floor_divide([bounds.Bounds(-a.hi, -a.lo, a.flags), b], flags)
    return bounds.integer(-negated.hi, -negated.lo, negated.flags)


def modulo(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    a, b = x
    lo, hi = np.minimum(b.lo + 1, 0.0), np.maximum(b.hi - 1, 0.0)
    hi = np.where((a.lo >= 0) & (b.lo >= 0), np.minimum(hi, a.hi), hi)
    identical = (a.lo >= 0) & (b.lo > 0) & (a.hi < b.lo)
    safe = np.where(b.lo == 0, 1.0, b.lo)
    steady = (b.lo == b.hi) & (b.lo != 0) & (np.floor_divide(a.lo, safe) == np.floor_divide(a.hi, safe))
    steady &= (np.abs(a.lo) < bounds.EXACT) & (np.abs(a.hi) < bounds.EXACT)
    lo = np.where(identical, a.lo, np.where(steady, np.mod(a.lo, safe), lo))
    hi = np.where(identical, a.hi, np.where(steady, np.mod(a.hi, safe), hi))
    return bounds.integer(lo, hi, flags | bounds.flagged(holds_zero(b), bounds.MAY_BE_UNDEFINED))


def _raised(base: bounds.Floats, exponent: bounds.Floats) -> bounds.Floats:
    """base**exponent for whole exponents of at most 64, by squaring: exact below 2**53."""
    bits = np.asarray(exponent, np.int64)
    result = np.ones(np.broadcast_shapes(np.shape(base), np.shape(bits)))
    for bit in range(7):
        result = np.where(bits >> bit & 1, result * base, result)
        base = base * base
    return result


def power(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    a, b = x
    least, most = np.maximum(b.lo, 0.0), b.hi
    size = np.maximum(np.abs(a.lo), np.abs(a.hi))
    top = np.minimum(np.maximum(most, 0.0), np.where(size > 1, WORD, 2.0))
    rising, single = a.lo >= 1, (least == most) & (least <= WORD)
    low = np.where(single, least, np.minimum(least, top))
    largest = np.maximum(_raised(size, top), 1.0)
    ends = [_raised(a.lo, low), _raised(a.hi, low)]
    at_zero = np.where(least == 0, 1.0, 0.0)
    lo, hi = bounds.extremes([*ends, np.where(holds_zero(a), at_zero, ends[0])])
    lo = np.where(rising, ends[0], np.where(single, lo, np.where(a.lo >= 0, 0.0, -largest)))
    hi = np.where(rising, _raised(a.hi, top), np.where(single, hi, largest))
    lo, hi = _outward(lo, hi, bounds.EXACT, 2.0**-48)
    lo, hi = np.where(most < 0, 0.0, lo), np.where(most < 0, 0.0, hi)  # no value is defined
    return bounds.integer(lo, hi, flags | bounds.flagged(b.lo < 0, bounds.MAY_BE_UNDEFINED))


def _shifted(x: Sequence[bounds.Bounds], sign: int) -> tuple[bounds.Floats, bounds.Floats]:
    a, b = x
    by = [np.asarray(sign * np.clip(end, 0.0, WORD), np.int64) for end in (b.lo, b.hi)]
    return bounds.extremes([np.ldexp(end, bits) for end in (a.lo, a.hi) for bits in by])


def shift_left(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    return bounds.integer(*_shifted(x, 1), flags | bounds.flagged(x[1].lo < 0, bounds.MAY_BE_UNDEFINED))


def shift_right(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    lo, hi = _shifted(x, -1)
    return bounds.Bounds(np.floor(lo), np.floor(hi), flags | bounds.flagged(x[1].lo < 0, bounds.MAY_BE_UNDEFINED))


def magnitudes(x: bounds.Bounds) -> tuple[bounds.Floats, bounds.Floats]:
    """Bounds of the absolute value."""
    lo, hi = np.abs(x.lo), np.abs(x.hi)
    return np.where(holds_zero(x), 0.0, np.minimum(lo, hi)), np.maximum(lo, hi)


def absolute(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    return bounds.integer(*magnitudes(x[0]), flags)


def greatest_common_divisor(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    (a_lo, a_hi), (b_lo, b_hi) = magnitudes(x[0]), magnitudes(x[1])
    neither_zero, either_zero = (a_lo > 0) & (b_lo > 0), (a_lo == 0) & (b_lo == 0)
    hi = np.where(neither_zero, np.minimum(a_hi, b_hi), np.maximum(a_hi, b_hi))
    return bounds.integer(np.where(either_zero, 0.0, 1.0), hi, flags)


def least_common_multiple(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    (a_lo, a_hi), (b_lo, b_hi) = magnitudes(x[0]), magnitudes(x[1])
    lo = np.where((a_lo > 0) & (b_lo > 0), np.maximum(a_lo, b_lo), 0.0)
    return bounds.integer(lo, a_hi * b_hi, flags)


def is_power_of_two(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    lo, hi = np.maximum(x[0].lo, 1.0), x[0].hi
    fraction, exponent = np.frexp(lo)
    following = np.ldexp(1.0, np.where(fraction == 0.5, exponent - 1, exponent))  # the first power of two from lo on
    possible = (lo <= hi) & (following <= hi)
    certain = possible & (x[0].lo >= 1) & ((x[0].lo == hi) | (hi <= 2))
    return bounds.Bounds(certain.astype(np.float64), possible.astype(np.float64), flags)


def unchanged(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    return bounds.Bounds(x[0].lo, x[0].hi, flags)


INTEGER_RULES: dict[tuple[str, int], bounds.Rule] = {  # by operation and number of operands
    ("+", 2): add,
    ("-", 2): subtract,
    ("*", 2): multiply,
    ("//", 2): floor_divide,
    ("ceildiv", 2): ceil_divide,
    ("%", 2): modulo,
    ("**", 2): power,
    ("<<", 2): shift_left,
    (">>", 2): shift_right,
    ("gcd", 2): greatest_common_divisor,
    ("lcm", 2): least_common_multiple,
    ("-", 1): negate,
    ("abs", 1): absolute,
    ("ispow2", 1): is_power_of_two,
    ("ceil", 1): unchanged,
    ("floor", 1): unchanged,
    ("round", 1): unchanged,
}
