"""Ranges of a node's children, given the range that the node's value must lie in: the backward step of a contraction.

Sound: a child's range holds every value with which the node can have its own. `want`, `parts` and the results are ends,
numbers or arrays that broadcast, True counts as 1 and False as 0; None says that nothing is known of a child.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.expr import nodes
from tunepass.space.feasible.ranges.bounds import HUGE, Ends, TermRange, power_of

Bounds = tuple[Ends, Ends]
SLACK = 1e-12  # relative widening of every end, more than its rounding
LOGARITHMS = {"log": np.exp, "log2": np.exp2}


def child_ranges(e: nodes.Expr, want: Bounds, parts: Sequence[TermRange]) -> list[Bounds | None]:
    """The range that each child of `e` must lie in where the value of `e` lies in `want`."""
    with np.errstate(all="ignore"):
        match e:
            case nodes.Unary(op="not"):
                return [(np.subtract(1.0, want[1]), np.subtract(1.0, want[0]))]
            case nodes.Unary():
                return [(np.negative(want[1]), np.negative(want[0]))]
            case nodes.Binary():
                return list(_binary(e, want, parts[0], parts[1]))
            case nodes.Compare() if len(e.ops) == 1:
                return list(_compare(e, want, parts[0], parts[1]))
            case nodes.Logical():
                return _logical(e.op == "or", want, parts)
            case nodes.If():
                return _if(e, want, parts)
            case nodes.Member() if not isinstance(e.item.type, nodes.CategoryType):
                return _member(want, parts)
            case nodes.Call():
                return _call(e.function, want, parts)
    return [None] * len(parts)


def _wide(lo: Ends, hi: Ends) -> Bounds:
    """Ends moved apart by more than their rounding; an undefined end is no end."""
    lo, hi = np.nan_to_num(lo, nan=-HUGE), np.nan_to_num(hi, nan=HUGE)
    return lo - np.abs(lo) * SLACK - 1e-300, hi + np.abs(hi) * SLACK + 1e-300


def _binary(e: nodes.Binary, want: Bounds, a: TermRange, b: TermRange) -> tuple[Bounds | None, Bounds | None]:
    lo, hi = want
    if (exponent := power_of(e)) is not None:
        return _wide(*_roots(lo, hi, exponent)), None
    match e.op:
        case "+":
            return _wide(lo - b.hi, hi - b.lo), _wide(lo - a.hi, hi - a.lo)
        case "-":
            return _wide(lo + b.lo, hi + b.hi), _wide(a.lo - hi, a.hi - lo)
        case "*":
            return _quotients(want, b), _quotients(want, a)
        case "/":
            return _products(want, b), _quotients((a.lo, a.hi), TermRange(lo, hi, False))
        case "//":
            above = (lo, np.add(hi, 1.0))
            return _products(above, b), _quotients((a.lo, a.hi), TermRange(*above, False))
        case "<<":
            return _wide(lo / np.exp2(b.hi), hi / np.exp2(b.lo)) if np.min(lo) >= 0 else None, None
    return None, None


def _roots(lo: Ends, hi: Ends, exponent: int) -> Bounds:
    """The numbers whose power lies in [lo, hi]."""
    if exponent % 2 == 0:
        root = np.power(np.maximum(hi, 0.0), 1 / exponent)
        return np.negative(root), root
    low, high = (np.copysign(np.power(np.abs(end), 1 / exponent), end) for end in (lo, hi))
    return low, high


def _quotients(want: Bounds, divisor: TermRange) -> Bounds:
    """Hull of want / divisor. Where the divisor may be 0 it is all numbers, or one end of them where the divisor is on
    one side of 0 and the product beyond 0; also all numbers where neither is known."""
    ends = [np.divide(w, d) for w in want for d in (divisor.lo, divisor.hi)]
    crosses = np.logical_and(np.less_equal(divisor.lo, 0), np.greater_equal(divisor.hi, 0))
    lo, hi = np.minimum.reduce(np.broadcast_arrays(*ends)), np.maximum.reduce(np.broadcast_arrays(*ends))
    above, below = np.greater(want[0], 0), np.less(want[1], 0)
    positive, negative = np.greater_equal(divisor.lo, 0), np.less_equal(divisor.hi, 0)
    least = np.where(above & positive, np.divide(want[0], divisor.hi), -HUGE)
    least = np.where(below & negative, np.divide(want[1], divisor.lo), least)
    most = np.where(below & positive, np.divide(want[1], divisor.hi), HUGE)
    most = np.where(above & negative, np.divide(want[0], divisor.lo), most)
    return _wide(np.where(crosses, least, lo), np.where(crosses, most, hi))


def _products(want: Bounds, factor: TermRange) -> Bounds:
    ends = [np.multiply(w, f) for w in want for f in (factor.lo, factor.hi)]
    lo, hi = np.minimum.reduce(np.broadcast_arrays(*ends)), np.maximum.reduce(np.broadcast_arrays(*ends))
    return _wide(lo, hi)


def _if_rows(rows: Ends | NDArray[np.bool_], lo: Ends, hi: Ends) -> Bounds:
    """The range in these rows, all numbers in the others."""
    return np.where(rows, lo, -HUGE), np.where(rows, hi, HUGE)


def _compare(e: nodes.Compare, want: Bounds, a: TermRange, b: TermRange) -> tuple[Bounds | None, Bounds | None]:
    if any(isinstance(o.type, nodes.CategoryType | nodes.OrderType) for o in e.operands):
        return None, None
    op, true, false = e.ops[0], np.greater(want[0], 0), np.less(want[1], 1)
    least = 1.0 if all(isinstance(o.type, nodes.IntegerType) for o in e.operands) else 0.0
    if op in ("==", "!="):
        rows = true if op == "==" else false
        return _if_rows(rows, b.lo, b.hi), _if_rows(rows, a.lo, a.hi)
    first, second = (a, b) if op in ("<", "<=") else (b, a)
    step_true, step_false = (least, 0.0) if op in ("<", ">") else (0.0, least)
    below = np.where(true, second.hi - step_true, HUGE)  # first < second
    above = np.where(true, first.lo + step_true, -HUGE)
    least_first = np.where(false, second.lo + step_false, -HUGE)  # not so: first >= second
    most_second = np.where(false, first.hi - step_false, HUGE)
    both: tuple[Bounds, Bounds] = (least_first, below), (above, most_second)
    return both if op in ("<", "<=") else (both[1], both[0])


def _logical(any_: bool, want: Bounds, parts: Sequence[TermRange]) -> list[Bounds | None]:
    """Every part of a true `and` is true, and so is the one part of a true `or` that can be; with False in reverse."""
    true, false = np.greater(want[0], 0), np.less(want[1], 1)
    every, one = (false, true) if any_ else (true, false)
    can = [np.greater(p.hi, 0) if any_ else np.less(p.lo, 1) for p in parts]
    alone = np.equal(np.add.reduce(np.broadcast_arrays(*[c.astype(np.int64) for c in can])), 1)
    forced, opposite = (1.0, 0.0) if any_ else (0.0, 1.0)
    ranges: list[Bounds | None] = []
    for c in can:
        lone = one & alone & c
        lo = np.where(every, opposite, np.where(lone, forced, 0.0))
        ranges.append((lo, np.where(every, opposite, np.where(lone, forced, 1.0))))
    return ranges


def _if(e: nodes.If, want: Bounds, parts: Sequence[TermRange]) -> list[Bounds | None]:
    if isinstance(e.type, nodes.CategoryType):
        return [None, None, None]
    condition, then, otherwise = parts
    holds, fails = np.greater(condition.lo, 0), np.less(condition.hi, 1)
    never_then = np.logical_or(np.greater(then.lo, want[1]), np.less(then.hi, want[0]))
    never_otherwise = np.logical_or(np.greater(otherwise.lo, want[1]), np.less(otherwise.hi, want[0]))
    chosen = np.where(never_otherwise, 1.0, 0.0), np.where(never_then, 0.0, 1.0)
    return [chosen, _if_rows(holds, *want), _if_rows(fails, *want)]


def _member(want: Bounds, parts: Sequence[TermRange]) -> list[Bounds | None]:
    true = np.greater(want[0], 0)
    lo = np.minimum.reduce(np.broadcast_arrays(*[p.lo for p in parts[1:]]))
    hi = np.maximum.reduce(np.broadcast_arrays(*[p.hi for p in parts[1:]]))
    return [_if_rows(true, lo, hi), *[None] * (len(parts) - 1)]


def _call(function: str, want: Bounds, parts: Sequence[TermRange]) -> list[Bounds | None]:
    lo, hi = want
    match function:
        case "min":
            return [(lo, HUGE)] * len(parts)
        case "max":
            return [(-HUGE, hi)] * len(parts)
        case "abs":
            return [_wide(np.where(np.greater_equal(parts[0].lo, 0), lo, np.negative(hi)), hi)]
        case "ceil" | "floor" | "round":
            return [_wide(np.subtract(lo, 1.0), np.add(hi, 1.0))]
        case "sqrt":
            return [_wide(np.square(np.maximum(lo, 0.0)), np.square(np.maximum(hi, 0.0)))]
        case "log" | "log2":
            inverse = LOGARITHMS[function]
            return [_wide(np.minimum(inverse(lo), HUGE), np.minimum(inverse(hi), HUGE))]
        case "exp":
            return [_wide(np.log(np.maximum(lo, 0.0)), np.log(np.maximum(hi, 0.0)))]
        case "ceildiv":
            return [_products((np.subtract(lo, 1.0), hi), parts[1]), None]
    return [None] * len(parts)
