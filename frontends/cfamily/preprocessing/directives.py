"""The directives of a source and of the headers that it includes, in the order in which a compiler reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import Source, Span
from tunepass.frontends.cfamily.text.raw import Directive, RawText, read_raw
from tunepass.machine_faults import raise_machines

LONGEST = 1 << 20  # characters of a header
QUOTES = {'"': '"', "<": ">"}


@dataclass(frozen=True, eq=False)
class FileText:
    """`own`: the source itself, no header."""

    source: Source
    raw: RawText
    own: bool = False

    def line_of(self, directive: Directive) -> Span:
        """The directive's first line."""
        end = self.source.text.find("\n", directive.start, directive.end)
        line = self.source.text[directive.start : end if end >= 0 else directive.end]
        return self.source.span(directive.start, directive.start + len(line.rstrip()))


@dataclass(frozen=True, slots=True, eq=False)
class PlacedDirective:
    file: FileText
    directive: Directive


def read_order(main: FileText, included: Sequence[str]) -> tuple[PlacedDirective, ...]:
    """Those of each header once, where it is first included. `included` are the headers that count."""
    return tuple(_read_order(main, [os.path.normpath(name) for name in included], set()))


def _read_order(file: FileText, included: Sequence[str], seen: set[str]) -> Iterator[PlacedDirective]:
    for directive in file.raw.directives:
        yield PlacedDirective(file, directive)
        path = _header(directive, included) if directive.kind == "include" else ""
        if path and path not in seen:
            seen.add(path)
            text = text_of(path)
            if text and len(text) <= LONGEST:
                yield from _read_order(FileText(Source(path, text), read_raw(text)), included, seen)


def _header(directive: Directive, included: Sequence[str]) -> str:
    """The path of the file that it names; empty of another."""
    body = directive.body
    if body[:1] not in QUOTES or QUOTES[body[0]] not in body[1:]:
        return ""
    name = os.path.normpath(body[1 : body.index(QUOTES[body[0]], 1)])
    while name.startswith(f"..{os.sep}"):
        name = name[3:]
    return next((path for path in included if path == name or path.endswith(f"{os.sep}{name}")), "")


def text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:
        raise_machines(error)
        return ""
