"""Bounds of expressions over many boxes at once, one a row.

Sound, and as tight as `interval` for integers below 2**52; beyond, bounds grow by a unit in the last place. Names are
taken as independent. Common operations are vectorised; the others go through interval_ops row by row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.interval import bounds as interval
from tunepass.expr.interval import column_operations as ops
from tunepass.expr.interval import operations as iv
from tunepass.expr.interval.column_operations import BoundsColumns
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

Known = dict[int, BoundsColumns]
Columns = Mapping[str, NDArray[np.generic]]


class ManyBoxes:
    """The bounds of several expressions, whose common parts are bounded once."""

    def __init__(self, expressions: Sequence[Expr]):
        self.expressions = tuple(expressions)
        nodes = {id(node): node for e in self.expressions for node in walk(e)}
        self._alike: Known = {}  # what depends on no name
        self._nodes: list[Expr] = []
        for key, node in nodes.items():
            if not isinstance(node, Name) and all(id(x) in self._alike for x in node.children):
                self._alike[key] = _alike(node, self._alike)
            else:
                self._nodes.append(node)

    def bounds(self, lo: Columns, hi: Columns, n: int) -> list[BoundsColumns]:
        """In n boxes; `lo` and `hi` hold a column (n,) for every name but orders, strings as codes."""
        known = dict(self._alike)
        with np.errstate(all="ignore"):
            for node in self._nodes:
                known[id(node)] = _node(node, known, lo, hi)
        return [
            BoundsColumns(np.broadcast_to(f.lo, n), np.broadcast_to(f.hi, n), np.broadcast_to(f.flags, n))
            for f in (known[id(e)] for e in self.expressions)
        ]


def bounds_columns(e: Expr, lo: Columns, hi: Columns, n: int) -> BoundsColumns:
    """As `ManyBoxes`, for one expression."""
    return ManyBoxes([e]).bounds(lo, hi, n)[0]


def _node(e: Expr, known: Known, lo: Columns, hi: Columns) -> BoundsColumns:
    match e:
        case Name() if e.name in lo:
            low, high = lo[e.name].astype(np.float64), hi[e.name].astype(np.float64)
            return BoundsColumns(low, high, ops.NONE) if isinstance(e.type, Real) else ops.integer(low, high, ops.NONE)
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
            flags = ops.joined([known[id(x)] for x in e.children])
            lo_of, hi_of = [f.lo for f in equal], [f.hi for f in equal]
            return BoundsColumns(reduce(np.maximum, lo_of), reduce(np.maximum, hi_of), flags)
        case If() if not isinstance(e.type, Category) or e.then.type == e.otherwise.type == e.type:
            return _if(e, known)
    return _alike(e, known)


def _alike(e: Expr, known: Known) -> BoundsColumns:
    """Constants, orders, and whatever depends on no name's box: the same in all rows, from the widest operands."""
    cells = {id(x): _widest(known[id(x)]) for x in e.children}
    low, high, flags = interval.cell(e, cells, {})
    return BoundsColumns(np.asarray(_below(low)), np.asarray(-_below(-high)), np.asarray(flags, np.uint8))


def _below(end: int | float) -> float:
    """The largest double that is not above `end`: beyond 2**53 not every integer is one."""
    near = float(end)
    return math.nextafter(near, -math.inf) if near > end else near


def _widest(found: BoundsColumns) -> iv.Cell:
    if not found.lo.size:
        return 0, 0, 0
    low, high = float(found.lo.min()), float(found.hi.max())
    whole = [int(v) if np.isfinite(v) and v.is_integer() else v for v in (low, high)]
    return whole[0], whole[1], int(np.bitwise_or.reduce(found.flags, axis=None))


def _strict(e: Expr, op: str, known: Known) -> BoundsColumns:
    operands = [known[id(x)] for x in e.children]
    real = any(isinstance(x.type, Real) for x in (e, *e.children))
    flags = ops.joined(operands)
    if op in ("min", "max"):
        pick = np.minimum if op == "min" else np.maximum
        return BoundsColumns(reduce(pick, [x.lo for x in operands]), reduce(pick, [x.hi for x in operands]), flags)
    fast = (ops.REAL if real else ops.INTEGER).get((op, len(operands)))
    return fast(operands, flags) if fast else ops.by_row(op, real, operands, flags)


def _comparison(op: str, left: Expr, right: Expr, known: Known) -> BoundsColumns:
    a, b = known[id(left)], known[id(right)]
    flags = ops.joined([a, b])
    if isinstance(left.type, Category) and left.type != right.type:
        return BoundsColumns(np.zeros(()), np.ones(()), flags)
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
    if ops.joined(steps) is ops.NONE:
        return BoundsColumns(reduce(pick, [f.lo for f in steps]), reduce(pick, [f.hi for f in steps]), ops.NONE)
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
    if ops.joined([condition, then, otherwise]) is ops.NONE:
        return BoundsColumns(lo, hi, ops.NONE)
    either = np.where(yes, then.flags, np.where(no, otherwise.flags, then.flags | otherwise.flags))
    return BoundsColumns(lo, hi, (condition.flags | either).astype(np.uint8))
