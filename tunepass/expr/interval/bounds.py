"""Bounds of an expression over a box of configurations, one domain a name. Names are taken as independent.

Sound: every value that is defined lies within the bounds. A subexpression of one name with few values is enumerated, so
its bounds are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tunepass.expr import numpy_eval
from tunepass.expr.domain import Domain, Range, extent, number
from tunepass.expr.interval import operations as ops
from tunepass.expr.interval.operations import MAY_BE_UNDEFINED, MAY_OVERFLOW, Cell, Number
from tunepass.expr.nodes import (
    Binary,
    Call,
    Category,
    Compare,
    Constant,
    Expr,
    If,
    Index,
    Integer,
    Logical,
    Member,
    Name,
    Order,
    Real,
    Type,
    Unary,
    walk,
)

ENUMERATED = 256  # most values of a domain that is enumerated
Box = Mapping[str, Domain]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Every defined value is in [lo, hi]: 0 and 1 for Booleans, codes for strings. Overflow is a bound of 64 bits."""

    lo: Number
    hi: Number
    may_be_undefined: bool
    may_overflow: bool


def bounds(e: Expr, box: Box, *, enumerate_small: bool = True) -> Bounds:
    """Bounds of `e` over the box. A name without a domain may be anything of its type."""
    lo, hi, flags = cells(e, box, enumerate_small=enumerate_small)[id(e)]
    return Bounds(lo, hi, bool(flags & MAY_BE_UNDEFINED), bool(flags & MAY_OVERFLOW))


def decide(e: Expr, box: Box, *, enumerate_small: bool = True) -> bool | None:
    """True: satisfied all over the box. False: nowhere. None: not known."""
    lo, hi, flags = cells(e, box, enumerate_small=enumerate_small)[id(e)]
    if hi == 0:
        return False
    return True if lo == 1 and flags == 0 else None


def cells(e: Expr, box: Box, *, enumerate_small: bool = False) -> dict[int, Cell]:
    """(lo, hi, flags) of every node of `e` by its identity; see interval_ops."""
    nodes = list(walk(e))
    known: dict[int, Cell] = _enumerated(nodes, box) if enumerate_small else {}
    for node in nodes:
        if id(node) not in known:
            known[id(node)] = cell(node, known, box)
    return known


def cell(e: Expr, known: Mapping[int, Cell], box: Box) -> Cell:
    """The cell of one node, given those of its children by identity."""
    match e:
        case Constant():
            value = number(e.value, e.type)
            return value, value, 0
        case Name():
            flags = MAY_BE_UNDEFINED if isinstance(e.type, Real) and e.name not in box else 0
            return *extent(box.get(e.name), e.type), flags
        case Unary(op="not"):
            lo, hi, flags = known[id(e.operand)]
            return 1 - hi, 1 - lo, flags
        case Unary() | Binary():
            return _strict(e, e.op, known)
        case Call(function="pos"):
            return _pos(e, known)
        case Call():
            return _strict(e, e.function, known)
        case Logical():
            return _settle(e.op == "or", [known[id(x)] for x in e.operands])
        case Compare():
            return _settle(False, _comparisons(e, known))
        case Member():
            return _member(e, known)
        case If():
            return _if(e, known)
        case Index():
            return _index(e, known)
    raise AssertionError(type(e))


def _as(e: Expr, kind: Type, known: Mapping[int, Cell]) -> Cell:
    lo, hi, flags = known[id(e)]
    if isinstance(kind, Real):
        return float(lo), float(hi), flags
    if isinstance(e.type, Category) and isinstance(kind, Category) and e.type != kind:
        codes = numpy_eval.remap(e.type, kind)[int(lo) : int(hi) + 1].tolist()
        return min(codes), max(codes), flags
    return lo, hi, flags


def _strict(e: Expr, op: str, known: Mapping[int, Cell]) -> Cell:
    real = any(isinstance(x.type, Real) for x in (e, *e.children))
    kind = Real() if real else Integer()
    operands = [_as(x, kind, known) for x in e.children]
    flags = 0
    for operand in operands:
        flags |= operand[2]
    if len(operands) == 1 and op not in ("min", "max"):
        lo, hi, own = (ops.UNARY_REAL if real else ops.UNARY_INTEGER)[op](operands[0])
        return lo, hi, flags | own
    table = ops.BINARY_REAL if real else ops.BINARY_INTEGER
    found = operands[0]
    for operand in operands[1:]:
        found = table[op](found, operand)
        flags |= found[2]
    return found[0], found[1], flags


def _comparisons(e: Compare, known: Mapping[int, Cell]) -> list[Cell]:
    return [_comparison(op, e.operands[i], e.operands[i + 1], known) for i, op in enumerate(e.ops)]


def _comparison(op: str, left: Expr, right: Expr, known: Mapping[int, Cell]) -> Cell:
    kind: Type = Real() if isinstance(left.type, Real) or isinstance(right.type, Real) else Integer()
    if isinstance(left.type, Category):
        kind = left.type
    (a, b, f), (c, d, g) = _as(left, kind, known), _as(right, kind, known)
    flags = f | g
    if op in ("==", "!="):
        equal, differ = int(a == b == c == d), int(b < c or d < a)
        return (equal, 1 - differ, flags) if op == "==" else (differ, 1 - equal, flags)
    if op in (">", ">="):
        a, b, c, d = c, d, a, b
    if op in ("<", ">"):
        return int(b < c), int(a < d), flags
    return int(b <= c), int(a <= d), flags


def _settle(stop: bool, steps: list[Cell]) -> Cell:
    """Left to right: later steps count only where the earlier ones may be left open."""
    lo, hi, flags = steps[0]
    for after_lo, after_hi, after_flags in steps[1:]:
        if lo == 1 if stop else hi == 0:
            break
        lo, hi = (max(lo, after_lo), max(hi, after_hi)) if stop else (min(lo, after_lo), min(hi, after_hi))
        flags |= after_flags
    return lo, hi, flags


def _member(e: Member, known: Mapping[int, Cell]) -> Cell:
    found = [_comparison("==", e.item, choice, known) for choice in e.choices]
    flags = 0
    for child in e.children:
        flags |= known[id(child)][2]
    return max(f[0] for f in found), max(f[1] for f in found), flags


def _if(e: If, known: Mapping[int, Cell]) -> Cell:
    lo, hi, flags = known[id(e.condition)]
    then, otherwise = _as(e.then, e.type, known), _as(e.otherwise, e.type, known)
    if lo == 1:
        return then[0], then[1], flags | then[2]
    if hi == 0:
        return otherwise[0], otherwise[1], flags | otherwise[2]
    return min(then[0], otherwise[0]), max(then[1], otherwise[1]), flags | then[2] | otherwise[2]


def _index(e: Index, known: Mapping[int, Cell]) -> Cell:
    assert isinstance(e.order.type, Order)
    items, (lo, hi, flags) = e.order.type.items, known[id(e.index)]
    if lo < 0 or hi >= len(items):
        flags |= MAY_BE_UNDEFINED
    if isinstance(e.type, Integer):
        numbers = [int(i) for i in items]
        return min(numbers), max(numbers), flags
    return 0, len(items) - 1, flags


def _pos(e: Call, known: Mapping[int, Cell]) -> Cell:
    order, item = e.arguments
    assert isinstance(order.type, Order)
    flags = known[id(item)][2]
    if not isinstance(item, Constant):
        flags |= MAY_BE_UNDEFINED
    return 0, len(order.type.items) - 1, flags


def _enumerated(nodes: list[Expr], box: Box) -> dict[int, Cell]:
    """Exact cells of the subexpressions of one name whose domain lists few values."""
    names: dict[int, str | None] = {}  # the one name below a node; "" for none, None for several or one not listed
    small: dict[str, list[int | float]] = {}
    kinds: dict[str, Type] = {}
    for node in nodes:
        found: set[str | None] = {names[id(child)] for child in node.children} - {""}
        if isinstance(node, Name):
            domain = box.get(node.name)
            if domain is None or isinstance(domain, Range) or isinstance(node.type, Order) or len(domain) > ENUMERATED:
                found = {None}
            elif len(domain):
                found = {node.name}
                small[node.name] = [number(v, node.type) for v in domain]
                kinds[node.name] = node.type
        names[id(node)] = "" if not found else found.pop() if len(found) == 1 else None
    known: dict[int, Cell] = {}
    for name, values in small.items():
        column = np.array(values, numpy_eval.dtype_of(kinds[name]))
        own = [n for n in nodes if names[id(n)] == name and not isinstance(n, Name)]
        for found_id, (lo, hi, flags) in numpy_eval.extremes(own, {name: column}, len(values)).items():
            inexact = isinstance(lo, float) and not float(lo).is_integer()
            known[found_id] = ops.outward(lo, hi, flags, ops.LIBM_ULPS) if inexact else (lo, hi, flags)
    return known
