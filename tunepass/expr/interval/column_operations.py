"""Interval arithmetic on columns of doubles: what one operation makes of the bounds of its operands, box by box.

Readers compute reals node by node in doubles, correctly rounded, and rounding is monotonic: ends computed the same way
hold every value of sums, differences, products, quotients and roots, without rounding outward. Integers below 2**52 are
exact; ends beyond are moved outward. Functions of the mathematics library are allowed what it may be off by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.interval import operations as iv
from tunepass.expr.interval.operations import MAY_BE_UNDEFINED, MAY_OVERFLOW

Floats = NDArray[np.float64]
Flags = NDArray[np.uint8]
Masks = NDArray[np.bool_]
LIMIT, EXACT = 2.0**63, 2.0**52
LIBM = 2.0**-49  # relative: LIBM_ULPS in the reader's value, and as many in the ends
TINY = 2.0**-1070  # the same beside 0
NONE = np.zeros((), np.uint8)


@dataclass(frozen=True, slots=True)
class BoundsColumns:
    """Row i: every defined value in box i is in [lo[i], hi[i]]. flags (n,): MAY_BE_UNDEFINED, MAY_OVERFLOW or'd.

    Within a calculation, what is the same in all boxes may have shape ().
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


Operation = Callable[[list[BoundsColumns], Flags], BoundsColumns]


def joined(found: Sequence[BoundsColumns]) -> Flags:
    own = [f.flags for f in found if f.flags.ndim or f.flags]
    return reduce(np.bitwise_or, own) if own else NONE


def integer(lo: Floats, hi: Floats, flags: Flags) -> BoundsColumns:
    """Outward to integers, and cut to 64 bits. Integers below 2**52 stay as they are."""
    if not lo.size or (lo.min() > -EXACT and hi.max() < EXACT):
        return BoundsColumns(lo, hi, flags)
    lo, hi = np.ceil(np.nextafter(lo, -np.inf)), np.floor(np.nextafter(hi, np.inf))
    over = (lo < -LIMIT) | (hi >= LIMIT)
    return BoundsColumns(np.clip(lo, -LIMIT, LIMIT), np.clip(hi, -LIMIT, LIMIT), flags | _where(over, MAY_OVERFLOW))


def _where(mask: Masks, flag: int) -> Flags:
    return np.asarray(mask, np.uint8) * np.uint8(flag)


def _real(lo: Floats, hi: Floats, flags: Flags, operands: Sequence[BoundsColumns]) -> BoundsColumns:
    """An infinite operand may make a value undefined; ends that are lost to it may be anything."""
    if np.isfinite(lo).all() and np.isfinite(hi).all():  # then the operands are finite, too
        return BoundsColumns(lo, hi, flags)
    endless = reduce(np.logical_or, [np.isinf(end) for x in operands for end in (x.lo, x.hi)])
    lost = np.isnan(lo) | np.isnan(hi)
    flags = flags | _where(endless | lost, MAY_BE_UNDEFINED)
    return BoundsColumns(np.where(lost, -np.inf, lo), np.where(lost, np.inf, hi), flags)


def _extremes(corners: Sequence[Floats]) -> tuple[Floats, Floats]:
    return reduce(np.minimum, corners), reduce(np.maximum, corners)


def _from(x: BoundsColumns, least: float) -> bool:
    return bool(x.lo.size == 0 or x.lo.min() >= least)


def _products(a: BoundsColumns, b: BoundsColumns) -> tuple[Floats, Floats]:
    """0 times infinity is undefined in a value; at a corner it stands for 0 times what comes before infinity."""
    if _from(a, 0) and _from(b, 0):
        corners = [a.lo * b.lo, a.hi * b.hi]
    else:
        corners = [y * z for y in (a.lo, a.hi) for z in (b.lo, b.hi)]
    lo, hi = _extremes(corners)
    if np.isnan(lo).any():
        return _extremes([np.where(np.isnan(y * z), 0.0, y * z) for y in (a.lo, a.hi) for z in (b.lo, b.hi)])
    return lo, hi


def _multiply(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    return integer(*_products(*x), flags)


def _floor_divide(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    a, b = x
    if _from(a, 0) and _from(b, 1) and (not a.hi.size or a.hi.max() < EXACT):  # quotients round to no other integer
        return BoundsColumns(np.floor(a.lo / b.hi), np.floor(a.hi / b.lo), flags)
    across, only_zero = (b.lo < 0) & (b.hi > 0), (b.lo == 0) & (b.hi == 0)
    low, high = np.where(b.lo == 0, 1.0, b.lo), np.where(b.hi == 0, -1.0, b.hi)
    divisors = [low, high, np.where(across, -1.0, low), np.where(across, 1.0, low)]
    lo, hi = _extremes([np.floor_divide(y, d) for y in (a.lo, a.hi) for d in divisors])
    lo = np.where(only_zero, -LIMIT, np.where(np.abs(lo) < EXACT / 4, lo, lo - np.abs(lo) * 2.0**-50))
    hi = np.where(only_zero, LIMIT - 1024, np.where(np.abs(hi) < EXACT / 4, hi, hi + np.abs(hi) * 2.0**-50))
    return integer(lo, hi, flags | _where((b.lo <= 0) & (b.hi >= 0), MAY_BE_UNDEFINED))


def _ceil_divide(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    a, b = x
    if _from(a, 0) and _from(b, 1) and (not a.hi.size or a.hi.max() < EXACT):
        return BoundsColumns(np.ceil(a.lo / b.hi), np.ceil(a.hi / b.lo), flags)
    found = _floor_divide([BoundsColumns(-a.hi, -a.lo, a.flags), b], flags)
    return integer(-found.hi, -found.lo, found.flags)


def _modulo(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    a, b = x
    lo, hi = np.minimum(b.lo + 1, 0.0), np.maximum(b.hi - 1, 0.0)
    hi = np.where((a.lo >= 0) & (b.lo >= 0), np.minimum(hi, a.hi), hi)
    kept = (a.lo >= 0) & (b.lo > 0) & (a.hi < b.lo)
    safe = np.where(b.lo == 0, 1.0, b.lo)
    steady = (b.lo == b.hi) & (b.lo != 0) & (np.floor_divide(a.lo, safe) == np.floor_divide(a.hi, safe))
    steady &= (np.abs(a.lo) < EXACT) & (np.abs(a.hi) < EXACT)
    lo = np.where(kept, a.lo, np.where(steady, np.mod(a.lo, safe), lo))
    hi = np.where(kept, a.hi, np.where(steady, np.mod(a.hi, safe), hi))
    return integer(lo, hi, flags | _where((b.lo <= 0) & (b.hi >= 0), MAY_BE_UNDEFINED))


def _real_multiply(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    return _real(*_products(*x), flags, x)


def _real_divide(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    a, b = x
    corners = [a.lo / b.hi, a.hi / b.lo] if _from(a, 0) else [y / d for y in (a.lo, a.hi) for d in (b.lo, b.hi)]
    lo, hi = _extremes(corners)
    if _from(b, np.nextafter(0, 1)):
        return _real(lo, hi, flags, x)
    zero = (b.lo <= 0) & (b.hi >= 0)
    lo, hi = _extremes([y / d for y in (a.lo, a.hi) for d in (b.lo, b.hi)])
    found = _real(np.where(zero, -np.inf, lo), np.where(zero, np.inf, hi), flags, x)
    return BoundsColumns(found.lo, found.hi, found.flags | _where(zero, MAY_BE_UNDEFINED))


def _absolute(x: list[BoundsColumns], flags: Flags) -> tuple[Floats, Floats, Flags]:
    lo, hi = np.abs(x[0].lo), np.abs(x[0].hi)
    return np.where((x[0].lo <= 0) & (x[0].hi >= 0), 0.0, np.minimum(lo, hi)), np.maximum(lo, hi), flags


def _rounding(function: Callable[[Floats], Floats]) -> Operation:
    return lambda x, f: integer(function(x[0].lo), function(x[0].hi), f)


def _square_root(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    below, never = x[0].lo < 0, x[0].hi < 0
    lo, hi = np.sqrt(np.maximum(x[0].lo, 0.0)), np.where(never, np.inf, np.sqrt(x[0].hi))
    return BoundsColumns(lo, hi, flags | _where(below, MAY_BE_UNDEFINED))


def _approximate(lo: Floats, hi: Floats, flags: Flags) -> BoundsColumns:
    return BoundsColumns(lo - (np.abs(lo) * LIBM + TINY), hi + (np.abs(hi) * LIBM + TINY), flags)


def _exponential(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    found = _approximate(np.exp(x[0].lo), np.minimum(np.exp(x[0].hi), np.inf), flags)
    lo = np.where(np.isnan(found.lo), np.finfo(float).max, np.maximum(found.lo, 0.0))  # infinity less an infinity
    return BoundsColumns(lo, found.hi, flags)


def _logarithm(function: Callable[[Floats], Floats]) -> Operation:
    def apply(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
        below, never = x[0].lo <= 0, x[0].hi <= 0
        lo = np.where(below, -np.inf, function(np.where(below, 1.0, x[0].lo)))
        hi = np.where(never, np.inf, function(np.where(never, 1.0, x[0].hi)))
        found = _approximate(np.where(below, 0.0, lo), np.where(np.isinf(hi), 0.0, hi), flags)
        lo, hi = np.where(below, lo, found.lo), np.where(np.isinf(hi), hi, found.hi)
        return BoundsColumns(lo, hi, flags | _where(below, MAY_BE_UNDEFINED))

    return apply


INTEGER: dict[tuple[str, int], Operation] = {
    ("+", 2): lambda x, f: integer(x[0].lo + x[1].lo, x[0].hi + x[1].hi, f),
    ("-", 2): lambda x, f: integer(x[0].lo - x[1].hi, x[0].hi - x[1].lo, f),
    ("*", 2): _multiply,
    ("//", 2): _floor_divide,
    ("ceildiv", 2): _ceil_divide,
    ("%", 2): _modulo,
    ("-", 1): lambda x, f: integer(-x[0].hi, -x[0].lo, f),
    ("abs", 1): lambda x, f: integer(*_absolute(x, f)),
    **{(name, 1): lambda x, f: BoundsColumns(x[0].lo, x[0].hi, f) for name in ("ceil", "floor", "round")},
}
REAL: dict[tuple[str, int], Operation] = {
    ("+", 2): lambda x, f: _real(x[0].lo + x[1].lo, x[0].hi + x[1].hi, f, x),
    ("-", 2): lambda x, f: _real(x[0].lo - x[1].hi, x[0].hi - x[1].lo, f, x),
    ("*", 2): _real_multiply,
    ("/", 2): _real_divide,
    ("-", 1): lambda x, f: BoundsColumns(-x[0].hi, -x[0].lo, f),
    ("abs", 1): lambda x, f: BoundsColumns(*_absolute(x, f)),
    ("ceil", 1): _rounding(np.ceil),
    ("floor", 1): _rounding(np.floor),
    ("round", 1): _rounding(np.rint),
    ("sqrt", 1): _square_root,
    ("exp", 1): _exponential,
    ("log", 1): _logarithm(np.log),
    ("log2", 1): _logarithm(np.log2),
}


def by_row(op: str, real: bool, operands: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    """What has no operation on columns."""
    columns = np.broadcast_arrays(*(end for x in operands for end in (x.lo, x.hi)), flags)
    convert: Callable[[float], float] = float if real else int
    table_of_two = iv.BINARY_REAL if real else iv.BINARY_INTEGER
    lo, hi, own = np.empty(columns[0].shape), np.empty(columns[0].shape), np.array(columns[-1], np.uint8)
    for i in np.ndindex(lo.shape):
        ends = [convert(column[i].item()) for column in columns[:-1]]
        cells = [(a, b, 0) for a, b in zip(ends[::2], ends[1::2])]
        if len(cells) == 1:
            low, high, extra = (iv.UNARY_REAL if real else iv.UNARY_INTEGER)[op](cells[0])
        else:
            low, high, extra = table_of_two[op](cells[0], cells[1])
        lo[i], hi[i] = float(low), float(high)
        own[i] |= extra
    return BoundsColumns(lo, hi, own) if real and op not in ("floor", "ceil", "round") else integer(lo, hi, own)
