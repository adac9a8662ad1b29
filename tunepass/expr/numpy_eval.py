"""The reference reader: an expression over NumPy columns, one status per element (see numpy_ops)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import ExpressionError, Span
from tunepass.expr import nodes
from tunepass.expr import numpy_ops as ops
from tunepass.expr.numpy_ops import OK, OVERFLOW, UNDEFINED, Array, Result, Status
from tunepass.expr.python_eval import OVERFLOW_MESSAGE
from tunepass.expr.typing import item_type

Columns = Mapping[str, NDArray[np.generic]]
_COMPARE = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


@dataclass(frozen=True, slots=True)
class Evaluated:
    """values (n,) by the expression's type; where `defined` (n,) is false the value means nothing."""

    values: Array
    defined: NDArray[np.bool_]


def evaluate(e: nodes.Expr, columns: Columns, n: int) -> Evaluated:
    """`e` at the n configurations in `columns`. Raises ExpressionError, with a span, where an integer overflows."""
    return _evaluated(_Evaluator(columns, n), e, strict=True)


def evaluate_all(expressions: Sequence[nodes.Expr], columns: Columns, n: int) -> list[Evaluated]:
    """Each as by `evaluate`; what they share is evaluated once."""
    reader = _Evaluator(columns, n)
    return [_evaluated(reader, e, strict=True) for e in expressions]


def evaluate_within(e: nodes.Expr, columns: Columns, n: int) -> Evaluated:
    """The same where an integer that overflows is only undefined: for expressions that no user wrote."""
    return _evaluated(_Evaluator(columns, n), e, strict=False)


def _evaluated(reader: _Evaluator, e: nodes.Expr, *, strict: bool) -> Evaluated:
    n = reader.n
    values, status = reader.read(e)
    if strict and status is not None and (status == OVERFLOW).any():
        raise ExpressionError(OVERFLOW_MESSAGE, reader.culprit(e))
    defined = np.ones(n, bool) if status is None else np.broadcast_to(status == OK, n).copy()
    return Evaluated(np.broadcast_to(values, n).copy() if np.shape(values) != (n,) else values, defined)


def satisfied(e: nodes.Expr, columns: Columns, n: int) -> NDArray[np.bool_]:
    """Mask of the rows in which the Boolean `e` is defined and true."""
    evaluated = evaluate(e, columns, n)
    return evaluated.values.astype(bool) & evaluated.defined


def apply(e: nodes.Expr, operands: Sequence[Result]) -> Result:
    """The node `e` alone, given its children's results, which broadcast. For readers that keep their own values."""
    reader = _Evaluator({}, 1)
    reader.known = {id(child): operand for child, operand in zip(e.children, operands)}
    with np.errstate(all="ignore"):
        return reader._node(e)


def dtype_of(kind: nodes.Type) -> type[np.generic]:
    return (
        np.bool_ if isinstance(kind, nodes.BoolType) else np.float64 if isinstance(kind, nodes.RealType) else np.int64
    )


def remap(source: nodes.CategoryType, target: nodes.CategoryType) -> NDArray[np.int64]:
    """(len(source.values),): each value's code in `target`, -1 if it has none."""
    codes = {value: code for code, value in enumerate(target.values)}
    return np.array([codes.get(value, -1) for value in source.values], np.int64)


def columns_of(e: nodes.Name, columns: Columns, n: int) -> Array:
    """The column of a name, checked: (n,), or (n, k) for an order of k items."""
    if e.name not in columns:
        raise ExpressionError(f"no column for `{e.name}`", e.span)
    column = np.asarray(columns[e.name])
    shape = (n, len(e.type.items)) if isinstance(e.type, nodes.OrderType) else (n,)
    if column.shape != shape:
        raise ExpressionError(f"the column of `{e.name}` must have shape {shape}, got {column.shape}", e.span)
    return column.astype(dtype_of(e.type), copy=False)


class _Evaluator:
    def __init__(self, columns: Columns, n: int):
        self.columns, self.n = columns, n
        self.known: dict[int, Result] = {}

    def read(self, e: nodes.Expr) -> Result:
        with np.errstate(all="ignore"):
            for node in nodes.walk(e, known=self.known):
                self.known[id(node)] = self._node(node)
        return self.known[id(e)]

    def culprit(self, e: nodes.Expr) -> Span | None:
        """The place of the innermost node of `e` that overflows at the first element where `e` does, or what is next
        around it that has one."""
        row = int(np.argmax(np.broadcast_to(self._status(e) == OVERFLOW, self.n)))
        span = e.span
        while True:
            inner = [c for c in e.children if np.broadcast_to(self._status(c), self.n)[row] == OVERFLOW]
            if not inner:
                return span
            e = inner[0]
            span = e.span or span

    def _status(self, e: nodes.Expr) -> NDArray[np.uint8]:
        status = self.known[id(e)][1]
        return np.zeros((), np.uint8) if status is None else status

    def _as(self, e: nodes.Expr, kind: nodes.Type) -> Array:
        """The values of `e` converted: Bool to Integer to Real, or between categories."""
        values = self.known[id(e)][0]
        if isinstance(e.type, nodes.CategoryType) and isinstance(kind, nodes.CategoryType):
            return values if e.type == kind else remap(e.type, kind)[np.maximum(values, 0).astype(np.int64)]
        return values if e.type == kind else values.astype(dtype_of(kind))

    def _node(self, e: nodes.Expr) -> Result:
        match e:
            case nodes.Constant():
                return self._constant(e)
            case nodes.Name():
                return self._name(e)
            case nodes.Unary():
                return self._unary(e)
            case nodes.Binary():
                return self._binary(e)
            case nodes.Compare():
                return self._compare(e)
            case nodes.Logical():
                return self._logical(e)
            case nodes.Member():
                return self._member(e)
            case nodes.If():
                return self._if(e)
            case nodes.Index():
                return self._index(e)
            case nodes.Call(function="pos"):
                return self._pos(e)
            case nodes.Call():
                return self._call(e)
        raise AssertionError(type(e))

    def _constant(self, e: nodes.Constant) -> Result:
        if isinstance(e.type, nodes.CategoryType):
            return np.asarray(e.type.values.index(str(e.value)), np.int64), None
        return np.asarray(e.value, dtype_of(e.type)), None

    def _name(self, e: nodes.Name) -> Result:
        column = columns_of(e, self.columns, self.n)
        return column, ops.flag(np.isnan(column), UNDEFINED) if isinstance(e.type, nodes.RealType) else None

    def _unary(self, e: nodes.Unary) -> Result:
        status = self.known[id(e.operand)][1]
        if e.op == "not":
            return np.logical_not(self.known[id(e.operand)][0]), status
        table = ops.UNARY_REAL if isinstance(e.type, nodes.RealType) else ops.UNARY_INTEGER
        values, new_status = table[e.op](self._as(e.operand, e.type))
        return values, ops.first(status, new_status)

    def _two(self, op: str, kind: nodes.Type, a: Array, b: Array) -> Result:
        table = ops.BINARY_REAL if isinstance(kind, nodes.RealType) else ops.BINARY_INTEGER
        return table[op](a, b)

    def _binary(self, e: nodes.Binary) -> Result:
        values, new_status = self._two(e.op, e.type, self._as(e.left, e.type), self._as(e.right, e.type))
        return values, ops.first(self.known[id(e.left)][1], self.known[id(e.right)][1], new_status)

    def _call(self, e: nodes.Call) -> Result:
        statuses = [self.known[id(a)][1] for a in e.arguments]
        integral = all(not isinstance(a.type, nodes.RealType) for a in e.arguments) and not isinstance(
            e.type, nodes.RealType
        )
        kind = nodes.INTEGER if integral else nodes.REAL
        values = self._as(e.arguments[0], kind)
        if len(e.arguments) == 1 and e.function not in ("min", "max"):
            table = ops.UNARY_INTEGER if integral else ops.UNARY_REAL
            values, new_status = table[e.function](values)
            return values, ops.first(*statuses, new_status)
        for argument in e.arguments[1:]:
            values, new_status = self._two(e.function, kind, values, self._as(argument, kind))
            statuses.append(new_status)
        return values, ops.first(*statuses)

    def _equal(self, op: str, left: nodes.Expr, right: nodes.Expr) -> Array:
        if isinstance(left.type, nodes.CategoryType):
            return np.asarray(_COMPARE[op](self._as(left, left.type), self._as(right, left.type)))
        kind = (
            nodes.REAL
            if isinstance(left.type, nodes.RealType) or isinstance(right.type, nodes.RealType)
            else nodes.INTEGER
        )
        return np.asarray(_COMPARE[op](self._as(left, kind), self._as(right, kind)))

    def _compare(self, e: nodes.Compare) -> Result:
        steps: list[Result] = []
        for i, op in enumerate(e.ops):
            left, right = e.operands[i], e.operands[i + 1]
            before = self.known[id(left)][1] if i == 0 else None  # later operands are known good by then
            steps.append((self._equal(op, left, right), ops.first(before, self.known[id(right)][1])))
        return self._settle(False, steps)

    def _logical(self, e: nodes.Logical) -> Result:
        return self._settle(e.op == "or", [self.known[id(x)] for x in e.operands])

    def _settle(self, stop: bool, steps: list[Result]) -> Result:
        """Left to right until a step is `stop` or not OK: and (stop at False), or (stop at True)."""
        values, status = steps[0]
        for after, its_status in steps[1:]:
            open_ = values != stop  # a status that is not OK closes it too, below
            if its_status is not None:
                its_status = np.where(open_, its_status, np.uint8(OK))
            values, status = np.where(open_, after, stop), ops.first(status, its_status)
        return values, status

    def _member(self, e: nodes.Member) -> Result:
        equal: Array = np.zeros((), bool)
        for choice in e.choices:
            equal = equal | self._equal("==", e.item, choice)
        return equal, ops.first(*(self.known[id(x)][1] for x in e.children))

    def _if(self, e: nodes.If) -> Result:
        condition, status = self.known[id(e.condition)]
        values = np.where(condition, self._as(e.then, e.type), self._as(e.otherwise, e.type))
        then, otherwise = self.known[id(e.then)][1], self.known[id(e.otherwise)][1]
        branch_status: Status = None
        if then is not None or otherwise is not None:
            ok = np.zeros((), np.uint8)
            branch_status = np.where(condition, ok if then is None else then, ok if otherwise is None else otherwise)
        return values, ops.first(status, branch_status)

    def _index(self, e: nodes.Index) -> Result:
        assert isinstance(e.order.type, nodes.OrderType)
        table = self.known[id(e.order)][0]
        position, size = self._as(e.index, nodes.INTEGER).astype(np.int64), len(e.order.type.items)
        outside = (position < 0) | (position >= size)
        codes = table[np.arange(self.n), np.where(outside, 0, position)].astype(np.int64)
        values = np.asarray(e.order.type.items)[codes] if isinstance(e.type, nodes.IntegerType) else codes
        return values, ops.first(self.known[id(e.index)][1], ops.flag(outside, UNDEFINED))

    def _pos(self, e: nodes.Call) -> Result:
        order, item = e.arguments
        assert isinstance(order.type, nodes.OrderType)
        codes, kind = self.known[id(order)][0], item_type(order.type)
        items = np.asarray(order.type.items)[codes.astype(np.int64)] if isinstance(kind, nodes.IntegerType) else codes
        matches = items == np.atleast_1d(self._as(item, kind))[:, None]
        status = ops.first(self.known[id(item)][1], ops.flag(~matches.any(axis=1), UNDEFINED))
        return np.argmax(matches, axis=1).astype(np.int64), status
