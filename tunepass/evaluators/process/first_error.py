"""The errors among a compiler's messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

ERROR = re.compile(r"^.*?(?::(?P<line>\d+))?(?::\d+)?: (?:fatal )?error: .*$", re.MULTILINE)

MESSAGE = re.compile(r"^(?:.+?:\d+(?::\d+)?|[\w.+/-]+): (?P<kind>(?:fatal )?error|warning|note|remark): ")
CONTEXT = re.compile(r"In file included from |\s+from \S+:\d+|.+?: (?:In|At) |.+?:\s+(?:recursively )?required ")


def first_error(log: str) -> str:
    """The compiler's first line that is an error; empty where it names none: it was stopped, say."""
    match = ERROR.search(log)
    return match[0].strip() if match else ""


def line_of(log: str) -> int | None:
    """The line of the source at which the first error is."""
    match = ERROR.search(log)
    return int(match["line"]) if match and match["line"] else None


def errors_of(logs: Sequence[str]) -> str:
    """The first error of several logs."""
    return next((error for log in logs if (error := first_error(log))), "")


@dataclass(slots=True)
class _Message:
    """`context` are the lines before it that say how the compiler came there."""

    kind: str
    context: list[str]
    lines: list[str]


def without_warnings(log: str) -> str:
    """The errors with their excerpts and notes, the first of them at the top; `log` itself where no error has a line.

    How the compiler came to the first error (`In file included from`) follows it.
    """
    errors: list[_Message] = []
    current = _Message("", [], [])
    context: list[str] = []
    for line in log.splitlines():
        message = MESSAGE.match(line)
        if message is None:
            (context if CONTEXT.match(line) else current.lines).append(line)
            continue
        if message["kind"] == "note":
            current.lines += [*context, line]
        else:
            current = _Message(message["kind"], context, [line])
            errors += [current] if current.kind.endswith("error") else []
        context = []
    if line_of(log) is None or not errors:
        return log
    first, *rest = errors
    return "\n".join(
        [*first.lines, *first.context, *(line for error in rest for line in (*error.context, *error.lines))]
    )
