"""Interval arithmetic on pairs of scalars.

A cell is (lo, hi, flags): every defined value lies in [lo, hi]. Integers are Python's, cut to 64 bits by MAY_OVERFLOW;
reals are doubles rounded outward. Booleans are 0 and 1, strings their codes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tunepass.expr import scalar
from tunepass.expr.nodes import INT_MAX, INT_MIN

Number = int | float
Cell = tuple[Number, Number, int]
MAY_BE_UNDEFINED, MAY_OVERFLOW = 1, 2
ANY_INTEGER, ANY_REAL = (INT_MIN, INT_MAX), (-math.inf, math.inf)
EXACT = 2.0**53
LIBM_ULPS = 4  # what exp, log and pow may be off by, in any of the readers


def integer(lo: Number, hi: Number, flags: int = 0) -> Cell:
    """Cut to 64 bits, saying so."""
    if lo < INT_MIN or hi > INT_MAX:
        return max(min(lo, INT_MAX), INT_MIN), min(max(hi, INT_MIN), INT_MAX), flags | MAY_OVERFLOW
    return lo, hi, flags


def outward(lo: float, hi: float, flags: int = 0, ulps: int = 1) -> Cell:
    """Widened by some units in the last place; NaN bounds become infinite and the value may be undefined."""
    if lo != lo or hi != hi:
        return -math.inf, math.inf, flags | MAY_BE_UNDEFINED
    for _ in range(ulps):
        lo, hi = math.nextafter(lo, -math.inf), math.nextafter(hi, math.inf)
    return lo, hi, flags


def _whole(*values: Number) -> bool:
    """Integers that doubles hold exactly, so that sums and products of them are not rounded."""
    return all(-EXACT < v < EXACT and v == math.floor(v) for v in values)


def _corners(op: Callable[[float, float], float], a: Cell, b: Cell, flags: int = 0) -> Cell:
    """A real operation monotonic in each operand; the bounds of whole numbers stay as they are."""
    found = [op(x, y) for x in a[:2] for y in b[:2]]
    if any(v != v for v in found):
        return -math.inf, math.inf, flags | MAY_BE_UNDEFINED
    lo, hi = min(found), max(found)
    return (lo, hi, flags) if _whole(*a[:2], *b[:2], lo, hi) else outward(lo, hi, flags)


def add(a: Cell, b: Cell) -> Cell:
    return integer(a[0] + b[0], a[1] + b[1])


def subtract(a: Cell, b: Cell) -> Cell:
    return integer(a[0] - b[1], a[1] - b[0])


def multiply(a: Cell, b: Cell) -> Cell:
    found = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return integer(min(found), max(found))


def _divisors(b: Cell) -> tuple[list[Number], int]:
    """The extreme nonzero integer divisors, and whether zero is among them."""
    lo, hi = b[0], b[1]
    ends = {v for v in (lo, hi, -1, 1) if v != 0 and lo <= v <= hi}
    return list(ends), MAY_BE_UNDEFINED if lo <= 0 <= hi else 0


def floor_divide(a: Cell, b: Cell) -> Cell:
    divisors, flags = _divisors(b)
    if not divisors:
        return *ANY_INTEGER, flags
    found = [x // y for x in a[:2] for y in divisors]
    return integer(min(found), max(found), flags)


def ceil_divide(a: Cell, b: Cell) -> Cell:
    divisors, flags = _divisors(b)
    if not divisors:
        return *ANY_INTEGER, flags
    found = [-(-x // y) for x in a[:2] for y in divisors]
    return integer(min(found), max(found), flags)


def modulo(a: Cell, b: Cell) -> Cell:
    (x, y, _), (lo, hi, _) = a, b
    flags = MAY_BE_UNDEFINED if lo <= 0 <= hi else 0
    if lo == hi and lo != 0 and x // lo == y // lo:
        return x % lo, y % lo, 0
    if x >= 0 and lo > 0 and y < lo:
        return x, y, 0
    below = min(lo + 1, 0)
    above = max(hi - 1, 0)
    if x >= 0 and lo >= 0:
        above = min(above, y)
    return below, above, flags


def power(a: Cell, b: Cell) -> Cell:
    flags = MAY_BE_UNDEFINED if b[0] < 0 else 0
    lo, hi = max(b[0], 0), b[1]
    if hi < 0:
        return *ANY_INTEGER, flags
    size = max(abs(a[0]), abs(a[1]))
    top = min(hi, 64) if size > 1 else min(hi, 2)  # beyond, either overflow or nothing new
    low = min(lo, top)
    if a[0] >= 1:
        return integer(a[0] ** low, a[1] ** top, flags)
    if lo == hi <= 64:
        ends = [a[0] ** lo, a[1] ** lo] + ([0**lo] if a[0] <= 0 <= a[1] else [])
        return integer(min(ends), max(ends), flags)
    most = max(size**top, 1)
    return integer(0 if a[0] >= 0 else -most, most, flags)


def shift_left(a: Cell, b: Cell) -> Cell:
    flags = MAY_BE_UNDEFINED if b[0] < 0 else 0
    by = [int(min(max(v, 0), 64)) for v in b[:2]]
    found = [int(x) << y for x in a[:2] for y in by]
    return integer(min(found), max(found), flags)


def shift_right(a: Cell, b: Cell) -> Cell:
    flags = MAY_BE_UNDEFINED if b[0] < 0 else 0
    by = [int(min(max(v, 0), 64)) for v in b[:2]]
    found = [int(x) >> y for x in a[:2] for y in by]
    return min(found), max(found), flags


def negate(a: Cell) -> Cell:
    return integer(-a[1], -a[0])


def absolute(a: Cell) -> Cell:
    ends = (abs(a[0]), abs(a[1]))
    return integer(0 if a[0] <= 0 <= a[1] else min(ends), max(ends))


def _nonzero(a: Cell) -> bool:
    return not a[0] <= 0 <= a[1]


def gcd(a: Cell, b: Cell) -> Cell:
    x, y = absolute(a), absolute(b)
    hi = min(x[1], y[1]) if _nonzero(a) and _nonzero(b) else max(x[1], y[1])
    return 1 if _nonzero(a) or _nonzero(b) else 0, hi, x[2] | y[2]


def lcm(a: Cell, b: Cell) -> Cell:
    x, y = absolute(a), absolute(b)
    lo = max(x[0], y[0]) if _nonzero(a) and _nonzero(b) else 0
    return integer(lo, x[1] * y[1], x[2] | y[2])


def ispow2(a: Cell) -> Cell:
    lo, hi = max(int(a[0]), 1), a[1]
    if lo > hi or 1 << (lo - 1).bit_length() > hi:
        return 0, 0, 0
    return int(a[0] >= 1 and (a[0] == hi or hi <= 2)), 1, 0


def minimum(a: Cell, b: Cell) -> Cell:
    return min(a[0], b[0]), min(a[1], b[1]), 0


def maximum(a: Cell, b: Cell) -> Cell:
    return max(a[0], b[0]), max(a[1], b[1]), 0


def real_add(a: Cell, b: Cell) -> Cell:
    flags = MAY_BE_UNDEFINED if math.inf in (a[1], -a[0], b[1], -b[0]) else 0
    lo, hi = a[0] + b[0], a[1] + b[1]
    return (lo, hi, flags) if _whole(*a[:2], *b[:2], lo, hi) else outward(lo, hi, flags)


def real_subtract(a: Cell, b: Cell) -> Cell:
    return real_add(a, (-b[1], -b[0], 0))


def real_multiply(a: Cell, b: Cell) -> Cell:
    infinite_by_zero = any(math.inf in (y[1], -y[0]) and x[0] <= 0 <= x[1] for x, y in ((a, b), (b, a)))
    if infinite_by_zero:
        return *ANY_REAL, MAY_BE_UNDEFINED
    return _corners(lambda x, y: x * y, a, b)


def real_divide(a: Cell, b: Cell) -> Cell:
    if b[0] <= 0 <= b[1]:
        return *ANY_REAL, MAY_BE_UNDEFINED
    return _corners(lambda x, y: x / y, a, b)


def _floored(a: Cell) -> Cell:
    lo, hi = (v if math.isinf(v) else float(math.floor(v)) for v in a[:2])
    return (lo, hi, a[2]) if _whole(lo, hi) else outward(lo, hi, a[2])


def real_floor_divide(a: Cell, b: Cell) -> Cell:
    if math.inf in (a[1], -a[0]):
        return *ANY_REAL, MAY_BE_UNDEFINED
    return _floored(real_divide(a, b))


def real_ceil_divide(a: Cell, b: Cell) -> Cell:
    lo, hi, flags = real_floor_divide((-a[1], -a[0], 0), b)
    return -hi, -lo, flags


def real_modulo(a: Cell, b: Cell) -> Cell:
    flags = MAY_BE_UNDEFINED if b[0] <= 0 <= b[1] or math.inf in (a[1], -a[0]) else 0
    if a[0] >= 0 and b[0] > 0 and a[1] < b[0]:
        return a[0], a[1], flags
    hi = max(b[1], 0.0)
    return min(b[0], 0.0), min(hi, a[1]) if a[0] >= 0 and b[0] >= 0 else hi, flags


def real_power(a: Cell, b: Cell) -> Cell:
    if a[0] > 0:
        found = [scalar.power(float(x), float(y)) for x in a[:2] for y in b[:2]]
        return outward(float(min(found)), float(max(found)), 0, LIBM_ULPS)
    if b[0] == b[1] and b[0] >= 0 and b[0] == math.floor(b[0]) and math.isfinite(b[0]):
        found = [scalar.power(float(x), b[0]) for x in a[:2]] + ([float(b[0] == 0)] if a[0] <= 0 <= a[1] else [])
        return outward(float(min(found)), float(max(found)), 0, LIBM_ULPS)
    if a[0] == 0 and b[0] >= 0:
        most = max(scalar.power(float(a[1]), float(y)) for y in b[:2])
        return outward(0.0, max(float(most), 1.0), 0, LIBM_ULPS)
    return *ANY_REAL, MAY_BE_UNDEFINED


def real_negate(a: Cell) -> Cell:
    return -a[1], -a[0], 0


def real_absolute(a: Cell) -> Cell:
    ends = (abs(a[0]), abs(a[1]))
    return 0.0 if a[0] <= 0 <= a[1] else min(ends), max(ends), 0


def sqrt(a: Cell) -> Cell:
    if a[1] < 0:
        return *ANY_REAL, MAY_BE_UNDEFINED
    lo, hi = math.sqrt(max(a[0], 0.0)), math.sqrt(a[1])
    down = lo if lo * lo == a[0] and _whole(lo) else max(math.nextafter(lo, -math.inf), 0.0)
    up = hi if hi * hi == a[1] and _whole(hi) else math.nextafter(hi, math.inf)
    return down, up, MAY_BE_UNDEFINED if a[0] < 0 else 0


def _monotone(function: Callable[[float], Number]) -> Callable[[Cell], Cell]:
    return lambda a: outward(float(function(a[0])), float(function(a[1])), 0, LIBM_ULPS)


def exp(a: Cell) -> Cell:
    lo, hi, flags = _monotone(scalar.FUNCTION["exp"])(a)
    return max(lo, 0.0), hi, flags


def _logarithm(name: str) -> Callable[[Cell], Cell]:
    function = scalar.FUNCTION[name]

    def apply(a: Cell) -> Cell:
        if a[1] <= 0:
            return *ANY_REAL, MAY_BE_UNDEFINED
        lo = -math.inf if a[0] <= 0 else outward(float(function(a[0])), 0.0, 0, LIBM_ULPS)[0]
        hi = outward(0.0, float(function(a[1])), 0, LIBM_ULPS)[1]
        return lo, hi, MAY_BE_UNDEFINED if a[0] <= 0 else 0

    return apply


def _rounding(rounding: Callable[[float], int]) -> Callable[[Cell], Cell]:
    def apply(a: Cell) -> Cell:
        lo = INT_MIN - 1 if a[0] == -math.inf else INT_MAX + 1 if a[0] == math.inf else rounding(a[0])
        hi = INT_MAX + 1 if a[1] == math.inf else INT_MIN - 1 if a[1] == -math.inf else rounding(a[1])
        return integer(lo, hi)

    return apply


def _same(a: Cell) -> Cell:
    return a[0], a[1], 0


BINARY_INTEGER: dict[str, Callable[[Cell, Cell], Cell]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "//": floor_divide,
    "%": modulo,
    "**": power,
    "<<": shift_left,
    ">>": shift_right,
    "ceildiv": ceil_divide,
    "gcd": gcd,
    "lcm": lcm,
    "min": minimum,
    "max": maximum,
}
BINARY_REAL: dict[str, Callable[[Cell, Cell], Cell]] = {
    "+": real_add,
    "-": real_subtract,
    "*": real_multiply,
    "/": real_divide,
    "//": real_floor_divide,
    "%": real_modulo,
    "**": real_power,
    "ceildiv": real_ceil_divide,
    "min": minimum,
    "max": maximum,
}
UNARY_INTEGER: dict[str, Callable[[Cell], Cell]] = {
    "-": negate,
    "abs": absolute,
    "ispow2": ispow2,
    "ceil": _same,
    "floor": _same,
    "round": _same,
}
UNARY_REAL: dict[str, Callable[[Cell], Cell]] = {
    "-": real_negate,
    "abs": real_absolute,
    "ceil": _rounding(math.ceil),
    "floor": _rounding(math.floor),
    "round": _rounding(round),
    "sqrt": sqrt,
    "exp": exp,
    "log": _logarithm("log"),
    "log2": _logarithm("log2"),
}
