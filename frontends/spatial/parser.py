"""Terminals to syntax tree (Lark), with one diagnostic for a body that does not parse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Any

from lark import Lark, Transformer, v_args
from lark import Token as Terminal
from lark.exceptions import UnexpectedInput, UnexpectedToken, VisitError
from lark.lexer import Lexer
from lark.tree import Meta

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.spatial import syntax as s
from tunepass.frontends.spatial.chew import chew
from tunepass.frontends.spatial.heads import definition_head, lambda_parameters, value_head
from tunepass.frontends.spatial.scanner import Tokens

_CLOSERS = {"RPAR": "`)`", "RBRACE": "`}`"}


def parse(tokens: Tokens, first: int, last: int) -> s.Block:
    """The statements in the tokens first <= i < last."""
    try:
        tree = _grammar().parse(_Range(tokens, first, last))
        result = _Build(tokens.source).transform(tree)
    except UnexpectedInput as error:
        raise _syntax_error(error, tokens, first, last) from None
    except VisitError as error:
        if isinstance(error.orig_exc, SourceError):
            raise error.orig_exc from None
        raise
    assert isinstance(result, s.Block)
    return result


class _Range:
    """What the lexer reads: a range of tokens instead of text."""

    def __init__(self, tokens: Tokens, first: int, last: int):
        self.tokens, self.first, self.last = tokens, first, last


class _Chew(Lexer):
    """Hands the terminals of chew.py to Lark."""

    def __init__(self, _conf: object):
        pass

    def lex(self, data: _Range) -> Iterator[Terminal]:  # type: ignore[override]
        return chew(data.tokens, data.first, data.last)


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    text = resources.files("tunepass.frontends.spatial").joinpath("spatial.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer=_Chew, propagate_positions=True, maybe_placeholders=True)


def _syntax_error(error: UnexpectedInput, tokens: Tokens, first: int, last: int) -> SourceError:
    source = tokens.source
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        token = error.token
        span = Span(source, token.start_pos or 0, token.end_pos or 0)
        shown = "the end of the statement" if token.type == "SEMI" else f"`{str(token).splitlines()[0]}`"
        closers = [text for kind, text in _CLOSERS.items() if kind in error.accepts]
        if token.type in ("SEMI", "RBRACE", "RPAR") and not closers:
            return SourceError(f"an operand is missing before {shown}", span)
        return SourceError(f"{shown} is not expected here", span, hint=f"expected {closers[0]}" if closers else None)
    end = tokens.items[min(max(last - 1, first), len(tokens.items) - 1)].end if tokens.items else 0
    return SourceError("the code ends in the middle of an expression", Span(source, max(end - 1, 0), end))


@v_args(inline=False, meta=True)
class _Build(Transformer[Terminal, s.Node]):
    """Each method is named after a rule of spatial.lark."""

    def __init__(self, source: Source):
        super().__init__()
        self.source = source

    def _span(self, meta: Meta) -> Span:
        return Span(self.source, meta.start_pos, meta.end_pos) if not meta.empty else Span(self.source, 0, 0)

    def _node(self, item: s.Node | Terminal) -> s.Node:
        """A terminal that stands for itself becomes its leaf."""
        return item if isinstance(item, s.Node) else self._leaf(item)

    def _nodes(self, items: list[Any]) -> tuple[s.Node, ...]:
        kept = (i for i in items if i is not None and getattr(i, "type", "") not in _PUNCTUATION)
        return tuple(self._node(i) for i in kept)

    def _leaf(self, token: Terminal) -> s.Node:
        span = Span(self.source, token.start_pos or 0, token.end_pos or 0)
        text = str(token)
        match token.type:
            case "NAME":
                return s.Ident(span, text.strip("`"))
            case "SYMBOL":
                return s.Ident(span, text)
            case "INTEGER":
                return s.Literal(span, int(text.rstrip("lL").replace("_", ""), 0 if text[:2].lower() == "0x" else 10))
            case "REAL":
                return s.Literal(span, float(text.rstrip("fFdD").replace("_", "")))
            case "BOOLEAN":
                return s.Literal(span, text == "true")
            case "PLACEHOLDER":
                return s.Placeholder(span)
            case "STAR":
                return s.Star(span)
            case _:
                return s.Literal(span, text)

    def start(self, meta: Meta, items: list[Any]) -> s.Node:
        return self._node(items[0])

    def body(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Block(self._span(meta), self._nodes(items))

    def value(self, meta: Meta, items: list[Any]) -> s.Node:
        names, type_ = value_head(str(items[0]))
        return s.Value(self._span(meta), names, type_, self._node(items[1]))

    def definition(self, meta: Meta, items: list[Any]) -> s.Node:
        name, parameters, types = definition_head(str(items[0]))
        return s.Definition(self._span(meta), name, parameters, types, self._node(items[1]))

    def skipped(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Skipped(self._span(meta), str(items[0]))

    def function(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Function(self._span(meta), lambda_parameters(str(items[0])), self._node(items[1]))

    def lambda_braces(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Function(self._span(meta), lambda_parameters(str(items[1])), self._node(items[2]))

    def conditional(self, meta: Meta, items: list[Any]) -> s.Node:
        condition, then, *rest = (i for i in items if getattr(i, "type", "") not in ("IF", "ELSE", "LPAR", "RPAR"))
        otherwise = self._node(rest[0]) if rest else None
        return s.Conditional(self._span(meta), self._node(condition), self._node(then), otherwise)

    def loop(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Loop(self._span(meta), self._node(items[2]), self._node(items[4]))

    def comprehension(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Comprehension(self._span(meta), str(items[0]), self._node(items[1]))

    def returned(self, meta: Meta, items: list[Any]) -> s.Node:
        return self._node(items[1])

    def thrown(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Thrown(self._span(meta), self._node(items[1]))

    def update(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Update(self._span(meta), str(items[1]), self._node(items[0]), self._node(items[2]))

    def assign(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Assign(self._span(meta), self._node(items[0]), self._node(items[2]))

    def matching(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Matching(self._span(meta), self._node(items[0]), self._node(items[2]))

    def ascribed(self, meta: Meta, items: list[Any]) -> s.Node:
        return self._node(items[0])

    def infix(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Infix(self._span(meta), str(items[1]), self._node(items[0]), self._node(items[2]))

    def prefixed(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Prefixed(self._span(meta), str(items[0]), self._node(items[1]))

    def select(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Select(self._span(meta), self._node(items[0]), str(items[2]).strip("`"))

    def typed(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Typed(self._span(meta), self._node(items[0]), str(items[1])[1:-1])

    def arguments(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Parenthesis(self._span(meta), self._nodes(items))

    def apply(self, meta: Meta, items: list[Any]) -> s.Node:
        arguments = items[1]
        assert isinstance(arguments, s.Parenthesis)
        return s.Apply(self._span(meta), self._node(items[0]), arguments.items)

    def apply_block(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Apply(self._span(meta), self._node(items[0]), (self._node(items[1]),))

    def parenthesis(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Parenthesis(self._span(meta), self._nodes(items))

    def instance(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Instance(self._span(meta), str(items[1]))

    def braces(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Block(self._span(meta), self._node(items[1]).statements)  # type: ignore[attr-defined]

    def case_braces(self, meta: Meta, items: list[Any]) -> s.Node:
        cases = tuple(i for i in items if isinstance(i, s.Case))
        bound = (
            re.fullmatch(r"case\s*(?:\(([\w\s,]*)\)|([^\W\d]\w*))\s*=>", cases[0].pattern) if len(cases) == 1 else None
        )
        if bound:  # `{ case (a, b) => … }` is a function of a and b
            names = tuple(name.strip() for name in (bound.group(1) or bound.group(2)).split(","))
            return s.Function(self._span(meta), names, cases[0].body)
        return s.Cases(self._span(meta), cases)

    def case(self, meta: Meta, items: list[Any]) -> s.Node:
        return s.Case(self._span(meta), str(items[0]), items[1])


_PUNCTUATION = frozenset({"LPAR", "RPAR", "LBRACE", "RBRACE", "COMMA", "SEMI"})
