"""Answer of a command: exit status, text for users and data for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from tunepass.files import printable

if TYPE_CHECKING:
    from tunepass.space.configuration import Value

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


class Status(IntEnum):
    """The exit statuses, as documented in docs/cli.md."""

    DONE = 0
    ALL_FAILED = 1
    UNSETTLED = 1  # of `prune --prove`: neither proved nor refuted
    DAMAGED = 1  # of `store`: something in it cannot be read
    WRONG = 2  # the source, the command line or the environment; also an internal error
    STALE = 3
    ENVIRONMENT = 4  # the machine failed while work was under way
    UNCHECKED = 5  # a check of a choice could not run, under --strict
    HUNG_UP = 129  # 128 and the number of the signal that interrupted
    INTERRUPTED = 130
    TERMINATED = 143


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` goes to stdout for `--format text`, `data` as one JSON object for `--format json`; `notes` to stderr."""

    text: str
    data: Json = None
    status: Status = Status.DONE
    notes: tuple[str, ...] = ()

    def render(self, form: str) -> str:
        """Bytes of a file's name that are no UTF-8 are `\\udce9` in JSON, and themselves in text."""
        if form != "json":
            return self.text
        return printable(json.dumps(self.data, indent=2, ensure_ascii=False))


def plain(value: Value) -> Json:
    """A parameter's value as JSON: a permutation is a list."""
    return list(value) if isinstance(value, tuple) else value


def table(rows: Sequence[Sequence[str]], *, indent: str = "") -> str:
    """Left-aligned columns, two spaces apart; every row has as many cells as the first."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in rows)
    return "\n".join((indent + line).rstrip() for line in lines)
