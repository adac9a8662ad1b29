"""Numbers and letters of a source's text, with which it compares its data: those drawn at random seldom meet them."""

from __future__ import annotations

from collections.abc import Iterator

from tunepass.frontends.cfamily.constants.values import number_of
from tunepass.frontends.cfamily.text.lexemes import lexemes
from tunepass.frontends.cfamily.text.tokens import words_of
from tunepass.ir.c_kernel import Literals

MOST = 48  # of each kind, those of the function first
LARGEST = 2**63 - 1
ESCAPES = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7, "b": 8, "0": 0}


def literals_of(text: str, start: int = 0, end: int | None = None) -> Literals:
    """The literals of the function at `text[start:end]`, then all others; of directives, those of macros alone."""
    known = [*_words(text, start, len(text) if end is None else end), *_words(text, 0, len(text))]
    numbers = [number_of(word) for kind, word in known if kind == "number"]
    whole = dict.fromkeys(v for v in numbers if isinstance(v, int) and 2 <= v <= LARGEST)
    real = dict.fromkeys(v for v in numbers if isinstance(v, float) and 0 < v < 1e300)
    letters = dict.fromkeys(code for kind, word in known if kind == "text" for code in _codes(word))
    return Literals((*whole,)[:MOST], (*real,)[:MOST], (*letters,)[:MOST])


def _words(text: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    for kind, word, _, _ in lexemes(text, start, end):
        if kind == "directive" and word.lstrip("# \t").startswith("define"):
            yield from words_of(word.lstrip("# \t").removeprefix("define"))
        elif kind != "directive":
            yield kind, word


def _codes(word: str) -> Iterator[int]:
    """Codes of the letters in a text or character, as far as one byte holds them."""
    letters = iter(word[1:-1] if word[:1] in "\"'" else "")
    for letter in letters:
        if letter == "\\":
            escaped = next(letters, "\\")
            yield ESCAPES.get(escaped, ord(escaped) & 0x7F)
        elif ord(letter) < 0x80:
            yield ord(letter)
