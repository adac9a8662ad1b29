"""The `kernel` pragma as written: how a function is called, and what its results are compared with and on.

kernel NAME(ARGUMENT, ...) CLAUSE ...
    tolerance(RELATIVE[, ABSOLUTE])
    sizes(NAME = VALUE, ... [, NAME = VALUE, ...])     further values of scalars, the k-th of each together
    aliasing(ARRAY, ARRAY, ...)                        any two of these may overlap
    finite(true|false)
    globals(NAME, NAME: in range(0, 9), ...)           what is compared of the file's variables
    setup(FUNCTION[, once])                            makes the arguments of which only the name is given
    teardown(FUNCTION)                                 frees them

Beside a setup, `A->values: out double[A->n]` among the arguments is a place: an expression of C that is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span, nearest
from tunepass.frontends.c.pragmas.arguments import DIRECTIONS, ArgumentText, contents, parse_call
from tunepass.frontends.c.pragmas.names import qualified_name, scoped_name
from tunepass.frontends.params.tokens import Cursor, ExpressionText, PragmaToken
from tunepass.frontends.params.values import ToleranceText, parse_tolerance


@dataclass(frozen=True, slots=True, kw_only=True)
class SizesText:
    """Further values of the scalar `name`."""

    name: str
    values: tuple[int | float, ...]
    span: Span  # of the name


@dataclass(frozen=True, slots=True)
class NameText:
    name: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalText:
    """A variable of the file: `total`, as the source initialises it, or `A: in range(0, 9)`, filled as an array is."""

    name: str
    span: Span
    filled: bool = False
    fill: ExpressionText | None = None
    lo: ExpressionText | None = None
    hi: ExpressionText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupText:
    """The function that makes what is open, or the one that frees it."""

    function: str
    span: Span
    once: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPragma:
    name: str
    arguments: tuple[ArgumentText, ...]  # of the function, in its order
    tolerance: ToleranceText | None
    sizes: tuple[SizesText, ...] | None  # None: not said
    aliasing: tuple[tuple[NameText, ...], ...]
    finite: bool | None
    globals: tuple[GlobalText, ...] | None  # None: not said
    span: Span
    setup: SetupText | None = None
    teardown: SetupText | None = None
    places: tuple[ArgumentText, ...] = ()
    object: NameText | None = None  # `this`


def parse_kernel(cursor: Cursor) -> KernelPragma:
    name, span, arguments = parse_call(cursor, made=True)
    clauses = _Clauses()
    while cursor.next.kind == "name":
        clauses.read(cursor)
    cursor.finish("the kernel", f"after the arguments: {', '.join(f'`{word}(…)`' for word in CLAUSES)}")
    _check_made(arguments, clauses)
    named = [a for a in arguments if not a.place]
    this = next((NameText(a.name, a.span) for a in named if a.name == "this"), None)
    return KernelPragma(
        name=name,
        arguments=tuple(a for a in named if a.name != "this"),
        tolerance=clauses.tolerance,
        sizes=clauses.sizes,
        aliasing=tuple(clauses.aliasing),
        finite=clauses.finite,
        globals=clauses.globals,
        span=span,
        setup=clauses.setup,
        teardown=clauses.teardown,
        places=tuple(a for a in arguments if a.place),
        object=this,
    )


def _check_made(arguments: Sequence[ArgumentText], clauses: _Clauses) -> None:
    """Without a setup every argument has a value or a shape, and there is nothing to reach from it."""
    if clauses.setup is not None:
        return
    if clauses.teardown is not None:
        raise SourceError("`teardown` without `setup`", clauses.teardown.span, SETUP)
    for argument in arguments:
        if argument.open:
            hint = f"write `{argument.name} = 512` for a scalar, `{argument.name}: in double[n]` for an array; {SETUP}"
            raise SourceError(f"expected `:` or `=` after `{argument.name}`", argument.span, hint)
        if argument.place:
            raise SourceError(f"`{argument.name}` is no argument's name", argument.span, SETUP)


class _Clauses:
    """What stands after the arguments, in any order; only `aliasing` more than once."""

    def __init__(self) -> None:
        self.tolerance: ToleranceText | None = None
        self.sizes: tuple[SizesText, ...] | None = None
        self.aliasing: list[tuple[NameText, ...]] = []
        self.finite: bool | None = None
        self.globals: tuple[GlobalText, ...] | None = None
        self.setup: SetupText | None = None
        self.teardown: SetupText | None = None

    def read(self, cursor: Cursor) -> None:
        word = cursor.take()
        if word.text not in CLAUSES:
            close = nearest(word.text, CLAUSES)
            known = ", ".join(f"`{name}(…)`" for name in CLAUSES)
            cursor.fail(
                f"unknown clause `{word.text}`", f"did you mean `{close}`?" if close else f"known: {known}", token=word
            )
        if word.text != "aliasing" and getattr(self, word.text) is not None:
            cursor.fail(f"`{word.text}` is given twice", token=word)
        match word.text:
            case "tolerance":
                self.tolerance = parse_tolerance(cursor)
            case "sizes":
                self.sizes = parse_sizes(cursor)
            case "aliasing":
                self.aliasing.append(_aliasing(cursor, word))
            case "finite":
                self.finite = _finite(cursor)
            case "globals":
                self.globals = _globals(cursor)
            case "setup":
                self.setup = _setup(cursor, word)
            case "teardown":
                self.teardown = _setup(cursor, word)


CLAUSES = ("tolerance", "sizes", "aliasing", "finite", "globals", "setup", "teardown")
SETUP = "`setup(FUNCTION)` after the arguments names a function of yours that makes what is left open"


def _setup(cursor: Cursor, word: PragmaToken) -> SetupText:
    """`(make_matrix)`, or `(make_matrix, once)` of a setup."""
    how = f"write `{word.text}({'make_matrix' if word.text == 'setup' else 'free_matrix'})`"
    cursor.expect("(", f"after `{word.text}`", how)
    name, first = qualified_name(cursor, "a function's name", how)
    span = cursor.span(first, cursor.last)
    once = word.text == "setup" and cursor.accept(",") is not None
    if once and cursor.name("`once`", how).text != "once":
        cursor.fail(f"expected `once`, found `{cursor.last.text}`", how, token=cursor.last)
    cursor.expect(")", "after the function", how)
    return SetupText(function=name, span=span, once=once)


def parse_sizes(cursor: Cursor) -> tuple[SizesText, ...]:
    """`(n = 1001, 7, m = 3, 5)`; nothing between the parentheses: no further sizes."""
    how = "write `sizes(n = 1001, 7, 1)`, or `sizes()` where nothing may vary"
    cursor.expect("(", "after `sizes`", how)
    found: list[SizesText] = []
    while not cursor.at(")"):
        name = cursor.name("a scalar's name", how)
        cursor.expect("=", f"after `{name.text}`", how)
        values = [cursor.number("a value", how)]
        more = cursor.accept(",")
        while more and cursor.next.kind != "name":
            values.append(cursor.number("a value", how))
            more = cursor.accept(",")
        found.append(SizesText(name=name.text, values=tuple(values), span=cursor.span(name)))
        if len(values) != len(found[0].values):
            cursor.fail(
                f"`{name.text}` has {len(values)} values, `{found[0].name}` has {len(found[0].values)}",
                "the first values of all scalars are one size, the second another",
                token=name,
            )
        if not more:
            break
    cursor.expect(")", "after the sizes", how)
    return tuple(found)


def _aliasing(cursor: Cursor, word: PragmaToken) -> tuple[NameText, ...]:
    how = "write `aliasing(x, y)`: the arrays that may overlap"
    cursor.expect("(", "after `aliasing`", how)
    names = []
    while True:
        token = cursor.name("an array's name", how)
        names.append(NameText(token.text, cursor.span(token)))
        if not cursor.accept(","):
            break
    cursor.expect(")", "after the arrays", how)
    if len(names) < 2:
        cursor.fail("two arrays overlap, or more", how, token=word)
    return tuple(names)


def _globals(cursor: Cursor) -> tuple[GlobalText, ...]:
    """`(total, A: in range(0, 9), B: inout)`; nothing between the parentheses: none is compared."""
    how = "write `globals(total, hist)`, or `globals(A: in)` for what is filled like an argument"
    cursor.expect("(", "after `globals`", how)
    found: list[GlobalText] = []
    while not cursor.at(")"):
        name, span = scoped_name(cursor, "a variable's name", how)
        if cursor.accept(":"):
            direction = cursor.name("`in`, `out` or `inout`")
            if direction.text not in DIRECTIONS:
                cursor.fail(f"expected `in`, `out` or `inout`, found `{direction.text}`", token=direction)
            fill, lo, hi = contents(cursor, direction)
            filled = direction.text != "out"
            found.append(GlobalText(name=name, span=span, filled=filled, fill=fill, lo=lo, hi=hi))
        else:
            found.append(GlobalText(name=name, span=span))
        if not cursor.accept(","):
            break
    cursor.expect(")", "after the variables", how)
    return tuple(found)


def _finite(cursor: Cursor) -> bool:
    how = "write `finite(false)` where NaN, infinities and extreme numbers may come in"
    if not cursor.accept("("):
        return True
    if not cursor.at("true", "false"):
        cursor.fail(f"expected `true` or `false`, found {cursor.shown}", how)
    value = cursor.take().text == "true"
    cursor.expect(")", "after `finite(`", how)
    return value
