"""The `kernel` pragma as written: how a function is called, and what its results are compared with and on.

kernel NAME(ARGUMENT, ...) CLAUSE ...
    tolerance(RELATIVE[, ABSOLUTE])
    sizes(NAME = VALUE, ... [, NAME = VALUE, ...])     further values of scalars, the k-th of each together
    aliasing(ARRAY, ARRAY, ...)                        any two of these may overlap
    finite(true|false)
    globals(NAME, NAME: in range(0, 9), ...)           what is compared of the file's variables
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Span, nearest
from tunepass.frontends.c.pragmas.names import qualified_name, scoped_name, type_words
from tunepass.frontends.params.tokens import Cursor, ExpressionText, PragmaToken
from tunepass.frontends.params.values import ToleranceText, parse_tolerance

DIRECTIONS = ("in", "out", "inout")
OF_ARGUMENTS = (*DIRECTIONS, "work")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentText:
    """`n = 512` (direction and element None), or `A: in double[n][n] range(0, 9)`: its lengths, outermost first."""

    name: str
    span: Span
    value: ExpressionText | None = None
    lengths: tuple[ExpressionText, ...] = ()
    direction: str | None = None
    element: str | None = None
    fill: ExpressionText | None = None
    lo: ExpressionText | None = None
    hi: ExpressionText | None = None


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
class KernelPragma:
    name: str
    arguments: tuple[ArgumentText, ...]
    tolerance: ToleranceText | None
    sizes: tuple[SizesText, ...] | None  # None: not said
    aliasing: tuple[tuple[NameText, ...], ...]
    finite: bool
    globals: tuple[GlobalText, ...] | None  # None: not said
    span: Span


def parse_call(cursor: Cursor, directions: Sequence[str] = OF_ARGUMENTS) -> tuple[str, Span, tuple[ArgumentText, ...]]:
    """`NAME(ARGUMENT, ...)`: the name, where it stands, and the arguments."""
    name, first = qualified_name(cursor, "a function's name", "write `kernel matmul(n = 512, A: in double[n*n])`")
    span = cursor.span(first, cursor.last)
    cursor.expect("(", f"after `{name}`", "the arguments of the call follow the function's name")
    arguments: list[ArgumentText] = []
    while not cursor.at(")"):
        arguments.append(_argument(cursor, directions))
        if not cursor.accept(","):
            break
    cursor.expect(")", "after the arguments")
    return name, span, tuple(arguments)


def parse_kernel(cursor: Cursor) -> KernelPragma:
    name, span, arguments = parse_call(cursor)
    clauses = _Clauses()
    while cursor.next.kind == "name":
        clauses.read(cursor)
    cursor.finish("the kernel", f"after the arguments: {', '.join(f'`{word}(…)`' for word in CLAUSES)}")
    return KernelPragma(
        name=name,
        arguments=arguments,
        tolerance=clauses.tolerance,
        sizes=clauses.sizes,
        aliasing=tuple(clauses.aliasing),
        finite=clauses.finite is not False,
        globals=clauses.globals,
        span=span,
    )


class _Clauses:
    """What stands after the arguments, in any order; only `aliasing` more than once."""

    def __init__(self) -> None:
        self.tolerance: ToleranceText | None = None
        self.sizes: tuple[SizesText, ...] | None = None
        self.aliasing: list[tuple[NameText, ...]] = []
        self.finite: bool | None = None
        self.globals: tuple[GlobalText, ...] | None = None

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


CLAUSES = ("tolerance", "sizes", "aliasing", "finite", "globals")


def _argument(cursor: Cursor, directions: Sequence[str]) -> ArgumentText:
    how = "write `n = 512` for a scalar, `A: in double[n*n]` for an array"
    name = cursor.name("an argument", how)
    span = cursor.span(name)
    if cursor.accept("="):
        return ArgumentText(name=name.text, span=span, value=cursor.expression(",)", "a value"))
    cursor.expect(":", f"or `=` after `{name.text}`", how)
    expected = " or ".join([", ".join(f"`{word}`" for word in directions[:-1]), f"`{directions[-1]}`"])
    direction = cursor.name(expected)
    if direction.text not in directions:
        cursor.fail(f"expected {expected}, found `{direction.text}`", token=direction)
    element = type_words(cursor, "an element type, such as `double`")
    cursor.expect("[", f"after `{element}`", f"say how many elements {name.text} has: `double[n*n]`")
    lengths = [_length(cursor)]
    while cursor.accept("["):
        lengths.append(_length(cursor))
    fill, lo, hi = _contents(cursor, direction)
    return ArgumentText(
        name=name.text,
        span=span,
        lengths=tuple(lengths),
        direction=direction.text,
        element=element,
        fill=fill,
        lo=lo,
        hi=hi,
    )


def _length(cursor: Cursor) -> ExpressionText:
    length = cursor.expression("]", "a number of elements")
    cursor.expect("]", "after the number of elements")
    return length


def _contents(
    cursor: Cursor, direction: PragmaToken
) -> tuple[ExpressionText | None, ExpressionText | None, ExpressionText | None]:
    """`range(lo, hi)` or `fill(expression)`: what an input holds."""
    word = cursor.next
    if word.kind != "name":
        return None, None, None
    if word.text not in ("range", "fill"):
        cursor.fail(f"expected `range(lo, hi)`, `fill(expression)` or `,`, found `{word.text}`")
    if direction.text in ("out", "work"):
        message = f"`{word.text}` says what an input holds, and this array is `{direction.text}`"
        cursor.fail(message, "make it `in` or `inout`")
    cursor.take()
    cursor.expect("(", f"after `{word.text}`")
    if word.text == "fill":
        fill = cursor.expression(")", "an expression over `i` and the scalars")
        cursor.expect(")", "after the expression")
        return fill, None, None
    lo = cursor.expression(",)", "the least value")
    cursor.expect(",", "after the least value", "write `range(lo, hi)`")
    hi = cursor.expression(",)", "the largest value")
    cursor.expect(")", "after the largest value")
    return None, lo, hi


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
            fill, lo, hi = _contents(cursor, direction)
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
