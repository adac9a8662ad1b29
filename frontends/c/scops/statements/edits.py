"""Changes to the text of a region: uses of a local become what it is defined as, loops become `for`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tunepass.frontends.cfamily.text.tokens import Token, tokens

PLAIN = frozenset("[].+-*")  # operators in a text that may follow `+` without brackets


@dataclass(frozen=True, slots=True)
class Edit:
    """`text` for [start, end). It applies to a text that has all of its `scope`, [start, end) unless given, and not
    `origin`, where the local that it replaces is declared. `words` are names in `text` that a macro makes."""

    start: int
    end: int
    text: str
    scope: tuple[int, int] | None = None
    origin: int = -1
    words: frozenset[str] = frozenset()

    def applies(self, start: int, end: int) -> bool:
        first, last = self.scope or (self.start, self.end)
        return start <= first and last <= end and not start <= self.origin < end


def edits_within(edits: Iterable[Edit], start: int, end: int) -> Iterator[Edit]:
    """Those that apply to the text [start, end), in order: at one place insertions first, and none inside others."""
    position = start
    for edit in sorted(edits, key=lambda e: (e.start, e.end > e.start, -e.end)):
        if edit.start >= position and edit.applies(start, end):
            yield edit
            position = edit.end


def edited(source: str, start: int, end: int, edits: Iterable[Edit]) -> str:
    """[start, end) of the source with the edits."""
    pieces, position = [], start
    for edit in edits_within(edits, start, end):
        pieces += [source[position : edit.start], edit.text]
        position = edit.end
    return "".join([*pieces, source[position:end]])


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
    return all(token.kind in ("name", "number") or token.text in PLAIN for token in tokens(text))
