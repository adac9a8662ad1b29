"""Bounds over many boxes at once, one a row: interval arithmetic on columns of doubles.

As sound as `interval`, and as tight for integers below 2**52; beyond, bounds grow by a unit in the last place. Common
operations are vectorised; the others go through interval_ops row by row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.expr import interval
from tunepass.expr import interval_ops as iv
from tunepass.expr.interval_ops import MAY_BE_UNDEFINED, MAY_OVERFLOW
from tunepass.expr.nodes import (
    Binary,
    Call,
    Category,
    Compare,
    Expr,
    If,
    Logical,
    Member,
    Name,
    Real,
    Unary,
    walk,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.uint8]
Masks = NDArray[np.bool_]
LIMIT, EXACT = 2.0**63, 2.0**52


@dataclass(frozen=True, slots=True)
class BoundsColumns:
    """Row i: every defined value in box i is in [lo[i], hi[i]]. flags (n,): MAY_BE_UNDEFINED, MAY_OVERFLOW or'd."""

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


def bounds_columns(
    e: Expr, lo: Mapping[str, NDArray[np.generic]], hi: Mapping[str, NDArray[np.generic]], n: int
) -> BoundsColumns:
    """Bounds of `e` in n boxes; `lo` and `hi` hold a column (n,) for every name but orders, strings as codes."""
    known: dict[int, BoundsColumns] = {}
    with np.errstate(all="ignore"):
        for node in walk(e):
            known[id(node)] = _node(node, known, lo, hi, n)
    return known[id(e)]


Known = Mapping[int, BoundsColumns]
Columns = Mapping[str, NDArray[np.generic]]


def _node(e: Expr, known: Known, lo: Columns, hi: Columns, n: int) -> BoundsColumns:
    match e:
        case Name() if e.name in lo:
            if isinstance(e.type, Real):
                return BoundsColumns(
                    lo[e.name].astype(np.float64), hi[e.name].astype(np.float64), np.zeros(n, np.uint8)
                )
            return _integer(lo[e.name].astype(np.float64), hi[e.name].astype(np.float64), np.zeros(n, np.uint8))
        case Unary(op="not"):
            found = known[id(e.operand)]
            return BoundsColumns(1 - found.hi, 1 - found.lo, found.flags)
        case Unary() | Binary():
            return _strict(e, e.op, known)
        case Call() if e.function != "pos":
            return _strict(e, e.function, known)
        case Logical():
            return _settle(e.op == "or", [known[id(x)] for x in e.operands])
        case Compare():
            pairs = zip(e.ops, e.operands, e.operands[1:])
            return _settle(False, [_comparison(op, a, b, known) for op, a, b in pairs])
        case Member():
            equal = [_comparison("==", e.item, choice, known) for choice in e.choices]
            flags = _joined([known[id(x)] for x in e.children])
            return BoundsColumns(np.max([f.lo for f in equal], 0), np.max([f.hi for f in equal], 0), flags)
        case If() if not isinstance(e.type, Category) or e.then.type == e.otherwise.type == e.type:
            return _if(e, known)
    return _alike(e, known, n)


def _alike(e: Expr, known: Known, n: int) -> BoundsColumns:
    """Constants, orders, and whatever depends on no name's box: the same in all rows, from the widest operands."""
    cells = {id(x): _widest(known[id(x)]) for x in e.children}
    low, high, flags = interval.cell(e, cells, {})
    return BoundsColumns(np.full(n, _below(low)), np.full(n, -_below(-high)), np.full(n, flags, np.uint8))


def _below(end: int | float) -> float:
    """The largest double that is not above `end`: beyond 2**53 not every integer is one."""
    near = float(end)
    return math.nextafter(near, -math.inf) if near > end else near


def _widest(found: BoundsColumns) -> iv.Cell:
    if not len(found.lo):
        return 0, 0, 0
    low, high = float(found.lo.min()), float(found.hi.max())
    whole = [int(v) if np.isfinite(v) and v.is_integer() else v for v in (low, high)]
    return whole[0], whole[1], int(np.bitwise_or.reduce(found.flags))


def _joined(found: list[BoundsColumns]) -> Flags:
    return np.asarray(np.bitwise_or.reduce(np.array([f.flags for f in found]), axis=0), np.uint8)


def _integer(lo: Floats, hi: Floats, flags: Flags) -> BoundsColumns:
    """Outward to integers, and cut to 64 bits. Integers below 2**52 stay as they are."""
    lo, hi = np.ceil(np.nextafter(lo, -np.inf)), np.floor(np.nextafter(hi, np.inf))
    over = (lo < -LIMIT) | (hi >= LIMIT)
    return BoundsColumns(
        np.clip(lo, -LIMIT, LIMIT), np.clip(hi, -LIMIT, LIMIT), flags | np.where(over, MAY_OVERFLOW, 0).astype(np.uint8)
    )


def _real(corners: list[Floats], flags: Flags, whole: Masks) -> BoundsColumns:
    """Outward unless all is whole and small; a NaN among the corners may be anything."""
    stacked = np.array(corners)
    lost = np.isnan(stacked).any(axis=0)
    lo, hi = stacked.min(axis=0), stacked.max(axis=0)
    exact = whole & (np.abs(lo) < EXACT) & (np.abs(hi) < EXACT) & (lo == np.floor(lo)) & (hi == np.floor(hi))
    lo, hi = np.where(exact, lo, np.nextafter(lo, -np.inf)), np.where(exact, hi, np.nextafter(hi, np.inf))
    flags = flags | np.where(lost, MAY_BE_UNDEFINED, 0).astype(np.uint8)
    return BoundsColumns(np.where(lost, -np.inf, lo), np.where(lost, np.inf, hi), flags)


def _strict(e: Expr, op: str, known: Known) -> BoundsColumns:
    operands = [known[id(x)] for x in e.children]
    real = any(isinstance(x.type, Real) for x in (e, *e.children))
    flags = _joined(operands)
    if op in ("min", "max"):
        pick: Callable[..., Floats] = np.min if op == "min" else np.max
        return BoundsColumns(pick([x.lo for x in operands], axis=0), pick([x.hi for x in operands], axis=0), flags)
    fast = (REAL_FAST if real else INTEGER_FAST).get((op, len(operands)))
    return fast(operands, flags) if fast else _by_row(op, real, operands, flags)


def _by_row(op: str, real: bool, operands: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    convert: Callable[[float], float] = float if real else int
    lo, hi, own = np.empty(len(flags)), np.empty(len(flags)), flags.copy()
    rows = zip(*(column.tolist() for x in operands for column in (x.lo, x.hi)))
    for i, row in enumerate(rows):
        cells = [(convert(a), convert(b), 0) for a, b in zip(row[::2], row[1::2])]
        if len(cells) == 1:
            low, high, extra = (iv.UNARY_REAL if real else iv.UNARY_INTEGER)[op](cells[0])
        else:
            low, high, extra = (iv.BINARY_REAL if real else iv.BINARY_INTEGER)[op](cells[0], cells[1])
        lo[i], hi[i] = float(low), float(high)
        own[i] |= extra
    return BoundsColumns(lo, hi, own) if real and op not in ("floor", "ceil", "round") else _integer(lo, hi, own)


def _products(a: BoundsColumns, b: BoundsColumns) -> list[Floats]:
    return [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]


def _multiply(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    corners = _products(*x)
    return _integer(np.min(corners, axis=0), np.max(corners, axis=0), flags)


def _floor_divide(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    a, b = x
    across, only_zero = (b.lo < 0) & (b.hi > 0), (b.lo == 0) & (b.hi == 0)
    low, high = np.where(b.lo == 0, 1.0, b.lo), np.where(b.hi == 0, -1.0, b.hi)
    divisors = [low, high, np.where(across, -1.0, low), np.where(across, 1.0, low)]
    corners = [np.floor_divide(y, d) for y in (a.lo, a.hi) for d in divisors]
    lo, hi = (np.asarray(pick(corners, axis=0)) for pick in (np.min, np.max))
    lo = np.where(only_zero, -LIMIT, np.where(np.abs(lo) < EXACT / 4, lo, lo - np.abs(lo) * 2.0**-50))
    hi = np.where(only_zero, LIMIT - 1024, np.where(np.abs(hi) < EXACT / 4, hi, hi + np.abs(hi) * 2.0**-50))
    return _integer(lo, hi, flags | np.where((b.lo <= 0) & (b.hi >= 0), MAY_BE_UNDEFINED, 0).astype(np.uint8))


def _ceil_divide(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    a, b = x
    found = _floor_divide([BoundsColumns(-a.hi, -a.lo, a.flags), b], flags)
    return _integer(-found.hi, -found.lo, found.flags)


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
    return _integer(lo, hi, flags | np.where((b.lo <= 0) & (b.hi >= 0), MAY_BE_UNDEFINED, 0).astype(np.uint8))


def _real_divide(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    a, b = x
    zero = (b.lo <= 0) & (b.hi >= 0)
    found = _real([y / d for y in (a.lo, a.hi) for d in (b.lo, b.hi)], flags, np.zeros(len(flags), bool))
    own = found.flags | np.where(zero, MAY_BE_UNDEFINED, 0).astype(np.uint8)
    return BoundsColumns(np.where(zero, -np.inf, found.lo), np.where(zero, np.inf, found.hi), own)


def _finite_whole(*found: BoundsColumns) -> Masks:
    ends = [(v == np.floor(v)) & (np.abs(v) < EXACT) for f in found for v in (f.lo, f.hi)]
    return np.asarray(np.logical_and.reduce(ends), np.bool_)


def _real_sum(sign: int) -> Callable[[list[BoundsColumns], Flags], BoundsColumns]:
    def apply(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
        a, b = x
        lo, hi = (b.lo, b.hi) if sign > 0 else (-b.hi, -b.lo)
        endless = np.isinf(a.lo) | np.isinf(a.hi) | np.isinf(lo) | np.isinf(hi)
        own = flags | np.where(endless, MAY_BE_UNDEFINED, 0).astype(np.uint8)
        return _real([a.lo + lo, a.hi + hi], own, _finite_whole(a, b))

    return apply


def _real_multiply(x: list[BoundsColumns], flags: Flags) -> BoundsColumns:
    a, b = x
    lost = [(np.isinf(p.lo) | np.isinf(p.hi)) & (q.lo <= 0) & (q.hi >= 0) for p, q in ((a, b), (b, a))]
    corners = [np.where(lost[0] | lost[1], np.nan, c) for c in _products(a, b)]
    return _real(corners, flags, _finite_whole(a, b))


def _absolute(x: list[BoundsColumns], flags: Flags) -> tuple[Floats, Floats, Flags]:
    lo, hi = np.abs(x[0].lo), np.abs(x[0].hi)
    return np.where((x[0].lo <= 0) & (x[0].hi >= 0), 0.0, np.minimum(lo, hi)), np.maximum(lo, hi), flags


INTEGER_FAST: dict[tuple[str, int], Callable[[list[BoundsColumns], Flags], BoundsColumns]] = {
    ("+", 2): lambda x, f: _integer(x[0].lo + x[1].lo, x[0].hi + x[1].hi, f),
    ("-", 2): lambda x, f: _integer(x[0].lo - x[1].hi, x[0].hi - x[1].lo, f),
    ("*", 2): _multiply,
    ("//", 2): _floor_divide,
    ("ceildiv", 2): _ceil_divide,
    ("%", 2): _modulo,
    ("-", 1): lambda x, f: _integer(-x[0].hi, -x[0].lo, f),
    ("abs", 1): lambda x, f: _integer(*_absolute(x, f)),
}
REAL_FAST: dict[tuple[str, int], Callable[[list[BoundsColumns], Flags], BoundsColumns]] = {
    ("+", 2): _real_sum(1),
    ("-", 2): _real_sum(-1),
    ("*", 2): _real_multiply,
    ("/", 2): _real_divide,
    ("-", 1): lambda x, f: BoundsColumns(-x[0].hi, -x[0].lo, f),
    ("abs", 1): lambda x, f: BoundsColumns(*_absolute(x, f)),
}


def _comparison(op: str, left: Expr, right: Expr, known: Known) -> BoundsColumns:
    a, b = known[id(left)], known[id(right)]
    flags = a.flags | b.flags
    if isinstance(left.type, Category) and left.type != right.type:
        return BoundsColumns(np.zeros(len(flags)), np.ones(len(flags)), flags)
    if op in ("==", "!="):
        equal = (a.lo == a.hi) & (b.lo == b.hi) & (a.lo == b.lo)
        differ = (a.hi < b.lo) | (b.hi < a.lo)
        lo, hi = (equal, ~differ) if op == "==" else (differ, ~equal)
    else:
        if op in (">", ">="):
            a, b = b, a
        lo, hi = (a.hi < b.lo, a.lo < b.hi) if op in ("<", ">") else (a.hi <= b.lo, a.lo <= b.hi)
    return BoundsColumns(lo.astype(np.float64), hi.astype(np.float64), flags)


def _settle(stop: bool, steps: list[BoundsColumns]) -> BoundsColumns:
    found = steps[0]
    pick = np.maximum if stop else np.minimum
    for after in steps[1:]:
        closed = found.lo == 1 if stop else found.hi == 0
        flags = np.where(closed, found.flags, found.flags | after.flags).astype(np.uint8)
        found = BoundsColumns(pick(found.lo, after.lo), pick(found.hi, after.hi), flags)
    return found


def _if(e: If, known: Known) -> BoundsColumns:
    condition, then, otherwise = (known[id(x)] for x in e.children)
    yes, no = condition.lo == 1, condition.hi == 0
    lo = np.where(yes, then.lo, np.where(no, otherwise.lo, np.minimum(then.lo, otherwise.lo)))
    hi = np.where(yes, then.hi, np.where(no, otherwise.hi, np.maximum(then.hi, otherwise.hi)))
    either = np.where(yes, then.flags, np.where(no, otherwise.flags, then.flags | otherwise.flags))
    return BoundsColumns(lo, hi, (condition.flags | either).astype(np.uint8))
