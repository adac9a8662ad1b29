"""The expressions of a kernel: values, and the places of arrays that they are read from and written to."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import INT_MAX, Expr
from tunepass.frontends.c.scops.conditionals import literal
from tunepass.frontends.c.scops.tree import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Index,
    Items,
    Member,
    Name,
    Number,
    SizeOf,
    Step,
    Text,
    Unary,
)
from tunepass.frontends.hls.body import arithmetic
from tunepass.frontends.hls.body.arithmetic import binary, convert, literal_element, mux, truth
from tunepass.frontends.hls.body.state import State, first_token, known, subscript_of
from tunepass.frontends.hls.body.values import ArrayFacts, Binding, Place, RecordName, ScalarName, Value
from tunepass.frontends.hls.syntax.types import DOUBLE
from tunepass.ir.hardware import BIT, FLOAT, INT, Element, Fixed
from tunepass.ir.hls import HlsOperation

WORDS = {"true": 1, "false": 0, "nullptr": 0, "NULL": 0}
LIMIT = re.compile(r"(U?)INT(\d*)_MAX\Z")
UNKNOWN = Value(INT)


@dataclass(slots=True)
class Expressions(State, ABC):
    @abstractmethod
    def call(self, e: Call) -> Value:
        """The value of a call."""

    def span_of(self, e: Expression) -> Span | None:
        token = first_token(e)
        return None if token is None else self.span(token)

    def constant(self, e: Expression) -> Expr | None:
        """What is known when the hardware is made."""
        with self.probe():
            value = self.value(e)
        return value.linear.constant if value.linear is not None else None

    # --- values ---------------------------------------------------------------------------------------------------

    def value(self, e: Expression) -> Value:
        span = self.span_of(e)
        match e:
            case Number(token):
                return number_value(token.text)
            case Text(token):
                return known(ord(token.text[1]) if len(token.text) == 3 and token.text[0] == "'" else 0, INT)
            case Name():
                return self._named(e, span)
            case Unary(op=op) if op.text in ("*", "&"):
                return self.read(self.place(e), span)
            case Unary(op=op, operand=operand):
                return arithmetic.unary(self, op.text, self.value(operand), span)
            case Step(op=op, target=target):
                return self._step(op.text[0], target, span)
            case Binary(op="," | "->"):
                return UNKNOWN
            case Binary(op=op, left=left, right=right):
                return self._binary(op, left, right, span)
            case Conditional(condition=condition, then=then, other=other):
                return self._conditional(self.value(condition), then, other, span)
            case Assign():
                return self._assign(e, span)
            case Index():
                return self.read(self.place(e), span)
            case Member():
                return self.read(self.place(e), span)
            case Call():
                return self.call(e)
            case Cast(type=words, pointer=pointer, operand=operand):
                if pointer:
                    return UNKNOWN
                return convert(self, self.value(operand), self.types.kind(words.split()).element, span)
            case SizeOf(text=text):
                return known(self._sizeof(text), INT)
            case Items(parts=parts):
                values = [self.value(part) for part in parts]
                return values[-1] if values else known(0, INT)

    def _sizeof(self, text: str) -> int:
        inside = text.partition("(")[2].rpartition(")")[0].split() or text.split()[1:]
        binding = self.lookup(inside[0]) if len(inside) == 1 else None
        if isinstance(binding, ScalarName):
            return max(1, binding.element.bits // 8)
        return max(1, self.types.kind([w for w in inside if w != "*"]).element.bits // 8)

    def _named(self, e: Name, span: Span | None) -> Value:
        if e.text in WORDS:
            return known(WORDS[e.text], BIT if e.text in ("true", "false") else INT)
        binding = self.lookup(e.text)
        if binding is None:
            if e.text in self.parameters:
                self.used.add(e.text)
                return known(self.parameters[e.text], INT)
            text = self.types.bound.get(e.text)
            number = self.types.text_number(text) if text is not None else None
            if number is not None:
                return known(number, INT)
            limit = LIMIT.match(e.text.rpartition("::")[2])
            if limit is not None:
                bits = int(limit[2] or 32)
                return known((1 << (bits - (not limit[1]))) - 1 if bits < 64 else INT_MAX, INT)
            self.warn(f"nothing here declares `{e.text}`; taken as a number that is not known", span)
            return Value(INT, op=self.operation("constant", INT, (), span), block=self.block.serial)
        return self.read(binding, span)

    def _binary(self, op: str, left: Expression, right: Expression, span: Span | None) -> Value:
        if op in ("<<", ">>"):
            queue = self.place(left)
            if isinstance(queue, Place) and self.arrays[queue.array].storage == "stream":
                return self.stream(queue, op, right, span)
        if op in ("&&", "||"):
            first = self.value(left)
            if first.number is not None and bool(first.number) == (op == "||"):
                return known(int(op == "||"), BIT)
            return binary(self, op, first, self.value(right), span)
        return binary(self, op, self.value(left), self.value(right), span)

    def stream(self, queue: Place, op: str, other: Expression, span: Span | None) -> Value:
        """`queue << value`, `queue >> target`."""
        if op == "<<":
            value = self.value(other)
            self.write(queue, value, span)
            return value
        value = self.read(queue, span)
        self.write(self.place(other), value, span)
        return value

    def _conditional(self, condition: Value, then: Expression, other: Expression, span: Span | None) -> Value:
        if condition.number is not None:
            return self.value(then if condition.number else other)
        condition = truth(self, condition, span)
        data = condition.linear is None and not self._by_index(condition)
        self.guarded += data
        values = self.value(then), self.value(other)
        self.guarded -= data
        return mux(self, condition, *values, span)

    def _by_index(self, condition: Value) -> bool:
        """Whether only loops' iterations and constants decide it."""
        if condition.op is None or condition.block != self.block.serial:
            return False
        waiting, seen = [condition.op], set[int]()
        while waiting:
            at = waiting.pop()
            operation = self.block.operations[at]
            if operation.name in ("load", "call"):
                return False
            waiting += [i for i in operation.inputs if i not in seen]
            seen.update(operation.inputs)
        return True

    # --- assignment -----------------------------------------------------------------------------------------------

    def _step(self, sign: str, target: Expression, span: Span | None) -> Value:
        place = self.place(target)
        if isinstance(place, Place) and isinstance(target, Name) and self._is_pointer(place):
            self._rebind(target, self._shifted(place, known(1 if sign == "+" else -1, INT)))
            return UNKNOWN
        before = self.read(place, span)
        self.write(place, binary(self, sign, before, known(1, Fixed(False, 1, 0)), span), span)
        return before

    def _assign(self, e: Assign, span: Span | None) -> Value:
        place = self.place(e.target)
        if isinstance(place, Place) and isinstance(e.target, Name) and self._is_pointer(place):
            moved = self.place(e.value) if e.op == "=" else None
            if e.op in ("+=", "-="):
                by = self.value(e.value)
                moved = self._shifted(place, by if e.op == "+=" else arithmetic.unary(self, "-", by, span))
            if isinstance(moved, (Place, ScalarName, RecordName)):
                self._rebind(e.target, moved)
                return UNKNOWN
        if isinstance(place, RecordName) and e.op == "=":
            self.copy(place, self.place(e.value), e.value, span)
            return UNKNOWN
        value = self.value(e.value)
        if e.op != "=":
            value = binary(self, e.op[:-1], self.read(place, span), value, span)
        return self.write(place, value, span)

    def copy(self, target: RecordName, source: Binding | None, e: Expression, span: Span | None) -> None:
        """Member by member."""
        parts = e.parts if isinstance(e, Items) else ()
        result = self.value(e) if not isinstance(source, RecordName) and not parts else UNKNOWN
        for at, (name, member) in enumerate(target.members.items()):
            if isinstance(member, RecordName):
                inner = source.members.get(name) if isinstance(source, RecordName) else None
                if inner is not None:
                    self.copy(member, inner, e, span)
            elif isinstance(source, RecordName):
                if name in source.members and not self._is_whole(member):
                    self.write(member, self.read(source.members[name], span), span)
            elif not self._is_whole(member):
                self.write(member, self.value(parts[at]) if at < len(parts) else result, span)

    def _is_whole(self, binding: Binding) -> bool:
        return isinstance(binding, Place) and len(binding.subscripts) < len(self.arrays[binding.array].dims)

    def _is_pointer(self, place: Place) -> bool:
        """Whether a name that stands for it is moved by an assignment, not what it points to."""
        facts = self.arrays[place.array]
        return facts.storage != "stream" and len(place.subscripts) < max(1, len(facts.dims))

    def _rebind(self, name: Name, binding: Binding) -> None:
        for scope in reversed(self.scopes):
            if name.text in scope:
                scope[name.text] = binding
                return

    # --- places ---------------------------------------------------------------------------------------------------

    def place(self, e: Expression) -> Binding | None:
        """What an expression names; None where it names nothing that is kept."""
        match e:
            case Name(text=text):
                return self.lookup(text)
            case Index(base=base, subscript=subscript):
                return self._indexed(self.place(base), subscript)
            case Member(base=base, name=name):
                record = self._first(self.place(base))
                if isinstance(record, RecordName):
                    return record.members.get(name.text)
                return record if name.text in ("data", "value") else self._component(record, name.text)
            case Unary(op=op, operand=operand) if op.text == "*":
                inner = self.place(operand)
                return self._indexed(inner, known(0, INT)) if isinstance(inner, Place) else self._first(inner)
            case Unary(op=op, operand=operand) if op.text == "&":
                inner = self.place(operand)
                if isinstance(inner, Place) and inner.subscripts:
                    return Place(inner.array, inner.subscripts[:-1], inner.subscripts[-1])
                return inner
            case Binary(op="+" | "-" as op, left=left, right=right):
                for pointer, by in ((left, right), (right, left)):
                    inner = (
                        self.place(pointer) if isinstance(pointer, (Name, Index, Binary, Unary, Cast, Member)) else None
                    )
                    if isinstance(inner, Place) and self._is_pointer(inner):
                        amount = self.value(by)
                        return self._shifted(inner, amount if op == "+" else arithmetic.unary(self, "-", amount, None))
                return None
            case Cast(operand=operand):
                return self.place(operand)
            case Conditional(then=then, other=other):
                first = self.place(then)
                return first if first is not None else self.place(other)
            case Step(target=target):
                inner = self.place(target)
                if isinstance(inner, Place) and self._is_pointer(inner):
                    self.value(e)
                    return inner
                return None
            case Call(function=Name(text=text), arguments=(argument,)) if text.endswith(">") and "_cast<" in text:
                return self.place(argument)
            case Items(parts=(part,)):
                return self.place(part)
        return None

    def _first(self, binding: Binding | None) -> Binding | None:
        """The record that a pointer to records points to."""
        while isinstance(binding, RecordName) and binding.outer:
            binding = self._indexed(binding, known(0, INT))
        return binding

    def _component(self, binding: Binding | None, name: str) -> Binding | None:
        """`v.x`, `v.s3` of OpenCL's vectors."""
        at = "xyzw".find(name) if len(name) == 1 else int(name[1:], 16) if name[:1] == "s" and len(name) == 2 else -1
        if isinstance(binding, Place) and at >= 0:
            return self._indexed(binding, known(at, INT))
        return binding

    def _indexed(self, binding: Binding | None, subscript: Expression | Value) -> Binding | None:
        if isinstance(binding, RecordName):
            value = subscript if isinstance(subscript, Value) else self.value(subscript)
            if binding.outer == 0:
                return binding
            members = {n: self._indexed(m, value) or m for n, m in binding.members.items()}
            return RecordName(binding.record, members, binding.outer - 1)
        if isinstance(binding, Place):
            value = subscript if isinstance(subscript, Value) else self.value(subscript)
            if len(binding.subscripts) >= len(self.arrays[binding.array].dims) > 0:
                return binding  # a bit of a number
            if binding.shift is not None:
                value = binary(self, "+", binding.shift, value, None)
            return Place(binding.array, (*binding.subscripts, value))
        return binding

    def _shifted(self, place: Place, by: Value) -> Place:
        shift = by if place.shift is None else binary(self, "+", place.shift, by, None)
        if self.loops and by.number is not None and shift.linear is not None:
            shift = Value(INT, moves=frozenset(loop.name for loop in self.loops))  # each iteration moves it on
        return replace(place, shift=shift)

    # --- access ---------------------------------------------------------------------------------------------------

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


def number_value(text: str) -> Value:
    """Of a literal."""
    whole = literal(text)
    if whole is not None:
        return known(whole, literal_element(whole))
    digits = text.lower().replace("'", "")
    try:
        real = float.fromhex(digits.rstrip("fl")) if digits.startswith("0x") else float(digits.rstrip("flh"))
    except (ValueError, OverflowError):
        return known(0, INT)
    return known(real, FLOAT if digits.endswith("f") else DOUBLE)
