"""Sources, spans, diagnostics and the errors that carry them. Imports nothing of tunepass."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar

TAB_WIDTH = 4
LINE_LIMIT = 160  # longer source lines are shown as a window around the caret


@dataclass(frozen=True, slots=True)
class Source:
    """A named text that spans point into.

    Args:
        name: as the user typed it: a path, or `<constraint>`.
        text: the content, or an excerpt of a large file.
        first_line: the line at which an excerpt begins.

    Example:
        >>> str(tp.Source("k.toy", "tile 4\\nunroll 2").span(7))
        'k.toy:2:1'
    """

    name: str
    text: str = field(repr=False)
    first_line: int = 1

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of `offset`, both counted from 1; the end of the text is a valid offset."""
        offset = max(0, min(offset, len(self.text)))
        start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + self.first_line, offset - start + 1

    def line_text(self, offset: int) -> str:
        """The line that holds `offset`, without its newline."""
        offset = max(0, min(offset, len(self.text)))
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", offset)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """The characters [start, end) of this source; all of it without arguments."""
        return Span(self, start, len(self.text) if end is None else end)


@dataclass(frozen=True, slots=True)
class Span:
    """The characters [start, end) of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

PASSWORD = re.compile(r"(postgres(?:ql)?://[^\s:@/?]*:)\S*@")
SECRET_PARAMETER = re.compile(r"([?&][^=&\s]*(?:password|secret|key)[^=&\s]*=)[^&\s'\"]*", re.IGNORECASE)


class Severity(str, Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing to tell the user: what is wrong, where, and what to do (`hint`)."""

    message: str
    span: Span | None = None
    hint: str | None = None
    severity: Severity = Severity.ERROR

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", hide_passwords(self.message))
        object.__setattr__(self, "hint", self.hint and hide_passwords(self.hint))

    def render(self) -> str:
        """`file:line:column: error: message`, the source line, a caret under it, and the hint."""
        head = f"{self.severity.value}: {self.message}"
        lines = [head] if self.span is None else [f"{self.span}: {head}", *_excerpt(self.span)]
        if self.hint:
            lines.append(f"  = help: {self.hint}")
        return printable("\n".join(lines))

    def __str__(self) -> str:
        return self.render()


def hide_passwords(text: str) -> str:
    """The text with `***` for the passwords in URLs of databases, such as `--store` takes."""
    if "postgres" not in text or "://" not in text:
        return text
    return SECRET_PARAMETER.sub(r"\1***", PASSWORD.sub(r"\1***@", text))


def printable(text: str) -> str:
    """The text with control characters that a terminal would obey as escapes; lines and tabs stay.

    Also those that change the direction of writing, which hide what a line says (CVE-2021-42574)."""
    return CONTROL.sub(
        lambda match: f"\\x{ord(match[0]):02x}" if match[0] < "\u0100" else f"\\u{ord(match[0]):04x}", text
    )


def _excerpt(span: Span) -> list[str]:
    """The source line and a line of carets under the span, cut to a window when the line is long."""
    text, column = span.source.line_text(span.start), span.column - 1
    width = max(1, min(span.end - span.start, len(text) - column))
    first = 0
    if len(text) > LINE_LIMIT:
        first = max(0, min(column - LINE_LIMIT // 2, len(text) - LINE_LIMIT))
        width = min(width, LINE_LIMIT - (column - first))
    excerpt = text[first : first + LINE_LIMIT] if len(text) > LINE_LIMIT else text
    before = printable(excerpt[: column - first].expandtabs(TAB_WIDTH))
    number = str(span.line)
    dots = "…" if first else ""
    return [
        f"  {number} | {dots}{excerpt.expandtabs(TAB_WIDTH)}",
        f"  {' ' * len(number)} | {' ' * (len(before) + len(dots))}{'^' * max(1, width)}",
    ]


class TunepassError(Exception):
    """A user's mistake or an unusable environment. The command line shows its diagnostics, never a traceback.

    Args:
        problem: what is wrong: text, a Diagnostic, or several.
        span: the place in a source, of a text.
        hint: what to do about it, of a text.

    Example:
        >>> print(tp.TunepassError("no device 'v99'", hint="did you mean 'v100'?"))
        error: no device 'v99'
          = help: did you mean 'v100'?
    """

    exit_status: ClassVar[int] = 2

    def __init__(
        self, problem: str | Diagnostic | Iterable[Diagnostic], span: Span | None = None, hint: str | None = None
    ):
        if isinstance(problem, str):
            problem = Diagnostic(problem, span, hint)
        self.diagnostics: tuple[Diagnostic, ...] = (problem,) if isinstance(problem, Diagnostic) else tuple(problem)
        super().__init__("\n".join(d.render() for d in self.diagnostics))

    @property
    def sentence(self) -> str:
        """The first diagnostic in one line, without its place; the hint in brackets."""
        first = self.diagnostics[0]
        return f"{first.message} ({first.hint})" if first.hint else first.message


class ExpressionError(TunepassError):
    """An expression that does not parse, does not type, or overflows."""


class SpaceError(TunepassError):
    """A parameter, prior, constraint or configuration that breaks its own rules; an empty space.

    Example:
        >>> try:
        ...     tp.Integer("unroll", 8, 1)
        ... except tp.SpaceError as error:
        ...     print(error.sentence)
        unroll: lo <= hi must hold, got lo=8, hi=1
    """


class SamplingError(SpaceError):
    """Sampling finds no further configuration of a space that is not counted, which proves nothing about the space.

    The message names the constraint that the fewest uniform draws meet, and their share.

    Example:
        >>> whole = [tp.Integer(name, 1, 10**9) for name in "ab"]
        >>> try:
        ...     tp.Space(whole, ["a * a + b * b == 10007"]).default
        ... except tp.SamplingError as error:
        ...     print(error.diagnostics[0].message)
        no configuration was found that meets this constraint: a * a + b * b == 10007 (it holds in none of 4096 draws)
    """


class SourceError(TunepassError):
    """An annotated source that cannot be read.

    Example:
        >>> source = tp.Source("k.toy", "tile ?")
        >>> print(tp.SourceError("expected a number", source.span(5, 6)))
        k.toy:1:6: error: expected a number
          1 | tile ?
            |      ^
    """


class StudyError(TunepassError):
    """A study, store or lock that does not fit a request.

    Example:
        >>> try:
        ...     tp.Study(space, "time")
        ... except tp.StudyError as error:
        ...     print(error.diagnostics[0].message)
        objectives is a list of Objective, got 'time'
    """


class ToolError(TunepassError):
    """An external program that is missing or does not work."""


class EnvironmentFault(TunepassError):
    """The machine failed while work was under way (no space, no memory, a tool that vanished): it says nothing of what
    was asked or evaluated. What was kept before is kept; the same command goes on when the fault is removed."""

    exit_status: ClassVar[int] = 4


class StoreFault(StudyError, EnvironmentFault):
    """A store that could be used and cannot be written now. What it had is kept."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to `name`, if any is close enough to suggest."""
    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def spelling_hint(
    name: str, known: Iterable[str], otherwise: str | None = None, *, quote: Callable[[str], str] = "`{}`".format
) -> str | None:
    """A hint that asks whether the closest known name, as `quote` writes it, was meant, or `otherwise` if none is."""
    close = nearest(name, known)
    return f"did you mean {quote(close)}?" if close else otherwise
