"""Statements: blocks without loops become one block of operations, both sides of their conditions included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tunepass.diagnostics import Span
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.syntax.tree import (
    Block,
    Call,
    Declaration,
    Evaluated,
    Expression,
    For,
    ForEach,
    If,
    Jump,
    PragmaWords,
    Statement,
    While,
)
from tunepass.frontends.cfamily.syntax.walk import leaves, loops_of, nodes
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.unit import Function
from tunepass.frontends.hls.body.arithmetic import binary, mux, truth
from tunepass.frontends.hls.body.linear import Linear
from tunepass.frontends.hls.body.loops import Loops, loop_pragmas
from tunepass.frontends.hls.body.state import known
from tunepass.frontends.hls.body.trips import ActiveLoop
from tunepass.frontends.hls.body.values import Place, Value
from tunepass.frontends.hls.pragmas.variables import VariablePragmas
from tunepass.ir.hardware import BIT, INT
from tunepass.ir.hls import HlsLoop, HlsRegion

BEFORE_LOOPS = frozenset({"accel", "unroll", "ivdep", "ii", "loop_coalesce", "max_concurrency"})


@dataclass(slots=True)
class Statements(Loops):
    allocation: list[tuple[str, Expr]] = field(default_factory=list)  # of the function that is being read

    def mode_of(self, name: Token, mode: str) -> Expr:
        self.used.add(name.text)
        knob = self.knobs[name.text]
        return algebra.where(typing.compare((knob, typing.constant(mode)), ("==",)), 1, 0)

    # --- sequences ------------------------------------------------------------------------------------------------

    def run(self, statements: Sequence[Statement]) -> None:
        pending: list[PragmaWords] = []
        label: Token | None = None
        for at, statement in enumerate(statements):
            if isinstance(statement, PragmaWords):
                if statement.words[0].text.lower() in BEFORE_LOOPS:
                    pending.append(statement)
                else:
                    self.local_pragma(statement)
                continue
            if isinstance(statement, Jump) and statement.kind == "label":
                label = statement.first
                continue
            if isinstance(statement, (For, ForEach)) or (isinstance(statement, While) and statement.kind != "switch"):
                self.loop(statement, pending, label)
            elif isinstance(statement, If):
                rest = statements[at + 1 :]
                if self._run_if(statement, rest):
                    return
            else:
                self._run_one(statement)
            if not (isinstance(statement, Evaluated) and statement.expression is None):
                pending, label = [], None

    def _run_one(self, statement: Statement) -> None:
        match statement:
            case Declaration():
                self.hoist(tuple(d.value for d in statement.declarators if d.value is not None))
                self.declare(statement)
            case Evaluated(expression=expression) if expression is not None:
                self.hoist(expression)
                self.value(expression)
            case Block(statements=inside):
                with self.scope():
                    self.run(inside)
            case While():
                self._switch(statement)
            case Jump(kind="return", value=value) if value is not None and self.frames:
                self.hoist(value)
                result = self.frames[-1].result
                place = self.place(value)
                if result is not None and place is not None and not isinstance(place, (Place, Value)):
                    self._returned(result, place, value)
                elif result is not None:
                    self.write(result, self.value(value), self.span(statement.first))

    def _returned(self, result: object, place: object, value: Expression) -> None:
        from_record = getattr(result, "members", None) is not None
        if from_record:
            self.copy(result, place, value, None)  # type: ignore[arg-type]
        else:
            self.write(result, self.value(value), None)  # type: ignore[arg-type]

    # --- conditions -----------------------------------------------------------------------------------------------

    def _run_if(self, statement: If, rest: Sequence[Statement]) -> bool:
        """Whether the statements after it have been read with it, as they run only where it does not leave."""
        then, other = statement.then, statement.other
        leaving = leaves(then) is not None and other is None and bool(rest)
        if leaving:
            other = Block(statements=tuple(rest), first=statement.first, last=statement.last)
        self.hoist(statement.condition)
        condition = self.value(statement.condition)
        if condition.number is not None:
            chosen = then if condition.number else other
            if chosen is not None:
                with self.scope():
                    self.run((chosen,))
            return leaving
        span = self.span(statement.first)
        condition = truth(self, condition, span)
        data = not self._by_index(condition)
        if self._has_loops((then, other)):
            self._apart(condition, then, other, data, span)
        else:
            self._converted(condition, then, other, data, span)
        return leaving

    def _has_loops(self, part: object) -> bool:
        if next(loops_of(part), None) is not None:
            return True
        calls = (n for n in nodes(part) if isinstance(n, Call))
        return any((f := self.function_of(c)) is not None and self.has_loops(f) for c in calls)

    def _branch(self, part: Statement | None) -> None:
        if part is not None:
            with self.scope():
                self.run((part,))

    def _converted(
        self, condition: Value, then: Statement, other: Statement | None, data: bool, span: Span | None
    ) -> None:
        """Both sides in one block; scalars are chosen between."""
        before = dict(self.held)
        self.guarded += data
        self.conditions.append((condition, True))
        self._branch(then)
        chosen, self.held = self.held, dict(before)
        self.conditions[-1] = condition, False
        self._branch(other)
        self.conditions.pop()
        self.guarded -= data
        for name in {**chosen, **self.held}:
            a, b = chosen.get(name), self.held.get(name)
            if a == b:
                continue
            facts = self.arrays[name]
            if a is None or b is None:
                start = before.get(name)
                fallback = start if start is not None else self._loaded(name)
                a, b = a if a is not None else fallback, b if b is not None else fallback
            self.held[name] = mux(self, condition, a, b, span)
            if name in self.block.dirty or before.get(name) != self.held[name]:
                self.block.dirty.setdefault(name, facts.span)

    def _loaded(self, name: str) -> Value:
        self.held.pop(name, None)
        return self._read_scalar(name, self.arrays[name].element, None)

    def _apart(self, condition: Value, then: Statement, other: Statement | None, data: bool, span: Span | None) -> None:
        """Loops on a side: each side has its own items."""
        self.keep(condition, "if", span)
        self.flush(span)
        before = dict(self.held)
        self.guarded += data
        self._branch(then)
        self.flush(span)
        after, self.held = self.held, before
        if other is not None:
            self._branch(other)
            self.flush(span)
        self.guarded -= data
        self.held = {n: v for n, v in self.held.items() if after.get(n) == v}

    def _switch(self, statement: While) -> None:
        """Each case under its condition, as if none ran into the next."""
        chosen = self.value(statement.condition)
        groups: list[list[Statement]] = []
        for inside in getattr(statement.body, "statements", ()):
            if isinstance(inside, Jump) and inside.kind == "case":
                if not groups or groups[-1]:
                    groups.append([])
            elif groups and not (isinstance(inside, Jump) and inside.kind == "break"):
                groups[-1].append(inside)
        for number, group in enumerate(groups):
            span = self.span(statement.first)
            condition = binary(self, "==", chosen, known(number, INT), span)
            block = Block(statements=tuple(group), first=statement.first, last=statement.last)
            if self._has_loops(block):
                self._apart(truth(self, condition, span), block, None, True, span)
            else:
                self._converted(truth(self, condition, span), block, None, True, span)

    # --- regions --------------------------------------------------------------------------------------------------

    def region(self, function: Function, statements: Sequence[Statement]) -> None:
        self.flush()
        self.items.append([])
        allocation, self.allocation = self.allocation, []
        asks = self.asking.read(loop_pragmas(statements))
        with self.scope():
            self.run(statements)
        self.flush()
        items = tuple(self.items.pop())
        if algebra.number(asks.plain) == 1:  # a function that is pipelined has its loops unrolled
            items = tuple(replace(i, unroll=i.trip) if isinstance(i, HlsLoop) else i for i in items)
        label = function.name.text
        self.items[-1].append(
            HlsRegion(
                label=label, items=items, dataflow=asks.dataflow, allocation=tuple(self.allocation),
                span=self.span(function.name),
            )
        )  # fmt: skip
        self.allocation = allocation

    def barrier(self, span: Span | None) -> None:
        self.flush(span)

    def local_pragma(self, pragma: PragmaWords) -> None:
        VariablePragmas(self, self.allocation).read(pragma)

    def moved(self, name: str, arguments: tuple[Expression, ...], span: Span | None) -> Value:
        """An access of one element of each array in a loop; the number of bytes is that of the elements."""
        places = [p for a in arguments[:2] if isinstance(p := self.place(a), Place)]
        if not places or len(arguments) < 3 or self.probing:
            return Value(INT)
        amount = self.constant(arguments[2])
        element = self.arrays[places[0].array].element
        trip = algebra.ceildiv(amount, max(1, element.bits // 8)) if amount is not None else algebra.lift(16)
        self.flush(span)
        loop = self.fresh(name, "loop")
        self.loops.append(ActiveLoop(loop, trip, trip, Linear(trip)))
        self.items.append([])
        index = Value(INT, linear=Linear.of(0, **{loop: 1}))
        ends = [
            Place(p.array, (*p.subscripts, index if p.shift is None else binary(self, "+", p.shift, index, span)))
            for p in places
        ]
        value = self.read(ends[1], span) if len(ends) > 1 else self.value(arguments[1])
        self.write(ends[0], value, span)
        self.flush(span)
        self.loops.pop()
        items = tuple(self.items.pop())
        assumed = None if amount is not None else "the number of bytes is not known; taken as 16 elements"
        self.items[-1].append(
            HlsLoop(name=loop, trip=trip, items=items, pipelined=algebra.lift(1), assumed=assumed, span=span)
        )
        return Value(BIT)
