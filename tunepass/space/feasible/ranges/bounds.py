"""Bounds of a term, for one box as floats or for many partial assignments at once as arrays that broadcast.

Sound and simple: an integer beyond 2**52 (where doubles stop being exact) counts as unknown, a real result is widened
by more than its rounding. `expr.interval` reads one box precisely; this one decides thousands of rows in a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunepass.expr import nodes

Ends = float | NDArray[np.float64]
EXACT = 2.0**52
EXPONENTS = range(2, 9)  # whose powers and roots are bounded
HUGE = 1e150  # stands for unbounded; its square is still finite
_SLACK = 1e-12


class TermRange(NamedTuple):
    """Values where defined lie in [lo, hi] (False 0, True 1); `undefined`: it may be undefined or overflow."""

    lo: Ends
    hi: Ends
    undefined: bool


def reach(r: TermRange) -> float:
    """The largest magnitude in the range of one box."""
    return max(abs(float(r.lo)), abs(float(r.hi)))


def unknown(type_: nodes.Type) -> TermRange:
    return TermRange(0.0, 1.0, True) if isinstance(type_, nodes.BoolType) else TermRange(-HUGE, HUGE, True)


def box(lo: float, hi: float) -> TermRange:
    """Range between the ends of a parameter; an end beyond HUGE counts as unbounded."""
    return TermRange(max(-HUGE, min(lo, HUGE)), max(-HUGE, min(hi, HUGE)), False)


def of_values(values: NDArray[np.float64], undefined: bool) -> TermRange:
    """One value a row; in rows where it is undefined any will do, but none that does not compute."""
    known = np.nan_to_num(values, posinf=HUGE, neginf=-HUGE) if undefined else values
    return TermRange(known, known, undefined)


def constant(value: nodes.Scalar) -> TermRange:
    return TermRange(-HUGE, HUGE, False) if isinstance(value, str) else box(float(value), float(value))


def _settled(lo: Ends, hi: Ends, undefined: bool, *, real: bool = False) -> TermRange:
    """Widens real ends by their rounding, and gives up on what is too large to be exact."""
    if real:
        lo, hi = np.minimum(lo, HUGE), np.maximum(hi, -HUGE)  # infinity has no rounding
        lo = np.maximum(lo - np.abs(lo) * _SLACK - 1e-300, -HUGE)
        hi = np.minimum(hi + np.abs(hi) * _SLACK + 1e-300, HUGE)
        return TermRange(_plain(lo), _plain(hi), undefined)
    if isinstance(lo, float) and isinstance(hi, float):
        if lo < -EXACT or hi > EXACT:
            return TermRange(-HUGE if lo < -EXACT else min(lo, EXACT), HUGE if hi > EXACT else max(hi, -EXACT), True)
        return TermRange(lo, hi, undefined)
    lo = np.where(np.less(lo, -EXACT), -HUGE, np.minimum(lo, EXACT))
    hi = np.where(np.greater(hi, EXACT), HUGE, np.maximum(hi, -EXACT))
    return TermRange(lo, hi, undefined)


def _any_undefined(parts: Sequence[TermRange]) -> bool:
    return True in [p.undefined for p in parts]


def add(parts: Sequence[TermRange], signs: Sequence[int], *, real: bool = False) -> TermRange:
    lo: Ends = 0.0
    hi: Ends = 0.0
    signed = list(zip(parts, signs))
    if not real:  # whole numbers add up alike in any order: those of one box first, for of many terms most are such
        signed.sort(key=lambda entry: not isinstance(entry[0].lo, float) or not isinstance(entry[0].hi, float))
    for p, sign in signed:
        lo, hi = (lo + p.lo, hi + p.hi) if sign > 0 else (lo - p.hi, hi - p.lo)
    return _settled(lo, hi, _any_undefined(parts), real=real)


def _corners(a: TermRange, b: TermRange, f: Callable[[Ends, Ends], Ends]) -> tuple[Ends, Ends]:
    corners = [f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)]
    if all(isinstance(x, float) for x in corners):
        return min(corners), max(corners)
    lo = np.minimum(np.minimum(corners[0], corners[1]), np.minimum(corners[2], corners[3]))
    return lo, np.maximum(np.maximum(corners[0], corners[1]), np.maximum(corners[2], corners[3]))


def _quotient(x: Ends, y: Ends) -> Ends:
    with np.errstate(over="ignore"):  # by next to nothing: unbounded, as it should be
        return x / y


def _product(x: Ends, y: Ends) -> Ends:
    if isinstance(x, float) and isinstance(y, float):
        return x * y
    with np.errstate(over="ignore"):  # unbounded, as it should be
        return x * y


def multiply(parts: Sequence[TermRange], *, real: bool = False) -> TermRange:
    total = parts[0]
    for p in parts[1:]:
        if _floor(total.lo) >= 0 and _floor(p.lo) >= 0:
            lo, hi = _product(total.lo, p.lo), _product(total.hi, p.hi)
        else:
            lo, hi = _corners(total, p, _product)
        total = _settled(lo, hi, total.undefined or p.undefined, real=real)
    return total


def every(parts: Sequence[TermRange]) -> TermRange:
    lo, hi = parts[0].lo, parts[0].hi
    for p in parts[1:]:
        lo, hi = _min(lo, p.lo), _min(hi, p.hi)
    return TermRange(lo, hi, _any_undefined(parts))


def some(parts: Sequence[TermRange]) -> TermRange:
    lo, hi = parts[0].lo, parts[0].hi
    for p in parts[1:]:
        lo, hi = _max(lo, p.lo), _max(hi, p.hi)
    return TermRange(lo, hi, _any_undefined(parts))


def _min(a: Ends, b: Ends) -> Ends:
    return min(a, b) if isinstance(a, float) and isinstance(b, float) else np.minimum(a, b)


def _max(a: Ends, b: Ends) -> Ends:
    return max(a, b) if isinstance(a, float) and isinstance(b, float) else np.maximum(a, b)


def _floor(x: Ends) -> float:
    """The least of the ends."""
    return x if isinstance(x, float) else float(x.min(initial=HUGE))


def _top(x: Ends) -> float:
    return x if isinstance(x, float) else float(x.max(initial=-HUGE))


def _truth(x: Ends | bool | NDArray[np.bool_]) -> Ends:
    return float(x) if isinstance(x, (bool, float, np.bool_)) else x.astype(np.float64)


def apply(e: nodes.Expr, parts: Sequence[TermRange]) -> TermRange:
    """The range of one node whose children have the ranges `parts`."""
    match e:
        case nodes.Unary(op="not"):
            return TermRange(1.0 - parts[0].hi, 1.0 - parts[0].lo, parts[0].undefined)
        case nodes.Unary():
            return add(parts, (-1,), real=isinstance(e.type, nodes.RealType))
        case nodes.Binary() if (exponent := power_of(e)) is not None:
            return _power(parts[0], exponent, isinstance(e.type, nodes.RealType))
        case nodes.Binary():
            return _binary(e.op, parts[0], parts[1], isinstance(e.type, nodes.RealType))
        case nodes.Compare():
            first = _compare(e, 0, parts)
            return first if len(e.ops) == 1 else every([first, *(_compare(e, i, parts) for i in range(1, len(e.ops)))])
        case nodes.Logical():
            return every(parts) if e.op == "and" else some(parts)
        case nodes.Member():
            if isinstance(e.item.type, nodes.CategoryType):
                return TermRange(0.0, 1.0, _any_undefined(parts))
            any_equal = some([_ordered("==", parts[0], p) for p in parts[1:]])
            return TermRange(any_equal.lo, any_equal.hi, _any_undefined(parts))
        case nodes.If():
            return _if(e, parts)
        case nodes.Call():
            return _call(e, parts)
    return unknown(e.type)


def _compare(e: nodes.Compare, i: int, parts: Sequence[TermRange]) -> TermRange:
    a, b = parts[i], parts[i + 1]
    if isinstance(e.operands[i].type, nodes.CategoryType):
        return TermRange(0.0, 1.0, a.undefined or b.undefined)
    return _ordered(e.ops[i], a, b)


def _ordered(op: str, a: TermRange, b: TermRange) -> TermRange:
    undefined = a.undefined or b.undefined
    if op in (">", ">="):
        a, b, op = b, a, "<" if op == ">" else "<="
    if op == "<":
        return TermRange(_truth(a.hi < b.lo), _truth(a.lo < b.hi), undefined)
    if op == "<=":
        return TermRange(_truth(a.hi <= b.lo), _truth(a.lo <= b.hi), undefined)
    hi = _truth(np.logical_and(a.lo <= b.hi, b.lo <= a.hi))
    lo = _truth(np.logical_and(a.lo == b.hi, a.hi == b.lo))
    return TermRange(lo, hi, undefined) if op == "==" else TermRange(1.0 - hi, 1.0 - lo, undefined)


def _binary(op: str, a: TermRange, b: TermRange, real: bool) -> TermRange:
    undefined = a.undefined or b.undefined
    if op in ("+", "-"):
        return add((a, b), (1, 1 if op == "+" else -1), real=real)
    if op == "*":
        return multiply((a, b), real=real)
    if op in ("/", "//", "%"):
        if _floor(b.lo) <= 0 <= _top(b.hi):
            return TermRange(-HUGE, HUGE, True)
        if op == "%":
            return _modulo(a, b, real)
        lo, hi = _corners(a, b, _quotient)
        return _settled(lo, hi, undefined, real=True) if op == "/" else _rounded(np.floor, lo, hi, undefined, real)
    if op == "<<" and _floor(a.lo) >= 0 and _floor(b.lo) >= 0 and _top(b.hi) <= 62:
        return _settled(a.lo * np.exp2(b.lo), a.hi * np.exp2(b.hi), undefined)
    if op == ">>" and _floor(a.lo) >= 0 and _floor(b.lo) >= 0 and _top(b.hi) <= 62:
        return _rounded(np.floor, a.lo / np.exp2(b.hi), a.hi / np.exp2(b.lo), undefined, False)
    return TermRange(-HUGE, HUGE, True)


def power_of(e: nodes.Binary) -> int | None:
    """The whole exponent >= 2 with which the value of `e` is a power of its left operand; None for any other node."""
    if e.op == "*" and e.left == e.right:
        return 2
    if e.op == "**" and isinstance(e.right, nodes.Constant) and not isinstance(e.right.value, (bool, str)):
        return int(e.right.value) if e.right.value in EXPONENTS else None
    return None


def _power(a: TermRange, exponent: int, real: bool) -> TermRange:
    with np.errstate(over="ignore"):  # unbounded, as it should be
        lo, hi = np.power(a.lo, float(exponent)), np.power(a.hi, float(exponent))
    if exponent % 2 == 0:
        across = np.logical_and(np.less(a.lo, 0), np.greater(a.hi, 0))
        lo, hi = np.where(across, 0.0, np.minimum(lo, hi)), np.maximum(lo, hi)
    return _settled(_plain(lo), _plain(hi), a.undefined, real=real)


def _rounded(f: np.ufunc, lo: Ends, hi: Ends, undefined: bool, real: bool) -> TermRange:
    return _settled(_plain(f(lo)), _plain(f(hi)), undefined, real=real)


def _plain(x: NDArray[np.float64] | float) -> Ends:
    return float(x) if np.ndim(x) == 0 else x


def _modulo(a: TermRange, b: TermRange, real: bool) -> TermRange:
    undefined = a.undefined or b.undefined
    least = 0.0 if real else 1.0
    if _floor(b.lo) <= 0:
        return _settled(_plain(np.add(b.lo, least)), 0.0, undefined, real=real)
    hi = b.hi - least
    if _floor(a.lo) >= 0:
        same = np.less(a.hi, b.lo)
        hi = _min(hi, a.hi)
        return _settled(_plain(np.where(same, a.lo, 0.0)), hi, undefined, real=real)
    return _settled(0.0, hi, undefined, real=real)


def _if(e: nodes.If, parts: Sequence[TermRange]) -> TermRange:
    if isinstance(e.type, nodes.CategoryType):
        return unknown(e.type)
    c, then, other = parts
    lo = np.where(np.equal(c.lo, 1), then.lo, np.where(np.equal(c.hi, 0), other.lo, np.minimum(then.lo, other.lo)))
    hi = np.where(np.equal(c.lo, 1), then.hi, np.where(np.equal(c.hi, 0), other.hi, np.maximum(then.hi, other.hi)))
    return TermRange(_plain(lo), _plain(hi), _any_undefined(parts))


def _call(e: nodes.Call, parts: Sequence[TermRange]) -> TermRange:
    a, undefined, real = parts[0], _any_undefined(parts), isinstance(e.type, nodes.RealType)
    match e.function:
        case "min":
            lo, hi = every(parts)[:2]
            return TermRange(lo, hi, undefined)
        case "max":
            lo, hi = some(parts)[:2]
            return TermRange(lo, hi, undefined)
        case "ceil":
            return _rounded(np.ceil, a.lo, a.hi, undefined, real)
        case "floor":
            return _rounded(np.floor, a.lo, a.hi, undefined, real)
        case "round":
            return _rounded(np.rint, a.lo, a.hi, undefined, real)
        case "abs":
            straddles = np.logical_and(np.less(a.lo, 0), np.greater(a.hi, 0))
            lo = np.where(straddles, 0.0, np.minimum(np.abs(a.lo), np.abs(a.hi)))
            return _settled(_plain(lo), _plain(np.maximum(np.abs(a.lo), np.abs(a.hi))), undefined, real=real)
        case "sqrt" if _floor(a.lo) >= 0:
            return _settled(_plain(np.sqrt(a.lo)), _plain(np.sqrt(a.hi)), undefined, real=True)
        case "log" if _floor(a.lo) > 0:
            return _settled(_plain(np.log(a.lo)), _plain(np.log(a.hi)), undefined, real=True)
        case "log2" if _floor(a.lo) > 0:
            return _settled(_plain(np.log2(a.lo)), _plain(np.log2(a.hi)), undefined, real=True)
        case "ceildiv" if not _floor(parts[1].lo) <= 0 <= _top(parts[1].hi):
            low, high = _corners(a, parts[1], _quotient)
            return _rounded(np.ceil, low, high, undefined, real)
    return unknown(e.type)
