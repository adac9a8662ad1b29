"""Bounds on what an expression gains when one name moves up within a box, and the signs that they have.

    value       bounds of a node over the box
    gain        bounds of f(x') - f(x) for any x < x' of the name that moves, the others alike

A gain that is never negative makes the expression monotone in that name: its ends over a box are at the box's ends.
Rounded sums keep the order of their operands, so this holds of computed values too, as long as no two gains of opposite
signs are weighed against each other in doubles; there nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunepass.expr import nodes as n
from tunepass.expr.interval.bounds import Bounds
from tunepass.expr.interval.extension import IntervalExtension

Floats = NDArray[np.float64]
MOST_STEPS = 512  # of one name that are looked at one by one
RISING = ("floor", "ceil", "round", "sqrt", "log", "log2", "exp")  # functions that keep the order of what they are of


class DifferenceGain(NamedTuple):
    lo: Floats
    hi: Floats


NONE = DifferenceGain(np.zeros(()), np.zeros(()))


def signs(expressions: Sequence[n.Expr], domains: Mapping[str, Floats]) -> list[dict[str, int]]:
    """Of each expression over the box of the domains, by name: 1 where it never falls as the name rises, -1 where it
    never rises, 0 where neither is proven. `domains` hold every name's values, ascending, strings as codes."""
    moves = [(name, step) for name, values in domains.items() for step in _steps(values)]
    count = len(moves)
    low = {
        name: np.array([step[0] if name == moved else values[0] for moved, step in moves])
        for name, values in domains.items()
    }
    high = {
        name: np.array([step[1] if name == moved else values[-1] for moved, step in moves])
        for name, values in domains.items()
    }
    nodes = list({id(node): node for e in expressions for node in n.walk(e)}.values())
    values = {id(node): b for node, b in zip(nodes, IntervalExtension(nodes).bounds(low, high, count))}
    gains: dict[int, DifferenceGain] = {}
    with np.errstate(all="ignore"):
        for node in nodes:
            if isinstance(node, n.Name):
                gains[id(node)] = _of_name(node, moves)
            else:
                gains[id(node)] = _clean(_gain(node, gains, values), values[id(node)])
    owner = np.array([list(domains).index(name) for name, _ in moves], np.int64)
    return [_signs(gains[id(e)], values[id(e)], owner, list(domains)) for e in expressions]


def _steps(values: Floats) -> list[tuple[float, float, float]]:
    """Ranges that values move within, and the least gain in each: from each value to the next, or of many anywhere."""
    if len(values) < 2:
        return []
    if len(values) > MOST_STEPS:
        return [(float(values[0]), float(values[-1]), 0.0)]
    return [(low, high, high - low) for low, high in zip(values[:-1].tolist(), values[1:].tolist())]


def _signs(gain: DifferenceGain, value: Bounds, owner: NDArray[np.int64], names: Sequence[str]) -> dict[str, int]:
    count = len(owner)
    known = np.broadcast_to(value.flags == 0, count)
    rises, falls = known & np.broadcast_to(gain.lo >= 0, count), known & np.broadcast_to(gain.hi <= 0, count)
    by_name = {}
    for i, name in enumerate(names):
        of_axis = owner == i
        by_name[name] = 1 if rises[of_axis].all() else -1 if falls[of_axis].all() else 0
    return by_name


def _of_name(e: n.Name, moves: Sequence[tuple[str, tuple[float, float, float]]]) -> DifferenceGain:
    of_name = np.array([name == e.name for name, _ in moves], np.bool_)
    if not isinstance(e.type, n.BoolType | n.IntegerType | n.RealType):
        return DifferenceGain(np.where(of_name, -np.inf, 0.0), np.where(of_name, np.inf, 0.0))
    least, most = (np.array([step for _, step in moves]).reshape(-1, 3).T[k] for k in (2, 1))
    lows = np.array([step[0] for _, step in moves])
    return DifferenceGain(np.where(of_name, least, 0.0), np.where(of_name, most - lows, 0.0))


def _clean(gain: DifferenceGain, value: Bounds) -> DifferenceGain:
    """No gain is more than the values differ; what is not known may be anything. What does not move gains nothing."""
    still = (gain.lo == 0) & (gain.hi == 0)
    most = value.hi - value.lo
    lo = np.where(np.isnan(gain.lo), -np.inf, gain.lo)
    hi = np.where(np.isnan(gain.hi), np.inf, gain.hi)
    return DifferenceGain(np.where(still, 0.0, np.maximum(lo, -most)), np.where(still, 0.0, np.minimum(hi, most)))


def _gain(e: n.Expr, gains: Mapping[int, DifferenceGain], values: Mapping[int, Bounds]) -> DifferenceGain:
    parts = [gains[id(child)] for child in e.children]
    bounds = [values[id(child)] for child in e.children]
    match e:
        case n.Constant():
            return NONE
        case n.Unary():
            return DifferenceGain(-parts[0].hi, -parts[0].lo)
        case n.Binary(op="+"):
            return _sum(e, parts[0], parts[1])
        case n.Binary(op="-"):
            return _sum(e, parts[0], DifferenceGain(-parts[1].hi, -parts[1].lo))
        case n.Binary(op="*"):
            return _sum(e, _times(parts[0], bounds[1]), _times(parts[1], bounds[0]))
        case n.Binary(op="/" | "//") | n.Call(function="ceildiv"):
            return _quotient(e, parts, bounds)
        case n.Logical() | n.Call(function="min" | "max"):
            return DifferenceGain(reduce(np.minimum, [p.lo for p in parts]), reduce(np.maximum, [p.hi for p in parts]))
        case n.Compare(ops=(op,)) if op in ("<", "<=", ">", ">="):
            first, second = parts if op in (">", ">=") else parts[::-1]
            return _only_signs(DifferenceGain(first.lo - second.hi, first.hi - second.lo))
        case n.If():
            chosen, then, otherwise = parts
            hull = DifferenceGain(np.minimum(then.lo, otherwise.lo), np.maximum(then.hi, otherwise.hi))
            return _where_still([chosen], hull)
        case n.Call(function=function) if function in RISING:
            return _only_signs(parts[0])
    return _where_still(parts, NONE)


def _sum(e: n.Expr, a: DifferenceGain, b: DifferenceGain) -> DifferenceGain:
    lo, hi = a.lo + b.lo, a.hi + b.hi
    if isinstance(e.type, n.IntegerType):
        return DifferenceGain(lo, hi)
    against = ((a.lo < 0) & (b.hi > 0)) | ((b.lo < 0) & (a.hi > 0))
    return DifferenceGain(np.where(against, -np.inf, lo), np.where(against, np.inf, hi))


def _times(gain: DifferenceGain, value: Bounds) -> DifferenceGain:
    """A gain times any of the values; nothing times anything is nothing."""
    corners = [np.where((g == 0) | (v == 0), 0.0, g * v) for g in gain for v in (value.lo, value.hi)]
    return DifferenceGain(reduce(np.minimum, corners), reduce(np.maximum, corners))


def _quotient(e: n.Expr, parts: Sequence[DifferenceGain], bounds: Sequence[Bounds]) -> DifferenceGain:
    """a'/b' - a/b = (a' - a)/b' - a (b' - b)/(b b'), of positive b; then rounded."""
    a, b = bounds
    positive = b.lo > 0
    least, most = np.where(positive, 1 / b.hi, -np.inf), np.where(positive, 1 / b.lo, np.inf)
    inverse = Bounds(least, most, b.flags)
    twice = Bounds(least * least, most * most, b.flags)
    falls = _times(_times(DifferenceGain(-parts[1].hi, -parts[1].lo), a), twice)
    gain = _sum(e, _times(parts[0], inverse), falls)
    if isinstance(e.type, n.IntegerType):
        gain = DifferenceGain(np.floor(gain.lo), np.ceil(gain.hi))
    still = (parts[0].lo == 0) & (parts[0].hi == 0) & (parts[1].lo == 0) & (parts[1].hi == 0)
    lo = np.where(positive, gain.lo, np.where(still, 0.0, -np.inf))
    return DifferenceGain(lo, np.where(positive, gain.hi, np.where(still, 0.0, np.inf)))


def _only_signs(gain: DifferenceGain) -> DifferenceGain:
    """Of what keeps the order: how much it gains is not known, only in which direction."""
    return DifferenceGain(np.where(gain.lo >= 0, 0.0, -np.inf), np.where(gain.hi <= 0, 0.0, np.inf))


def _where_still(parts: Sequence[DifferenceGain], then: DifferenceGain) -> DifferenceGain:
    """`then` where no part gains, else anything."""
    still = reduce(np.logical_and, [(p.lo == 0) & (p.hi == 0) for p in parts])
    return DifferenceGain(np.where(still, then.lo, -np.inf), np.where(still, then.hi, np.inf))
