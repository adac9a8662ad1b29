"""The statements of a .taco file: where each stands, what it begins with, its text without comments.

A statement ends at the end of its line or at a `;`. A line goes on inside brackets, after a comma or an operator, and
before one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError, Span, spelling_hint

WORDS = ("tensor", "param", "constraint", "model", "schedule", "bind", "generate", "dim", "tolerance")

_TOKEN = re.compile(
    r"""
      (?P<comment>\#[^\n]*)
    | (?P<string>"(?:\\.|[^"\\\n])*"?)
    | (?P<continued>\\[ \t\r]*\n)
    | (?P<newline>\n(?:\s|\#[^\n]*)*)
    | (?P<end>;)
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | (?P<word>\w+)
    | (?P<operator>[^\s\w])
    """,
    re.VERBOSE,
)
_GOES_ON_AFTER = frozenset({*",=+-*/:<>%!", "and", "or", "not"})
_GOES_ON_BEFORE = re.compile(r"[,+*/)=}\]]")
_BEGINS = re.compile(rf"(?:{'|'.join(WORDS)})\s+\w")  # a new statement, though a bracket is open
_FIRST_WORD = re.compile(r"\s*(\w+)\s*")


@dataclass(frozen=True, slots=True)
class Statement:
    """`word` is what it begins with, empty for an assignment; `text` is what follows, at `start` of the source."""

    word: str
    text: str
    start: int
    span: Span


def statements(source: Source) -> Iterator[Statement | SourceError]:
    """In their order; an error for what begins like none."""
    for first, last, text in _ranges(source.text):
        span = source.span(first, last)
        try:
            yield _statement(text, first, span)
        except SourceError as error:
            yield error


def _ranges(text: str) -> Iterator[tuple[int, int, str]]:
    """(first, last, text) of every statement that is not empty: comments and ends of lines in it are spaces."""
    pieces, first, depth, before = list[str](), 0, 0, ""
    place = 0

    def finished(last: int) -> Iterator[tuple[int, int, str]]:
        whole = "".join([*pieces, text[place:last]])
        if stripped := whole.strip():
            skipped = len(whole) - len(whole.lstrip())
            yield first + skipped, first + skipped + len(stripped), stripped

    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind in ("comment", "continued"):
            pieces += [text[place : token.start()], " " * len(token.group())]
            place = token.end()
        elif kind == "newline":
            goes_on = depth > 0 or before in _GOES_ON_AFTER or _GOES_ON_BEFORE.match(text, token.end())
            if before and goes_on and not _BEGINS.match(text, token.end()):
                pieces += [text[place : token.start()], " " * len(token.group())]
                place = token.end()
                continue
        depth += (kind == "open") - (kind == "close")
        if kind in ("newline", "end"):
            yield from finished(token.start())
            pieces, first, place, depth, before = [], token.end(), token.end(), 0, ""
        elif kind not in ("comment", "continued"):
            before = token.group()
    yield from finished(len(text))


def _statement(text: str, first: int, span: Span) -> Statement:
    match = _FIRST_WORD.match(text)
    word = match[1] if match else ""
    rest = text[match.end() :] if match else text
    if word in WORDS and not _is_assignment(word, rest):
        return Statement(word, rest, first + len(text) - len(rest), span)
    if match and re.match(r"[A-Za-z]", rest) and not text.startswith(f"{word}_"):
        hint = spelling_hint(word, WORDS, f"a line is an assignment, or begins with {', '.join(WORDS)}")
        where = Span(span.source, first, first + len(word))
        raise SourceError(f"unknown statement `{word}`", where, hint)
    return Statement("", text, first, span)


def _is_assignment(word: str, rest: str) -> bool:
    """A tensor may be called as a statement is: `bind(i) = …`."""
    return rest[:1] in ("(", "_", "=", "+") and not (word == "tolerance" and "=" not in rest) and "=" in rest
