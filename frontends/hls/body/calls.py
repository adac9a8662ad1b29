"""Calls: functions of the file are read in place, those of libraries are operations."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.frontends.c.scops.expressions import SyntaxFault
from tunepass.frontends.c.scops.tokens import Token, tokens
from tunepass.frontends.c.scops.tree import Call, Declaration, Expression, Member, Name, Statement
from tunepass.frontends.hls.body.arithmetic import convert
from tunepass.frontends.hls.body.builtins import BARRIERS, NOTHING, mathematics
from tunepass.frontends.hls.body.declarations import Declarations
from tunepass.frontends.hls.body.linear import Linear
from tunepass.frontends.hls.body.state import known
from tunepass.frontends.hls.body.values import Binding, Place, RecordName, ScalarName, Value, narrowed
from tunepass.frontends.hls.syntax.parser import HlsParser
from tunepass.frontends.hls.syntax.tree import Function, HlsDeclarator, PragmaWords
from tunepass.frontends.hls.syntax.types import arguments_of, base_of, plain_words
from tunepass.frontends.hls.syntax.walk import loops_of, nodes
from tunepass.ir.hardware import BIT, INT, Element, Fixed

MOST_CALLS = 40  # functions within each other
CHANNEL = re.compile(r"(read|write)_channel(?:_nb)?_(?:intel|altera)")
CAST_TEMPLATES = ("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast")
RANGES = ("range", "slice", "slc", "set_slc", "get_bit", "bit", "test")


@dataclass(slots=True)
class Frame:
    """A function that is being read: where its result goes."""

    function: Function
    result: Binding | None = None


@dataclass(slots=True)
class Calls(Declarations, ABC):
    frames: list[Frame] = field(default_factory=list)
    parsed: dict[int, tuple[Statement, ...]] = field(default_factory=dict)
    results: dict[int, Binding | None] = field(default_factory=dict)  # of calls that were read before their statement
    with_loops: dict[int, bool] = field(default_factory=dict)

    @abstractmethod
    def region(self, function: Function, statements: Sequence[Statement]) -> None:
        """Reads the body of a function with loops or pragmas as a region of its own."""

    @abstractmethod
    def run(self, statements: Sequence[Statement]) -> None:
        """Reads statements into the region at hand."""

    @abstractmethod
    def barrier(self, span: Span | None) -> None:
        """Ends a block, as all work-items wait there."""

    # --- functions of the file ------------------------------------------------------------------------------------

    def statements_of(self, function: Function) -> tuple[Statement, ...]:
        key = id(function)
        if key not in self.parsed:
            types = frozenset(self.file.types) | {p.name for p in function.template if p.kind == "typename"}
            try:
                self.parsed[key] = HlsParser(function.body[1:-1], types).statements()
            except SyntaxFault as fault:
                raise self.fail(fault, f"in `{function.name.text}`: ") from None
        return self.parsed[key]

    def function_of(self, e: Call) -> Function | None:
        """The function of the file that is called: of several, one with as many parameters."""
        match e.function:
            case Name(text=text):
                found = self.file.functions.get(base_of(text), [])
                found = [f for f in found if not f.record] or self._methods(text)
            case Member(base=base, name=name):
                record = self.place(base) if self._has_records() else None
                found = []
                if isinstance(record, RecordName) and record.record in self.file.records:
                    methods = self.file.records[record.record].methods
                    found = [m for m in methods if m.name.text == name.text]
            case _:
                return None
        fitting = [f for f in found if len(f.formals) == len(e.arguments)]
        return (fitting or found)[0] if found else None

    def _has_records(self) -> bool:
        return any(r.methods for r in self.file.records.values())

    def _methods(self, text: str) -> list[Function]:
        """Of the class whose method is being read."""
        record = self.frames[-1].function.record if self.frames else ""
        known_records = self.file.records.get(record)
        return [m for m in known_records.methods if m.name.text == text] if known_records else []

    def has_loops(self, function: Function, depth: int = 0) -> bool:
        """Whether the function, or one that it calls, has loops or pragmas."""
        key = id(function)
        if key not in self.with_loops:
            self.with_loops[key] = False  # of a function that calls itself
            body = self.statements_of(function)
            inner = [f for n in nodes(body) if isinstance(n, Call) and (f := self.function_of(n)) is not None]
            own = next(loops_of(body), None) is not None or any(
                isinstance(n, PragmaWords) and _asks(n) for n in nodes(body)
            )
            self.with_loops[key] = own or any(self.has_loops(f, depth + 1) for f in inner if depth < MOST_CALLS)
        return self.with_loops[key]

    def hoist(self, e: object) -> None:
        """Reads the calls of an expression whose functions have loops, innermost first."""
        for node in reversed(list(nodes(e))):
            if isinstance(node, Call) and id(node) not in self.results:
                function = self.function_of(node)
                if function is not None and self.has_loops(function):
                    self.results[id(node)] = self.inlined(function, node)

    def inlined(self, function: Function, e: Call) -> Binding | None:
        """Reads the function where it is called; where its result is."""
        span = self.span_of(e)
        if len(self.frames) >= MOST_CALLS or any(f.function is function for f in self.frames):
            self.warn(f"`{function.name.text}` calls itself; its inner call is left out", span)
            return None
        with self.scope():
            template = self.types.bound
            inner = self._bind_template(function, e)
            bindings = self._arguments(function, e, inner)
            scopes, self.scopes = self.scopes, [self.scopes[0], *self._members(e), bindings]
            self.types.bound = {**template, **inner}
            frame = Frame(function, self._result(function, span))
            self.frames.append(frame)
            try:
                statements = self.statements_of(function)
                if self.has_loops(function):
                    self.region(function, statements)
                else:
                    with self.scope():
                        self.run(statements)
            finally:
                self.frames.pop()
                self.scopes, self.types.bound = scopes, template
        return frame.result

    def _members(self, e: Call) -> list[dict[str, Binding]]:
        """The members of the object whose method is called."""
        if isinstance(e.function, Member):
            record = self.place(e.function.base)
            return [dict(record.members)] if isinstance(record, RecordName) else []
        inside = bool(self.frames) and bool(self.frames[-1].function.record) and len(self.scopes) > 2
        return [self.scopes[1]] if inside else []

    def _result(self, function: Function, span: Span | None) -> Binding | None:
        words = plain_words(function.words)
        if not words or words == ("void",):
            return None
        return self.variable(f"{function.name.text}.return", self.types.kind(words), [], "scalar", span)

    def _bind_template(self, function: Function, e: Call) -> dict[str, str]:
        text = e.function.text if isinstance(e.function, Name) else ""
        given = [self._outer(a) for a in arguments_of(text)]
        bound: dict[str, str] = {}
        for at, parameter in enumerate(function.template):
            if at < len(given):
                bound[parameter.name] = given[at]
            elif parameter.default:
                bound[parameter.name] = "".join(t.text for t in parameter.default)
            else:
                deduced = self._deduce(parameter.name, function, e)
                if deduced:
                    bound[parameter.name] = deduced
        return bound

    def _outer(self, text: str) -> str:
        """A template's argument with the names bound around it, and known numbers, replaced."""
        parts = [self.types.bound.get(t.text, t.text) for t in tokens(text)]
        number = self.types.text_number(text) if len(parts) == 1 or "<" not in text else None
        value = getattr(number, "value", None)
        return str(int(value)) if isinstance(value, (int, bool)) else " ".join(parts).replace(" :: ", "::")

    def _deduce(self, name: str, function: Function, e: Call) -> str:
        """A type, or an array's extent, from the arguments."""
        for formal, argument in zip(function.formals, e.arguments):
            for declarator in formal.declarators:
                place = self.place(argument)
                if name in formal.words or any(name in arguments_of(w) for w in formal.words):
                    if isinstance(place, Place):
                        return text_of(self.arrays[place.array].element)
                    if isinstance(place, RecordName):
                        return place.record
                    with self.probe():
                        return text_of(self.value(argument).element)
                for at, extent in enumerate(declarator.shape):
                    if isinstance(extent, Name) and extent.text == name and isinstance(place, Place):
                        dims = self.arrays[place.array].dims[len(place.subscripts) :]
                        number = getattr(dims[at], "value", None) if at < len(dims) else None
                        return str(number) if number is not None else ""
        return ""

    def _arguments(self, function: Function, e: Call, inner: dict[str, str]) -> dict[str, Binding]:
        bindings: dict[str, Binding] = {}
        template = self.types.bound
        for at, formal in enumerate(function.formals):
            declarator = formal.declarators[0]
            argument = e.arguments[at] if at < len(e.arguments) else None
            self.types.bound = {**template, **inner}
            kind = self.types.kind(formal.words)
            self.types.bound = template
            bindings[declarator.name.text] = self._argument(formal, kind, argument)
        return bindings

    def _argument(self, formal: Declaration, kind, argument: Expression | None) -> Binding:  # type: ignore[no-untyped-def]
        declarator = formal.declarators[0]
        name = f"{declarator.name.text}"
        span = self.span(declarator.name)
        shaped = bool(declarator.shape) or kind.stream or kind.record is not None or kind.dims or kind.pointers
        refers = isinstance(declarator, HlsDeclarator) and declarator.reference
        if argument is not None and (shaped or refers):
            place = self.place(argument)
            if place is not None and (shaped or not isinstance(place, Value)):
                return place
        if shaped:
            local = self.variable(name, kind, self.extents(declarator, kind), "local", span)
            if isinstance(local, RecordName) and argument is not None:
                self.copy(local, None, argument, span)
            return local
        value = self.value(argument) if argument is not None else known(0, INT)
        if argument is None and declarator.value is not None:
            value = self.value(declarator.value)
        if value.linear is not None and not value.linear.terms and "const" in formal.words:
            return convert(self, value, kind.element, span)
        scalar = self.variable(name, kind, [], "scalar", span)
        self.write(scalar, value, span)
        return scalar

    # --- all calls ------------------------------------------------------------------------------------------------

    def call(self, e: Call) -> Value:
        span = self.span_of(e)
        if id(e) in self.results:
            return self.read(self.results[id(e)], span)
        function = self.function_of(e)
        if function is not None and not (self.probing and self.has_loops(function)):
            return self.read(self.inlined(function, e), span)
        if isinstance(e.function, Member):
            return self._method(e.function, e.arguments, span)
        if not isinstance(e.function, Name):
            return Value(INT)
        return self._named_call(e.function.text, e.arguments, span)

    def _named_call(self, text: str, arguments: tuple[Expression, ...], span: Span | None) -> Value:
        base = base_of(text)
        if base in BARRIERS:
            self.barrier(span)
            return Value(INT)
        if base in NOTHING:
            return Value(INT)
        channel = CHANNEL.fullmatch(base)
        if channel is not None and arguments:
            return self._queue_method(channel[1], self.place(arguments[0]), arguments[1:2], span)
        if base in CAST_TEMPLATES and arguments:
            words = self.types.words_of(arguments_of(text)[0]) if arguments_of(text) else ("int",)
            return convert(self, self.value(arguments[0]), self.types.kind(words).element, span)
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
        parser = HlsParser([Token("name", text, 0, 0)], frozenset(self.file.types))
        return parser.is_type(parser.next) or base_of(text) in self.types.bound

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

    def _method(self, member: Member, arguments: tuple[Expression, ...], span: Span | None) -> Value:
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


def _asks(pragma: PragmaWords) -> bool:
    """Whether it says more than that a function is inlined."""
    return pragma.words[1:2] != () and pragma.words[1].text.lower() not in ("inline", "function_instantiate")


def text_of(element: Element) -> str:
    """A type's name for a template's argument."""
    if isinstance(element, Fixed):
        if element.fraction:
            return f"ap_{'' if element.signed else 'u'}fixed<{element.bits},{element.integer}>"
        return f"ap_{'' if element.signed else 'u'}int<{element.integer}>"
    return {16: "half", 32: "float", 64: "double"}.get(element.bits, "int")
