"""Bounds of an expression over many boxes at once, by NumPy: what a search over boxes needs.

box     (n,) lower and (n,) upper ends a name
bounds  (n,) lower and (n,) upper ends; -inf and inf where nothing is known

Every value of the expression within a box lies within its bounds, up to SLACK relative: the operations are done in
doubles without outward rounding (`interval.bounds` rounds outward, one box at a time). Names are taken as independent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import ExpressionError
from tunepass.expr.nodes import (
    Binary,
    Bool,
    Call,
    Compare,
    Constant,
    Expr,
    If,
    Integer,
    Logical,
    Member,
    Name,
    Unary,
    walk,
)

SLACK = 1e-9
Floats = NDArray[np.float64]
Ends = tuple[Floats, Floats]


def bounds(expressions: Sequence[Expr], box: Mapping[str, Ends]) -> list[Ends]:
    """Lower and upper ends of each expression, (n,) each; shared parts are worked out once."""
    n = len(next(iter(box.values()))[0]) if box else 1
    known: dict[int, Ends] = {}
    with np.errstate(all="ignore"):
        for e in expressions:
            for node in walk(e):
                if id(node) not in known:
                    known[id(node)] = _settled(_node(node, known, box))
    return [(np.broadcast_to(lo, n), np.broadcast_to(hi, n)) for lo, hi in (known[id(e)] for e in expressions)]


def _settled(ends: Ends) -> Ends:
    lo, hi = ends
    return np.where(np.isnan(lo), -np.inf, lo), np.where(np.isnan(hi), np.inf, hi)


def _node(node: Expr, known: Mapping[int, Ends], box: Mapping[str, Ends]) -> Ends:
    parts = [known[id(child)] for child in node.children]
    match node:
        case Constant() if isinstance(node.value, (bool, int, float)):
            value = np.float64(node.value)
            return np.asarray(value), np.asarray(value)
        case Name() if node.name in box:
            lo, hi = box[node.name]
            return np.asarray(lo, dtype=np.float64), np.asarray(hi, dtype=np.float64)
        case Unary(op="-"):
            return -parts[0][1], -parts[0][0]
        case Unary(op="not"):
            return 1 - parts[0][1], 1 - parts[0][0]
        case Binary() if node.op in _BINARY:
            return _BINARY[node.op](parts[0], parts[1])
        case Compare():
            return _all([_compare(op, a, b) for op, a, b in zip(node.ops, parts, parts[1:])])
        case Logical():
            return _all(parts) if node.op == "and" else _any(parts)
        case Member():
            return _any([_compare("==", parts[0], choice) for choice in parts[1:]])
        case If():
            return _choice(*parts)
        case Call() if node.function in _FUNCTIONS:
            return _FUNCTIONS[node.function](*parts)
        case _:
            if isinstance(node.type, (Integer, Bool)) or not node.children:
                raise ExpressionError("this expression has no bounds over boxes", node.span)
            return np.asarray(-np.inf), np.asarray(np.inf)


def _corners(op: Callable[[Floats, Floats], Floats], a: Ends, b: Ends) -> Ends:
    found = [op(x, y) for x in a for y in b]
    lo, hi = found[0], found[0]
    for other in found[1:]:
        lo, hi = np.minimum(lo, other), np.maximum(hi, other)
    return lo, hi


def _multiply(a: Ends, b: Ends) -> Ends:
    return _corners(lambda x, y: np.where((x == 0) | (y == 0), 0.0, x * y), a, b)


def _divide(a: Ends, b: Ends) -> Ends:
    lo, hi = _corners(lambda x, y: x / y, a, b)
    crosses = (b[0] <= 0) & (b[1] >= 0)
    return np.where(crosses, -np.inf, lo), np.where(crosses, np.inf, hi)


def _floor_divide(a: Ends, b: Ends) -> Ends:
    return _floor(_divide(a, b))


def _ceil_divide(a: Ends, b: Ends) -> Ends:
    return _ceil(_divide(a, b))


def _modulo(a: Ends, b: Ends) -> Ends:
    """The sign of the divisor; `a` itself where it is smaller."""
    positive = b[0] > 0
    whole = positive & (a[0] >= 0) & (a[1] < b[0])
    exact = positive & (a[0] == a[1]) & (b[0] == b[1])
    value = np.mod(a[0], np.where(exact, b[0], 1.0))
    lo = np.where(exact, value, np.where(whole, a[0], np.where(positive, 0.0, -np.inf)))
    hi = np.where(exact, value, np.where(whole, a[1], np.where(positive, b[1], np.inf)))
    return lo, hi


def _power(a: Ends, b: Ends) -> Ends:
    lo, hi = _corners(np.power, a, b)
    plain = a[0] > 0
    return np.where(plain, lo, -np.inf), np.where(plain, hi, np.inf)


def _ceil(a: Ends) -> Ends:
    return np.ceil(a[0] - _slack(a[0])), np.ceil(a[1] + _slack(a[1]) * (a[1] != np.ceil(a[1])))


def _floor(a: Ends) -> Ends:
    return np.floor(a[0] - _slack(a[0]) * (a[0] != np.floor(a[0]))), np.floor(a[1] + _slack(a[1]))


def _round(a: Ends) -> Ends:
    return np.round(a[0] - _slack(a[0])), np.round(a[1] + _slack(a[1]))


def _slack(x: Floats) -> Floats:
    return np.asarray(SLACK * np.maximum(1.0, np.abs(np.where(np.isfinite(x), x, 0.0))))


def _absolute(a: Ends) -> Ends:
    lo = np.where((a[0] <= 0) & (a[1] >= 0), 0.0, np.minimum(np.abs(a[0]), np.abs(a[1])))
    return lo, np.maximum(np.abs(a[0]), np.abs(a[1]))


def _rising(op: Callable[[Floats], Floats]) -> Callable[[Ends], Ends]:
    return lambda a: (op(a[0]), op(a[1]))


def _least(*parts: Ends) -> Ends:
    lo, hi = parts[0]
    for other in parts[1:]:
        lo, hi = np.minimum(lo, other[0]), np.minimum(hi, other[1])
    return lo, hi


def _most(*parts: Ends) -> Ends:
    lo, hi = parts[0]
    for other in parts[1:]:
        lo, hi = np.maximum(lo, other[0]), np.maximum(hi, other[1])
    return lo, hi


def _lcm(a: Ends, b: Ends) -> Ends:
    lo, hi = np.maximum(a[0], b[0]), a[1] * b[1]
    fixed = (a[0] == a[1]) & (b[0] == b[1]) & (a[0] >= 1) & (b[0] >= 1) & (hi < 2**53)
    x, y = np.where(fixed, a[0], 1).astype(np.int64), np.where(fixed, b[0], 1).astype(np.int64)
    value = np.lcm(x, y).astype(np.float64)
    return np.where(fixed, value, lo), np.where(fixed, value, hi)


def _gcd(a: Ends, b: Ends) -> Ends:
    return np.minimum(1.0, np.minimum(a[0], b[0])), np.maximum(np.abs(a[1]), np.abs(b[1]))


def _compare(op: str, a: Ends, b: Ends) -> Ends:
    """(1, 1) surely, (0, 0) surely not, (0, 1) unknown."""
    if op in (">", ">="):
        return _compare({">": "<", ">=": "<="}[op], b, a)
    if op == "<":
        sure, possible = a[1] < b[0], a[0] < b[1]
    elif op == "<=":
        sure, possible = a[1] <= b[0], a[0] <= b[1]
    else:
        sure = (a[0] == a[1]) & (b[0] == b[1]) & (a[0] == b[0])
        possible = (a[0] <= b[1]) & (b[0] <= a[1])
        if op == "!=":
            sure, possible = ~possible, ~sure
    return sure.astype(np.float64), possible.astype(np.float64)


def _all(parts: Sequence[Ends]) -> Ends:
    return _least(*parts)


def _any(parts: Sequence[Ends]) -> Ends:
    return _most(*parts)


def _choice(condition: Ends, then: Ends, otherwise: Ends) -> Ends:
    yes, no = condition[0] >= 1, condition[1] <= 0
    lo = np.where(yes, then[0], np.where(no, otherwise[0], np.minimum(then[0], otherwise[0])))
    hi = np.where(yes, then[1], np.where(no, otherwise[1], np.maximum(then[1], otherwise[1])))
    return lo, hi


_BINARY: dict[str, Callable[[Ends, Ends], Ends]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _multiply, "/": _divide, "//": _floor_divide, "%": _modulo, "**": _power,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Ends]] = {
    "min": _least, "max": _most, "abs": _absolute, "ceil": _ceil, "floor": _floor, "round": _round,
    "sqrt": _rising(np.sqrt), "exp": _rising(np.exp), "log": _rising(np.log), "log2": _rising(np.log2),
    "ceildiv": _ceil_divide, "lcm": _lcm, "gcd": _gcd,
    "ispow2": lambda a: (np.zeros_like(a[0]), np.ones_like(a[0])),
}  # fmt: skip
