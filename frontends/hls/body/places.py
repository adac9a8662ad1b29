"""The places that expressions name: an array, an element of it, a scalar, a member of a record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

from tunepass.diagnostics import Span
from tunepass.frontends.cfamily.syntax.tree import (
    Binary,
    Cast,
    Conditional,
    Expression,
    Index,
    Items,
    Member,
    Name,
    Step,
    Unary,
)
from tunepass.frontends.hls.body import arithmetic
from tunepass.frontends.hls.body.access import Access
from tunepass.frontends.hls.body.arithmetic import binary
from tunepass.frontends.hls.body.state import first_token, known
from tunepass.frontends.hls.body.values import Binding, Place, RecordName, Value
from tunepass.ir.hardware import INT


@dataclass(slots=True)
class Places(Access, ABC):
    @abstractmethod
    def value(self, e: Expression) -> Value:
        """The value of an expression, its operations among those of the block at hand."""

    def span_of(self, e: Expression) -> Span | None:
        token = first_token(e)
        return None if token is None else self.span(token)

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
                    if isinstance(inner, Place) and self.is_pointer(inner):
                        amount = self.value(by)
                        return self.shifted(inner, amount if op == "+" else arithmetic.unary(self, "-", amount, None))
                return None
            case Cast(operand=operand):
                return self.place(operand)
            case Conditional(then=then, other=other):
                first = self.place(then)
                return first if first is not None else self.place(other)
            case Step(target=target):
                inner = self.place(target)
                if isinstance(inner, Place) and self.is_pointer(inner):
                    self.value(e)
                    return inner
                return None
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

    def shifted(self, place: Place, by: Value) -> Place:
        shift = by if place.shift is None else binary(self, "+", place.shift, by, None)
        if self.loops and by.number is not None and shift.linear is not None:
            shift = Value(INT, moves=frozenset(loop.name for loop in self.loops))  # each iteration moves it on
        return replace(place, shift=shift)

    def is_pointer(self, place: Place) -> bool:
        """Whether a name that stands for it is moved by an assignment, not what it points to."""
        facts = self.arrays[place.array]
        return facts.storage != "stream" and len(place.subscripts) < max(1, len(facts.dims))
