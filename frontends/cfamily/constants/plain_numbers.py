"""C's spellings of numbers in pragmas, as the expression language has them: `3u`, `0.02f`, `017`, `1'000`, `'N'`."""

from __future__ import annotations

import re
from collections.abc import Collection

from tunepass.frontends.cfamily.constants.values import number_of

STRING = r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
NUMBER = r"(?<![\w.])\.?\d(?:[eEpP][-+]|'(?=\w)|[\w.])*"  # C's preprocessing number
WORD = re.compile(rf"(?P<number>{NUMBER})|{STRING}")
CHARACTER = re.compile(
    r"'(?:(?P<plain>[^'\\])|\\(?:(?P<letter>[abfnrtv\\'\"?])|(?P<octal>[0-7]{1,3})|x(?P<hex>[\da-fA-F]{1,2})))'"
)
NAME = re.compile(r"[A-Za-z_]\w*")
LETTERS = dict(zip("abfnrtv\\'\"?", b"\a\b\f\n\r\t\v\\'\"?"))


def with_plain_numbers(text: str, strings: Collection[str] = ()) -> str:
    """The text with each number of C's that the expression language would not read, or would read otherwise (`017`),
    replaced by its decimal spelling and spaces: places stay. A suffix goes, as a number gets its parameter's type.

    `'N'` is its code too, unless the text has one of the names whose values are `strings`. What is no number of C's
    stays, and is refused where the expression is read.

    >>> with_plain_numbers("1'000u + 'A' / 0.5f")
    '1000   + 65  / 0.5 '
    """
    characters = not strings or set(NAME.findall(text)).isdisjoint(strings)

    def plain(match: re.Match[str]) -> str:
        word = match.group()
        number = _decimal(word) if match["number"] else _code(word) if characters else None
        return word if number is None or len(number) > len(word) else number.ljust(len(word))

    return WORD.sub(plain, text)


def _decimal(word: str) -> str | None:
    """Hexadecimal digits stay: the expression language reads them."""
    value = number_of(word)
    if value is None:
        return None
    if word[:2].lower() == "0x":
        return word.rstrip("uUlL")
    return str(value) if isinstance(value, int) else word.rstrip("fFlLhH").replace("'", "")


def _code(word: str) -> str | None:
    """A plain `char` is signed, as gcc and clang have it on x86."""
    match = CHARACTER.fullmatch(word)
    if match is None:
        return None
    if match["plain"]:
        return str(ord(match["plain"])) if match["plain"].isascii() else None
    code = (
        LETTERS[match["letter"]]
        if match["letter"]
        else int(match["octal"] or match["hex"], 8 if match["octal"] else 16)
    )
    return str(code) if code < 128 else str(code - 256) if code < 256 else None
