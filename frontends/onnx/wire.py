"""The encoding of protocol buffers: the fields of a message, read where they stand. Nothing is copied, and what is not
asked for is passed over, so that a file's weights are never read.

A field is a key (its number and how it is encoded) and a value: a number of variable length, 4 or 8 bytes, or a length
and that many bytes. https://protobuf.dev/programming-guides/encoding
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.diagnostics import SourceError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
FIELD_LIMIT = 4_000_000  # of a file
DEPTH_LIMIT = 64


@dataclass(slots=True)
class FieldBudget:
    """How many more fields a file may have."""

    left: int = FIELD_LIMIT


@dataclass(frozen=True, slots=True)
class Message:
    """The bytes [start, end) of a file, as fields."""

    name: str  # the file's
    data: memoryview
    start: int
    end: int
    budget: FieldBudget
    depth: int = 0

    def fields(self) -> Iterator[tuple[int, Field]]:
        """Each field with its number. SourceError, with the byte, for what is no message."""
        at = self.start
        while at < self.end:
            begin = at
            key, at = self._varint(at)
            number, kind = key >> 3, key & 7
            self.budget.left -= 1
            if self.budget.left < 0:
                raise self.error(f"it has more than {FIELD_LIMIT:,} fields", begin)
            if number == 0:
                raise self.error("a field has the number 0", begin)
            if kind == VARINT:
                value, at = self._varint(at)
                yield number, Field(self, kind, value, begin, at)
            elif kind in (FIXED32, FIXED64):
                width = 4 if kind == FIXED32 else 8
                self._needs(at, width)
                yield number, Field(self, kind, 0, at, at + width)
                at += width
            elif kind == BYTES:
                length, at = self._varint(at)
                self._needs(at, length)
                yield number, Field(self, kind, 0, at, at + length)
                at += length
            else:
                raise self.error(f"a field is encoded in a way ({kind}) that there is not", begin)

    def _varint(self, at: int) -> tuple[int, int]:
        """The number at a byte, and where it ends."""
        value = 0
        for shift in range(0, 70, 7):
            if at >= self.end:
                raise self.error("it ends inside a number", at)
            byte = self.data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & (1 << 64) - 1, at
        raise self.error("a number has more than 64 bits", at)

    def _needs(self, at: int, length: int) -> None:
        if length > self.end - at:
            raise self.error(f"a field of {length:,} bytes begins, {self.end - at:,} are left", at)

    def error(self, problem: str, at: int) -> SourceError:
        return SourceError(
            f"{self.name} is no ONNX model, or not a whole one: byte {at:,}: {problem}",
            hint="was it fetched completely? a repository may hold a pointer in its place (git lfs pull)",
        )

    def part(self, start: int, end: int) -> Message:
        if self.depth >= DEPTH_LIMIT:
            raise self.error(f"it is nested more than {DEPTH_LIMIT} deep", start)
        return Message(self.name, self.data, start, end, self.budget, self.depth + 1)


@dataclass(frozen=True, slots=True)
class Field:
    """A field's value, which stands in the bytes [start, end)."""

    message: Message
    kind: int
    value: int
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def integer(self) -> int:
        """A whole number, which may be negative."""
        self._is(VARINT, "a number")
        return signed(self.value)

    def real(self) -> float:
        """A number of 4 bytes, or of 8."""
        if self.kind == FIXED64:
            return float(struct.unpack("<d", self.data())[0])
        self._is(FIXED32, "a number of 4 bytes")
        return float(struct.unpack("<f", self.data())[0])

    def text(self) -> str:
        """UTF-8, or the bytes that are none as surrogates."""
        self._is(BYTES, "a text")
        return self.data().decode("utf-8", "surrogateescape")

    def inner(self) -> Message:
        self._is(BYTES, "a message")
        return self.message.part(self.start, self.end)

    def data(self) -> bytes:
        return bytes(self.message.data[self.start : self.end])

    def integers(self) -> list[int]:
        """One of a list, or the packed list."""
        if self.kind == VARINT:
            return [self.integer()]
        self._is(BYTES, "numbers")
        part, at, found = self.message.part(self.start, self.end), self.start, []
        while at < self.end:
            value, at = part._varint(at)
            found.append(signed(value))
        return found

    def reals(self, width: int = 4) -> list[float]:
        """One of a list, or the packed list."""
        if self.kind in (FIXED32, FIXED64):
            return [self.real()]
        self._is(BYTES, "numbers")
        if len(self) % width:
            raise self.message.error(f"{len(self)} bytes hold no numbers of {width} bytes", self.start)
        return [float(v) for v in struct.unpack(f"<{len(self) // width}{'f' if width == 4 else 'd'}", self.data())]

    def _is(self, kind: int, what: str) -> None:
        if self.kind != kind:
            raise self.message.error(f"{what} was expected", self.start)


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value
