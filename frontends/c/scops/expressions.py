"""Parses C expressions from tokens: one pass, bounded depth, every failure a diagnostic at its token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from tunepass.frontends.c.scops.tokens import Token
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

DEPTH_LIMIT = 100
OPERATOR_LIMIT = 300  # of one statement: `a + b + c ...` is as deep as it is long
PRECEDENCE = {
    op: level
    for level, ops in enumerate(
        (
            ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"),
            ("*", "/", "%"),
        ),
        1,
    )
    for op in ops
}  # fmt: skip
ASSIGNMENTS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
QUALIFIERS = frozenset(
    {"const", "volatile", "restrict", "__restrict", "__restrict__", "_Atomic", "register", "__const"}
)
STORAGE = frozenset({"static", "extern", "typedef", "inline", "__inline", "auto", "_Thread_local", "thread_local",
                     "constexpr", "__extension__"})  # fmt: skip
ARITHMETIC = frozenset({"void", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "bool",
                        "_Bool", "_Complex", "__int128", "_Float16", "__float128"})  # fmt: skip
TAGGED = frozenset({"struct", "union", "enum"})
KNOWN_TYPES = frozenset({"FILE", "va_list"})
KEYWORDS = frozenset({"if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return",
                      "goto", "sizeof", "asm", "__asm__", "_Alignof", "alignof"})  # fmt: skip


CLOSING = {"(": ")", "[": "]", "{": "}"}


class SyntaxFault(Exception):
    """What cannot be parsed, at which token."""

    def __init__(self, message: str, token: Token):
        super().__init__(message)
        self.message, self.token = message, token


class ExpressionParser:
    """A cursor over `tokens`; `types` are the names that typedefs declare."""

    def __init__(self, tokens: Sequence[Token], types: frozenset[str] = frozenset()):
        end = tokens[-1].end if tokens else 0
        self.tokens = [*tokens, Token("end", "", end, end)]
        self.types = set(types)
        self.closing = closings(self.tokens)
        self.position = 0
        self.depth = 0
        self.operators = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.position]

    @property
    def last(self) -> Token:
        return self.tokens[max(0, self.position - 1)]

    def peek(self, distance: int = 1) -> Token:
        return self.tokens[min(self.position + distance, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.next
        self.position = min(self.position + 1, len(self.tokens) - 1)
        return token

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.next.at(*texts) else None

    def expect(self, text: str, where: str) -> Token:
        if not self.next.at(text):
            self.fail(f"expected `{text}` {where}")
        return self.take()

    def fail(self, message: str) -> NoReturn:
        shown = f"`{self.next.text}`" if self.next.kind != "end" else "the end"
        raise SyntaxFault(f"{message}, found {shown}", self.next)

    def deeper(self, parse: Callable[[], Expression]) -> Expression:
        """`parse` one level down; what is nested too deeply for that is refused."""
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise SyntaxFault("this is nested too deeply", self.next)
        value = parse()
        self.depth -= 1
        return value

    def count(self) -> None:
        self.operators += 1
        if self.operators > OPERATOR_LIMIT:
            raise SyntaxFault("this expression is too long", self.next)

    # --- types ----------------------------------------------------------------------------------------------------

    def is_type(self, token: Token) -> bool:
        if token.kind != "name":
            return False
        text = token.text
        return text in ARITHMETIC | QUALIFIERS | TAGGED | KNOWN_TYPES or text in self.types or text.endswith("_t")

    def type_name(self) -> tuple[str, bool]:
        """A type in brackets or after `sizeof(`, up to the closing bracket: its words, and whether it is a pointer."""
        words: list[str] = []
        level, pointer = 0, False
        while self.next.kind != "end" and not self.next.at(";") and not (level == 0 and self.next.at(")")):
            token = self.take()
            level += token.at("(", "[") - token.at(")", "]")
            pointer = pointer or token.at("*", "[")
            if token.kind == "name" and token.text not in QUALIFIERS and level == 0:
                words.append(token.text)
        return " ".join(words), pointer

    def _is_cast(self) -> bool:
        """At `(`: does it hold a type's name?"""
        inside, after = self.peek(1), self.peek(3)
        if self.is_type(inside):
            return not self.peek(2).at("(") or inside.text in ARITHMETIC | TAGGED
        unknown = inside.kind == "name" and inside.text not in KEYWORDS and self.peek(2).at(")")
        return unknown and (after.kind in ("number", "text") or (after.kind == "name" and after.text not in KEYWORDS))

    # --- expressions ----------------------------------------------------------------------------------------------

    def expression(self) -> Expression:
        parts = [self.assignment()]
        while self.accept(","):
            parts.append(self.assignment())
        return parts[0] if len(parts) == 1 else Items(tuple(parts))

    def assignment(self) -> Expression:
        return self.deeper(self._assignment)

    def _assignment(self) -> Expression:
        target = self.conditional()
        if self.next.kind == "op" and self.next.text in ASSIGNMENTS:
            op = self.take().text
            return Assign(op, target, self.assignment())
        return target

    def conditional(self) -> Expression:
        condition = self._binary(1)
        if not self.accept("?"):
            return condition
        then = self.deeper(self.expression)
        self.expect(":", "after `?`")
        return Conditional(condition, then, self.deeper(self.conditional))

    def _binary(self, level: int) -> Expression:
        left = self._unary()
        while (found := PRECEDENCE.get(self.next.text, 0)) >= level and self.next.kind == "op":
            self.count()
            op = self.take().text
            left = Binary(op, left, self.deeper(lambda above=found + 1: self._binary(above)))  # type: ignore[misc]
        return left

    def _unary(self) -> Expression:
        token = self.next
        if token.at("++", "--"):
            self.take()
            return Step(token, self.deeper(self._unary))
        if token.at("-", "+", "!", "~", "*", "&"):
            self.take()
            return Unary(token, self.deeper(self._unary))
        if token.at("sizeof", "_Alignof", "alignof"):
            return self._sizeof()
        if token.at("(") and self._is_cast():
            self.take()
            words, pointer = self.type_name()
            self.expect(")", "after the type")
            return Cast(words, pointer, self._items() if self.next.at("{") else self.deeper(self._unary))
        return self._postfix(self._primary())

    def _sizeof(self) -> Expression:
        token, first = self.next, self.position
        self.take()
        if self.next.at("("):
            self.take()
            self.type_name()
            self.expect(")", "after the type")
        else:
            self.deeper(self._unary)
        return SizeOf(token, " ".join(t.text for t in self.tokens[first : self.position]))

    def _primary(self) -> Expression:
        token = self.next
        if token.kind == "number":
            return Number(self.take())
        if token.kind == "text":
            self.take()
            while self.next.kind in ("text", "name"):  # `"%" PRId64 "\n"` of a header that was not read
                self.take()
            return Text(token)
        if token.kind == "name" and token.text not in KEYWORDS:
            return Name(self.take())
        if token.at("("):
            self.take()
            if self.next.at("{"):
                self.fail("a statement inside an expression cannot be read")
            value = self.deeper(self.expression)
            self.expect(")", "after the expression")
            return value
        return self.fail("expected an expression")

    def _postfix(self, value: Expression) -> Expression:
        while True:
            token = self.next
            if self.accept("["):
                value = Index(value, self.deeper(self.expression))
                self.expect("]", "after the subscript")
            elif self.accept("("):
                value = Call(value, self._arguments())
            elif self.accept(".", "->"):
                if self.next.kind != "name":
                    self.fail("expected a member's name")
                value = Member(value, self.take(), token.text == "->")
            elif self.accept("++", "--"):
                value = Step(token, value)
            else:
                return value
            self.count()

    def _arguments(self) -> tuple[Expression, ...]:
        arguments: list[Expression] = []
        while not self.accept(")"):
            arguments.append(self.assignment())
            if not self.next.at(")"):
                self.expect(",", "between arguments")
        return tuple(arguments)

    def initialiser(self) -> Expression:
        return self._items() if self.next.at("{") else self.assignment()

    def _items(self) -> Expression:
        self.expect("{", "before the values")
        parts: list[Expression] = []
        while not self.accept("}"):
            if self.accept("."):
                self.take()
                self.expect("=", "after the member")
            elif self.accept("["):
                self.deeper(self.conditional)
                self.expect("]", "after the position")
                self.expect("=", "after the position")
            parts.append(self.deeper(self.initialiser))
            if not self.next.at("}"):
                self.expect(",", "between values")
        return Items(tuple(parts))


def closings(tokens: Sequence[Token]) -> dict[int, int]:
    """The position of the bracket that closes each one; those that are not closed are left out."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for position, token in enumerate(tokens):
        if token.at(*CLOSING):
            opened.append(position)
        elif opened and token.at(CLOSING[tokens[opened[-1]].text]):
            found[opened.pop()] = position
    return found
