"""Tokens of C, C++, CUDA, OpenCL C and HLS C, each with its range in the user's text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tunepass.frontends.cfamily.text.lexemes import DIGRAPH, NAME, PLAIN, lexemes, with_letters

Kind = Literal["name", "number", "text", "op", "end"]

WORD = re.compile(
    rf"""
      (?:u8|[uUL])?(?:"(?:\\(?:\r\n|.)|[^"\\\n])*"?|'(?:\\(?:\r\n|.)|[^'\\\n])*'?)
    | {NAME}
    | \.?[0-9](?:[eEpP][+-]|'(?=\w)|[\w.])*
    | {DIGRAPH}
    | \.\.\.|<=>|<<=|>>=|->\*|->|\.\*|\+\+|--|&&|\|\||<<|>>|::|[-+*/%&|^=!<>]=|[^\s\\]
    """,
    re.VERBOSE | re.DOTALL,
)
"""A token of text without comments, directives and raw strings."""


@dataclass(
    slots=True, unsafe_hash=True
)  # never changed; not frozen, since making a frozen one takes three times as long
class Token:
    """[start, end) is its range in the source; of a token that a macro's text `made`, the range of the macro's use."""

    kind: Kind
    text: str
    start: int
    end: int
    made: bool = False
    macro: str = ""  # whose use in the source made it
    within: tuple[int, int] | None = None  # the use of a macro in the source of which it is an argument's part

    def at(self, *texts: str) -> bool:
        return self.kind in ("op", "name") and self.text in texts


def tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of `text[start:end]` without comments and directives; offsets are those in `text`."""
    for kind, word, first, last in lexemes(text, start, end):
        if kind not in ("comment", "directive"):
            yield Token(kind, word, first, last)  # type: ignore[arg-type]


def words_of(text: str) -> list[tuple[Kind, str]]:
    """The tokens of `text` as `tokens` has them, without places: of preprocessed text in a third of the time."""
    if "#" in text or "//" in text or "/*" in text or 'R"' in text or "\\\n" in text:
        return [(token.kind, token.text) for token in tokens(text)]
    words = WORD.findall(with_letters(text))
    kinds = {word: _kind(word) for word in set(words)}
    if not kinds.keys().isdisjoint(PLAIN):
        words = [PLAIN.get(word, word) for word in words]
        kinds |= dict.fromkeys(PLAIN.values(), "op")
    return [(kinds[word], word) for word in words]


def _kind(word: str) -> Kind:
    first = word[0]
    if first in "\"'" or (first in "uUL" and ('"' in word or "'" in word)):
        return "text"
    if first in "0123456789" or (first == "." and word[1:2] in "0123456789" and len(word) > 1):
        return "number"
    return "name" if first.isalpha() or first in "_$" or ord(first) > 0x7F else "op"


def names_in(text: str) -> list[str]:
    """The identifiers in a piece of code, in its order."""
    return [token.text for token in tokens(text) if token.kind == "name"]


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A piece of code with other texts in the place of identifiers."""
    pieces, position = [], 0
    for token in tokens(text):
        if token.kind == "name" and token.text in names:
            pieces += [text[position : token.start], names[token.text]]
            position = token.end
    return "".join([*pieces, text[position:]])


BRACKETS = {"(": ")", "[": "]", "{": "}"}


def closings(code: Sequence[Token]) -> dict[int, int]:
    """The position of the bracket that closes each one; those that are not closed are left out."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for position, token in enumerate(code):
        if token.at(*BRACKETS):
            opened.append(position)
        elif opened and token.at(BRACKETS[code[opened[-1]].text]):
            ends[opened.pop()] = position
    return ends


def spaced(tokens: Sequence[Token]) -> str:
    """The tokens with spaces as people write them."""
    text = " ".join(t.text for t in tokens)
    return re.sub(
        r" (?=[,;)\]])|(?<=[(\[]) | (?=[(\[])(?<!,.)(?<![=*/+<>-] )|(?<=[*&]) (?=\w)| ?:: ?",
        lambda m: m.group().strip(),
        text,
    )
