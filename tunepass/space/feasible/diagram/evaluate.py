"""Values and ranges of terms at many partial assignments at once.

Rows are partial assignments (n, 1), values of the variable being bound (1, d), their pairs (n, d). Arithmetic that can
overflow or be undefined goes through the reference reader and carries a status; terms proved safe are plain NumPy.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import ExpressionError
from tunepass.expr import nodes
from tunepass.expr.numpy_eval import apply
from tunepass.expr.numpy_ops import OK, OVERFLOW, UNDEFINED, Result, first, flag
from tunepass.space.feasible.diagram.terms import Term, Terms
from tunepass.space.feasible.ranges import bounds as ranges
from tunepass.space.feasible.ranges.bounds import EXACT, Ends, TermRange

Values = NDArray[np.generic]
Known = dict[Term, Result]
_FAST: dict[str, Callable[[Values, Values], Values]] = {
    "//": np.floor_divide,
    "%": np.remainder,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "min": np.minimum,
    "max": np.maximum,
}


class TermEvaluator:
    """Evaluates terms given the `known` ones: the frontier (all bound in `before`) and the variable being bound."""

    def __init__(self, terms: Terms, known: Known, before: int, bound: int):
        self.terms, self.known, self.before, self.bound = terms, known, before, bound
        self._ranges: dict[Term, TermRange] = {}

    def value(self, t: Term) -> Result:
        result = self.known.get(t)
        if result is None:
            result = self._value(t)
            self.known[t] = result
        return result

    def satisfied(self, t: Term, where: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask of rows in which `t` is defined and true. An overflow in `where` raises ExpressionError with a span."""
        values, status = self.value(t)
        if status is None:
            return values.astype(bool, copy=False)
        if ((status == OVERFLOW) & where).any():
            raise ExpressionError("this integer overflows 64 bits", t.expr.span if t.expr is not None else None)
        return np.asarray(values.astype(bool) & (status == OK))

    def _value(self, t: Term) -> Result:
        if t.kind == "constant":
            assert t.expr is not None
            return apply(t.expr, ())
        if t.nary:
            return self._nary(t)
        parts = [self.value(c) for c in t.children]
        if t.kind == "select":
            return _select(parts)
        if t.kind == "locate":
            return _locate(t, parts)
        e = t.expr
        assert e is not None, t.kind
        if (
            t.safe
            and len(parts) == 2
            and not any(isinstance(c.type, nodes.CategoryType | nodes.RealType) for c in t.children)
        ):
            fast = _FAST.get(e.ops[0] if isinstance(e, nodes.Compare) else str(e.label))
            if fast is not None:
                return fast(_whole(parts[0][0]), _whole(parts[1][0])), None
        return apply(e, parts)

    def _nary(self, t: Term) -> Result:
        """The bound part, known from earlier layers, combined with the other children."""
        bound = self.before if t.mask & ~self.before else 0
        part, part_sign, rest = self.terms.split(t, bound)
        total: Values | None = None
        for sign, c in rest if part is None else ((part_sign, part), *rest):
            values = self.value(c)[0]
            if t.kind in ("sum", "product"):
                values = _whole(values)
            total = _combined(t.kind, total, values, sign)
        assert total is not None
        return total, None

    def range(self, t: Term) -> TermRange:
        """Bounds of a term over every completion, row by row."""
        if not t.mask & self.bound:
            return t.range
        bounds = self._ranges.get(t)
        if bounds is None:
            bounds = self._range(t)
            self._ranges[t] = bounds
        return bounds

    def _range(self, t: Term) -> TermRange:
        if t.kind == "place":
            return self._place_range(t)
        if not t.mask & ~self.bound:
            return self._exact(t)
        if t.nary:
            part, sign, rest = self.terms.split(t, self.bound)
            signed = rest if part is None else ((sign, part), *rest)
            bounds = [self.range(c) for _, c in signed]
            if t.kind == "sum":
                return ranges.add(bounds, [s for s, _ in signed])
            return {"product": ranges.multiply, "all": ranges.every, "any": ranges.some}[t.kind](bounds)
        if t.expr is None or t.kind in ("select", "locate"):
            return ranges.unknown(t.type)
        return ranges.apply(t.expr, [self.range(c) for c in t.children])

    def _exact(self, t: Term) -> TermRange:
        if isinstance(t.type, nodes.CategoryType) or (
            not isinstance(t.type, nodes.BoolType) and ranges.reach(t.range) > EXACT
        ):
            return ranges.unknown(t.type)
        values, status = self.value(t)
        return ranges.of_values(np.asarray(values, dtype=np.float64), status is not None)

    def _place_range(self, t: Term) -> TermRange:
        """An item still to be placed goes behind the positions already bound."""
        if t not in self.known:
            return t.range
        position = np.asarray(self.known[t][0], dtype=np.float64)
        bound = float(bin(t.mask & self.bound).count("1"))
        lo: Ends = np.where(position >= 0, position, bound)
        return TermRange(lo, np.where(position >= 0, position, t.range.hi), False)


def _whole(values: Values) -> Values:
    return values.astype(np.int64) if values.dtype == np.bool_ else values


def _combined(kind: str, total: Values | None, values: Values, sign: int) -> Values:
    if kind == "sum":
        if total is None:
            return values if sign > 0 else np.negative(values)
        return np.add(total, values) if sign > 0 else np.subtract(total, values)
    if total is None:
        return values
    if kind == "product":
        return np.multiply(total, values)
    return np.logical_and(total, values) if kind == "all" else np.logical_or(total, values)


def _select(parts: list[Result]) -> Result:
    """`order[index]` from the index and the values at every position."""
    (at, status), places = parts[0], parts[1:]
    at = _whole(at)
    values: Values = np.zeros((), np.int64)
    for i, (value, _) in enumerate(places):
        values = np.where(at == i, value, values)
    outside = np.less(at, 0) | np.greater_equal(at, len(places))
    return values, first(status, flag(outside, UNDEFINED))


def _locate(t: Term, parts: list[Result]) -> Result:
    """`pos(order, item)` from the item and the place of every item."""
    e = t.expr
    assert isinstance(e, nodes.Call)
    order, item = e.arguments[0].type, e.arguments[1].type
    assert isinstance(order, nodes.OrderType)
    (target, status), places = parts[0], parts[1:]
    values: Values = np.zeros((), np.int64)
    located = np.zeros((), bool)
    for code, (place, _) in enumerate(places):
        name = order.items[code]
        if isinstance(item, nodes.CategoryType) and name not in item.values:
            continue
        matches = _whole(target) == (item.values.index(str(name)) if isinstance(item, nodes.CategoryType) else name)
        values, located = np.where(matches, place, values), located | matches
    return values, first(status, flag(np.logical_not(located), UNDEFINED))
