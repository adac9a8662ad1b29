"""Text to typed expression. Input is bounded in length and depth before anything recursive looks at it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import resources

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from tunepass.diagnostics import ExpressionError, Source, Span
from tunepass.expr import python_eval, typing
from tunepass.expr.nodes import Expr, Name, OrderType, Type

LENGTH_LIMIT = 20_000  # characters
DEPTH_LIMIT = 256  # levels of the tree, one for each term of a sum; the readers recurse no deeper
DIGIT_LIMIT = 40  # digits of an integer literal; 64 bits need 19

_BRACKETS = {")": "(", "]": "[", "}": "{"}
_BRACKET_OR_STRING = re.compile(r"""[()\[\]{}]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
_INSTEAD = {
    "=": "write `==` to compare",
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`",
    "^": "write `**` for a power",
    "?": "write `if(condition, a, b)`",
    ".": "names have no attributes here",
    '"': "the string is not closed on its line",
    "'": "the string is not closed on its line",
}
_ESCAPES = {"n": "\n", "t": "\t"}


def parse(text: str, names: Mapping[str, Type], *, source: Source | None = None, offset: int = 0) -> Expr:
    """The typed tree of a text.

    Args:
        text: an expression of the language of constraints.
        names: the type of each name that it may have.
        source: what spans point into; None: the text itself.
        offset: where the text starts in the source.

    Returns:
        The expression.

    Raises:
        ExpressionError: text that does not parse, does not type, or overflows by itself; with a span.

    Example:
        >>> str(extension.parse_expression("tile * 2", {p.name: p.type for p in space.parameters}).type)
        'Integer'
    """
    where = _Where(source or Source("<expression>", text), offset if source else 0)
    e = _Builder(names, where).build(_tree(text, where), 0)
    python_eval.check_constants(e)
    return e


def check_syntax(text: str, *, source: Source | None = None, offset: int = 0) -> None:
    """Refuse what no names could make an expression of; arguments and errors as those of `parse`."""
    _tree(text, _Where(source or Source("<expression>", text), offset if source else 0))


def _tree(text: str, where: _Where) -> Tree[Token]:
    _bounded(text, where)
    try:
        return _grammar().parse(text)
    except UnexpectedInput as error:
        raise _syntax_error(error, text, where) from None


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    grammar = resources.files("tunepass.expr").joinpath("expr.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", maybe_placeholders=False)


class _Where:
    """Turns positions in the text into spans of the source."""

    __slots__ = ("offset", "source")

    def __init__(self, source: Source, offset: int):
        self.source, self.offset = source, offset

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, self.offset + start, self.offset + end)

    def token(self, token: Token) -> Span:
        start = token.start_pos or 0
        return Span(self.source, self.offset + start, self.offset + start + len(token))


def _bounded(text: str, where: _Where) -> None:
    """Refuse text that is too long or too deep, and brackets that do not match."""
    if len(text) > LENGTH_LIMIT:
        raise ExpressionError(
            f"this expression is too long: {len(text)} characters, at most {LENGTH_LIMIT}", where.span(0, 1)
        )
    opened: list[tuple[str, int]] = []
    for token in _BRACKET_OR_STRING.finditer(text):
        bracket, at = token.group(), token.start()
        if bracket in "([{":
            opened.append((bracket, at))
            if len(opened) > DEPTH_LIMIT:
                raise ExpressionError(f"nested too deeply: more than {DEPTH_LIMIT} levels", where.span(at, at + 1))
        elif bracket in ")]}" and (not opened or opened.pop()[0] != _BRACKETS[bracket]):
            raise ExpressionError(f"this `{bracket}` closes nothing", where.span(at, at + 1))
    if opened:
        bracket, at = opened[-1]
        raise ExpressionError(f"this `{bracket}` is never closed", where.span(at, at + 1))


def _syntax_error(error: UnexpectedInput, text: str, where: _Where) -> ExpressionError:
    if isinstance(error, UnexpectedCharacters):
        at = error.pos_in_stream or 0
        return ExpressionError(f"unexpected `{text[at]}`", where.span(at, at + 1), _INSTEAD.get(text[at]))
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        token = error.token
        hint = _INSTEAD.get(token[:1]) if token.type in ("STRING",) else None
        if token.type in ("NAME", "INTEGER", "REAL", "STRING", "LPAR", "NOT"):
            hint = "an operator is missing before it, or it should not be here"
        return ExpressionError(f"unexpected `{token[:40]}`", where.token(token), hint)
    at = len(text.rstrip())
    if at == 0:
        return ExpressionError("an expression is missing", where.span(0, 1))
    return ExpressionError("the expression ends too early", where.span(at, at + 1), "a value is missing after this")


class _Builder:
    """Types Lark's tree bottom-up."""

    def __init__(self, names: Mapping[str, Type], where: _Where):
        self.names, self.where = names, where

    def build(self, tree: Tree[Token] | Token, depth: int) -> Expr:
        if isinstance(tree, Token):
            return self._leaf(tree)
        if depth >= DEPTH_LIMIT:
            hint = "each term of a sum is a level: put a long one into groups, (a + b + c) + (d + e + f)"
            message = f"nested too deeply: more than {DEPTH_LIMIT} levels"
            raise ExpressionError(message, self.where.token(_first(tree)), hint)
        kind, parts = str(tree.data), tree.children
        if kind == "call":
            return self._call(parts, depth)
        if kind == "sign":
            return self._sign(parts, depth)
        operands = [self.build(part, depth + 1) for part in parts if not _is_mark(part)]
        first, last = operands[0].span, operands[-1].span
        assert first is not None and last is not None
        span = Span(self.where.source, first.start, last.end)
        if kind == "binary":
            return typing.binary(str(parts[1]), operands[0], operands[1], span)
        if kind == "comparison":
            return typing.compare(operands, [str(op) for op in parts[1::2]], span)
        if kind in ("conjunction", "disjunction"):
            return typing.logical("and" if kind == "conjunction" else "or", operands, span)
        if kind == "inversion":
            return typing.unary("not", operands[0], self._from(parts[0], span))
        return self._bracketed(kind, parts, operands, span, depth)

    def _bracketed(
        self, kind: str, parts: list[Tree[Token] | Token], operands: list[Expr], span: Span, depth: int
    ) -> Expr:
        if kind == "group":
            return replace(operands[0], span=self._to(parts[-1], self._from(parts[0], span)))  # type: ignore[type-var]
        if kind == "index":
            return typing.index(operands[0], operands[1], self._to(parts[-1], span))
        item, choices = operands[0], parts[-1]
        assert isinstance(choices, Tree)
        typed = [self.build(choice, depth + 1) for choice in choices.children[:-1]]
        span = self._to(choices.children[-1], span)
        e = typing.member(item, typed, span)
        return e if kind == "membership" else typing.unary("not", e, span)

    def _call(self, parts: list[Tree[Token] | Token], depth: int) -> Expr:
        function = parts[0]
        given = [child for part in parts[1:-1] if isinstance(part, Tree) for child in part.children]
        arguments = [
            self._item(given[0], child, depth + 1) if function == "pos" and place else self.build(child, depth + 1)
            for place, child in enumerate(given)
        ]
        assert isinstance(function, Token)
        name_span = self.where.token(function)
        return typing.call(str(function), arguments, self._to(parts[-1], name_span), name_span)

    def _item(self, order: Tree[Token] | Token, item: Tree[Token] | Token, depth: int) -> Expr:
        """The second argument of `pos`: a bare word that is no name may be an item, `pos(order, i)`."""
        items = self.names.get(str(order))
        if isinstance(item, Token) and item not in self.names and isinstance(items, OrderType) and item in items.items:
            return typing.constant(str(item), self.where.token(item))
        return self.build(item, depth)

    def _sign(self, parts: list[Tree[Token] | Token], depth: int) -> Expr:
        sign, operand = parts
        if isinstance(operand, Token) and operand.type in ("INTEGER", "REAL") and sign == "-":
            start = self.where.token(sign).start if isinstance(sign, Token) else 0
            return self._number(operand, -1, Span(self.where.source, start, self.where.token(operand).end))
        e = self.build(operand, depth + 1)
        assert e.span is not None
        span = self._from(sign, e.span)
        if sign == "-":
            return typing.unary("-", e, span)
        typing.unary("-", e, span)  # `+x` is x, but only of a number
        return e

    def _leaf(self, token: Token) -> Expr:
        span = self.where.token(token)
        if token.type == "NAME":
            declared = self.names.get(token)
            return (
                Name(str(token), declared, span) if declared is not None else typing.name(str(token), self.names, span)
            )
        if token.type == "STRING":
            return typing.constant(re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), token[1:-1]), span)
        return self._number(token, 1, span)

    def _number(self, token: Token, sign: int, span: Span) -> Expr:
        if token.type == "REAL":
            return typing.constant(sign * float(token), span)
        if len(token) > DIGIT_LIMIT:
            raise ExpressionError("this integer does not fit in 64 bits", span)
        return typing.constant(sign * int(token, 16 if token[:2] in ("0x", "0X") else 10), span)

    def _from(self, token: Tree[Token] | Token, span: Span) -> Span:
        assert isinstance(token, Token)
        return Span(span.source, self.where.token(token).start, span.end)

    def _to(self, token: Tree[Token] | Token, span: Span) -> Span:
        assert isinstance(token, Token)
        return Span(span.source, span.start, self.where.token(token).end)


def _first(tree: Tree[Token] | Token) -> Token:
    while isinstance(tree, Tree):
        tree = tree.children[0]
    return tree


_MARKS = {"SIGN", "PRODUCT", "SHIFT", "POWER", "COMPARE", "NOT", "LPAR", "RPAR", "RSQB", "RBRACE"}


def _is_mark(part: Tree[Token] | Token) -> bool:
    """Operators, brackets, and the set of a membership: not operands of their own."""
    return part.type in _MARKS if isinstance(part, Token) else part.data == "set"
