"""Typed trees to straight-line code for the virtual machine (native/src/vm_ops.h lists its operations).

Every value is the number of an instruction; equal instructions share one number, so common subexpressions vanish.
Statuses are ordinary values (0 fine, 1 undefined, 2 overflow), computed only where intervals over the domains cannot
prove an operation safe; laziness is arithmetic on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tunepass.expr import nodes as n
from tunepass.expr import python_eval
from tunepass.expr.domain import Domain
from tunepass.expr.interval.bounds import MAY_BE_UNDEFINED, NO_FLAGS, Bounds
from tunepass.expr.interval.extension import name_bounds, node_bounds, operation_bounds
from tunepass.expr.numpy_eval import remap
from tunepass.expr.vm.code import Emitter, Value

Lowered = tuple[Value, Value | None]  # the value, and its status unless that is 0 everywhere

SMALL = 2**51  # below it the machine converts and divides in doubles, exactly
INTEGER_OPS = {"+": "add", "-": "sub", "*": "mul", "**": "pow", "<<": "shl", ">>": "shr"}
DIVISIONS = {"//": "floordiv", "%": "mod", "ceildiv": "ceildiv"}
REAL_OPS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "**": "pow", **DIVISIONS, "min": "min", "max": "max"}
COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "lt", ">=": "le"}


class Lowering(Emitter):
    """Expressions to instructions. `exact` has bounds that are tighter than those of intervals, by their nodes."""

    def __init__(self, domains: Mapping[str, Domain], exact: Mapping[int, Bounds] | None = None):
        super().__init__()
        self.domains, self.exact = domains, exact or {}
        self.inputs: dict[str, n.Name] = {}  # the columns read, in order
        self.bounds: dict[int, Bounds] = {}
        self.lowered: dict[int, Lowered] = {}

    def lower(self, e: n.Expr) -> Lowered:
        with np.errstate(all="ignore"):
            for node in n.walk(e):
                if id(node) not in self.lowered:
                    bounds = self.exact.get(id(node)) or self._bounds(node)
                    self.bounds[id(node)] = bounds
                    value, status = self._node(node, bounds)
                    self.lowered[id(node)] = value, status if bounds.flags else None
        return self.lowered[id(e)]

    def _bounds(self, e: n.Expr) -> Bounds:
        return name_bounds(e, self.domains.get(e.name)) if isinstance(e, n.Name) else node_bounds(e, self.bounds)

    def first(self, *statuses: Value | None) -> Value | None:
        """The first status that is not 0, in the order of evaluation."""
        result: Value | None = None
        for status in statuses:
            if status is not None:
                result = status if result is None or result == status else self.emit("or_else", result, status)
        return result

    def input(self, e: n.Name) -> int:
        """The number of the input column of a name."""
        if e.name not in self.inputs:
            self.inputs[e.name] = e
        return list(self.inputs).index(e.name)

    def _node(self, e: n.Expr, bounds: Bounds) -> Lowered:
        if bounds.flags == 0 and bounds.lo == bounds.hi and not isinstance(e.type, (n.RealType, n.OrderType)):
            return self.constant(int(bounds.lo)), None
        return HANDLERS[type(e)](self, e, int(bounds.flags))

    def _constant(self, e: n.Constant, flags: int) -> Lowered:
        assert isinstance(e.value, (bool, int, float))  # a string's code is a point
        return self.constant(e.value), None

    def _name(self, e: n.Name, flags: int) -> Lowered:
        number = self.input(e)
        if isinstance(e.type, n.OrderType):
            return number, None
        value = self.emit("bool_column" if isinstance(e.type, n.BoolType) else "input", number)
        return value, self.emit("nan_check", value) if flags else None

    def _as(self, e: n.Expr, kind: n.Type) -> Value:
        """The value of `e` as a Real where `kind` is one; a Bool is an Integer already."""
        value = self.lowered[id(e)][0]
        if not isinstance(kind, n.RealType) or isinstance(e.type, n.RealType):
            return value
        if value in self.known:
            return self.constant(float(self.known[value]))
        return self.emit("small_real" if self._small(e) else "real", value)

    def _small(self, e: n.Expr) -> bool:
        bounds = self.bounds[id(e)]
        return bool(bounds.lo > -SMALL and bounds.hi < SMALL)

    def _status(self, e: n.Expr) -> Value | None:
        return self.lowered[id(e)][1]

    def _folded(self, e: n.Expr) -> Value | None:
        """A real operation on constants, done now."""
        values = [self.known.get(self.lowered[id(x)][0]) for x in e.children]
        if not isinstance(e.type, n.RealType) or any(v is None for v in values):
            return None
        if any(self._status(x) is not None for x in e.children):
            return None
        try:
            return self.constant(float(python_eval.strict(e, [v for v in values if v is not None])))
        except (python_eval.UndefinedValue, python_eval.OverflowValue):
            return None

    def _unary(self, e: n.Unary, flags: int) -> Lowered:
        if e.op == "not":
            return self.emit("not", self.lowered[id(e.operand)][0]), self._status(e.operand)
        return self._one("-", e, e.operand, flags)

    def _binary(self, e: n.Binary, flags: int) -> Lowered:
        folded = self._folded(e)
        if folded is not None:
            return folded, None
        real = isinstance(e.type, n.RealType)
        return self._real(e.op, e, flags) if real else self._integer(e.op, e, e.left, e.right, flags)

    def _call(self, e: n.Call, flags: int) -> Lowered:
        if e.function == "pos":
            return self._pos(e)
        folded = self._folded(e)
        if folded is not None:
            return folded, None
        if e.function in ("min", "max"):
            values = [self._as(x, e.type) for x in e.arguments]
            op, result = e.function + ("_real" if isinstance(e.type, n.RealType) else ""), values[0]
            for value in values[1:]:
                result = self.emit(op, result, value)
            return result, self.first(*(self._status(x) for x in e.arguments))
        if len(e.arguments) == 1:
            return self._one(e.function, e, e.arguments[0], flags)
        if isinstance(e.type, n.RealType):
            return self._real(e.function, e, flags)
        return self._integer(e.function, e, e.arguments[0], e.arguments[1], flags)

    def _one(self, op: str, e: n.Expr, operand: n.Expr, flags: int) -> Lowered:
        kind = n.REAL if isinstance(e.type, n.RealType) or isinstance(operand.type, n.RealType) else n.INTEGER
        value, status = self._as(operand, kind), self._status(operand)
        new_flags = flags and self._new_flags(op, e, operand)
        if kind == n.INTEGER:
            if op in ("floor", "ceil", "round"):
                return value, status
            result = self.emit({"-": "neg"}.get(op, op), value)
            return result, self.first(status, self.emit("neg_check", value) if new_flags else None)
        result = self.emit({"-": "neg"}.get(op, op) + "_real", value)
        check = {"sqrt": "below_zero_check", "log": "positive_check", "log2": "positive_check"}.get(op, "range_check")
        return result, self.first(status, self.emit(check, value) if new_flags else None)

    def _new_flags(self, op: str, e: n.Expr, *operands: n.Expr) -> int:
        """What may go wrong in the operation itself, its operands being fine."""
        fine = [Bounds(self.bounds[id(x)].lo, self.bounds[id(x)].hi, NO_FLAGS) for x in operands]
        return int(operation_bounds(e, op, fine).flags)

    def _real(self, op: str, e: n.Expr, flags: int) -> Lowered:
        left, right = e.children
        a, b = self._as(left, n.REAL), self._as(right, n.REAL)
        result = self.emit(REAL_OPS[op] + "_real", a, b)
        check = None
        if flags and self._new_flags(op, e, left, right):
            if op == "**":
                check = self.emit("power_check", a, b, result)
            else:
                divides = op in ("/", "//", "%", "ceildiv")
                check = self.emit("divisor_check", b, result) if divides else self.emit("nan_check", result)
        return result, self.first(self._status(left), self._status(right), check)

    def _integer(self, op: str, e: n.Expr, left: n.Expr, right: n.Expr, flags: int) -> Lowered:
        a, b = self.lowered[id(left)][0], self.lowered[id(right)][0]
        new_flags = flags and self._new_flags(op, e, left, right)
        check = self._check(op, a, b, new_flags) if new_flags else None
        result = self._quick(op, a, b, left, right) if not new_flags or op in DIVISIONS else None
        if result is None:
            result = self.emit(INTEGER_OPS.get(op) or DIVISIONS.get(op, op), a, b)
        return result, self.first(self._status(left), self._status(right), check)

    def _check(self, op: str, a: Value, b: Value, new_flags: int) -> Value:
        if op == "%" or (op in DIVISIONS and new_flags == MAY_BE_UNDEFINED):
            return self.emit("zero_check", b)
        if op == ">>":
            return self.emit("negative_check", b)
        return self.emit("div_check" if op in DIVISIONS else INTEGER_OPS.get(op, op) + "_check", a, b)

    def _quick(self, op: str, a: Value, b: Value, left: n.Expr, right: n.Expr) -> Value | None:
        """A cheaper way to the same integer: shifts, products, or division in doubles."""
        second = self.known.get(b)
        if op in DIVISIONS:
            if isinstance(second, int) and second > 0 and second & (second - 1) == 0 and op != "ceildiv":
                bits = int(second).bit_length() - 1
                return self.emit("shr_by" if op == "//" else "low_bits", a, bits)
            return self.emit(f"small_{DIVISIONS[op]}", a, b) if self._small(left) and self._small(right) else None
        if op == "**":
            if isinstance(second, int) and 1 <= second <= 4:
                square = self.emit("mul", a, a) if second > 1 else a
                return self.emit("mul", square, a if second == 3 else square) if second > 2 else square
            if self.known.get(a) == 2:
                return self.emit("shl", self.constant(1), b)
        return None

    def _compare(self, e: n.Compare, flags: int) -> Lowered:
        steps: list[Lowered] = []
        for i, op in enumerate(e.ops):
            left, right = e.operands[i], e.operands[i + 1]
            before = self._status(left) if i == 0 else None
            steps.append((self._comparison(op, left, right), self.first(before, self._status(right))))
        return self._settle(False, steps)

    def _comparison(self, op: str, left: n.Expr, right: n.Expr) -> Value:
        if isinstance(left.type, n.CategoryType):
            a, b, suffix = self.lowered[id(left)][0], self._coded(right, left.type), ""
        else:
            real = isinstance(left.type, n.RealType) or isinstance(right.type, n.RealType)
            kind: n.Type = n.REAL if real else n.INTEGER
            a, b, suffix = self._as(left, kind), self._as(right, kind), "_real" if real else ""
        if op in (">", ">="):
            a, b = b, a
        return self.emit(COMPARISONS[op] + suffix, a, b)

    def _coded(self, e: n.Expr, target: n.Type) -> Value:
        """The code of a string in another Category, -1 if it has none there."""
        value = self.lowered[id(e)][0]
        if e.type == target or not isinstance(e.type, n.CategoryType) or not isinstance(target, n.CategoryType):
            return value
        return self._lookup(value, remap(e.type, target).tolist())

    def _lookup(self, value: Value, table: list[int]) -> Value:
        start = len(self.tables)
        self.tables += table
        return self.emit("lookup", value, start, len(table))

    def _settle(self, stop: bool, steps: list[Lowered]) -> Lowered:
        """Left to right until a step is `stop`: the statuses of later steps count only where it is still open."""
        value, status = steps[0]
        for after, its_status in steps[1:]:
            if its_status is not None:
                status = self.first(status, self.emit("if_false" if stop else "if_true", value, its_status))
            value = self.emit("or" if stop else "and", value, after)
        return value, status

    def _logical(self, e: n.Logical, flags: int) -> Lowered:
        stop = e.op == "or"
        neutral = int(not stop)
        bounded = [(x, self.bounds[id(x)]) for x in e.operands]
        steps = [self.lowered[id(x)] for x, b in bounded if not b.lo == b.hi == neutral or b.flags]
        return self._settle(stop, steps)

    def _member(self, e: n.Member, flags: int) -> Lowered:
        equal = [self._comparison("==", e.item, choice) for choice in e.choices]
        value = equal[0]
        for other in equal[1:]:
            value = self.emit("or", value, other)
        return value, self.first(*(self._status(x) for x in e.children))

    def _if(self, e: n.If, flags: int) -> Lowered:
        condition, status = self.lowered[id(e.condition)]
        kind = e.type
        branches = [
            self._coded(x, kind) if isinstance(kind, n.CategoryType) else self._as(x, kind)
            for x in (e.then, e.otherwise)
        ]
        value = self.emit("select", condition, branches[0], branches[1])
        then, otherwise = self._status(e.then), self._status(e.otherwise)
        selected: Value | None = None
        if then is not None and otherwise is not None:
            selected = self.emit("select", condition, then, otherwise)
        elif then is not None:
            selected = self.emit("if_true", condition, then)
        elif otherwise is not None:
            selected = self.emit("if_false", condition, otherwise)
        return value, self.first(status, selected)

    def _index(self, e: n.Index, flags: int) -> Lowered:
        assert isinstance(e.order.type, n.OrderType)
        column, items = self.lowered[id(e.order)][0], e.order.type.items
        index, status = self.lowered[id(e.index)]
        bounds = self.bounds[id(e.index)]
        if bounds.lo < 0 or bounds.hi >= len(items):
            status = self.first(status, self.emit("outside_check", index, len(items)))
        position = self.known.get(index)
        if position is not None and 0 <= position < len(items):
            value = self.emit("order_column", column, int(position), len(items))
        else:
            value = self.emit("order_at", index, column, len(items))
        if isinstance(e.type, n.IntegerType) and items != tuple(range(len(items))):
            value = self._lookup(value, [int(i) for i in items])
        return value, status

    def _pos(self, e: n.Call) -> Lowered:
        order, item = e.arguments
        assert isinstance(order.type, n.OrderType)
        items, column = order.type.items, self.lowered[id(order)][0]
        code, status = self.lowered[id(item)]
        if isinstance(item.type, n.CategoryType):
            code = self._coded(item, n.CategoryType(tuple(str(i) for i in items)))
        elif items != tuple(range(len(items))):
            target, code = code, self.constant(-1)
            for i, known in enumerate(items):
                code = self.emit("select", self.emit("eq", target, self.constant(int(known))), self.constant(i), code)
        value = self.emit("order_find", code, column, len(items))
        if not isinstance(item, n.Constant):
            status = self.first(status, self.emit("negative_check", value))
        return value, status


HANDLERS: dict[type[n.Expr], Callable[[Lowering, Any, int], Lowered]] = {
    n.Constant: Lowering._constant,
    n.Name: Lowering._name,
    n.Unary: Lowering._unary,
    n.Binary: Lowering._binary,
    n.Call: Lowering._call,
    n.Compare: Lowering._compare,
    n.Logical: Lowering._logical,
    n.Member: Lowering._member,
    n.If: Lowering._if,
    n.Index: Lowering._index,
}
