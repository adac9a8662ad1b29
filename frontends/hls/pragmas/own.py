"""`#pragma tunepass` lines of HLS sources: `param` and `constraint` as in C, and `hls`.

hls [NAME[(n = 512, A: in float[n][n], ...)]] CLAUSE ...
    dialect(vitis|merlin|intel)
    global(X[, Y[, Z]])   work-items of an OpenCL kernel along each dimension; work_items(N): of all together
    local(X[, Y[, Z]])    those of a group, where no attribute says it
    launches(N)           how often the host starts it
    clock(MHZ)            what the design is made for
    rate(N)               launches a second that the design has to be able to do
hls trip(N)               iterations of the loop that follows
hls run "COMMAND" metric "PATTERN" [limit 10 min]
                          measures what no model knows, such as the error of a network; {NAME} is a parameter's value
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tunepass.diagnostics import Span
from tunepass.frontends.c.pragmas.arguments import ArgumentText, parse_call
from tunepass.frontends.c.pragmas.names import qualified_name
from tunepass.frontends.c.pragmas.pragma import ConstraintPragma, parse_constraint
from tunepass.frontends.gpu.pragmas.kernel import take_clause
from tunepass.frontends.params.param import ParamText, parse_param
from tunepass.frontends.params.tokens import Cursor, ExpressionText
from tunepass.frontends.params.training import TrainingText, parse_training

DIALECTS = ("vitis", "merlin", "intel")
NUMBERS = ("global", "local", "work_items", "launches", "clock", "rate", "trip")
CLAUSES = ("dialect", *NUMBERS)
DIRECTIONS = ("in", "out", "inout", "local")
HOW = "write `hls NAME(n = 512, A: in float[n])`"


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsPragma:
    """`name` is None where the file's only kernel is meant; `numbers` are the clauses' by their words."""

    name: str | None
    span: Span
    arguments: tuple[ArgumentText, ...] = ()
    dialect: str | None = None
    numbers: dict[str, tuple[ExpressionText, ...]] = field(default_factory=dict)

    @property
    def is_trip(self) -> bool:
        return "trip" in self.numbers


HlsLine = ParamText | ConstraintPragma | HlsPragma | TrainingText


def parse_line(cursor: Cursor) -> HlsPragma | TrainingText:
    """`run` before a text is the command; a function may have that name."""
    mark = cursor.position, cursor.next, cursor.last
    if cursor.accept("run") and cursor.next.kind == "string":
        return parse_training(cursor)
    cursor.position, cursor.next, cursor.last = mark
    return parse_hls(cursor)


def parse_hls(cursor: Cursor) -> HlsPragma:
    first = cursor.next
    name: str | None = None
    span, arguments = cursor.span(first), tuple[ArgumentText, ...]()
    if first.kind == "name" and first.text not in CLAUSES:
        mark = cursor.position, cursor.next, cursor.last
        name, token = qualified_name(cursor, "a function's name", HOW)
        span = cursor.span(token, cursor.last)
        if cursor.at("("):
            cursor.position, cursor.next, cursor.last = mark
            name, span, arguments = parse_call(cursor, DIRECTIONS)
    elif first.kind != "name" and first.kind != "end":
        cursor.fail(f"expected a function's name or a clause, found {cursor.shown}", HOW)
    dialect: str | None = None
    numbers: dict[str, tuple[ExpressionText, ...]] = {}
    given: set[str] = set()
    while cursor.next.kind == "name":
        word = take_clause(cursor, CLAUSES, given)
        if word.text == "dialect":
            cursor.expect("(", "after `dialect`", "write `dialect(vitis)`")
            stated = cursor.name(f"one of {', '.join(DIALECTS)}")
            if stated.text not in DIALECTS:
                cursor.fail(f"unknown dialect `{stated.text}`", f"known are {', '.join(DIALECTS)}", token=stated)
            dialect = stated.text
            cursor.expect(")", "after the dialect")
        else:
            numbers[word.text] = _numbers(cursor, word.text)
    cursor.finish("`hls`", f"after the arguments: {', '.join(f'`{word}(…)`' for word in CLAUSES)}")
    return HlsPragma(name=name, span=span, arguments=arguments, dialect=dialect, numbers=numbers)


def _numbers(cursor: Cursor, word: str) -> tuple[ExpressionText, ...]:
    cursor.expect("(", f"after `{word}`", f"write `{word}(NUMBER)`")
    texts = [cursor.expression(",)", "a number")]
    most = 3 if word in ("global", "local") else 1
    while comma := cursor.accept(","):
        if len(texts) == most:
            cursor.fail(f"`{word}` has at most {most} number{'s' if most > 1 else ''}", token=comma)
        texts.append(cursor.expression(",)", "a number"))
    cursor.expect(")", "after the number")
    return tuple(texts)


PARSERS: dict[str, Callable[[Cursor], HlsLine]] = {
    "param": parse_param,
    "constraint": parse_constraint,
    "hls": parse_line,
}
