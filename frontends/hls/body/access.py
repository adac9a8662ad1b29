"""What a kernel reads and writes: scalars, elements of arrays, streams."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.frontends.hls.body import arithmetic
from tunepass.frontends.hls.body.arithmetic import binary, convert
from tunepass.frontends.hls.body.state import State, known, subscript_of
from tunepass.frontends.hls.body.values import ArrayFacts, Binding, Place, ScalarName, Value
from tunepass.ir.hardware import BIT, INT, Element
from tunepass.ir.hls import HlsOperation

UNKNOWN = Value(INT)


@dataclass(slots=True)
class Access(State):
    def read(self, binding: Binding | None, span: Span | None) -> Value:
        match binding:
            case Value():
                return binding
            case ScalarName(array=name, element=element):
                return self._read_scalar(name, element, span)
            case Place():
                facts = self.arrays[binding.array]
                facts.read = True
                if facts.storage == "stream":
                    operation = HlsOperation(
                        name="load", element=facts.element, array=facts.name, guarded=self.guarded > 0, span=span
                    )
                    op = self.block.queue(operation)
                    return Value(facts.element, op=op, block=self.block.serial, moves=self._all_loops())
                return self._load(binding, facts, span)
        return UNKNOWN

    def _all_loops(self) -> frozenset[str]:
        return frozenset(loop.name for loop in self.loops)

    def _read_scalar(self, name: str, element: Element, span: Span | None) -> Value:
        held = self.held.get(name)
        if held is not None and (held.op is None or held.block == self.block.serial):
            return held
        facts = self.arrays[name]
        facts.read = True
        op = self.block.load(HlsOperation(name="load", element=element, array=name, span=span))
        value = Value(element, op=op, block=self.block.serial, moves=held.moves if held else self._all_loops())
        self.held[name] = value
        return value

    def _load(self, place: Place, facts: ArrayFacts, span: Span | None) -> Value:
        subscripts = self._subscripts(place, facts)
        inputs = tuple(self.op(v, span) for v in subscripts if v.linear is None and v.op is not None)
        operation = HlsOperation(
            name="load", element=facts.element, inputs=inputs, array=facts.name,
            subscripts=tuple(subscript_of(v) for v in subscripts), guarded=self.guarded > 0, span=span,
        )  # fmt: skip
        op = self.block.load(operation)
        moves = (
            frozenset[str]().union(*(v.loops for v in subscripts)) if facts.storage == "constant" else self._all_loops()
        )
        element = self.block.operations[op].element
        return Value(element, op=op, block=self.block.serial, moves=moves)

    def _subscripts(self, place: Place, facts: ArrayFacts) -> tuple[Value, ...]:
        given = place.subscripts
        if place.shift is not None:
            given = (*given, place.shift)
        if not given and facts.dims:
            given = (known(0, INT),)
        if given and not self.probing:
            self._reach(facts, given[0])
        return given

    def _reach(self, facts: ArrayFacts, first: Value) -> None:
        """How far an array without an extent is used."""
        if facts.dims and facts.dims[0] is None and first.linear is not None:
            spans = {loop.name: algebra.sub(loop.most, 1) for loop in self.loops}
            spans |= {call.replace("_size", "_id"): algebra.sub(n, 1) for call, n in self.sizes.items()}
            moved = [
                algebra.mul(e, spans[name])
                for name, e in first.linear.terms
                if name in spans and not ((n := algebra.number(e)) is not None and n < 0)
            ]
            facts.reaches.append(algebra.add(first.linear.offset, *moved, 1))

    def _condition(self, span: Span | None) -> int | None:
        """What decides whether the statement at hand runs, of the conditions in this block."""
        whole: Value | None = None
        for condition, holds in self.conditions:
            if condition.block == self.block.serial:
                value = condition if holds else arithmetic.negation(self, condition, span)
                whole = value if whole is None else binary(self, "&&", whole, value, span)
        return None if whole is None else self.op(whole, span)

    def keep(self, condition: Value, name: str, span: Span | None) -> None:
        """Of what decides about loops: it is held while they run."""
        facts = self.new_array(f"{name}.condition", BIT, [], "scalar", span)
        facts.formal = facts.written = True
        inputs = (self.op(condition, span),)
        self.block.store(HlsOperation(name="store", element=BIT, inputs=inputs, array=facts.name, span=span))

    def write(self, binding: Binding | None, value: Value, span: Span | None) -> Value:
        """The value as it is kept."""
        match binding:
            case ScalarName(array=name, element=element):
                value = convert(self, value, element, span)
                self.held[name] = value
                self.arrays[name].written = True
                self.block.dirty[name] = span
            case Place():
                facts = self.arrays[binding.array]
                facts.written = True
                value = convert(self, value, facts.element, span)
                if facts.storage == "stream":
                    inputs: tuple[int, ...] = (self.op(value, span),)
                    store = HlsOperation(
                        name="store", element=facts.element, inputs=inputs, array=facts.name,
                        guarded=self.guarded > 0,
                        condition=self._condition(span), span=span,
                    )  # fmt: skip
                    self.block.queue(store)
                    return value
                subscripts = self._subscripts(binding, facts)
                addresses = tuple(self.op(v, span) for v in subscripts if v.linear is None and v.op is not None)
                self.block.store(
                    HlsOperation(
                        name="store", element=facts.element, inputs=(self.op(value, span), *addresses),
                        array=facts.name, subscripts=tuple(subscript_of(v) for v in subscripts),
                        guarded=self.guarded > 0,
                        condition=self._condition(span), span=span,
                    )
                )  # fmt: skip
        return value
