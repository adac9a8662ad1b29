"""Changes to the text of statements: uses of a local variable become what it is defined as."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tunepass.frontends.cfamily.tokens import BRACKETS, Token, closings, tokens

SIMPLE = re.compile(r"[\w\s.\[\]+*-]*\Z")  # text that may follow `+` without brackets


@dataclass(frozen=True, slots=True)
class Edit:
    """`text` for [start, end). A statement that contains `origin`, where the local is declared, keeps its own text.

    `words` are names in `text` that a macro makes: they cannot be replaced there.
    """

    start: int
    end: int
    text: str
    origin: int = -1
    words: frozenset[str] = frozenset()


@dataclass
class Edits:
    """Of one source, by where they start."""

    source: str
    made: dict[int, Edit] = field(default_factory=dict)

    def add(self, *edits: Edit) -> None:
        for edit in edits:
            self.made.setdefault(edit.start, edit)

    def within(self, start: int, end: int) -> Iterator[Edit]:
        """Those that change the text [start, end), in order, without those inside others."""
        position = start
        for edit in sorted(self.made.values(), key=lambda e: (e.start, -e.end)):
            if position <= edit.start and edit.end <= end and not start <= edit.origin < end:
                yield edit
                position = edit.end

    def text(self, start: int, end: int, original: str | None = None) -> str:
        """[start, end) of the source, or the `original` in its place, with the edits."""
        text = self.source[start:end] if original is None else original
        pieces, position = [], start
        for edit in self.within(start, end):
            pieces += [text[position - start : edit.start - start], edit.text]
            position = edit.end
        return "".join([*pieces, text[position - start :]])


def brackets_after(source: str, end: int) -> tuple[Token, Token] | None:
    """The `[` that follows a name which ends at `end`, and the `]` that closes it."""
    level, first = 0, None
    for token in tokens(source, end):
        level += token.at("[") - token.at("]")
        if first is None:
            if level != 1:
                return None
            first = token
        if level == 0:
            return first, token
    return None


def follows_plus(text: str) -> bool:
    """May the text stand after `+` without brackets?"""
    return SIMPLE.match(text) is not None


def grouped(text: str) -> str:
    """In brackets where it needs them."""
    code = list(tokens(text))
    if len(code) == 1 or (code and code[0].at(*BRACKETS) and closings(code).get(0) == len(code) - 1):
        return text
    return f"({text})"
