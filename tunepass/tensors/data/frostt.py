"""Tensors as FROSTT has them (http://frostt.io/tensors/file-formats.html): a line for each entry, its indices counted
from 1 and its value. ParTI and MLIR put a header before: the number of modes, MLIR's that of entries too, then the
extents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span
from tunepass.ir.tensor import Element
from tunepass.tensors.data.entries import Entries, indices_of, values_of
from tunepass.tensors.data.numbers import NumberBlock, number_blocks
from tunepass.tensors.data.stored import Coordinates
from tunepass.tensors.data.text_stream import LineStream
from tunepass.tensors.data.words import Word, size_of, words_of


@dataclass(frozen=True, slots=True)
class _Header:
    extents: tuple[int, ...]
    entries: int | None
    counts: Span  # the line of counts


def read_frostt(stream: LineStream, element: Element, extents: Sequence[int | None]) -> Coordinates:
    """Entries of a tensor with so many modes; an extent that is None is that of a header, or else the largest index.
    Raises SourceError."""
    modes = len(extents)
    header = _header(stream, modes)
    bounds = header.extents if header is not None else tuple(extents)
    entries = Entries(modes, element)
    largest = [extent or 1 for extent in bounds]
    for block in _counted_blocks(stream, modes, header, element):
        indices = indices_of(block, bounds)
        entries.add(indices, values_of(block, modes, element))
        largest = [max(old, int(index.max()) + 1) for old, index in zip(largest, indices)]
    if not entries.count and None in bounds:
        raise SourceError(f"{stream.name} has no entry, so its extents are not known", hint="state them: dim i = 100")
    return entries.coordinates(largest)


def _counted_blocks(stream: LineStream, modes: int, header: _Header | None, element: Element) -> Iterator[NumberBlock]:
    """The blocks of entries, so many as a header states."""
    columns = (*(f"index {mode}" for mode in range(1, modes + 1)), "value")
    count = 0
    stated = header.entries if header is not None else None
    for block in number_blocks(stream, columns, integers=element in ("int", "long")):
        if header is not None and stated is not None and count + len(block.numbers) > stated:
            message = f"line {header.counts.line} states {stated} entries, and this is one more"
            raise SourceError(message, block.span(stated - count, 0))
        count += len(block.numbers)
        yield block
    if header is not None and stated is not None and count < stated:
        raise SourceError(f"{stated} entries are stated, and {stream.name} ends after {count}", header.counts)


def _header(stream: LineStream, modes: int) -> _Header | None:
    """Header before the entries, if there is one. A line of one whole number, or of two where an entry has more,
    is no entry."""
    line, text, words = _next_filled_line(stream)
    whole = all(word.text.isdecimal() for word in words)
    if len(words) not in (1, 2) or len(words) == modes + 1 or not whole:
        stream.give_back(text)
        return None
    counts = stream.excerpt(line, text)
    if size_of(words[0], "the number of modes", 1) != modes:
        raise SourceError(f"{modes} indices are expected, and this tensor has {words[0].text} modes", counts)
    entries = size_of(words[1], "the number of entries", 0) if len(words) == 2 else None
    line, text, words = _next_filled_line(stream)
    if len(words) != modes:
        place = stream.excerpt(line, text) if line else counts
        raise SourceError(f"{modes} extents are expected after the number of modes", place)
    return _Header(tuple(size_of(word, "an extent", 1) for word in words), entries, counts)


def _next_filled_line(stream: LineStream) -> tuple[int, bytes, list[Word]]:
    """The next line that is neither blank nor a comment; at the end of the file one without words."""
    while True:
        line, text = stream.next_line()
        if not line or (text.strip() and not text.lstrip().startswith((b"#", b"%"))):
            return line, text, words_of(stream, line, text)
