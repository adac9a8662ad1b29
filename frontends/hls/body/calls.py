"""Calls of the file's own functions, which are read in place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tunepass.diagnostics import Span
from tunepass.frontends.cfamily.syntax.nodes import type_names
from tunepass.frontends.cfamily.syntax.tree import Call, Declaration, Expression, Member, Name, PragmaWords, Statement
from tunepass.frontends.cfamily.syntax.walk import loops_of, nodes
from tunepass.frontends.cfamily.text.tokens import tokens
from tunepass.frontends.cfamily.unit import Function
from tunepass.frontends.hls.body.arithmetic import convert
from tunepass.frontends.hls.body.libraries import Libraries
from tunepass.frontends.hls.body.state import known
from tunepass.frontends.hls.body.values import Binding, Place, RecordName, Value
from tunepass.frontends.hls.pragmas.known import FAMILIES
from tunepass.frontends.hls.types import arguments_of, base_of, plain_words
from tunepass.ir.hardware import INT, Element, Fixed

MOST_CALLS = 40  # functions within each other


@dataclass(slots=True)
class Frame:
    """A function that is being read: where its result goes."""

    function: Function
    result: Binding | None = None


@dataclass(slots=True)
class Calls(Libraries, ABC):
    frames: list[Frame] = field(default_factory=list)
    results: dict[int, Binding | None] = field(default_factory=dict)  # of calls that were read before their statement
    with_loops: dict[int, bool] = field(default_factory=dict)

    @abstractmethod
    def region(self, function: Function, statements: Sequence[Statement]) -> None:
        """Reads the body of a function with loops or pragmas as a region of its own."""

    @abstractmethod
    def run(self, statements: Sequence[Statement]) -> None:
        """Reads statements into the region at hand."""

    def function_of(self, e: Call) -> Function | None:
        """The function of the file that is called: of several, one with as many parameters."""
        match e.function:
            case Name(text=text):
                found = self.file.functions.get(base_of(text), []) or self._methods(text) or self._operators(text)
            case Member(base=base, name=name):
                record = self.place(base) if self.file.methods else None
                methods = self.file.methods.get(record.record, []) if isinstance(record, RecordName) else []
                found = [m for m in methods if m.name.text == name.text]
            case _:
                return None
        fitting = [f for f in found if len(f.formals) == len(e.arguments)]
        return (fitting or found)[0] if found else None

    def _methods(self, text: str) -> list[Function]:
        """Of the class whose method is being read."""
        record = self.frames[-1].function.record if self.frames else ""
        return [m for m in self.file.methods.get(base_of(record), []) if m.name.text == text]

    def _operators(self, text: str) -> list[Function]:
        """`operator()` of the object that is called."""
        record = self.lookup(text) if self.file.methods else None
        methods = self.file.methods.get(record.record, []) if isinstance(record, RecordName) else []
        return [m for m in methods if m.name.text == "operator()"]

    def has_loops(self, function: Function, depth: int = 0) -> bool:
        """Whether the function, or one that it calls, has loops or pragmas."""
        key = id(function)
        if key not in self.with_loops:
            self.with_loops[key] = False  # of a function that calls itself
            body = function.body.statements
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
                statements = function.body.statements
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
        called = self.lookup(e.function.text) if isinstance(e.function, Name) else None
        if isinstance(called, RecordName):
            return [dict(called.members)]
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
        for at, parameter in enumerate(function.template.parameters if function.template else ()):
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
        parts = list(tokens(text))
        number = self.types.text_number(text) if len(parts) == 1 or "<" not in text else None
        value = getattr(number, "value", None)
        if isinstance(value, (int, bool)):
            return str(int(value))
        return " ".join(type_names([replace(t, text=self.types.bound.get(t.text, t.text)) for t in parts]))

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
        refers = declarator.reference
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

    def call(self, e: Call) -> Value:
        span = self.span_of(e)
        if id(e) in self.results:
            return self.read(self.results[id(e)], span)
        function = self.function_of(e)
        if function is not None and not (self.probing and self.has_loops(function)):
            return self.read(self.inlined(function, e), span)
        if isinstance(e.function, Member):
            return self.method(e.function, e.arguments, span)
        if not isinstance(e.function, Name):
            return Value(INT)
        return self.named_call(e.function.text, e.arguments, span)


def _asks(pragma: PragmaWords) -> bool:
    """Whether it says more than that a function is inlined."""
    family = pragma.words[0].text.upper() in FAMILIES
    return family and pragma.words[1:2] != () and pragma.words[1].text.lower() not in ("inline", "function_instantiate")


def text_of(element: Element) -> str:
    """A type's name for a template's argument."""
    if isinstance(element, Fixed):
        if element.fraction:
            return f"ap_{'' if element.signed else 'u'}fixed<{element.bits},{element.integer}>"
        return f"ap_{'' if element.signed else 'u'}int<{element.integer}>"
    return {16: "half", 32: "float", 64: "double"}.get(element.bits, "int")
