"""Statements to what they say, by taco.lark; what does not parse is one diagnostic."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import NoReturn

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.taco.written import Argument, Declaration, FormatWord, WrittenDirective
from tunepass.ir.tensor import Access, Assignment, Binary, Negation, Number, TensorExpr

START_RULES = ("assignment", "expression", "declaration", "schedule")
SIZE_LIMIT = 500  # operators and brackets of a statement: who reads an expression recurses this deep
DIGIT_LIMIT = 18

Node = Tree[Token] | Token


def parse_assignment(source: Source, text: str, start: int) -> Assignment:
    reader = _Reader(source, text, start)
    left, accumulates, _, right = reader.parse("assignment").children
    return Assignment(reader.access(left), reader.expression(right), accumulates is not None)


def parse_expression(source: Source, text: str, start: int) -> TensorExpr:
    reader = _Reader(source, text, start)
    return reader.expression(reader.parse("expression"))


def parse_declaration(source: Source, text: str, start: int) -> Declaration:
    reader = _Reader(source, text, start)
    access, *rest = reader.parse("declaration").children
    words = [reader.word(node) for node in rest if isinstance(node, Tree)]
    return Declaration(reader.access(access), tuple(words), reader.whole)


def parse_schedule(source: Source, text: str, start: int) -> tuple[WrittenDirective, ...]:
    reader = _Reader(source, text, start)
    return tuple(reader.directive(node) for node in reader.parse("schedule").children if isinstance(node, Tree))


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    text = resources.files("tunepass.frontends.taco").joinpath("taco.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", start=list(START_RULES), maybe_placeholders=True, propagate_positions=True)


class _Reader:
    """Of `text`, which begins at `start` of the source."""

    def __init__(self, source: Source, text: str, start: int):
        self.source, self.text, self.start = source, text, start

    @property
    def whole(self) -> Span:
        return self.source.span(self.start, self.start + len(self.text))

    def parse(self, rule: str) -> Tree[Token]:
        if len(re.findall(r"[-+*/({]", self.text)) > SIZE_LIMIT:
            raise SourceError(f"this is longer than {SIZE_LIMIT} operators and brackets", self.whole)
        try:
            tree = _grammar().parse(self.text, start=rule)
        except UnexpectedInput as error:
            self.fail(error, rule)
        return tree

    def span(self, node: Node) -> Span:
        if isinstance(node, Token):
            assert node.start_pos is not None and node.end_pos is not None
            return self.source.span(self.start + node.start_pos, self.start + node.end_pos)
        return self.source.span(self.start + node.meta.start_pos, self.start + node.meta.end_pos)

    def access(self, node: Node) -> Access:
        assert isinstance(node, Tree)
        name, *index = (child for child in node.children if isinstance(child, Token) and child.type == "IDENT")
        return Access(str(name), tuple(str(variable) for variable in index), self.span(node))

    def expression(self, node: Node) -> TensorExpr:
        assert isinstance(node, Tree)
        match node.data:
            case "access":
                return self.access(node)
            case "number":
                return self.number(node.children[0])
            case "group":
                return self.expression(node.children[1])
            case "negation":
                return Negation(self.expression(node.children[1]))
        left, operator, right = node.children
        return Binary(str(operator), self.expression(left), self.expression(right))  # type: ignore[arg-type]

    def number(self, token: Node) -> Number:
        assert isinstance(token, Token)
        digits = token.removesuffix("u")
        if token.type == "INTEGER" and len(digits) > DIGIT_LIMIT:
            raise SourceError("this integer does not fit in 64 bits", self.span(token))
        return Number(int(digits) if token.type == "INTEGER" else float(token))

    def word(self, node: Tree[Token]) -> FormatWord:
        name, *rest = (child for child in node.children if isinstance(child, Token))
        colons = [i for i, token in enumerate(rest) if token.type == "COLON"]
        modes = rest[: colons[1]] if len(colons) > 1 else rest
        order = tuple(int(token[:DIGIT_LIMIT].rstrip("u")) for token in modes if token.type == "INTEGER")
        return FormatWord(str(name), order, self.span(node), packed=len(colons) > 1)

    def directive(self, node: Tree[Token]) -> WrittenDirective:
        name = node.children[0]
        assert isinstance(name, Token)
        arguments = (self.argument(child) for child in node.children if isinstance(child, Tree))
        return WrittenDirective(str(name), tuple(arguments), self.span(name), self.span(node))

    def argument(self, node: Tree[Token]) -> Argument:
        span = self.span(node)
        children = [child for child in node.children if child is not None]
        first, last = children[0], children[-1]
        inner = tuple(self.argument(child) for child in children if isinstance(child, Tree))
        head = None
        if isinstance(first, Token) and isinstance(last, Token):
            tokens = [child.type for child in children if isinstance(child, Token)]
            if tokens.count("LPAR") + tokens.count("LBRACE") == 1 and last.type in ("RPAR", "RBRACE"):
                head = "" if first.type == "LBRACE" else str(first) if tokens[:2] == ["NAME", "LPAR"] else None
        text = self.text[span.start - self.start : span.end - self.start]
        return Argument(text, span, head, inner if head is not None else ())

    def fail(self, error: UnexpectedInput, rule: str) -> NoReturn:
        end = len(self.text)
        if isinstance(error, UnexpectedCharacters):
            place = error.pos_in_stream or 0
            span = self.source.span(self.start + place, self.start + place + 1)
            raise SourceError(f"`{self.text[place]}` is not expected here", span, HINTS[rule])
        if not isinstance(error, UnexpectedToken) or error.token.type == "$END":
            span, shown = self.source.span(self.start + end - 1, self.start + end), "the end of the line"
        else:
            span, shown = self.span(error.token), f"`{error.token}`"
        hint = HINTS[rule]
        if re.match(r"[eE]\d*`", shown[1:]) and re.search(r"[\d.]\Z", self.text[: span.start - self.start]):
            hint = "TACO reads no exponents: write all digits, as in 0.001"
        accepts = (error.accepts or error.expected) if isinstance(error, UnexpectedToken) else ()
        raise SourceError(f"expected {_listed(set(accepts))}, found {shown}", span, hint)


_SHOWN = {
    "EQUAL": "`=`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "COMMA": "`,`",
    "UNDERSCORE": "`_`",
    "COLON": "`:`",
    "IDENT": "a name",
    "NAME": "a name",
    "INTEGER": "a number",
    "$END": "the end of the line",
}
_TOGETHER = (
    ({"IDENT", "INTEGER", "REAL", "LPAR", "MINUS"}, "a tensor, a number, `(` or `-`"),
    ({"NAME", "NUMBER", "STRING", "OPERATOR", "LPAR", "LBRACE"}, "an argument"),
    ({"PLUS", "MINUS", "TIMES", "OVER"}, "an operator"),
)
HINTS = {
    "assignment": "write `A(i,k) = B(i,j) * C(j,k)`",
    "expression": "write an expression as TACO does: `B(i,j) * C(j,k)`",
    "declaration": "write `tensor B(i,j) = ds double`",
    "schedule": "write `schedule split(i, i0, i1, 32), reorder(i0, j, i1)`",
}


def _listed(expected: set[str]) -> str:
    """Kinds of tokens, for a message."""
    parts: list[str] = []
    for kinds, text in _TOGETHER:
        if expected >= kinds:
            parts.append(text)
            expected -= kinds
    parts += sorted({_SHOWN[kind] for kind in expected if kind in _SHOWN})
    return " or ".join(parts[:4]) or "something else"
