"""`hint unroll(U) vectorize(V)`, as written: what the compiler is asked to do with the loop that follows.

The compiler does it, not tunepass: the loop need not be one that tunepass can read. A hint never changes what the loop
computes: `vectorize` leaves the analysis of dependences to the compiler.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Diagnostic, SourceError, Span, nearest
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.params.tokens import Cursor
from tunepass.ir.c_kernel import LoopHint

MOST_COPIES = 65534  # gcc's limit of `#pragma GCC unroll` ("GCC manual", Loop-Specific Pragmas)
CLAUSES = ("unroll", "vectorize")
EXAMPLE = "write `hint unroll(4)`, `hint unroll(U)` or `hint vectorize(0)`"


@dataclass(frozen=True, slots=True, kw_only=True)
class HintPragma:
    """`unroll` and `vectorize` are numbers, names of parameters, or None."""

    unroll: int | str | None
    vectorize: int | str | None
    names: tuple[tuple[str, Span], ...]
    span: Span
    outer: Span


def parse_hint(cursor: Cursor) -> HintPragma:
    keyword = cursor.last
    values: dict[str, int | str] = {}
    names: list[tuple[str, Span]] = []
    while cursor.next.kind == "name":
        clause = cursor.take()
        if clause.text not in CLAUSES:
            close = nearest(clause.text, CLAUSES)
            cursor.fail(f"unknown hint `{clause.text}`", f"did you mean `{close}`?" if close else EXAMPLE, token=clause)
        if clause.text in values:
            cursor.fail(f"`{clause.text}` is given twice", token=clause)
        cursor.expect("(", f"after `{clause.text}`", EXAMPLE)
        token = cursor.next
        if token.kind == "name":
            cursor.take()
            values[clause.text] = token.text
            names.append((token.text, cursor.span(token)))
        else:
            values[clause.text] = cursor.integer("a number or a parameter")
            problem = _problem(clause.text, values[clause.text])
            if problem:
                cursor.fail(problem, token=token)
        cursor.expect(")", "after the number")
    cursor.finish("the hints", f"hints are {', '.join(CLAUSES)}")
    if not values:
        cursor.fail("expected what is to be done with the loop", EXAMPLE)
    return HintPragma(
        unroll=values.get("unroll"),
        vectorize=values.get("vectorize"),
        names=tuple(names),
        span=cursor.span(keyword),
        outer=cursor.source.span(*cursor.whole),
    )


def _problem(clause: str, value: object) -> str:
    """Why the value is none for the clause; empty where it is one."""
    most = MOST_COPIES if clause == "unroll" else 1
    if isinstance(value, int) and 0 <= value <= most:
        return ""
    if clause == "unroll":
        return f"a loop is unrolled 0 to {MOST_COPIES} times, got {value}"
    return f"`vectorize` is 0 or 1, got {value}"


def check_hints(
    code: Sequence[Token],
    hints: Sequence[HintPragma],
    domains: Mapping[str, Sequence[object]],
    written_anew: Sequence[Span],
) -> None:
    """SourceError of all hints without a loop, with an unknown parameter or one with other values, and of those in
    loops that are written anew. `code` are the tokens of the source, `domains` the values of its parameters; empty
    for one that has no list."""
    problems: list[Diagnostic] = []
    for hint in hints:
        following = next((token for token in code if token.start >= hint.outer.end), None)
        if following is None or not following.at("for", "while", "do"):
            problems.append(Diagnostic("no loop follows this hint", hint.span, "it stands right before its loop"))
        places = [hint.span.start, *([] if following is None else [following.start])]
        if any(span.start <= place < span.end for span in written_anew for place in places):
            how = "say it in the `loop` pragma: unroll(i: 4), vectorize(i)"
            problems.append(Diagnostic("this hint is for a loop that is written anew", hint.span, how))
        for clause, value in (("unroll", hint.unroll), ("vectorize", hint.vectorize)):
            if not isinstance(value, str):
                continue
            span = next(span for name, span in hint.names if name == value)
            if value not in domains:
                close = nearest(value, domains)
                how = f"did you mean `{close}`?" if close else "it is to have a `param` pragma"
                problems.append(Diagnostic(f"`{value}` is no parameter", span, how))
                continue
            wrong = [p for p in (_problem(clause, v) for v in domains[value]) if p]
            if wrong or not domains[value]:
                why = wrong[0] if wrong else f"`{clause}` takes a whole number"
                problems.append(Diagnostic(f"`{value}` does not fit: {why}", span))
    if problems:
        raise SourceError(problems)


def loop_hints(hints: Sequence[HintPragma], words: Collection[str]) -> tuple[LoopHint, ...]:
    """For the kernel; `words` are those of its code: a parameter that is none of them is a hint's alone."""
    return tuple(
        LoopHint(h.outer, h.unroll, h.vectorize, tuple(name for name, _ in h.names if name not in words)) for h in hints
    )
