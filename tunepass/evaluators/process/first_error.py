"""The first error among a compiler's messages."""

from __future__ import annotations

import re
from collections.abc import Sequence

ERROR = re.compile(r"^.*?(?::(?P<line>\d+))?(?::\d+)?: (?:fatal )?error: .*$", re.MULTILINE)


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
