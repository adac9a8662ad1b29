"""C++ programs as descriptions: numbers, lists and lambdas are followed from statement to statement, nothing is run.

What is not followed (files, random numbers, devices) is unknown, and an unknown condition counts as false: the program
is read as if it were started without arguments. Calls of methods are told to `called`, who may give them a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError
from tunepass.interchange import cpp_values as cpp
from tunepass.interchange.cpp_expressions import DEPTH, Called, Expressions
from tunepass.interchange.cpp_tokens import tokens_of
from tunepass.interchange.cpp_values import Formula, Function, Typed, Unknown, Value

STEPS = 200_000  # statements that are followed
TURNS, LOOPED = 300, 5000  # turns of a loop, and steps in all loops around one another: longer ones fill arrays
CHANGING = ("=", "+=", "-=", "*=", "/=", "++", "--", "<<=")
QUALIFIERS = ("const", "constexpr", "static", "inline", "auto", "volatile")


class _TooLong(Unknown):
    """A loop has more turns than are followed; those around it are left with it."""


@dataclass(slots=True)
class Program(Expressions):
    """Reads a file."""

    steps: int = 0
    loops: int = 0  # around the place
    before_loops: int = 0  # steps

    def file(self) -> None:
        """Functions are kept by their names; `main` is then followed."""
        while self.at < len(self.tokens):
            start, function = self.at, self._definition()
            if function is not None:
                self.names[function[0]] = function[1]
                self.at = self.closing(function[1].body) + 1
            elif self.token.text in ("namespace", "extern") and "{" in [t.text for t in self.tokens[self.at :][:4]]:
                self.at = next(i for i in range(self.at, len(self.tokens)) if self.tokens[i].text == "{") + 1
            elif not self.taken("}"):
                self.statement()
            self.at = max(self.at, start + 1)
        main = self.names.get("main")
        if isinstance(main, Function):
            self.at = main.body
            self.statement()

    def _definition(self) -> tuple[str, Function] | None:
        """`TYPE NAME(FORMALS) {`"""
        for place in range(self.at, min(self.at + 12, len(self.tokens) - 1)):
            token = self.tokens[place]
            if token.text in (";", "=", "{", "[") or self.tokens[self.at].text == "using":
                return None
            if place > self.at and token.text == "(" and self.tokens[place - 1].kind == "name":
                end = self.closing(place)
                if end + 1 < len(self.tokens) and self.tokens[end + 1].text == "{":
                    return self.tokens[place - 1].text, Function(self._formals(place, end), end + 1)
                return None
        return None

    def statement(self) -> Value | None:
        """What it returns; None where it goes on."""
        self.steps += 1
        if self.steps > STEPS:
            raise SourceError(f"this program is longer than {STEPS} steps", self.source.span(0, 1))
        word = self.token.text if self.token.kind != "string" else ""
        if word == "{":
            return self._block()
        if word == "if":
            return self._if()
        if word == "for":
            return self._for()
        if word == "return":
            self.at += 1
            value = self.expression()
            self.skip_past(";")
            return value
        if word in ("while", "do", "switch", "try", "using", "typedef", "struct", "class", "enum", "template"):
            self.skip_statement()
            return None
        start = self.at
        try:
            self._simple()
        except Unknown:
            self._forget(start)
            self.at = start
        self.skip_past(";")
        return None

    def _block(self) -> Value | None:
        end = self.closing(self.at)
        self.at += 1
        while self.at < end:
            start = self.at
            value = self.statement()
            self.at = max(self.at, start + 1)
            if value is not None:
                self.at = end + 1
                return value
        self.at = end + 1
        return None

    def _if(self) -> Value | None:
        self.at += 1
        self.taken("constexpr")
        end = self.closing(self.at)
        self.at += 1
        try:
            condition = cpp.truth(self.expression())
        except Unknown:
            condition = False
        self.at = end + 1
        if isinstance(condition, Formula):
            return self._either(condition)
        value = None
        if condition:
            value = self.statement()
        else:
            self.skip_statement()
        if self.taken("else"):
            if condition:
                self.skip_statement()
            else:
                value = self.statement()
        return value

    def _either(self, condition: Formula) -> Value:
        """Both branches return, the second one perhaps by the statements that follow."""
        one = self.statement()
        self.taken("else")
        other = self.statement()
        while other is None and self.at < len(self.tokens) and not self.is_next("}"):
            other = self.statement()
        if one is None or other is None:
            raise Unknown
        return cpp.chosen(condition, one, other)

    def _for(self) -> Value | None:
        start, turns = self.at, 0
        end = self.closing(self.at + 1)
        self.at += 2
        self.loops += 1
        if self.loops == 1:
            self.before_loops = self.steps
        try:
            self._simple()
            self.expected(";")
            test = self.at
            self.skip_past(";")
            step = self.at
            while True:
                self.at = test
                if cpp.truth(self.expression()) is not True:
                    break
                self.at, turns = end + 1, turns + 1
                if turns > TURNS or self.steps - self.before_loops > LOOPED:
                    raise _TooLong
                value = self.statement()
                if value is not None:
                    return value
                self.at = step
                self._simple()
        except Unknown as problem:
            self.at = start
            self.skip_statement()
            for place in range(start, self.at):
                self._forget_changed(place)
            if isinstance(problem, _TooLong) and self.loops > 1:
                raise
            return None
        finally:
            self.loops -= 1
        self.at = end + 1
        self.skip_statement()
        return None

    def _forget(self, start: int) -> None:
        """A name that is given what is not known has no value any more."""
        for place in range(start, min(start + 12, len(self.tokens) - 1)):
            token, after = self.tokens[place], self.tokens[place + 1].text
            if token.text == ";":
                return
            if token.kind == "name" and after in ("=", "{", "(", ";"):
                self.names.pop(token.text, None)
                return

    def _forget_changed(self, place: int) -> None:
        """What a loop that is not followed to its end has changed is not known."""
        after = [token.text for token in self.tokens[place + 1 : place + 3]]
        if after[:1] and (after[0] in CHANGING or after in ([".", "push_back"], [".", "emplace_back"])):
            self.names.pop(self.tokens[place].text, None)

    def _simple(self) -> None:
        """A declaration, an assignment, or an expression."""
        declared = self._declared_type()
        if declared is None:
            return self._assignment()
        while True:
            name = self.token.text
            self.at += 1
            if self.is_next("=") or self.is_next("{") or self.is_next("("):
                self.names[name] = self._initial(declared)
            else:
                self.names.pop(name, None)
                if declared.startswith("vector") or declared == "DimensionVector":
                    self.names[name] = ()
            if not self.taken(","):
                return None

    def _initial(self, declared: str) -> Value:
        if not self.taken("="):
            return self._made(declared)
        value = self.expression()
        if declared in ("auto", "") or isinstance(value, Typed):
            return value
        numeric = isinstance(value, (bool, int, float))
        return Typed(cpp.plain(value), declared) if numeric else value  # type: ignore[arg-type]

    def _declared_type(self) -> str | None:
        """The type where a declaration begins here, without scopes: `vector<float>`; its name is what follows."""
        start = self.at
        while self.token.text in QUALIFIERS:
            self.at += 1
        constant = self.tokens[self.at - 1].text if self.at > start else ""
        words: list[str] = []
        if constant == "auto" or (self.at > start and self.token.kind == "name" and self._after_name()):
            words = ["auto"]
        else:
            while self.token.kind == "name":
                words = [*words, self.token.text] if words and words[-1] in ("unsigned", "long") else [self.token.text]
                self.at += 1
                if self.is_next("<"):
                    words = [f"{words[-1]}<{self._angles()}>"]
                if not self.taken("::") and words[-1] not in ("unsigned", "long"):
                    break
        while self.token.text in ("*", "&", "const"):
            self.at += 1
        if words and self.token.kind == "name" and self._after_name():
            return " ".join(words)
        self.at = start
        return None

    def _after_name(self) -> bool:
        return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].text in ("=", ";", "{", "(", ",", ":")

    def _assignment(self) -> None:
        targets = []
        while self.token.kind == "name" and self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].text == "=":
            targets.append(self.token.text)
            self.at += 2
        name, mark = self.token.text, self.tokens[self.at + 1].text if self.at + 1 < len(self.tokens) else ""
        if not targets and mark in CHANGING[1:]:
            self.at += 2
            change = 1 if mark in ("++", "--") else self.expression()
            self.names[name] = cpp.binary(mark[:-1], self._value(name), change)
        elif not targets and mark == "." and self.tokens[self.at + 2].text in ("push_back", "emplace_back"):
            self.at += 4
            held = self._value(name)
            if not isinstance(held, tuple):
                raise Unknown
            self.names[name] = (*held, cpp.plain(self.expression()))
            self.expected(")")
        elif not targets and name in ("++", "--"):
            self.at += 1
            self.names[self.token.text] = cpp.binary(name[0], self._value(self.token.text), 1)
            self.at += 1
        else:
            value = self.expression()
            self.names.update(dict.fromkeys(targets, value))

    def call(self, function: Function, arguments: Sequence[Value]) -> Value:
        """What a function returns. Raises Unknown where that is not followed."""
        if self.depth > DEPTH:
            raise SourceError(f"calls are nested more than {DEPTH} levels deep", self._span())
        here, names = self.at, self.names
        self.names = {**names, **dict(zip(function.formals, arguments))}
        self.at, self.depth = function.body, self.depth + 1
        try:
            value = self.statement()
        finally:
            self.at, self.names, self.depth = here, names, self.depth - 1
        if value is None:
            raise Unknown
        return value


def program(source: Source, called: Called, given: dict[str, str]) -> Program:
    """Ready to be read by `file`; macros of one value are names. Raises SourceError."""
    tokens, macros = tokens_of(source, given)
    made = Program(source, tokens, called)
    for name, text in macros.items():
        part = Program(source, tokens_of(Source(source.name, text), {})[0], called, dict(made.names))
        try:
            made.names[name] = part.expression()
        except (Unknown, SourceError):
            continue
    return made
