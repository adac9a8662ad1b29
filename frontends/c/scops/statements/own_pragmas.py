"""Pragmas of the source itself in a nest that is rewritten: OpenMP's, and what compilers are told of a loop.

One that stands before a loop of the nest stays with it. One in the innermost statement is a part of its text. What
counts loops or iterations is refused: it would say something else afterwards.
"""

from __future__ import annotations

import re

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.cfamily.chains import CONDITIONS
from tunepass.frontends.cfamily.raw import CONTINUATION, Directive
from tunepass.frontends.cfamily.unit import Unit

OWN = re.compile(r"tunepass\b")
KEPT = re.compile(r"(omp|ivdep|GCC|clang|unroll|nounroll|vector|novector|simd)\b")
COUNTS = re.compile(r"\b(collapse|ordered|safelen|linear)\s*\(|\bomp\s+(tile|unroll|section|sections|barrier)\b")

SETTLED = CONDITIONS | {"error", "warning"}
SHARES = re.compile(r"omp\b.*\bparallel\b.*\bfor\b")
DROPPED = re.compile(
    r"omp\s+(?:(?:target\b.*\b)?parallel\b.*\bfor\b|simd\b|(?:target\s+)?loop\b|atomic\s*(?:update|write|read)?$)"
)
OMP_HINT = "let the pragma stand before the loops inside, or write `omp parallel for` before this one"


def shares_iterations(unit: Unit, nest: Span) -> bool:
    """Has the nest a pragma that lets threads share a loop of it?"""
    inside = [d for d in unit.text.raw.directives if d.kind == "pragma" and nest.start <= d.start < nest.end]
    return any(SHARES.match(" ".join(d.body.split())) for d in inside)


def check_dropped(unit: Unit, start: int, end: int) -> None:
    """Raises SourceError for an OpenMP pragma in [start, end) without which the loops would do something else."""
    for directive in unit.text.raw.directives:
        body = " ".join(CONTINUATION.sub(" ", directive.body).split())
        if directive.kind != "pragma" or not start <= directive.start < end or not body.startswith("omp"):
            continue
        if not DROPPED.match(body):
            span = unit.source.span(directive.start, directive.end)
            word = " ".join(body.split()[:2])
            raise SourceError(
                f"`#pragma {word}` is a part of what the loops do: other schedules have none", span, OMP_HINT
            )


class OwnPragmas:
    """Those of one source, by where they stand."""

    def __init__(self, unit: Unit):
        self.source: Source = unit.source
        directives = [d for d in unit.text.raw.directives if not OWN.match(d.body)]
        self.kept = [d for d in directives if d.kind == "pragma" and KEPT.match(d.body)]
        self.others = [d for d in directives if d not in self.kept and d.kind not in SETTLED]

    def between(self, start: int, end: int) -> list[Directive]:
        return [directive for directive in self.kept if start <= directive.start < end]

    def first(self, start: int, end: int) -> int:
        """Where the first pragma in [start, end) begins, else the end."""
        return next((directive.start for directive in self.between(start, end)), end)

    def other(self, start: int, end: int) -> tuple[str, Span] | None:
        """The first directive in [start, end) that cannot stay, as `#pragma` or `#define`."""
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
