"""Ranges of tokens to syntax trees, with one diagnostic for what does not parse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Literal

import lark
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.lexer import Lexer

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.frontends.spatial.syntax.builder import TreeBuilder
from tunepass.frontends.spatial.syntax.lexer import Tokens
from tunepass.frontends.spatial.syntax.terminals import Terminal, terminals

StartRule = Literal["statements", "type", "signature", "class_signature"]
_START_RULES: tuple[StartRule, ...] = ("statements", "type", "signature", "class_signature")


def parse(tokens: Tokens, first: int, last: int) -> n.Block:
    """The statements in the tokens first <= i < last."""
    block = _parse("statements", tokens, first, last)
    if block is None:
        place = tokens.items[first].start if first < len(tokens.items) else len(tokens.source.text)
        return n.Block(Span(tokens.source, place, place), ())
    assert isinstance(block, n.Block)
    return block


def parse_type(tokens: Tokens, first: int, last: int) -> n.Type:
    type_ = _parse("type", tokens, first, last)
    assert isinstance(type_, n.Type)
    return type_


def parse_signature(tokens: Tokens, first: int, last: int) -> n.Signature:
    """`def f[T](x: T): T`, up to the `=` or the body."""
    signature = _parse("signature", tokens, first, last)
    assert isinstance(signature, n.Signature)
    return signature


def parse_class_signature(tokens: Tokens, first: int, last: int) -> n.Signature:
    """`Pixel(red: UInt8, green: UInt8)`: a class's name and parameters."""
    signature = _parse("class_signature", tokens, first, last)
    assert isinstance(signature, n.Signature)
    return signature


@dataclass(frozen=True, slots=True)
class _TokenRange:
    """What Lark's lexer reads instead of text."""

    tokens: Tokens
    first: int
    last: int


class _TerminalLexer(Lexer):
    """Hands the terminals of terminals.py to Lark."""

    def __init__(self, _conf: object):
        pass

    def lex(self, data: _TokenRange) -> Iterator[Terminal]:  # type: ignore[override]
        return terminals(data.tokens, data.first, data.last)


@lru_cache(maxsize=1)
def _grammar() -> lark.Lark:
    text = resources.files("tunepass.frontends.spatial.syntax").joinpath("spatial.lark").read_text(encoding="utf-8")
    return lark.Lark(
        text,
        parser="lalr",
        lexer=_TerminalLexer,
        start=list(_START_RULES),
        transformer=TreeBuilder(),
        maybe_placeholders=True,
    )


def _parse(start: StartRule, tokens: Tokens, first: int, last: int) -> object:
    try:
        return _grammar().parse(_TokenRange(tokens, first, last), start=start)
    except UnexpectedInput as error:
        raise _syntax_error(error, tokens, first, last) from None


_CLOSERS = {"RPAR": "`)`", "RBRACE": "`}`"}
_UNFINISHED = {
    "VAL": "a `val` needs `= …`",
    "VAR": "a `var` needs `= …`",
    "DEF": "a `def` needs `= …`",
    "CASE": "a `case` needs `=>`",
}


def _syntax_error(error: UnexpectedInput, tokens: Tokens, first: int, last: int) -> SourceError:
    unfinished = _unfinished(error)
    if unfinished is not None:
        return unfinished
    if isinstance(error, UnexpectedToken) and isinstance(error.token, Terminal):
        token = error.token
        shown = "the end of the statement" if token.type == "SEMI" else f"`{str(token).splitlines()[0]}`"
        closers = [text for kind, text in _CLOSERS.items() if kind in error.accepts]
        if token.type in ("SEMI", "RBRACE", "RPAR") and not closers:
            return SourceError(f"an operand is missing before {shown}", token.span)
        hint = f"expected {closers[0]}" if closers else None
        return SourceError(f"{shown} is not expected here", token.span, hint=hint)
    end = tokens.items[min(max(last - 1, first), len(tokens.items) - 1)].end if tokens.items else 0
    return SourceError("the code ends in the middle of an expression", Span(tokens.source, max(end - 1, 0), end))


def _unfinished(error: UnexpectedInput) -> SourceError | None:
    """What is wrong where a statement ends before the `=` or the `=>` of its `val`, `def` or `case`."""
    if not isinstance(error, UnexpectedToken) or error.token.type not in ("SEMI", "RBRACE", "RPAR", "$END"):
        return None
    parsed = error.interactive_parser.parser_state.value_stack
    if parsed and isinstance(parsed[-1], n.Signature):
        start = parsed[-1].span.start
        return SourceError(_UNFINISHED["DEF"], Span(parsed[-1].span.source, start, start + len("def")))
    closed = 0
    for item in reversed(parsed):
        if isinstance(item, Terminal):
            closed += {"RPAR": 1, "RSQB": 1, "LPAR": -1, "LSQB": -1}.get(item.type, 0)
            if item.type in _UNFINISHED and not closed:
                return SourceError(_UNFINISHED[item.type], item.span)
            if closed < 0 or (not closed and item.type in ("IS", "ARROW", "SEMI", "LBRACE")):
                return None
    return None
