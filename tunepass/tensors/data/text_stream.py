"""Data files as streams of whole lines, `.gz` too: bounded memory, bounded decompression, errors that name the line."""

from __future__ import annotations

import contextlib
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.files import cannot_read, open_regular, shown
from tunepass.machine_faults import raise_machines

BLOCK_BYTES = 1 << 20
GZIP_MAGIC = b"\x1f\x8b"
# Numbers as text compress some 3 to 30 times. What is compressed more, once it is large, is no data file.
FREE_BYTES = 64 << 20
LARGEST_RATIO = 100
MOST_QUOTED = 1 << 16  # characters of a line


class LineStream:
    """The lines of a data file, in blocks that end with a line."""

    def __init__(self, name: str, file: BinaryIO):
        self.name = name
        self.line = 1  # of the next block
        self._compressed_file = file
        self._compressed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        self._file: BinaryIO = gzip.GzipFile(fileobj=file) if self._compressed else file  # type: ignore[assignment]
        self._text = b""  # read, of which what follows `_used` was not given out
        self._used = 0
        self._read_bytes = 0

    def next_line(self) -> tuple[int, bytes]:
        """(number, text) of the next line; at the end of the file (0, nothing)."""
        if not (end := self._text.find(b"\n", self._used) + 1):
            self._fill()
            end = self._text.find(b"\n") + 1 or len(self._text)
        return self._give(end) or (0, b"")

    def give_back(self, text: bytes) -> None:
        """Let the line that was given last come again."""
        self._used -= len(text)
        self.line -= text.count(b"\n")

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """(number of its first line, text) of what is left, every text but the last ending with a newline."""
        while True:
            if not (end := self._text.rfind(b"\n", self._used) + 1):
                self._fill()
                end = self._text.rfind(b"\n") + 1 or len(self._text)
            if (block := self._give(end)) is None:
                return
            yield block

    def _give(self, end: int) -> tuple[int, bytes] | None:
        text, line = self._text[self._used : end], self.line
        self._used = end
        self.line += text.count(b"\n")
        return (line, text) if text else None

    def _fill(self) -> None:
        """Read on, so that a whole line is held, or the end of the file."""
        rest = self._text[self._used :]
        self._text, self._used = rest + self._read(BLOCK_BYTES - len(rest)), 0
        if len(self._text) >= BLOCK_BYTES and b"\n" not in self._text:
            raise SourceError(
                f"a line of {BLOCK_BYTES >> 20} MiB, which no data file has", self.excerpt(self.line, self._text)
            )

    def excerpt(self, line: int, text: bytes, start: int = 0, end: int | None = None) -> Span:
        """Bytes [start, end) of a line, as a place in the file."""
        return excerpt(self.name, line, text, start, end)

    def _read(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except (OSError, EOFError, zlib.error) as problem:
            raise_machines(problem)  # `line_stream` names the file
            if not self._compressed:
                raise SourceError(f"cannot read {self.name}: {problem}") from None
            raise SourceError(
                f"{self.name} cannot be decompressed after line {self.line}: {problem}",
                hint="the file is truncated or damaged: fetch it again",
            ) from None
        self._read_bytes += len(data)
        if self._compressed and self._read_bytes > FREE_BYTES + LARGEST_RATIO * self._compressed_file.tell():
            raise SourceError(
                f"{self.name} unpacks to more than {LARGEST_RATIO} times its size, which numbers do not",
                hint="unpack it yourself if you trust it: gunzip -k",
            )
        return data


@contextlib.contextmanager
def line_stream(path: Path) -> Iterator[LineStream]:
    """Raises SourceError for what cannot be opened or is no regular file."""
    try:
        with open_regular(path) as file:
            yield LineStream(shown(path), file)
    except (OSError, ValueError) as problem:
        raise cannot_read(path, problem, SourceError) from None


def excerpt(name: str, line: int, text: bytes, start: int = 0, end: int | None = None) -> Span:
    """Bytes [start, end) of a line, as a place in the file `name`. What would not print is shown as a question mark."""
    start_of_line = text.split(b"\n", 1)[0][:MOST_QUOTED].decode("ascii", "replace")
    quoted = "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in start_of_line)
    source = Source(name, quoted, line)
    return source.span(min(start, len(quoted)), len(quoted) if end is None else min(end, len(quoted)))


def clipped(word: str) -> str:
    """For messages."""
    return word if len(word) <= 60 else word[:57] + "..."
