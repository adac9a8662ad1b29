"""The lexer's tokens as the terminals of spatial.lark: statement breaks, kinds of operators, modifiers left out."""

from __future__ import annotations

from collections.abc import Iterator

import lark

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.spatial.syntax.lexer import MODIFIERS, Token, Tokens

_PUNCTUATION = {
    "(": "LPAR", ")": "RPAR", "[": "LSQB", "]": "RSQB", "{": "LBRACE", "}": "RBRACE", ",": "COMMA", ".": "DOT",
}  # fmt: skip
_KEYWORDS = frozenset((
    "val", "var", "def", "type", "if", "else", "while", "for", "yield", "return", "throw", "match", "new", "case",
    "with",
))  # fmt: skip
_RESERVED = {"=": "IS", "=>": "ARROW", "⇒": "ARROW", "<-": "FROM", "←": "FROM", ":": "COLON", "#": "HASH"}
_TYPE_BOUNDS = {"<:": "UPPER", ">:": "LOWER", "<%": "LOWER"}
_NO_STATEMENT_BEFORE = frozenset({"", "LBRACE", "SEMI", "ARROW"})


class Terminal(lark.Token):
    """A terminal with its place in the source."""

    __slots__ = ("span",)
    span: Span


def terminals(tokens: Tokens, first: int, last: int) -> Iterator[Terminal]:
    """The terminals of the tokens first <= i < last; a statement break is a SEMI."""
    items, previous, i = tokens.items, "", first
    while i < last:
        token = items[i]
        if token.kind == ";" or token.breaks:
            following = items[i + 1] if token.kind == ";" and i + 1 < last else token
            if previous not in _NO_STATEMENT_BEFORE and _may_begin_statement(following):
                yield _terminal("SEMI", tokens, token.start, token.start)
                previous = "SEMI"
        end = _end_of_ignored(tokens, i, last)
        if end is None:
            previous = "NAME" if previous == "DEF" else _kind(tokens, i)
            yield _terminal(previous, tokens, token.start, token.end)
        i = i + 1 if end is None else end


def _may_begin_statement(token: Token) -> bool:
    return token.kind not in ("}", ";") and token.text != "case"


def _terminal(kind: str, tokens: Tokens, start: int, end: int) -> Terminal:
    terminal = Terminal(kind, tokens.source.text[start:end], start, end_pos=end)
    terminal.span = Span(tokens.source, start, end)
    return terminal


def _end_of_ignored(tokens: Tokens, i: int, last: int) -> int | None:
    """The token after what begins at `i` and says nothing here: a modifier, an annotation, an import; else None."""
    token = tokens.items[i]
    if token.kind == ";":
        return i + 1
    if token.kind == "keyword" and token.text in MODIFIERS:
        scoped = i + 1 < last and tokens.items[i + 1].kind == "["
        return tokens.partner[i + 1] + 1 if scoped else i + 1
    if token.kind == "keyword" and token.text in ("import", "package"):
        return _end_of_line(tokens, i, last)
    if token.kind == "reserved" and token.text == "@":
        end = i + 2  # the annotation's name, then its arguments
        while end < last and tokens.items[end].kind in ("[", "(") and not tokens.items[end].breaks:
            end = tokens.partner[end] + 1
        return end
    return None


def _end_of_line(tokens: Tokens, i: int, last: int) -> int:
    end = i + 1
    while end < last and not tokens.items[end].breaks and tokens.items[end].kind not in (";", "}"):
        end = tokens.partner[end] + 1 if tokens.items[end].kind in ("(", "[", "{") else end + 1
    return end


def _kind(tokens: Tokens, i: int) -> str:
    """The terminal that token `i` is."""
    token = tokens.items[i]
    match token.kind:
        case "name":
            return "BOOLEAN" if token.text in ("true", "false") else "NAME"
        case "operator":
            return _operator(tokens, i)
        case "integer" | "real" | "string" | "char" | "symbol":
            return token.kind.upper()
        case "keyword" if token.text in _KEYWORDS:
            return token.text.upper()
        case "keyword":
            raise SourceError(f"`{token.text}` is not understood here", tokens.span(i, i))
        case "reserved":
            return "PLACEHOLDER" if token.text == "_" else _RESERVED[token.text]
        case _:
            return _PUNCTUATION[token.kind]


def _operator(tokens: Tokens, i: int) -> str:
    text = tokens.items[i].text
    if text == "*" and _is_argument(tokens, i):
        return "STAR"
    if text in ("+", "-"):
        return "SIGN"
    if text in ("!", "~"):
        return "NOT"
    if text in _TYPE_BOUNDS:
        return _TYPE_BOUNDS[text]
    if text[-1] == "=" and text[0] != "=" and text not in ("<=", ">=", "!="):
        return "ASSIGN"
    return "MULTIPLY" if text[0] in "*/%" else "OPERATOR"


def _is_argument(tokens: Tokens, i: int) -> bool:
    """Is this `*` a whole argument?"""
    if i == 0 or i + 1 >= len(tokens.items):
        return False
    before, after = tokens.items[i - 1], tokens.items[i + 1]
    return before.kind in ("(", ",") and (after.kind in (")", ",") or after.text in ("by", "par"))
