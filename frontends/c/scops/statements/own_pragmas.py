"""Pragmas of the source itself in a nest that is rewritten: OpenMP's, and what compilers are told of a loop.

One that stands before a loop of the nest stays with it. One in the innermost statement is a part of its text. What
counts loops or iterations is refused: it would say something else afterwards.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.cfamily.preprocessing.chains import CONDITIONS
from tunepass.frontends.cfamily.text.lexemes import on_one_line
from tunepass.frontends.cfamily.text.raw import Directive
from tunepass.frontends.cfamily.text.tokens import names_in, tokens
from tunepass.frontends.cfamily.unit import Unit

KEPT = ("omp", "ivdep", "GCC", "clang", "unroll", "nounroll", "vector", "novector", "simd")
COUNTING_CLAUSES = ("collapse", "ordered", "safelen", "linear")
COUNTING_DIRECTIVES = ("tile", "unroll", "section", "sections", "barrier")
ATOMIC = ("update", "write", "read")
SETTLED = CONDITIONS | {"error", "warning"}
OMP_HINT = "let the pragma stand before the loops inside, or write `omp parallel for` before this one"


def shares_iterations(unit: Unit, nest: Span) -> bool:
    """Has the nest a pragma that lets threads share a loop of it?"""
    inside = [d for d in unit.text.raw.directives if nest.start <= d.start < nest.end and _is_active(d, unit)]
    return any(_shares(names_in(d.body)) for d in inside)


def check_dropped(unit: Unit, start: int, end: int) -> None:
    """Raises SourceError for an OpenMP pragma in [start, end) without which the loops would do something else."""
    for directive in unit.text.raw.directives:
        words = names_in(directive.body)
        if not start <= directive.start < end or words[:1] != ["omp"] or not _is_active(directive, unit):
            continue
        if not _may_be_dropped(words):
            span = unit.source.span(directive.start, directive.end)
            word = " ".join(words[:2])
            raise SourceError(
                f"`#pragma {word}` is a part of what the loops do: other schedules have none", span, OMP_HINT
            )


def _is_active(directive: Directive, unit: Unit) -> bool:
    """A pragma that no `#if` leaves out."""
    return directive.kind == "pragma" and directive.start in unit.text.active_pragmas


def _shares(words: Sequence[str]) -> bool:
    """`omp ... parallel ... for`"""
    return words[:1] == ["omp"] and "for" in words[words.index("parallel") :] if "parallel" in words else False


def _may_be_dropped(words: Sequence[str]) -> bool:
    """Of a pragma that begins with `omp`: are iterations shared among threads or lanes, or single updates?"""
    match words[1:]:
        case ["parallel" | "target", *_] if _shares(words):
            return True
        case ["simd" | "loop", *_] | ["target", "loop", *_] | ["atomic"]:
            return True
        case ["atomic", kind]:
            return kind in ATOMIC
    return False


def _counts(body: str) -> str:
    """The clause or directive that counts loops or iterations; empty where there is none."""
    for word, after in itertools.pairwise([*tokens(body), None]):
        if word is not None and word.at(*COUNTING_CLAUSES) and after is not None and after.at("("):
            return word.text
        if word is not None and word.at("omp") and after is not None and after.at(*COUNTING_DIRECTIVES):
            return after.text
    return ""


LOOP_WORDS = ("for", "simd", "loop", "distribute", "taskloop", "tile", "unroll")  # of OpenMP's pragmas of a loop


def check_before(unit: Unit, pragma: Span) -> None:
    """Raises SourceError for another pragma of the nest's first loop that stands before ours: what is written in the
    loop's place need not begin with a loop."""
    before = [d for d in unit.text.raw.directives if d.end <= pragma.start and d.kind == "pragma"]
    for directive in reversed(before):
        if any(directive.end <= token.start < pragma.start for token in unit.tokens):
            return
        words = names_in(directive.body)
        if _of_loop(words):
            span = unit.source.span(directive.start, directive.end)
            raise SourceError(
                f"`#pragma {' '.join(words[:2])}` is about a loop that is written anew",
                span,
                "let it stand between `#pragma tunepass` and the loop",
            )


def _of_loop(words: Sequence[str]) -> bool:
    """Is a pragma of these words about the loop after it?"""
    match words:
        case ["omp", *directive]:
            return any(word in LOOP_WORDS for word in directive)
        case ["GCC" | "clang", hint, *_]:
            return hint in ("ivdep", "unroll", "novector", "loop")
        case [word, *_]:
            return word in KEPT
    return False


class OwnPragmas:
    """Those of one source, by where they stand."""

    def __init__(self, unit: Unit):
        self.source: Source = unit.source
        self.unit = unit
        directives = [d for d in unit.text.raw.directives if _first_word(d) != "tunepass"]
        self.kept = [d for d in directives if d.kind == "pragma" and _first_word(d) in KEPT]
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
            if not _is_active(directive, self.unit):
                continue
            span = self.source.span(directive.start, directive.end)
            if word := _counts(directive.body):
                raise SourceError(f"`{word}` means something else once this nest is rewritten", span, "leave it out")
            if marked and directive.body.startswith("omp"):
                message = "this loop has an OpenMP pragma, and `parallel` or `vectorize` writes another"
                raise SourceError(message, span, "leave one of the two out")
            lines.append(on_one_line(span.text).strip())
        return tuple(lines)


def _first_word(directive: Directive) -> str:
    return next(iter(names_in(directive.body)), "")
