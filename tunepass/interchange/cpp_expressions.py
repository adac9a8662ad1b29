"""Expressions of C++ programs, read and valued in one go, as far as they are followed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.interchange import cpp_values as cpp
from tunepass.interchange.cpp_tokens import Token
from tunepass.interchange.cpp_values import Array, Formula, Function, Named, Unknown, Value

DEPTH = 60  # expressions in one another
LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<",), ("+", "-"), ("*", "/", "%"))
OPENING, CLOSING = {"(": ")", "{": "}", "[": "]"}, {")", "}", "]"}
TEMPLATES = ("vector", "static_cast", "array", "initializer_list", "max", "min")
STARTED: dict[str, Value] = {"argc": 1}
END = Token("mark", "", -1)

Called = Callable[[str, Sequence[Value], Span], Value]


@dataclass(slots=True)
class Expressions(ABC):
    """Reads from the place `at` on; `names` are what is known there, `called` is told of methods."""

    source: Source
    tokens: list[Token]
    called: Called
    names: dict[str, Value] = field(default_factory=lambda: dict(STARTED))
    depth: int = 0
    at: int = 0

    @abstractmethod
    def call(self, function: Function, arguments: Sequence[Value]) -> Value:
        """What a function returns. Raises Unknown where that is not followed."""

    # --- places ---------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else END

    def is_next(self, *texts: str) -> bool:
        ahead = self.tokens[self.at : self.at + len(texts)]
        return [t.text for t in ahead if t.kind != "string"] == list(texts)

    def taken(self, text: str) -> bool:
        if self.token.text == text and self.token.kind != "string":
            self.at += 1
            return True
        return False

    def expected(self, text: str) -> None:
        if not self.taken(text):
            raise Unknown

    def closing(self, opening: int) -> int:
        """The place of the bracket that closes the one at `opening`."""
        depth = 0
        for place in range(opening, len(self.tokens)):
            if self.tokens[place].kind == "mark":
                depth += (self.tokens[place].text in OPENING) - (self.tokens[place].text in CLOSING)
                if depth == 0:
                    return place
        span = Span(self.source, self.tokens[opening].start, self.tokens[opening].start + 1)
        raise SourceError("this bracket is not closed", span)

    def skip_statement(self) -> None:
        if self.is_next("{"):
            self.at = self.closing(self.at) + 1
        elif self.token.text in ("if", "for", "while", "switch") and self.token.kind == "name":
            self.at += 1
            self.taken("constexpr")
            self.at = self.closing(self.at) + 1
            self.skip_statement()
            if self.taken("else"):
                self.skip_statement()
        else:
            self.skip_past(";")

    def skip_past(self, mark: str) -> None:
        while self.at < len(self.tokens) and not self.is_next(mark):
            if self.token.kind == "mark" and self.token.text in CLOSING:
                return
            self.at = self.closing(self.at) + 1 if self._opens() else self.at + 1
        self.at += 1

    def _opens(self) -> bool:
        return self.token.kind == "mark" and self.token.text in OPENING

    # --- expressions ----------------------------------------------------------------------------------------------

    def _formals(self, opening: int, end: int) -> tuple[str, ...]:
        found, last = [], ""
        depth = 0
        for token in self.tokens[opening + 1 : end]:
            depth += (token.text in ("<", "(")) - (token.text in (">", ")"))
            if token.text == "," and depth == 0:
                found.append(last)
                last = ""
            elif token.kind == "name":
                last = token.text
        return (*found, last) if last else tuple(found)

    def _angles(self) -> str:
        """What stands in angle brackets, its scopes left out."""
        depth = 0
        words: list[str] = []
        while self.at < len(self.tokens):
            depth += (self.token.text == "<") - (self.token.text == ">")
            self.at += 1
            if depth == 0:
                return " ".join(word for word in words if word not in ("std", "::", "const"))
            if not (depth == 1 and self.tokens[self.at - 1].text == "<"):
                words.append(self.tokens[self.at - 1].text)
        raise Unknown

    def _value(self, name: str) -> Value:
        if name not in self.names:
            raise Unknown
        return self.names[name]

    def expression(self) -> Value:
        self.depth += 1
        try:
            if self.depth > DEPTH:
                raise SourceError(f"an expression has more than {DEPTH} levels", self._span())
            value = self._level(0)
            if not self.taken("?"):
                return value
            condition = cpp.truth(value)
            one = self._perhaps(self.expression)
            self.expected(":")
            other = self._perhaps(self.expression)
            if isinstance(condition, bool):
                return one() if condition else other()
            return cpp.chosen(condition, one(), other())
        finally:
            self.depth -= 1

    def _span(self) -> Span:
        return Span(self.source, self.token.start, self.token.start + 1)

    def _level(self, level: int) -> Value:
        if level == len(LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while self.token.kind == "mark" and self.token.text in LEVELS[level]:
            mark = self.token.text
            self.at += 1
            if level < 2:
                right = self._perhaps(lambda: self._level(level + 1))
                left = cpp.both(mark, left, right)
            else:
                left = cpp.binary(mark, left, self._level(level + 1))
        return left

    def _perhaps(self, read: Callable[[], Value]) -> Callable[[], Value]:
        """The value that `read` gives, or its being unknown, told when it is asked for."""
        try:
            value = read()
        except Unknown:
            self._past_operand()

            def unknown() -> Value:
                raise Unknown

            return unknown
        return lambda: value

    def _past_operand(self) -> None:
        while self.at < len(self.tokens) and self.token.text not in ("&&", "||", ")", ";", ",", "}", "]", "?", ":"):
            self.at = self.closing(self.at) + 1 if self._opens() else self.at + 1

    def _unary(self) -> Value:
        if self.taken("!"):
            return cpp.negated(self._unary())
        if self.taken("-"):
            return cpp.binary("-", 0, self._unary())
        if self.taken("+") or self.taken("&") or self.taken("*"):
            return self._unary()
        return self._postfix(self._primary())

    def _primary(self) -> Value:
        token = self.token
        self.at += 1
        if token.kind == "string":
            return token.text
        if token.kind == "number":
            return cpp.number(token)
        if token.text == "(":
            value = self.expression()
            self.expected(")")
            return value
        if token.text == "{":
            return self._items("}")
        if token.text == "[":
            return self._lambda()
        if token.kind != "name":
            raise Unknown
        if token.text in ("true", "false"):
            return token.text == "true"
        return self._name(token.text)

    def _lambda(self) -> Function:
        self.at = self.closing(self.at - 1) + 1
        formals: tuple[str, ...] = ()
        if self.is_next("("):
            end = self.closing(self.at)
            formals = self._formals(self.at, end)
            self.at = end + 1
        while not self.is_next("{"):
            if self.token is END:
                raise Unknown
            self.at += 1
        body = self.at
        self.at = self.closing(body) + 1
        return Function(formals, body)

    def _name(self, name: str) -> Value:
        scopes = [name]
        angles = ""
        while True:
            if self.taken("::"):
                scopes.append(self.token.text)
                self.at += 1
            elif self.is_next("<") and scopes[-1] in TEMPLATES:
                angles = self._angles()
            else:
                break
        last = scopes[-1]
        if last in ("vector", "DimensionVector", "string") and (self.is_next("{") or self.is_next("(")):
            return self._made(f"{last}<{angles}>" if angles else last)
        if self.is_next("(") and (last in ("static_cast", "min", "max", "sizeof") or scopes[0] == "std"):
            self.at += 1
            return _standard(last, self._items(")"))
        if len(scopes) > 1:
            return Named("::".join(scopes))
        if name not in self.names and (self.is_next(".") or self.is_next("->")):
            return Named(name)
        return self._value(name)

    def _made(self, kind: str) -> Value:
        """A value of a type with what stands in brackets behind it."""
        closing = OPENING[self.token.text]
        self.at += 1
        items = self._items(closing)
        if kind.startswith("vector") and closing == ")":
            count = cpp.plain(items[0]) if items else 0
            if not isinstance(count, int):
                return items[0] if isinstance(items[0], tuple) else Array(-1, kind[7:-1])
            return Array(count, kind[7:-1])
        if kind.startswith("vector") or kind == "DimensionVector":
            return items
        if len(items) == 1:
            return items[0]
        raise Unknown

    def _items(self, closing: str) -> tuple[Value, ...]:
        """An item that is not known is Named so."""
        found: list[Value] = []
        while not self.taken(closing):
            start = self.at
            try:
                found.append(self.expression())
            except Unknown:
                found.append(Named("unknown"))
                self.at = start
            while not self.is_next(",") and not self.is_next(closing):
                if self.token is END:
                    raise Unknown
                self.at = self.closing(self.at) + 1 if self._opens() else self.at + 1
            self.taken(",")
        return tuple(found)

    def _postfix(self, value: Value) -> Value:
        while True:
            if self.is_next("("):
                start = self._span()
                self.at += 1
                arguments = self._items(")")
                if not isinstance(value, Function):
                    raise SourceError("a number is called here", start) if isinstance(value, int) else Unknown
                value = self.call(value, arguments)
            elif self.taken("["):
                value = _element(value, self.expression())
                self.expected("]")
            elif self.is_next(".") or self.is_next("->"):
                value = self._method(value)
            else:
                return value

    def _method(self, value: Value) -> Value:
        self.at += 1
        span, name = self._span(), self.token.text
        self.at += 1
        if not self.taken("("):
            raise Unknown
        arguments = self._items(")")
        if name == "at" and arguments:
            return _element(value, arguments[0])
        if name == "size" and isinstance(value, (tuple, Array)):
            return len(value) if isinstance(value, tuple) else value.length
        return self.called(name, arguments, span)


def _standard(name: str, items: tuple[Value, ...]) -> Value:
    known = [cpp.plain(item) for item in items]
    if name == "static_cast" and len(known) == 1:
        return known[0]
    if name in ("min", "max") and len(known) == 2:
        if all(isinstance(v, (int, float)) for v in known):
            return (min if name == "min" else max)(known)  # type: ignore[type-var]
        return Formula(f"{name}({', '.join(map(cpp.number_text, known))})")
    raise Unknown


def _element(value: Value, index: Value) -> Value:
    place = cpp.plain(index)
    if isinstance(value, tuple) and isinstance(place, int) and 0 <= place < len(value):
        return value[place]
    raise Unknown
