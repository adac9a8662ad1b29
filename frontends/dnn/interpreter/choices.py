"""What a parameter decides: statements under a condition, and the one value or the other."""

from __future__ import annotations

import ast
from abc import ABC
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.calls import Calls
from tunepass.frontends.dnn.interpreter.machine import Jumped, Machine, PartlyReturned, Returned
from tunepass.frontends.dnn.interpreter.presence import presence
from tunepass.frontends.dnn.interpreter.values import (
    AlternativesValue,
    ConditionalValue,
    FilledValue,
    PyScope,
    PyValue,
    TensorValue,
    Unknown,
    is_key,
)
from tunepass.graphs.conditions import both, either, negated


class Choices(Machine, ABC):
    """The part of the interpreter that follows what conditions on parameters decide."""

    calls: Calls

    @contextmanager
    def under(self, condition: Expr) -> Iterator[None]:
        """What is followed inside is there under the condition."""
        with self.building.when(condition):
            self.calls.conditions.append(condition)
            try:
                yield
            finally:
                self.calls.conditions.pop()

    @contextmanager
    def unconditioned(self) -> Iterator[None]:
        conditions, self.calls.conditions = self.calls.conditions, []
        with self.building.always():
            try:
                yield
            finally:
                self.calls.conditions = conditions

    def branch(self, test: Expr, node: ast.If, scope: PyScope) -> None:
        """An `if` on a parameter: both sides are followed, and names are what the condition chooses. PartlyReturned
        where one side returns, Returned where both do."""
        before = dict(scope.names)
        then = self._returns(test, node.body, scope)
        taken, scope.names = scope.names, dict(before)
        other = self._returns(negated(test), node.orelse, scope)
        if isinstance(then, Returned) and isinstance(other, Returned):
            raise Returned(self.chosen(test, then.value, other.value, node))
        if isinstance(then, Returned):
            taken = before
        elif isinstance(other, Returned):
            scope.names = taken
        scope.names = self.merged(test, taken, scope.names, before, node) if other is None is then else scope.names
        parts = [
            PartlyReturned(side if isinstance(value, Returned) else algebra.both(side, value.condition), value.value)
            for side, value in ((test, then), (negated(test), other))
            if value is not None
        ]
        if parts:
            raise parts[0] if len(parts) == 1 else self._joined(parts[0], parts[1], node)

    def _returns(self, condition: Expr, body: Sequence[ast.stmt], scope: PyScope) -> Returned | PartlyReturned | None:
        """Follows one side; what it returns, if it does."""
        try:
            with self.under(condition):
                self.run(body, scope)
        except (Returned, PartlyReturned) as returned:
            return returned
        except Jumped as jump:
            place = body[0]
            raise self.fail(
                f"whether this loop goes on depends on a parameter (`{jump.word}`)", place, "loop over `range(...)`"
            ) from None
        return None

    def after(self, part: PartlyReturned, rest: Sequence[ast.stmt], scope: PyScope, node: ast.AST) -> None:
        """The statements after one that has returned under a condition."""
        try:
            with self.under(negated(part.condition)):
                self.run(rest, scope)
        except Returned as returned:
            raise Returned(self.chosen(part.condition, part.value, returned.value, node)) from None
        except PartlyReturned as later:
            raise self._joined(part, later, node) from None
        raise part

    def _joined(self, first: PartlyReturned, second: PartlyReturned, node: ast.AST) -> PartlyReturned:
        value = self.chosen(first.condition, first.value, second.value, node)
        return PartlyReturned(either([first.condition, second.condition]), value)

    def merged(
        self, test: Expr, then: dict[str, PyValue], other: dict[str, PyValue], before: dict[str, PyValue], node: ast.AST
    ) -> dict[str, PyValue]:
        """The names after an `if` on a parameter: what differs is chosen by the condition."""
        result = dict(before)
        for name in {**then, **other}:
            a, b = then.get(name, before.get(name)), other.get(name, before.get(name))
            result[name] = a if a is b else self.chosen(test, a, b, node)
        return result

    def chosen(self, test: Expr, then: PyValue, other: PyValue, node: ast.AST) -> PyValue:
        """The one or the other, by a condition on parameters."""
        (there, a), (elsewhere, b) = presence(then), presence(other)
        if isinstance(a, (FilledValue, TensorValue)) and isinstance(b, (FilledValue, TensorValue)):
            a = self.calls.tensor(a, node) if isinstance(a, FilledValue) else a
            b = self.calls.tensor(b, node) if isinstance(b, FilledValue) else b
        if isinstance(a, TensorValue) and isinstance(b, TensorValue):
            return self._selected(test, (there, a), (elsewhere, b), node)
        if isinstance(a, (bool, int, float, Expr)) and isinstance(b, (bool, int, float, Expr)):
            return algebra.where(test, a, b)
        if a is None or b is None:
            value, side = (b, negated(test)) if a is None else (a, test)
            present = both(side, elsewhere if a is None else there)
            return ConditionalValue(present, value) if isinstance(value, TensorValue) and present is not None else value
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
            items = [x if x is y else self.chosen(test, x, y, node) for x, y in zip(a, b)]
            return tuple(items) if isinstance(a, tuple) else items
        lost = next((value for value in (a, b) if isinstance(value, Unknown)), None)
        return lost or Unknown("it depends on a parameter", self.span(node))

    def _selected(
        self,
        test: Expr,
        then: tuple[Expr | None, TensorValue],
        other: tuple[Expr | None, TensorValue],
        node: ast.AST,
    ) -> PyValue:
        """One of two tensors, each there under a condition (None: always)."""
        sides = (both(test, then[0]), both(negated(test), other[0]))
        condition = either([side for side in sides if side is not None])
        always = then[0] is None is other[0]
        with nullcontext() if always else self.building.when(condition):
            inputs, chosen = [then[1], other[1]], {"condition": test}
            value = self.building.apply("Select", inputs, dict(chosen), span=self.span(node))[0]
        return value if always else ConditionalValue(condition, value)

    def field(self, before: PyValue, value: PyValue) -> PyValue:
        """A field that is set under a condition keeps what it is under others."""
        if not self.calls.conditions:
            return value
        condition = self.building.sharing.shared(algebra.both(*self.calls.conditions))
        items = before.items if isinstance(before, AlternativesValue) else []
        if before is not None and not isinstance(before, AlternativesValue):
            items = [(negated(condition), before)]
        return AlternativesValue([*((test, old) for test, old in items if test is not condition), (condition, value)])

    def put(self, holder: PyValue, key: PyValue, value: PyValue, node: ast.AST) -> None:
        """An item of a list or a dictionary; one that is set under a condition stays what it was under others."""
        there = isinstance(holder, dict) and key in holder
        there = there or (isinstance(holder, list) and isinstance(key, int) and -len(holder) <= key < len(holder))
        if self.calls.conditions and there:
            old: PyValue = holder[key]  # type: ignore[index]
            value = self.chosen(algebra.both(*self.calls.conditions), value, old, node)
        match holder, key:
            case dict(), _ if is_key(key):
                holder[key] = value
            case list(), int() if there:
                holder[key] = value
