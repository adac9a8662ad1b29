"""What a pragma stands for: the statements of a `#pragma scop` region, or the statement that follows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.c.scops.statements.addressed import asm_operands, changed_elsewhere
from tunepass.frontends.c.scops.statements.edits import Edit, edited
from tunepass.frontends.c.scops.statements.occurrences import address_taken, nodes
from tunepass.frontends.c.scops.statements.own_pragmas import OwnPragmas, check_before, check_dropped
from tunepass.frontends.c.scops.statements.variables import Variables, read_variables
from tunepass.frontends.cfamily.preprocessing.alignment import PragmaTokens
from tunepass.frontends.cfamily.preprocessing.chains import CONDITIONS
from tunepass.frontends.cfamily.refusals import condition_around
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Block,
    Declaration,
    Evaluated,
    For,
    ForEach,
    If,
    Jump,
    Lambda,
    Name,
    PragmaWords,
    Statement,
    Tried,
    While,
)
from tunepass.frontends.cfamily.text.lexemes import on_plain_lines
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.unit import Function, Unit

HINTS = ("ivdep", "GCC", "unroll", "clang", "simd", "nounroll", "vector", "scop", "endscop")  # mean nothing to results
RANGE_HINT = "a loop over a range has no index; write `for (int i = 0; i < n; i++)`"
BEFORE_HINT = "the pragma stands right before its nest"
SETTLED = CONDITIONS | {"pragma", "error", "warning"}
PLACE_HINT = "the pragma stands right before a loop, or right before or after `#pragma scop`"


@dataclass(frozen=True)
class Region:
    """`statements` of [start, end), the `variables` known there, the function's tokens around it."""

    unit: Unit
    statements: tuple[Statement, ...]
    variables: Variables
    before: tuple[Token, ...]  # in the body of the function
    inside: tuple[Token, ...]
    after: tuple[Token, ...]

    start: int  # of the pragmas right before the first statement, or of that: a new schedule replaces both
    function: Function  # around it
    edits: tuple[Edit, ...] = ()  # that make the source's text what `statements` say
    last: int = -1  # where the last statement ends, if not as `statements` say
    set_along: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # by a loop's header, at which it starts
    spelled: Mapping[str, str] = field(default_factory=dict)  # C text of names that were made for members

    @property
    def end(self) -> int:
        return self.statements[-1].end if self.last < 0 else self.last

    def is_alone(self, token: Token) -> bool:
        """Whether the token is all that the use of a macro without arguments became, brackets aside."""
        known = self.unit.text.macros.get(token.macro, ())
        if not token.made or token.within or not known or any(m.parameters is not None for m in known):
            return False
        return self.unit.made_words[token.start, token.end] == 1

    @cached_property
    def addressed(self) -> frozenset[str]:
        """Names of variables that code may change without naming them, or in ways that are not followed."""
        code = [*self.before, *self.inside, *self.after]
        others = changed_elsewhere(self.function, self.start)
        return address_taken(code) | asm_operands(code) | others

    @cached_property
    def left_out(self) -> tuple[tuple[int, int], ...]:
        """The parts of the text that the compiler does not see: directives and inactive branches."""
        parts = [(d.start, d.end) for d in self.unit.text.raw.directives if d.kind in CONDITIONS]
        parts += [(start, end) for start, end, active in self.unit.text.activity if not active]
        return tuple(sorted((a, b) for a, b in parts if self.start <= a < self.end))

    def text(self, start: int, end: int) -> str:
        """[start, end) of the source, edited, on plain lines, with blanks for what the compiler does not see."""
        text = self.unit.source.text
        blanks = [Edit(a, b, "\n" * text.count("\n", a, b) or " ") for a, b in self.left_out]
        return on_plain_lines(edited(text, start, end, [*blanks, *self.edits]))


def read_region(pragma: Span, unit: Unit, listed: bool = False) -> Region:
    """Raises SourceError where nothing that can be read follows `pragma`. `listed`: it names its loops."""
    function = function_around(pragma, unit)
    code = unit.tokens[function.opening + 1 : function.closing]
    attributed = next((n for n, t in enumerate(code) if t.start >= pragma.end), len(code))
    asides, first = unit.reader.feed.asides, function.opening + 1
    begin = next((n for n in range(attributed, len(code)) if first + n not in asides), len(code))
    if begin == len(code):
        raise SourceError("expected a loop inside a function after this pragma", pragma, PLACE_HINT)
    end = None if listed else _scop_end(pragma, unit, code[begin].start, function)
    statements = _statements(function.body, code[begin].start, end, pragma, listed)
    start = OwnPragmas(unit).first(pragma.end, statements[0].start)
    if statements[0].start == code[begin].start:  # with its attributes; those of a block stay before the block
        start = min(code[attributed].start, start)
    check_before(unit, pragma)
    if not listed:
        _check_directives(unit, pragma.end, statements[-1].end)
        check_dropped(unit, start, statements[-1].end)
    count = begin
    while count < len(code) and code[count].start < statements[-1].end:
        count += 1
    return Region(
        unit=unit,
        statements=statements,
        start=start,
        function=function,
        variables=read_variables(unit, function, statements[0].start),
        before=tuple(code[:begin]),
        inside=tuple(code[begin:count]),
        after=tuple(code[count:]),
    )


def is_seen(pragma: Span, unit: Unit) -> bool:
    """Whether the compiler sees the pragma, and what follows it: another branch only where that begins with a loop."""
    sections, active = unit.text.raw.sections, unit.text.active
    own = next((n for n, s in enumerate(sections) if s.outer is not None and _is_in(pragma, s.outer)), None)
    if own is not None and own not in active:
        return False
    after = next((n for n, s in enumerate(sections) if s.tokens and s.tokens[-1].start >= pragma.end), None)
    if after is None or after in active:
        return True
    seen = next((token for token in unit.tokens if token.start >= pragma.end), None)
    return own is not None and seen is not None and seen.at("for", "while", "do")


def _is_in(pragma: Span, outer: tuple[int, int]) -> bool:
    return outer[0] <= pragma.start < outer[1]


def function_around(pragma: Span, unit: Unit) -> Function:
    if not is_seen(pragma, unit):
        line, text = condition_around(unit, pragma.start)
        hint = f"`{text}` in line {line} leaves it out: give the -D that it needs after `--`"
        raise SourceError("the compiler does not see what follows this pragma", pragma, hint)
    for function in unit.functions:
        first, last = unit.tokens[function.opening], unit.tokens[function.closing]
        if not function.in_header and first.start <= pragma.start < last.end:
            return function
    for fault in unit.faults:
        if not unit.is_included(fault.token):
            raise unit.unreadable(fault)
    raise SourceError("expected a loop inside a function after this pragma", pragma, PLACE_HINT)


def _scop_end(pragma: Span, unit: Unit, begin: int, function: Function) -> int | None:
    """Where `#pragma endscop` stands, if the pragma belongs to such a region; None if one statement follows."""
    first, last = unit.tokens[function.opening], unit.tokens[function.closing]
    marks = [
        (p.words[0].text, p) for p in unit.pragmas
        if p.words and p.words[0].at("scop", "endscop") and first.start <= p.start < last.end
    ]  # fmt: skip
    opened = [p for word, p in marks if word == "scop" and _touches(unit, p, pragma, begin)]
    ends = [p.start for word, p in marks if word == "endscop" and p.start > pragma.end]
    if opened and not ends:
        span = unit.source.span(opened[0].start, opened[0].end)
        raise SourceError("this `#pragma scop` has no `#pragma endscop`", span, "write it")
    inner = [p.start for word, p in marks if word == "scop" and p.start > pragma.end and p not in opened]
    before = [word for word, p in marks if p.start < pragma.start]
    replaces = not opened and bool(ends) and not (inner and inner[0] < ends[0]) and before[-1:] != ["scop"]
    return ends[0] if opened or replaces else None


def _touches(unit: Unit, mark: PragmaTokens, pragma: Span, begin: int) -> bool:
    """Does nothing but space and other directives stand between the two?"""
    if mark.start > pragma.end:
        return mark.start < begin
    starts = [t.start for t in unit.tokens]
    return bisect_left(starts, mark.end) == bisect_left(starts, pragma.start)


def _statements(body: Block, begin: int, end: int | None, pragma: Span, listed: bool) -> tuple[Statement, ...]:
    """The statement that begins at `begin`, or those from there to `end`."""
    for block in _blocks(body):
        found = [s for s in block if s.start >= begin and not isinstance(s, PragmaWords)]
        if not found or found[0].start != begin:
            continue
        if end is not None:
            inside = tuple(s for s in found if s.start < end)
            if not inside or inside[-1].end > end:
                break
            return inside
        statement = found[0]
        if listed and isinstance(statement, ForEach):
            span = pragma.source.span(statement.start, statement.body.start)
            raise SourceError("a loop over a range has no index", span, RANGE_HINT)
        if (
            not listed
            and isinstance(statement, Block)
            and not any(isinstance(s, Declaration) for s in statement.statements)
        ):
            inner = tuple(s for s in statement.statements if not isinstance(s, PragmaWords))
            return inner or (statement,)
        return _with_loop(found)
    if any(isinstance(node, Lambda) and node.token.start <= begin < node.last.end for node in nodes(body)):
        raise SourceError("a loop inside a lambda is not scheduled", pragma, "make the lambda a function")
    if end is not None:
        raise SourceError("there is no statement in this region", pragma, PLACE_HINT)
    if listed:
        raise SourceError("expected a `for` after this pragma", pragma, BEFORE_HINT)
    raise SourceError("expected a loop after this pragma", pragma, PLACE_HINT)


def _with_loop(found: Sequence[Statement]) -> tuple[Statement, ...]:
    """The first statement, or those that set variables up to the loop that they are set for: `i = 0; while (i < n)`."""
    for count, s in enumerate(found):
        if isinstance(s, Jump) and s.kind == "label":
            continue
        if count and isinstance(found[count - 1], Jump):
            return tuple(found[: count + 1])
        if isinstance(s, While) or (count and isinstance(s, For) and s.begin is None):
            return tuple(found[: count + 1])
        if not isinstance(s, Evaluated) or not isinstance(s.expression, Assign) or s.expression.op != "=":
            break
        if not isinstance(s.expression.target, Name):
            break
    return (found[0],)


def _blocks(s: Statement | None) -> Iterator[Sequence[Statement]]:
    """All sequences of statements in `s`, outer ones first; a statement that is no block is a sequence of one."""
    match s:
        case Block():
            yield s.statements
            for inner in s.statements:
                yield from _blocks(inner) if isinstance(inner, Block) else _inner_blocks(inner)
        case None:
            return
        case _:
            yield (s,)
            yield from _inner_blocks(s)


def _inner_blocks(s: Statement) -> Iterator[Sequence[Statement]]:
    match s:
        case For() | ForEach() | While():
            yield from _blocks(s.body)
        case Evaluated(expression=Tried(blocks=blocks)):
            for inner in blocks:
                yield from _blocks(inner)
        case If():
            yield from _blocks(s.then)
            yield from _blocks(s.other)


def _check_directives(unit: Unit, start: int, end: int) -> None:
    """Conditions are settled: by the compiler's words, or by the values of parameters for which the unit is read."""
    for directive in unit.text.raw.directives:
        if start <= directive.start < end and directive.kind not in SETTLED:
            span = unit.source.span(directive.start, directive.end)
            reason = f"`#{directive.kind}` inside loops that are written anew"
            raise SourceError(reason, span, "move it out of the loops, or remove it")


def check_pragma(pragma: PragmaWords, unit: Unit) -> None:
    """Raises SourceError for a pragma in a nest that changes what the nest does."""
    word = pragma.words[0].text
    if word not in HINTS and word != "omp":
        span = unit.source.span(pragma.start, pragma.end)
        raise SourceError(
            f"`#pragma {word}` inside loops that are written anew", span, "move it out of the loops, or remove it"
        )
