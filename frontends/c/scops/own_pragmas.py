"""Pragmas of the source itself in a nest that is rewritten: OpenMP's, and what compilers are told of a loop.

One that stands before a loop of the nest stays with it. One in the innermost statement is a part of its text. What
counts loops or iterations is refused: it would say something else afterwards.
"""

from __future__ import annotations

import re

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.cfamily.raw import CONTINUATION, Directive
from tunepass.frontends.cfamily.unit import Unit

OWN = re.compile(r"tunepass\b")
KEPT = re.compile(r"(omp|ivdep|GCC|clang|unroll|nounroll|vector|novector|simd)\b")
COUNTS = re.compile(r"\b(collapse|ordered|safelen|linear)\s*\(|\bomp\s+(tile|unroll|section|sections|barrier)\b")


class OwnPragmas:
    """Those of one source, by where they stand."""

    def __init__(self, unit: Unit):
        self.source: Source = unit.source
        directives = [d for d in unit.text.raw.directives if not OWN.match(d.body)]
        self.kept = [d for d in directives if d.kind == "pragma" and KEPT.match(d.body)]
        self.others = [d for d in directives if d not in self.kept and not unit.text.is_settled(d)]

    def between(self, start: int, end: int) -> list[Directive]:
        return [directive for directive in self.kept if start <= directive.start < end]

    def first(self, start: int, end: int) -> int:
        """Where the first pragma in [start, end) begins, else the end."""
        return next((directive.start for directive in self.between(start, end)), end)

    def other(self, start: int, end: int) -> tuple[str, Span] | None:
        """The first directive in [start, end) that cannot stay, as `#pragma` or `#if`."""
        directive = next((d for d in self.others if start <= d.start < end), None)
        if directive is None:
            return None
        return f"#{directive.kind}", self.source.span(directive.start, directive.end)

    def of_loop(self, start: int, end: int, *, marked: bool) -> tuple[str, ...]:
        """The pragmas before a loop, a line each; `marked`: clauses of ours write OpenMP's before it, too."""
        lines: list[str] = []
        for directive in self.between(start, end):
            span = self.source.span(directive.start, directive.end)
            if counted := COUNTS.search(directive.body):
                word = counted[1] or counted[2]
                raise SourceError(f"`{word}` means something else once this nest is rewritten", span, "leave it out")
            if marked and directive.body.startswith("omp"):
                message = "this loop has an OpenMP pragma, and `parallel` or `vectorize` writes another"
                raise SourceError(message, span, "leave one of the two out")
            lines.append(CONTINUATION.sub(" ", span.text).strip())
        return tuple(lines)
