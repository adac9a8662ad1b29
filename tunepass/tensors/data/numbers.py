"""Blocks of lines of numbers as arrays: checked as a whole at the speed of NumPy, and again line by line for the place
of what is wrong."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SourceError, Span
from tunepass.tensors.data.text_stream import LineStream, clipped, excerpt

Numbers = NDArray[np.float64] | NDArray[np.int64]

TOKEN, BLANK, NEWLINE, COMMENT, BINARY = range(5)
_WORD = re.compile(rb"[^ \t\r\v\f\n]+")
_COMMENT = re.compile(rb"[%#][^\n]*")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|infinity|nan)", re.IGNORECASE)


def _classes() -> NDArray[np.uint8]:
    """(256,) what each byte is."""
    classes = np.full(256, BINARY, np.uint8)
    classes[0x21:0x7F] = TOKEN
    classes[list(b" \t\r\v\f")] = BLANK
    classes[ord("\n")] = NEWLINE
    classes[list(b"%#")] = COMMENT
    return classes


_CLASS_OF = _classes()


@dataclass(frozen=True, slots=True, eq=False)
class NumberBlock:
    """The lines of a block that hold numbers, and where they stand."""

    name: str
    first_line: int
    text: bytes
    numbers: Numbers  # (lines, columns)

    def span(self, row: int, column: int) -> Span:
        """The place of a number."""
        filled = (row_text for row_text in _lines(self.first_line, self.text) if row_text[2])
        line, text, words = next(row_text for number, row_text in enumerate(filled) if number == row)
        return excerpt(self.name, line, text, *words[column].span())

    def refuse(self, bad: NDArray[np.bool_], column: int, message: str, hint: str | None = None) -> None:
        """Raises SourceError at the first row that is bad, if any is; `{}` in the message is the number there."""
        if bool(bad.any()):
            span = self.span(int(np.argmax(bad)), column)
            raise SourceError(message.format(clipped(span.text)), span, hint)


def number_blocks(stream: LineStream, column_names: tuple[str, ...], *, integers: bool) -> Iterator[NumberBlock]:
    """The rest of a stream: each line that is not blank has one number for each of `column_names`. Integers are read as
    such, and where one is none as floating point. Raises SourceError."""
    columns = len(column_names)
    for first_line, text in stream.blocks():
        numbers = _parsed(text, columns, integers)
        if numbers is None:
            text = _COMMENT.sub(b"", text)
            numbers = _parsed(text, columns, integers)
        if numbers is None:
            raise _first_problem(stream.name, first_line, text, column_names)
        if numbers.size:
            yield NumberBlock(stream.name, first_line, text, numbers)


def _parsed(text: bytes, columns: int, integers: bool) -> Numbers | None:
    """(lines, columns), None if any line is not of so many numbers."""
    classes = _CLASS_OF[np.frombuffer(text, np.uint8)]
    if int(classes.max()) >= COMMENT:
        return None
    token = classes == TOKEN
    starts = np.flatnonzero(token & np.concatenate([[True], ~token[:-1]]))
    if not starts.size:
        return np.zeros((0, columns))
    ends = np.append(np.flatnonzero(classes == NEWLINE), classes.size)
    per_line = np.diff(np.searchsorted(starts, ends), prepend=0)
    if not bool(np.all((per_line == columns) | (per_line == 0))):
        return None
    numbers: Numbers | None = _integers(text) if integers else None
    if numbers is None or numbers.size != starts.size:
        numbers = _floats(text)
    if numbers is None or numbers.size != starts.size:  # "1-2" is read as two numbers
        return None
    return numbers.reshape(-1, columns)


def _floats(text: bytes) -> NDArray[np.float64] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # how NumPy before 2.3 says that text is no number
        try:
            return np.fromstring(text, dtype=np.float64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None


def _integers(text: bytes) -> NDArray[np.int64] | None:
    """None as well where one does not fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            numbers = np.fromstring(text, dtype=np.int64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    limits = np.iinfo(np.int64)
    saturated = numbers.size and (numbers.max() == limits.max or numbers.min() == limits.min)
    return None if saturated else numbers


def _lines(first_line: int, text: bytes) -> Iterator[tuple[int, bytes, list[re.Match[bytes]]]]:
    for number, line in enumerate(text.split(b"\n"), first_line):
        yield number, line, list(_WORD.finditer(line))


def _first_problem(name: str, first_line: int, text: bytes, columns: tuple[str, ...]) -> SourceError:
    """Error of the first wrong line."""
    for number, line, words in _lines(first_line, text):
        binary = next((at for at, byte in enumerate(line) if _CLASS_OF[byte] == BINARY), None)
        if binary is not None:
            place = excerpt(name, number, line, binary, binary + 1)
            return SourceError(f"byte {line[binary]:#04x} is no text: this is no data file, or a damaged one", place)
        for word in words:
            if not _NUMBER.fullmatch(word.group()):
                place = excerpt(name, number, line, *word.span())
                return SourceError(f"{clipped(place.text)} is no number", place, _number_hint(word.group()))
        if words and len(words) != len(columns):
            start = words[len(columns)].start() if len(words) > len(columns) else words[-1].end()
            expected = ", ".join(columns)
            return SourceError(
                f"{len(columns)} numbers expected ({expected}), this line has {len(words)}",
                excerpt(name, number, line, start, max(words[-1].end(), start + 1)),
                "a pattern has no values: write real in the banner" if _of_pattern(columns, len(words)) else None,
            )
    return SourceError("these lines are no numbers", excerpt(name, first_line, text))


def _of_pattern(columns: tuple[str, ...], words: int) -> bool:
    return "value" not in columns and words == len(columns) + 1


def _number_hint(word: bytes) -> str | None:
    if b"," in word:
        return "separate numbers with blanks, and write a decimal point"
    if re.fullmatch(rb"[+-]?[\d.]+[dD][+-]?\d+", word):
        return "write the exponent with e: 1.0e5"
    return None
