"""Interval rules of operations with a real operand or result. A rule takes the operands' bounds and flags or'd."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from tunepass.expr.interval import bounds
from tunepass.expr.interval.integer_rules import corner_products, holds_zero, magnitudes

LARGEST = np.finfo(np.float64).max


def add(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    a, b = x
    lo, hi = a.lo + b.lo, a.hi + b.hi
    if bounds.finite(lo, hi):
        return bounds.Bounds(lo, hi, flags)
    opposite = ((a.lo == -np.inf) & (b.hi == np.inf)) | ((a.hi == np.inf) & (b.lo == -np.inf))
    return bounds.real(lo, hi, flags, opposite)


def subtract(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    return add([x[0], bounds.Bounds(-x[1].hi, -x[1].lo, x[1].flags)], flags)


def multiply(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    """0 times infinity is undefined in a value; at a corner it stands for 0 times what comes before infinity."""
    a, b = x
    corners = corner_products(a, b)
    lo, hi = bounds.extremes(corners)
    if bounds.finite(lo, hi):
        return bounds.Bounds(lo, hi, flags)
    if np.isnan(lo).any():
        corners = [y * z for y in (a.lo, a.hi) for z in (b.lo, b.hi)]
        lo, hi = bounds.extremes([np.where(np.isnan(corner), 0.0, corner) for corner in corners])
    return bounds.real(lo, hi, flags, (holds_zero(a) & _endless(b)) | (holds_zero(b) & _endless(a)))


def _endless(x: bounds.Bounds) -> bounds.Masks:
    return np.isinf(x.lo) | np.isinf(x.hi)


def divide(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    a, b = x
    positive = bounds.at_least(b, np.nextafter(0, 1))
    if positive and bounds.at_least(a, 0):
        lo, hi = a.lo / b.hi, a.hi / b.lo
    else:
        lo, hi = bounds.extremes([y / d for y in (a.lo, a.hi) for d in (b.lo, b.hi)])
    if positive and bounds.finite(lo, hi):
        return bounds.Bounds(lo, hi, flags)
    zero = holds_zero(b)
    undefined = zero | (_endless(a) & _endless(b))
    return bounds.real(np.where(zero, -np.inf, lo), np.where(zero, np.inf, hi), flags, undefined)


def floor_divide(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    """The floor of the exact quotient: the one computed may have been rounded up to an integer."""
    a, b = x
    ends = (a.lo, a.hi, b.lo, b.hi)
    lo, hi = bounds.extremes([y / d for y in ends[:2] for d in ends[2:]])
    whole = reduce(np.logical_and, [(end == np.floor(end)) & (np.abs(end) < bounds.EXACT) for end in ends])
    lo = np.floor(np.where(whole, lo, np.nextafter(lo, -np.inf)))
    hi = np.floor(np.where(whole, hi, np.nextafter(hi, np.inf)))
    lo = np.where(np.abs(lo) < bounds.EXACT, lo, lo - np.abs(lo) * 2.0**-50)
    hi = np.where(np.abs(hi) < bounds.EXACT, hi, hi + np.abs(hi) * 2.0**-50)
    undefined = holds_zero(b) | np.isinf(a.lo) | np.isinf(a.hi)
    lost = undefined | np.isnan(lo) | np.isnan(hi)
    return bounds.Bounds(
        np.where(lost, -np.inf, lo), np.where(lost, np.inf, hi), flags | bounds.flagged(lost, bounds.MAY_BE_UNDEFINED)
    )


def ceil_divide(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    negated = floor_divide([bounds.Bounds(-x[0].hi, -x[0].lo, x[0].flags), x[1]], flags)
    return bounds.Bounds(-negated.hi, -negated.lo, negated.flags)


def modulo(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    a, b = x
    identical = (a.lo >= 0) & (b.lo > 0) & (a.hi < b.lo)
    hi = np.maximum(b.hi, 0.0)
    hi = np.where((a.lo >= 0) & (b.lo >= 0), np.minimum(hi, a.hi), hi)
    undefined = holds_zero(b) | np.isinf(a.lo) | np.isinf(a.hi)
    lo = np.where(identical, a.lo, np.minimum(b.lo, 0.0))
    return bounds.Bounds(lo, np.where(identical, a.hi, hi), flags | bounds.flagged(undefined, bounds.MAY_BE_UNDEFINED))


def power(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    """Of a positive base, of any base by one whole exponent, and of a base from 0 on; otherwise anything."""
    a, b = x
    lo, hi = bounds.extremes([np.power(y, z) for y in (a.lo, a.hi) for z in (b.lo, b.hi)])
    whole = (b.lo == b.hi) & (b.lo >= 0) & (b.lo == np.floor(b.lo)) & np.isfinite(b.lo)
    at_zero = np.where(b.lo == 0, 1.0, 0.0)
    through = ~(a.lo > 0) & whole & holds_zero(a)
    lo, hi = np.where(through, np.minimum(lo, at_zero), lo), np.where(through, np.maximum(hi, at_zero), hi)
    from_zero = ~(a.lo > 0) & ~whole & (a.lo == 0) & (b.lo >= 0)
    lo, hi = np.where(from_zero, 0.0, lo), np.where(from_zero, np.maximum(hi, 1.0), hi)
    lost = ~((a.lo > 0) | whole | from_zero) | np.isnan(lo) | np.isnan(hi)
    widened = _approximate(lo, hi, flags)
    lo, hi = np.where(lost, -np.inf, widened.lo), np.where(lost, np.inf, widened.hi)
    return bounds.Bounds(lo, hi, flags | bounds.flagged(lost, bounds.MAY_BE_UNDEFINED))


def negate(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    return bounds.Bounds(-x[0].hi, -x[0].lo, flags)


def absolute(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    return bounds.Bounds(*magnitudes(x[0]), flags)


def _rounding(function: Callable[[bounds.Floats], bounds.Floats]) -> bounds.Rule:
    return lambda x, flags: bounds.integer(function(x[0].lo), function(x[0].hi), flags)


def square_root(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    below, never = x[0].lo < 0, x[0].hi < 0
    lo, hi = np.sqrt(np.maximum(x[0].lo, 0.0)), np.where(never, np.inf, np.sqrt(x[0].hi))
    return bounds.Bounds(lo, hi, flags | bounds.flagged(below, bounds.MAY_BE_UNDEFINED))


def _approximate(lo: bounds.Floats, hi: bounds.Floats, flags: bounds.Flags) -> bounds.Bounds:
    """Widened by what a function of the mathematics library may be off by."""
    below, above = lo - (np.abs(lo) * bounds.LIBM + bounds.TINY), hi + (np.abs(hi) * bounds.LIBM + bounds.TINY)
    return bounds.Bounds(np.where(lo == np.inf, LARGEST, below), np.where(hi == -np.inf, -LARGEST, above), flags)


def exponential(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
    widened = _approximate(np.exp(x[0].lo), np.exp(x[0].hi), flags)
    return bounds.Bounds(np.maximum(widened.lo, 0.0), widened.hi, flags)


def _logarithm(function: Callable[[bounds.Floats], bounds.Floats]) -> bounds.Rule:
    def rule(x: Sequence[bounds.Bounds], flags: bounds.Flags) -> bounds.Bounds:
        below, never = x[0].lo <= 0, x[0].hi <= 0
        widened = _approximate(function(np.where(below, 1.0, x[0].lo)), function(np.where(never, 1.0, x[0].hi)), flags)
        lo, hi = np.where(below, -np.inf, widened.lo), np.where(never, np.inf, widened.hi)
        return bounds.Bounds(lo, hi, flags | bounds.flagged(below, bounds.MAY_BE_UNDEFINED))

    return rule


REAL_RULES: dict[tuple[str, int], bounds.Rule] = {  # by operation and number of operands
    ("+", 2): add,
    ("-", 2): subtract,
    ("*", 2): multiply,
    ("/", 2): divide,
    ("//", 2): floor_divide,
    ("ceildiv", 2): ceil_divide,
    ("%", 2): modulo,
    ("**", 2): power,
    ("-", 1): negate,
    ("abs", 1): absolute,
    ("ceil", 1): _rounding(np.ceil),
    ("floor", 1): _rounding(np.floor),
    ("round", 1): _rounding(np.rint),
    ("sqrt", 1): square_root,
    ("exp", 1): exponential,
    ("log", 1): _logarithm(np.log),
    ("log2", 1): _logarithm(np.log2),
}
