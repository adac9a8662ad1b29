"""`run "COMMAND"` and the clauses that say what its output is to be, as written.

run "COMMAND" [metric "PATTERN" [unit(UNIT)] [maximise|minimise]] ...
    [check(none | output | "FILE", ...)] [check_with("WORDS")] [tolerance(RELATIVE[, ABSOLUTE])]
"""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span, nearest
from tunepass.frontends.params.command import MetricText, parse_metric
from tunepass.frontends.params.tokens import Cursor, PragmaToken
from tunepass.frontends.params.values import ToleranceText, parse_tolerance

CLAUSES = ("metric", "check", "check_with", "tolerance")
FOLLOW = 'clauses follow it: `metric "time: {time} ms"`, `check("out.txt")`, `check_with("-DDUMP")`, `tolerance(1e-6)`'
HOW_CHECK = 'write `check(output)`, `check("result.txt")` or `check(none)`'


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckText:
    """What is compared: the files named, nothing (`none`), else what is printed. `words` are the compiler's, of a build
    that is only compared."""

    files: tuple[str, ...] = ()
    none: bool = False
    words: str = ""
    tolerance: ToleranceText | None = None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPragma:
    """`check` None: nothing is said of its output."""

    command: str
    span: Span
    metrics: tuple[MetricText, ...] = ()
    check: CheckText | None = None


def parse_run(cursor: Cursor) -> RunPragma:
    token = cursor.next
    command = cursor.string("a command in quotes", 'write `run "./a.out 512" metric "time: {time} ms"`')
    return run_of(cursor, command, token)


def run_of(cursor: Cursor, command: str, token: PragmaToken) -> RunPragma:
    """The clauses up to the end of the pragma; `token` is where the run stands."""
    metrics: list[MetricText] = []
    given: dict[str, PragmaToken] = {}
    files: tuple[str, ...] = ()
    words, none, tolerance = "", False, None
    while cursor.next.kind == "name":
        clause = cursor.take()
        if clause.text not in CLAUSES:
            close = nearest(clause.text, CLAUSES)
            hint = f"did you mean `{close}`?" if close else FOLLOW
            cursor.fail(f"unknown clause `{clause.text}`", hint, token=clause)
        if clause.text in given:
            cursor.fail(f"`{clause.text}` is given twice", token=clause)
        match clause.text:
            case "metric":
                metrics.append(parse_metric(cursor))
                continue
            case "check":
                files, none = _check(cursor)
            case "check_with":
                words = _words(cursor)
            case _:
                tolerance = parse_tolerance(cursor)
        given[clause.text] = clause
    cursor.finish("the command", FOLLOW)
    span, check = cursor.span(token), None
    if given:
        first = min(given.values(), key=lambda t: t.start)
        check = CheckText(files=files, none=none, words=words, tolerance=tolerance, span=cursor.span(first))
        if none and (words or tolerance):
            cursor.fail("nothing is checked, so nothing else can be said of it", HOW_CHECK, token=first)
    return RunPragma(command=command, span=span, metrics=tuple(metrics), check=check)


def _check(cursor: Cursor) -> tuple[tuple[str, ...], bool]:
    """(files, none) of `(output)`, `(none)` or `("FILE", ...)`."""
    cursor.expect("(", "after `check`", HOW_CHECK)
    files: list[str] = []
    none = cursor.accept("none") is not None
    while not none and not cursor.at(")"):
        if not cursor.accept("output"):
            files.append(cursor.string("`output` or a file in quotes", HOW_CHECK))
        if not cursor.accept(","):
            break
    cursor.expect(")", "after what is checked", HOW_CHECK)
    return tuple(files), none


def _words(cursor: Cursor) -> str:
    how = 'write `check_with("-DDUMP_RESULTS")`: words for the compiler of a build that is compared, not timed'
    cursor.expect("(", "after `check_with`", how)
    words = cursor.string("the compiler's words in quotes", how)
    cursor.expect(")", "after the words", how)
    return words
