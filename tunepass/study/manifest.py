"""Manifest behind a digest of an identity: its parts by name, so that a message can name those that changed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tunepass.study.storage import json_text

Kind = Literal["source", "header", "file", "program", "flag", "variable"]
PLACED = ("source", "header", "file")  # where one lies does not matter, only what is in it
MOST_CHANGES = 5  # lines for people
MOST_WORDS = 4  # of a value, likewise


@dataclass(frozen=True, slots=True)
class Part:
    """A file and the digest of its content, a program and that of its binary, what a flag means here, a variable."""

    kind: Kind
    name: str
    value: str

    @property
    def key(self) -> tuple[str, ...]:
        """Contribution to the digest."""
        return (self.kind, self.value) if self.kind in PLACED else (self.kind, self.name, self.value)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Parts in the order in which they were read. A checkout elsewhere has other paths and the same digest."""

    parts: tuple[Part, ...] = ()

    @property
    def digest(self) -> str:
        return "sha256:" + hashlib.sha256(json_text.dump([part.key for part in self.parts]).encode()).hexdigest()

    def changes(self, now: Manifest) -> list[str]:
        """Differences from `now`, a line each: `header changed: include/tile.h`."""
        old, new = _without(self.parts, now.parts), _without(now.parts, self.parts)
        named = {(part.kind, part.name): part for part in new}
        lines = [_line(part, named.pop((part.kind, part.name), None)) for part in old]
        lines += [f"{part.kind} added: {part.name}{_format_value(part)}" for part in named.values()]
        lines = lines or ["the same files are read in another order"]
        more = len(lines) - MOST_CHANGES
        return lines if more <= 0 else [*lines[:MOST_CHANGES], f"and {more} more"]

    def encode(self) -> str:
        return json_text.dump([[part.kind, part.name, part.value] for part in self.parts])

    @classmethod
    def decode(cls, text: object) -> Manifest:
        return cls(tuple(Part(*fields) for fields in json_text.decode_rows(text, len(Part.__slots__))))  # type: ignore[arg-type]


def _without(parts: Iterable[Part], others: Iterable[Part]) -> list[Part]:
    """The parts that have no equal among the others; a file that only moved is equal."""
    left, remaining = Counter(part.key for part in others), []
    for part in parts:
        if left[part.key]:
            left[part.key] -= 1
        else:
            remaining.append(part)
    return remaining


def _line(old: Part, new: Part | None) -> str:
    if new is None:
        return f"{old.kind} gone: {old.name}{_format_value(old)}"
    if old.kind in ("flag", "variable"):
        before, after = old.value.split(), new.value.split()
        return f"{old.kind} {old.name}: {_words(before, after)} -> {_words(after, before)}"
    return f"{old.kind} changed: {old.name}"


def _words(words: list[str], others: list[str]) -> str:
    """The words that the others lack."""
    distinct = [word for word in words if word not in others]
    return " ".join([*distinct[:MOST_WORDS], *(["…"] if len(distinct) > MOST_WORDS else [])]) or "(none)"


def _format_value(part: Part) -> str:
    return f"={part.value}" if part.kind == "variable" else ""
