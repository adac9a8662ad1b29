"""The natural interval extension of expressions: their bounds over boxes of configurations, many boxes at once.

Sound: every value that is defined lies within the bounds. Integers below 2**52 are bounded as tightly as the rules of
their operations allow; beyond, bounds grow by some units in the last place. Names are taken as independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunepass.expr import nodes as n
from tunepass.expr.domain import Domain, ends, number
from tunepass.expr.interval.bounds import MAY_BE_UNDEFINED, NO_FLAGS, Bounds, enclosing, flagged, joined
from tunepass.expr.interval.integer_rules import INTEGER_RULES
from tunepass.expr.interval.real_rules import REAL_RULES
from tunepass.expr.numpy_eval import remap

Known = Mapping[int, Bounds]  # by the identity of a node
Columns = Mapping[str, NDArray[np.generic]]
UNDEFINED = np.array(MAY_BE_UNDEFINED, np.uint8)


class IntervalExtension:
    """The bounds of several expressions, whose common parts are bounded once."""

    def __init__(self, expressions: Sequence[n.Expr]):
        self.expressions = tuple(expressions)
        nodes = {id(node): node for node in n.walk(*self.expressions)}
        self._fixed: dict[int, Bounds] = {}  # what depends on no name
        self._nodes: list[n.Expr] = []
        with np.errstate(all="ignore"):
            for key, node in nodes.items():
                if not isinstance(node, n.Name) and all(id(x) in self._fixed for x in node.children):
                    self._fixed[key] = node_bounds(node, self._fixed)
                else:
                    self._nodes.append(node)

    def bounds(self, lo: Columns, hi: Columns, count: int) -> list[Bounds]:
        """In `count` boxes; `lo` and `hi` hold a column (count,) for every name but orders, strings as codes."""
        known = dict(self._fixed)
        with np.errstate(all="ignore"):
            for node in self._nodes:
                if not isinstance(node, n.Name):
                    known[id(node)] = node_bounds(node, known)
                elif node.name in lo:
                    known[id(node)] = given_bounds(node.type, lo[node.name], hi[node.name])
                else:
                    known[id(node)] = name_bounds(node, None)
        return [
            Bounds(np.broadcast_to(b.lo, count), np.broadcast_to(b.hi, count), np.broadcast_to(b.flags, count))
            for b in (known[id(e)] for e in self.expressions)
        ]


def name_bounds(e: n.Name, domain: Domain | None) -> Bounds:
    """Bounds, of shape (), of a name with this domain; without one it may be anything of its type."""
    given = given_bounds(e.type, *ends(domain, e.type))
    return Bounds(given.lo, given.hi, UNDEFINED) if domain is None and isinstance(e.type, n.RealType) else given


def node_bounds(e: n.Expr, known: Known) -> Bounds:
    """The bounds of one node that is no name, from those of its children. Floating-point errors are to be ignored."""
    match e:
        case n.Constant():
            value = number(e.value, e.type)
            return given_bounds(e.type, value, value)
        case n.Unary(op="not"):
            operand = known[id(e.operand)]
            return Bounds(1 - operand.hi, 1 - operand.lo, operand.flags)
        case n.Unary() | n.Binary():
            return operation_bounds(e, e.op, [known[id(x)] for x in e.children])
        case n.Call(function="pos"):
            return _position(e, known)
        case n.Call():
            return operation_bounds(e, e.function, [known[id(x)] for x in e.children])
        case n.Logical():
            return _left_to_right(e.op == "or", [known[id(x)] for x in e.operands])
        case n.Compare():
            pairs = zip(e.ops, e.operands, e.operands[1:])
            return _left_to_right(False, [_comparison(op, a, b, known) for op, a, b in pairs])
        case n.Member():
            equal = [_comparison("==", e.item, choice, known) for choice in e.choices]
            lo, hi = reduce(np.maximum, [x.lo for x in equal]), reduce(np.maximum, [x.hi for x in equal])
            return Bounds(lo, hi, joined([known[id(x)] for x in e.children]))
        case n.If():
            return _if(e, known)
        case n.Index():
            return _item(e, known)
    raise AssertionError(type(e))


def operation_bounds(e: n.Expr, op: str, operands: Sequence[Bounds]) -> Bounds:
    """Bounds of unary minus, arithmetic, or a function but `pos`."""
    flags = joined(operands)
    if op in ("min", "max"):
        pick = np.minimum if op == "min" else np.maximum
        return Bounds(reduce(pick, [x.lo for x in operands]), reduce(pick, [x.hi for x in operands]), flags)
    rules = REAL_RULES if any(isinstance(x.type, n.RealType) for x in (e, *e.children)) else INTEGER_RULES
    return rules[op, len(operands)](operands, flags)


def given_bounds(kind: n.Type, lo: ArrayLike, hi: ArrayLike) -> Bounds:
    """Bounds of values of a type whose ends are given, not computed."""
    if isinstance(kind, n.RealType):
        return Bounds(np.asarray(lo, np.float64), np.asarray(hi, np.float64), NO_FLAGS)
    return enclosing(lo, hi)


def _coded(e: n.Expr, kind: n.Type, known: Known) -> Bounds:
    """Bounds of the codes that the values of `e` have in another Category, over all rows; other types as they are."""
    known_codes = known[id(e)]
    if (
        not isinstance(e.type, n.CategoryType)
        or not isinstance(kind, n.CategoryType)
        or e.type == kind
        or not known_codes.lo.size
    ):
        return known_codes
    codes = remap(e.type, kind)[int(known_codes.lo.min()) : int(known_codes.hi.max()) + 1]
    return Bounds(codes.min().astype(np.float64), codes.max().astype(np.float64), known_codes.flags)


def _comparison(op: str, left: n.Expr, right: n.Expr, known: Known) -> Bounds:
    a, b = known[id(left)], _coded(right, left.type, known)
    flags = joined([a, b])
    if op in ("==", "!="):
        equal = (a.lo == a.hi) & (b.lo == b.hi) & (a.lo == b.lo)
        differ = (a.hi < b.lo) | (b.hi < a.lo)
        lo, hi = (equal, ~differ) if op == "==" else (differ, ~equal)
    else:
        if op in (">", ">="):
            a, b = b, a
        lo, hi = (a.hi < b.lo, a.lo < b.hi) if op in ("<", ">") else (a.hi <= b.lo, a.lo <= b.hi)
    return Bounds(lo.astype(np.float64), hi.astype(np.float64), flags)


def _left_to_right(stop: bool, steps: Sequence[Bounds]) -> Bounds:
    """Steps are read until one is `stop`: the flags of later ones count only where that is still open."""
    pick = np.maximum if stop else np.minimum
    if joined(steps) is NO_FLAGS:
        return Bounds(reduce(pick, [x.lo for x in steps]), reduce(pick, [x.hi for x in steps]), NO_FLAGS)
    so_far = steps[0]
    for after in steps[1:]:
        closed = so_far.lo == 1 if stop else so_far.hi == 0
        flags = np.where(closed, so_far.flags, so_far.flags | after.flags).astype(np.uint8)
        so_far = Bounds(pick(so_far.lo, after.lo), pick(so_far.hi, after.hi), flags)
    return so_far


def _if(e: n.If, known: Known) -> Bounds:
    condition, then, otherwise = (
        known[id(e.condition)],
        _coded(e.then, e.type, known),
        _coded(e.otherwise, e.type, known),
    )
    yes, no = condition.lo == 1, condition.hi == 0
    lo = np.where(yes, then.lo, np.where(no, otherwise.lo, np.minimum(then.lo, otherwise.lo)))
    hi = np.where(yes, then.hi, np.where(no, otherwise.hi, np.maximum(then.hi, otherwise.hi)))
    if joined([condition, then, otherwise]) is NO_FLAGS:
        return Bounds(lo, hi, NO_FLAGS)
    branch_flags = np.where(yes, then.flags, np.where(no, otherwise.flags, then.flags | otherwise.flags))
    return Bounds(lo, hi, (condition.flags | branch_flags).astype(np.uint8))


def _item(e: n.Index, known: Known) -> Bounds:
    assert isinstance(e.order.type, n.OrderType)
    items, position = e.order.type.items, known[id(e.index)]
    codes = [int(i) for i in items] if isinstance(e.type, n.IntegerType) else range(len(items))
    outside = (position.lo < 0) | (position.hi >= len(items))
    given = enclosing(min(codes), max(codes))
    return Bounds(given.lo, given.hi, position.flags | flagged(outside, MAY_BE_UNDEFINED))


def _position(e: n.Call, known: Known) -> Bounds:
    order, item = e.arguments
    assert isinstance(order.type, n.OrderType)
    given, flags = enclosing(0, len(order.type.items) - 1), known[id(item)].flags
    return Bounds(given.lo, given.hi, flags if isinstance(item, n.Constant) else flags | UNDEFINED)
