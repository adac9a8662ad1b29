"""Calls of libraries: mathematics, streams, bits of ap_int, work-items, memory that is copied."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.frontends.cfamily.syntax.tree import Expression, Member
from tunepass.frontends.hls.body.arithmetic import convert
from tunepass.frontends.hls.body.builtins import BARRIERS, NOTHING, mathematics
from tunepass.frontends.hls.body.declarations import Declarations
from tunepass.frontends.hls.body.linear import Linear
from tunepass.frontends.hls.body.state import known
from tunepass.frontends.hls.body.values import Binding, Place, RecordName, ScalarName, Value, narrowed
from tunepass.frontends.hls.types import base_of
from tunepass.ir.hardware import BIT, INT, Element, Fixed

CHANNEL = re.compile(r"(read|write)_channel(?:_nb)?_(?:intel|altera)")
RANGES = ("range", "slice", "slc", "set_slc", "get_bit", "bit", "test")


@dataclass(slots=True)
class Libraries(Declarations, ABC):
    @abstractmethod
    def barrier(self, span: Span | None) -> None:
        """Ends a block, as all work-items wait there."""

    def named_call(self, text: str, arguments: tuple[Expression, ...], span: Span | None) -> Value:
        base = base_of(text)
        if base in BARRIERS:
            self.barrier(span)
            return Value(INT)
        if base in NOTHING:
            return Value(INT)
        channel = CHANNEL.fullmatch(base)
        if channel is not None and arguments:
            return self._queue_method(channel[1], self.place(arguments[0]), arguments[1:2], span)
        object_ = self.lookup(text)
        if isinstance(object_, (ScalarName, Place)):
            return self._bits(self.read(object_, span), arguments, span)
        if self._is_type_name(text):
            element = self.types.kind((text,)).element
            return convert(self, self.value(arguments[0]), element, span) if arguments else known(0, element)
        if base in ("memcpy", "memset", "memmove"):
            return self.moved(base, arguments, span)
        result = self.work_item(base, arguments, span)
        if result is None:
            values = [self.value(a) for a in arguments]
            result = mathematics(self, text, values, span)
            if result is None:
                self.warn(f"`{text}` is not in this file; taken as one addition", span)
                element = next((v.element for v in values), INT)
                inputs = tuple(self.op(v, span) for v in values[:2])
                result = self.result(self.operation("fix_add", element, inputs, span), element, *values)
        return result

    def _is_type_name(self, text: str) -> bool:
        return self.file.is_type(text) or base_of(text) in self.types.bound

    @abstractmethod
    def moved(self, name: str, arguments: tuple[Expression, ...], span: Span | None) -> Value:
        """`memcpy` and its like: a loop over the elements."""

    def work_item(self, name: str, arguments: tuple[Expression, ...], span: Span | None) -> Value | None:
        """OpenCL's functions of work-items; None for others."""
        if name == "get_work_dim":
            return known(3, INT)
        if not name.startswith("get_") or len(arguments) != 1:
            return None
        dimension = self.constant(arguments[0])
        number = None if dimension is None else algebra.number(dimension)
        call = f"{name}({number or 0})"
        if name in ("get_global_id", "get_local_id", "get_group_id"):
            return Value(INT, linear=Linear.of(0, **{call: 1}))
        return known(self.sizes[call], INT) if call in self.sizes else None

    def method(self, member: Member, arguments: tuple[Expression, ...], span: Span | None) -> Value:
        """Of streams, ap_int and the standard library's classes."""
        name, place = member.name.text, self.place(member.base)
        queue = isinstance(place, Place) and self.arrays[place.array].storage == "stream"
        if queue or isinstance(place, RecordName):
            return self._queue_method(name, place, arguments, span)
        if name in RANGES or name in ("and_reduce", "or_reduce", "xor_reduce", "reverse"):
            return self._bits(self.value(member.base), arguments, span)
        if name in ("length", "size"):
            return known(1, INT)
        for argument in arguments:
            self.value(argument)
        value = self.value(member.base)
        if name.startswith("to_"):
            words = tuple(name[3:].split("_"))
            element = (
                self.types.kind(words).element if words[0] in ("int", "float", "double", "half") else value.element
            )
            return convert(self, value, element, span)
        return value

    def _queue_method(
        self, name: str, place: Binding | None, arguments: tuple[Expression, ...], span: Span | None
    ) -> Value:
        if name in ("write", "write_nb", "put") and arguments:
            if isinstance(place, RecordName):
                self.copy(place, self.place(arguments[0]), arguments[0], span)
                return known(1, BIT)
            return self.write(place, self.value(arguments[0]), span)
        if name in ("read", "read_nb", "get", "peek"):
            if isinstance(place, RecordName):
                target = self.place(arguments[0]) if arguments else None
                if isinstance(target, RecordName):
                    self.copy(target, place, arguments[0], span)
                return Value(INT)
            value = self.read(place, span)
            if arguments and name in ("read", "read_nb"):
                self.write(self.place(arguments[0]), value, span)
                return Value(BIT, op=value.op, block=value.block, moves=value.moves)
            return value
        if name in ("empty", "full", "size"):
            return Value(BIT, moves=frozenset(loop.name for loop in self.loops))
        return Value(INT)

    def _bits(self, value: Value, arguments: tuple[Expression, ...], span: Span | None) -> Value:
        """Some bits of a number, which cost nothing where their places are known."""
        places = [self.value(a) for a in arguments]
        numbers = [p.number for p in places]
        if any(n is None for n in numbers):
            inputs = (self.op(value, span), *(self.op(p, span) for p in places[:1]))
            op = self.operation("fix_shift", value.element, inputs, span)
            return self.result(op, value.element, value, *places)
        bits = int(abs(numbers[0] - numbers[1])) + 1 if len(numbers) == 2 else 1  # type: ignore[operator]
        element: Element = Fixed(False, max(1, bits), 0)
        return Value(narrowed(element, bits), None, None, self.op(value, span), self.block.serial, value.loops)
