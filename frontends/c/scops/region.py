"""What a pragma stands for: the statements of a `#pragma scop` region, or the statement that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.c.scops.bodies import BEFORE_HINT, BodyParser
from tunepass.frontends.c.scops.expressions import SyntaxFault
from tunepass.frontends.c.scops.macro_expansion import ExpansionError, Macro
from tunepass.frontends.c.scops.own_pragmas import OwnPragmas
from tunepass.frontends.c.scops.preprocessing import Headers, Preprocessor
from tunepass.frontends.c.scops.statements import StatementParser
from tunepass.frontends.c.scops.tokens import Token
from tunepass.frontends.c.scops.tree import Block, Declaration, Statement
from tunepass.frontends.c.scops.variables import Variables, read_variables
from tunepass.frontends.c.syntax.definitions import FunctionDefinition
from tunepass.frontends.c.syntax.lexical import Directive, Scan
from tunepass.frontends.c.syntax.statements import skip_space, word_at

HINTS = ("ivdep", "GCC", "unroll", "clang", "simd", "nounroll", "vector", "scop", "endscop")  # mean nothing to results
RANGE_HINT = "a loop over a range has no index; write `for (int i = 0; i < n; i++)`"
PLACE_HINT = "the pragma stands right before a loop, or right before or after `#pragma scop`"


@dataclass(frozen=True, slots=True)
class Region:
    """`statements` of [start, end), the `variables` known there, the function's tokens around it."""

    statements: tuple[Statement, ...]
    start: int
    end: int
    variables: Variables
    before: tuple[Token, ...]  # in the body of the function
    inside: tuple[Token, ...]
    after: tuple[Token, ...]
    macros: dict[str, Macro]
    missing: tuple[str, ...]  # included files that were not found


def read_region(
    pragma: Span,
    scanned: Scan,
    functions: Sequence[FunctionDefinition],
    headers: Headers,
    fixed: frozenset[str],
    listed: int = 0,
) -> Region:
    """Raises SourceError where nothing that can be read follows `pragma`; names in `fixed` are no macros. `listed` is
    the number of loops that the pragma lists: no more than these need to be C that can be read."""
    source = scanned.source
    begin = skip_space(scanned.statements, pragma.end)
    function = next((f for f in functions if f.body_start <= pragma.start < f.body_end), None)
    if function is None or begin >= function.body_end - 1:
        raise SourceError("expected a loop inside a function after this pragma", pragma, PLACE_HINT)
    end = None if listed else _scop_end(pragma, scanned, begin, function)
    others = sorted((f.body_start, f.body_end) for f in functions if f is not function)
    try:
        unit = Preprocessor(scanned, headers, fixed, others).run()
    except ExpansionError as error:
        raise SourceError(error.message, source.span(error.token.start, error.token.end)) from None
    body = [t for t in unit.tokens if function.body_start < t.start < function.body_end - 1]
    variables = read_variables(
        [t for t in unit.tokens if t.start < function.start],
        [t for t in unit.tokens if function.start <= t.start < function.body_start],
        [t for t in body if t.start < begin],
    )
    following = [t for t in body if t.start >= begin]
    if word_at(scanned.statements, begin) not in unit.macros and not any(t.start == begin for t in following[:1]):
        hint = "a condition of the preprocessor that does not hold here leaves it out"
        raise SourceError("the compiler does not see what follows this pragma", pragma, hint)
    try:
        statements, count = (
            _listed(following, variables, listed, pragma) if listed else _statements(following, variables, end, pragma)
        )
    except SyntaxFault as fault:
        place = source.span(fault.token.start, max(fault.token.end, fault.token.start + 1))
        ranged = listed and fault.token.at(":")
        hint = RANGE_HINT if ranged else "the pragma's statements cannot be read as C"
        raise SourceError(fault.message, place, hint) from None
    inside = following[:count]
    start = statements[0].start
    if listed:
        start = OwnPragmas(scanned).first(pragma.end, start)
    else:
        _check_directives(scanned.directives, scanned, start, statements[-1].end)
    return Region(
        statements=statements,
        start=start,
        end=statements[-1].end,
        variables=variables,
        before=tuple(t for t in body if t.start < begin),
        inside=tuple(inside),
        after=tuple(following[count:]),
        macros=unit.macros,
        missing=tuple(unit.missing),
    )


def _scop_end(pragma: Span, scanned: Scan, begin: int, function: FunctionDefinition) -> int | None:
    """Where `#pragma endscop` stands, if the pragma belongs to such a region; None if one statement follows."""
    marks = [
        (d.body.split()[0], d)
        for d in scanned.directives
        if d.kind == "pragma" and d.body.split()[:1] in (["scop"], ["endscop"])
        and function.body_start <= d.start < function.body_end
    ]  # fmt: skip
    opened = [d for word, d in marks if word == "scop" and _touches(scanned, d, pragma, begin)]
    ends = [d.start for word, d in marks if word == "endscop" and d.start > pragma.end]
    if opened and not ends:
        raise SourceError("this `#pragma scop` has no `#pragma endscop`", _span(scanned, opened[0]), "write it")
    inner = [d.start for word, d in marks if word == "scop" and d.start > pragma.end and d not in opened]
    before = [word for word, d in marks if d.start < pragma.start]
    replaces = not opened and bool(ends) and not (inner and inner[0] < ends[0]) and before[-1:] != ["scop"]
    return ends[0] if opened or replaces else None


def _touches(scanned: Scan, mark: Directive, pragma: Span, begin: int) -> bool:
    """Does nothing but space and other directives stand between the two?"""
    if mark.start > pragma.end:
        return mark.start < begin
    return not scanned.statements[mark.start : pragma.start].strip()


def _span(scanned: Scan, directive: Directive) -> Span:
    return scanned.source.span(directive.start, directive.start + len(directive.text.rstrip()))


def _listed(
    following: list[Token], variables: Variables, count: int, pragma: Span
) -> tuple[tuple[Statement, ...], int]:
    """The nest of `count` loops, and of how many tokens it is."""
    parser = BodyParser(following, frozenset(variables.types), count)
    if not following or parser.next.at("}"):
        raise SourceError("expected a `for` after this pragma", pragma, BEFORE_HINT)
    return (parser.statement(),), parser.position


def _statements(
    following: list[Token], variables: Variables, end: int | None, pragma: Span
) -> tuple[tuple[Statement, ...], int]:
    """The region's statements, and of how many tokens they are."""
    if end is not None:
        inside = [t for t in following if t.start < end]
        if not inside:
            raise SourceError("there is no statement in this region", pragma, PLACE_HINT)
        return StatementParser(inside, frozenset(variables.types)).statements(), len(inside)
    parser = StatementParser(following, frozenset(variables.types))
    if not following or parser.next.at("}"):
        raise SourceError("expected a loop after this pragma", pragma, PLACE_HINT)
    statement = parser.statement()
    if isinstance(statement, Block) and not any(isinstance(s, Declaration) for s in statement.statements):
        return statement.statements, parser.position
    return (statement,), parser.position


def _check_directives(directives: Sequence[Directive], scanned: Scan, start: int, end: int) -> None:
    for directive in directives:
        word = (directive.body.split() or [""])[0]
        if start <= directive.start < end and not (directive.kind == "pragma" and word in HINTS):
            shown = f"#pragma {word}" if directive.kind == "pragma" else f"#{directive.kind}"
            reason = f"`{shown}` inside loops that are written anew"
            raise SourceError(reason, _span(scanned, directive), "move it out of the loops, or remove it")
