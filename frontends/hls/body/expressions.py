"""The values of a kernel's expressions, and what assignments do."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.expr.nodes import INT_MAX, Expr
from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.syntax.tree import (
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
    Opaque,
    SizeOf,
    Step,
    Text,
    Unary,
)
from tunepass.frontends.hls.body import arithmetic
from tunepass.frontends.hls.body.access import UNKNOWN
from tunepass.frontends.hls.body.arithmetic import binary, convert, literal_element, mux, truth
from tunepass.frontends.hls.body.places import Places
from tunepass.frontends.hls.body.state import known
from tunepass.frontends.hls.body.values import Binding, Place, RecordName, ScalarName, Value
from tunepass.frontends.hls.types import DOUBLE
from tunepass.ir.hardware import BIT, FLOAT, INT, Fixed

WORDS = {"true": 1, "false": 0, "nullptr": 0, "NULL": 0, "__null": 0}
LIMIT = re.compile(r"(U?)INT(\d*)_MAX\Z")


@dataclass(slots=True)
class Expressions(Places, ABC):
    @abstractmethod
    def call(self, e: Call) -> Value:
        """The value of a call."""

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
            case Binary():
                return self._chain(e, span)
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
            case Opaque():
                return UNKNOWN

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
            number = self.types.text_number(e.text) if e.text in self.types.bound else None
            if number is not None:
                return known(number, INT)
            limit = LIMIT.match(e.text.rpartition("::")[2])
            if limit is not None:
                bits = int(limit[2] or 32)
                return known((1 << (bits - (not limit[1]))) - 1 if bits < 64 else INT_MAX, INT)
            enumerator = self.file.unit.enumerators.get(e.text.rpartition("::")[2])
            if enumerator is not None:
                return self.value(enumerator)
            self.warn(f"nothing here declares `{e.text}`; taken as a number that is not known", span)
            return Value(INT, op=self.operation("constant", INT, (), span), block=self.block.serial)
        return self.read(binding, span)

    def _chain(self, e: Binary, span: Span | None) -> Value:
        """`a + b + c ...` is as deep as it is long: its operators are applied in a loop."""
        rest: list[Binary] = []
        first: Expression = e
        while isinstance(first, Binary):
            rest.append(first)
            first = first.left
        queue = self.place(first) if rest[-1].op in ("<<", ">>") else None
        if isinstance(queue, Place) and self.arrays[queue.array].storage == "stream":
            last = rest.pop()
            value = self.stream(queue, last.op, last.right, span)
        else:
            value = self.value(first)
        for part in reversed(rest):
            decided = part.op in ("&&", "||") and value.number is not None and bool(value.number) == (part.op == "||")
            value = known(int(part.op == "||"), BIT) if decided else self._applied(part, value, span)
        return value

    def _applied(self, part: Binary, left: Value, span: Span | None) -> Value:
        return binary(self, part.op, left, self.value(part.right), span)

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
        if isinstance(place, Place) and isinstance(target, Name) and self.is_pointer(place):
            self._rebind(target, self.shifted(place, known(1 if sign == "+" else -1, INT)))
            return UNKNOWN
        before = self.read(place, span)
        self.write(place, binary(self, sign, before, known(1, Fixed(False, 1, 0)), span), span)
        return before

    def _assign(self, e: Assign, span: Span | None) -> Value:
        place = self.place(e.target)
        if isinstance(place, Place) and isinstance(e.target, Name) and self.is_pointer(place):
            moved = self.place(e.value) if e.op == "=" else None
            if e.op in ("+=", "-="):
                by = self.value(e.value)
                moved = self.shifted(place, by if e.op == "+=" else arithmetic.unary(self, "-", by, span))
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

    def _rebind(self, name: Name, binding: Binding) -> None:
        for scope in reversed(self.scopes):
            if name.text in scope:
                scope[name.text] = binding
                return


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
