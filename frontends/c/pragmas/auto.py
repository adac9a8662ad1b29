"""`loop auto [parallel] [CLAUSES OF run]`, as written: the space of schedules is derived from the nest that follows."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.frontends.c.pragmas.run import RunPragma, run_of
from tunepass.frontends.params.tokens import Cursor

PROGRAM = "./a.out"


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoPragma:
    """`outer` is the whole directive or comment, after which the loops stand. `run` judges them where the file has no
    `kernel` or `run`: the program as it is built, with the clauses given here."""

    parallel: bool
    run: RunPragma
    span: Span
    outer: Span

    @property
    def has_clauses(self) -> bool:
        return bool(self.run.metrics) or self.run.check is not None


def parse_auto(cursor: Cursor) -> AutoPragma:
    keyword = cursor.last
    cursor.take()
    parallel = cursor.accept("parallel") is not None
    run = run_of(cursor, PROGRAM, keyword)
    return AutoPragma(parallel=parallel, run=run, span=run.span, outer=cursor.source.span(*cursor.whole))
