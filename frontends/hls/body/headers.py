"""Headers of loops: where the index starts, its step, how many iterations there are."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.constants.literals import arithmetic
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    For,
    ForEach,
    Index,
    Items,
    Name,
    Step,
    Unary,
    While,
)
from tunepass.frontends.cfamily.syntax.walk import assigned, nodes
from tunepass.frontends.hls.body.calls import Calls
from tunepass.frontends.hls.body.linear import Linear
from tunepass.frontends.hls.body.trips import mean_of, most_of
from tunepass.frontends.hls.body.values import Place, ScalarName, Value
from tunepass.ir.hardware import INT

SIMULATED = 1 << 16  # iterations of a loop whose index is multiplied or shifted
GUESS = 16  # iterations of a loop of which nothing is known
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!=", "==": "=="}


@dataclass(frozen=True, slots=True)
class Shape:
    """`index` starts at `start` and moves by `step` each iteration, where both are known. `count` iterations by the
    loops around where that is affine; `trip` in the mean."""

    index: str | None
    start: Value | None
    step: int | None
    trip: Expr
    most: Expr
    count: Linear | None = None
    assumed: str | None = None


@dataclass(slots=True)
class Headers(Calls, ABC):
    def shape_of(self, loop: For | While | ForEach) -> Shape:
        """The begin of a `for` has been read already."""
        if isinstance(loop, ForEach):
            place = self.place(loop.array)
            dims = self.arrays[place.array].dims if isinstance(place, Place) else []
            extent = dims[0] if dims and dims[0] is not None else algebra.lift(GUESS)
            return Shape(None, None, None, extent, extent, Linear(extent))
        condition, advance = loop.condition, loop.advance if isinstance(loop, For) else None
        counted = self._counted_down(condition)
        if counted is not None:
            return counted
        index = self._index(condition, advance, loop)
        start = self._start(index)
        step, factor = self._advance(index, advance, loop)
        if index is None or condition is None:
            return self._unknown(loop, index, start, step)
        if step is None and factor is not None:
            return self._simulated(loop, index, start, condition, factor) or self._unknown(loop, index, start, None)
        bounds = self._bounds(condition, index)
        counts = [c for op, bound in bounds if (c := self._count(start, bound, op, step)) is not None]
        if not counts:
            return self._unknown(loop, index, start, step, [bound for _, bound in bounds])
        trips = [mean_of(c, self.loops) for c in counts]
        mosts = [most_of(c, self.loops) for c in counts]
        count = counts[0] if len(counts) == 1 else None
        return Shape(index, start, step, algebra.minimum(*trips), algebra.minimum(*mosts), count)

    # --- the index ------------------------------------------------------------------------------------------------

    def _index(self, condition: Expression | None, advance: Expression | None, loop: For | While) -> str | None:
        moved = assigned(advance) if advance is not None else assigned(loop.body)
        named = [n.text for n in nodes(condition) if isinstance(n, Name)]
        found = [name for name in named if name in moved and isinstance(self.lookup(name), ScalarName)]
        if found:
            return found[0]
        return next((n for n in sorted(moved) if isinstance(self.lookup(n), ScalarName)), None) if advance else None

    def _start(self, index: str | None) -> Value | None:
        binding = self.lookup(index) if index else None
        if not isinstance(binding, ScalarName):
            return None
        return self.held.get(binding.array) or Value(binding.element, moves=frozenset(x.name for x in self.loops))

    def _advance(
        self, index: str | None, advance: Expression | None, loop: For | While
    ) -> tuple[int | None, tuple[str, int] | None]:
        """What each iteration adds, or (operator, number) of what it does else."""
        if index is None:
            return None, None
        if advance is None:
            return self.change(index, loop.body), None
        parts = advance.parts if isinstance(advance, Items) else (advance,)
        part = next((p for p in parts if index in assigned(p)), None)
        step = self._step_of(index, part)
        if step is not None:
            return step, None
        match part:
            case Assign(op=op, value=by) if op in ("*=", "/=", "<<=", ">>="):
                number = self._number(by)
                return None, (op[:-1], number) if number is not None else None
            case Assign(op="=", value=Binary(op=op, left=left, right=by)) if _named(left) == index:
                number = self._number(by)
                return None, (op, number) if number is not None else None
        return None, None

    def _step_of(self, index: str, e: Expression | None) -> int | None:
        match e:
            case Step(op=op, target=target) if _named(target) == index:
                return 1 if op.text == "++" else -1
            case Assign(op="+=" | "-=" as op, target=target, value=by) if _named(target) == index:
                number = self._number(by)
                return None if number is None else number if op == "+=" else -number
            case Assign(op="=", target=target, value=Binary(op="+" | "-" as op, left=left, right=by)):
                if _named(target) == index == _named(left):
                    number = self._number(by)
                    return None if number is None else number if op == "+" else -number
                if op == "+" and _named(target) == index == _named(by):
                    return self._number(left)
        return None

    def change(self, name: str, body: object) -> int | None:
        """What statements add to a scalar each time, where they do nothing else with it, and always."""
        statements = getattr(body, "statements", None)
        parts = statements if statements is not None else (body,) if body is not None else ()
        total, found = 0, False
        for part in parts:
            if name not in assigned(part):
                continue
            step = self._step_of(name, getattr(part, "expression", None))
            if step is None or found:
                return None
            total, found = step, True
        return total if found else None

    def _number(self, e: Expression) -> int | None:
        value = self.constant(e)
        number = None if value is None else algebra.number(value)
        return number if isinstance(number, int) else None

    # --- the count ------------------------------------------------------------------------------------------------

    def _bounds(self, condition: Expression, index: str) -> list[tuple[str, Value]]:
        """Each `index OP bound` that has to hold."""
        match condition:
            case Binary(op="&&", left=left, right=right):
                return [*self._bounds(left, index), *self._bounds(right, index)]
            case Binary(op=op, left=left, right=right) if op in FLIPPED:
                if _named(left) == index:
                    return [(op, v) for v in self._limits(right)]
                if _named(right) == index:
                    return [(FLIPPED[op], v) for v in self._limits(left)]
                offset = self._offset(left, index)
                if offset is not None:
                    values = self._limits(right)
                    return [
                        (op, Value(INT, linear=v.linear.minus(offset)) if v.linear is not None else v) for v in values
                    ]
            case Name() if condition.text == index:
                return [("!=", Value(INT, linear=Linear(algebra.lift(0))))]
            case Cast(operand=operand):
                return self._bounds(operand, index)
        return []

    def _offset(self, e: Expression, index: str) -> Linear | None:
        """`k` of `index + k`."""
        match e:
            case Binary(op="+" | "-" as op, left=left, right=right) if _named(left) == index:
                with self.probe():
                    value = self.value(right)
                if value.linear is None:
                    return None
                return value.linear if op == "+" else value.linear.scaled(-1)
            case Cast(operand=operand):
                return self._offset(operand, index)
        return None

    def _limits(self, e: Expression) -> list[Value]:
        """The values of a bound; of `min(a, b)` and of `c ? a : b`, both."""
        match e:
            case Cast(operand=operand):
                return self._limits(operand)
            case Conditional(then=then, other=other):
                return [*self._limits(then), *self._limits(other)]
            case Call(function=Name(text=text), arguments=(a, b)) if text.partition("<")[0].endswith("min"):
                return [*self._limits(a), *self._limits(b)]
        with self.probe():
            value = self.value(e)
        if value.linear is not None or value.real is not None:
            return [value]
        return [Value(value.element, moves=value.moves)]

    def _count(self, start: Value | None, bound: Value, op: str, step: int | None) -> Linear | None:
        if start is None or start.linear is None or not step:
            return None
        limit = bound.linear
        if limit is None and bound.real is not None and math.isfinite(bound.real):
            nearest = math.ceil if op in ("<", ">=") else math.floor  # whole number with the same comparisons
            limit = Linear(algebra.lift(nearest(bound.real)))
        if limit is None:
            return None
        span = limit.minus(start.linear) if step > 0 else start.linear.minus(limit)
        if op in ("<=", ">="):
            span = span.plus(Linear(algebra.lift(1)))
        away = (op in ("<", "<=") and step < 0) or (op in (">", ">=") and step > 0)
        if away or op == "==":
            return None
        return _divided(span, abs(step))

    def _counted_down(self, condition: Expression | None) -> Shape | None:
        """`while (i--)`, `for (i = 8; --i;)`."""
        match condition:
            case Step(op=op, target=Name(text=name)) if op.text == "--":
                pass
            case Binary(op="!=" | ">", left=Step(op=op, target=Name(text=name)), right=right) if (
                op.text == "--" and self._number(right) == 0
            ):
                pass
            case _:
                return None
        assert isinstance(condition, (Step, Binary))
        first = condition if isinstance(condition, Step) else condition.left
        before = isinstance(first, Step) and _is_prefix(first)
        start = self._start(name)
        if start is None or start.linear is None:
            return None
        count = start.linear.plus(Linear(algebra.lift(-1))) if before else start.linear
        first_value = Value(start.element, linear=start.linear.plus(Linear(algebra.lift(-1))))
        return Shape(name, first_value, -1, mean_of(count, self.loops), most_of(count, self.loops), count)

    def _simulated(
        self, loop: For | While, index: str, start: Value | None, condition: Expression, factor: tuple[str, int]
    ) -> Shape | None:
        """A loop whose index is multiplied, divided or shifted, and whose bounds are numbers."""
        bounds = self._bounds(condition, index)
        if start is None or not isinstance(start.number, int) or len(bounds) != 1:
            return None
        op, bound = bounds[0]
        limit = bound.number
        if limit is None:
            return None
        value, times = start.number, 0
        while times < SIMULATED and arithmetic(op, value, int(limit)):
            changed = arithmetic(factor[0], value, factor[1])
            if changed is None or changed == value:
                return None
            value, times = changed, times + 1
        return Shape(index, None, None, algebra.lift(times), algebra.lift(times), Linear(algebra.lift(times)))

    # --- what is not known ----------------------------------------------------------------------------------------

    def _unknown(
        self, loop: For | While, index: str | None, start: Value | None, step: int | None, bounds: Sequence[Value] = ()
    ) -> Shape:
        """A guess: as far as the arrays go that the index is a subscript of, else a number."""
        extent = self._extent(loop, index)
        if extent is None:
            trip: Expr = algebra.lift(GUESS)
            why = f"the number of iterations is not known; taken as {GUESS}"
            return Shape(index, start, step, trip, trip, None, why)
        name, whole = extent
        rows = bool(start is not None and start.linear is None and bounds)
        outer = [x.trip for x in self.loops if start is not None and x.name in start.moves] if rows else []
        trip = whole
        if outer:
            trip = algebra.maximum(algebra.div(trip, algebra.mul(*outer)), 1)
        why = f"the number of iterations depends on data; taken as what `{name}` has elements"
        why += " for each of the loops around" if outer else ""
        return Shape(index, start, step, trip, whole, None, why)

    def _extent(self, loop: For | While, index: str | None) -> tuple[str, Expr] | None:
        found: list[tuple[str, Expr]] = []
        for node in nodes(loop.body):
            if isinstance(node, Index) and index is not None and _shifted_name(node.subscript) == index:
                depth, base = 0, node.base
                while isinstance(base, (Index, Unary)):
                    depth, base = depth + 1, base.base if isinstance(base, Index) else base.operand
                place = self.lookup(base.text) if isinstance(base, Name) else None
                if isinstance(place, Place) and place.shift is None:
                    dims = self.arrays[place.array].dims[len(place.subscripts) :]
                    if depth < len(dims) and dims[depth] is not None:
                        found.append((place.array, dims[depth]))  # type: ignore[arg-type]
        return min(found, key=lambda pair: float(algebra.number(pair[1]) or 1e18), default=None)


def _named(e: Expression) -> str:
    while isinstance(e, Cast):
        e = e.operand
    return e.text if isinstance(e, Name) else ""


def _shifted_name(e: Expression) -> str:
    while isinstance(e, (Cast, Binary)):
        e = e.operand if isinstance(e, Cast) else e.left if e.op in ("+", "-") else e.right
        if isinstance(e, Binary) and e.op not in ("+", "-"):
            return ""
    return e.text if isinstance(e, Name) else ""


def _is_prefix(e: Step) -> bool:
    return isinstance(e.target, Name) and e.op.start < e.target.token.start


def _divided(span: Linear, step: int) -> Linear:
    """The span in steps, the last one whole."""
    if step == 1:
        return span
    if not span.terms:
        return Linear(algebra.ceildiv(span.offset, step))
    exact = span.divided(step)
    if exact is not None:
        return exact
    part = span.scaled(1 / step)
    return Linear(algebra.add(part.offset, (step - 1) / (2 * step)), part.terms)
