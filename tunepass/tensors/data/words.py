"""Words of the lines that stand before the numbers of a data file, and where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span
from tunepass.tensors.data.stored import LARGEST_INT
from tunepass.tensors.data.text_stream import LineStream, clipped

_WORD = re.compile(rb"\S+")


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    span: Span


def words_of(stream: LineStream, line: int, text: bytes) -> list[Word]:
    source = stream.excerpt(line, text).source
    length = len(source.text)
    spans = [source.span(min(match.start(), length), min(match.end(), length)) for match in _WORD.finditer(text)]
    return [Word(span.text, span) for span in spans]


def size_of(word: Word, subject: str, least: int) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", word.text):
        raise SourceError(f"{clipped(word.text)} is no integer, and this is {subject}", word.span)
    size = int(word.text[:40])
    if not least <= size <= LARGEST_INT:
        raise SourceError(f"{subject} is between {least} and {LARGEST_INT:,}, C's int", word.span)
    return size
