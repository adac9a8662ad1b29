"""The arguments of a call in a pragma: scalars, arrays, what a setup makes, and places reached from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.frontends.c.pragmas.names import qualified_name, type_words
from tunepass.frontends.params.tokens import Cursor, ExpressionText, PragmaToken

DIRECTIONS = ("in", "out", "inout")
OF_ARGUMENTS = (*DIRECTIONS, "work")
CALL = "matmul(n = 512, A: in double[n*n])"  # an example
ARGUMENT = "write `n = 512` for a scalar, `A: in double[n*n]` for an array"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentText:
    """`n = 512` (direction and element None), or `A: in double[n][n] range(0, 9)`: its lengths, outermost first.

    Without value and direction it is `open`: the setup makes it. A `place` has its expression of C for a name."""

    name: str
    span: Span
    value: ExpressionText | None = None
    lengths: tuple[ExpressionText, ...] = ()
    direction: str | None = None
    element: str | None = None
    fill: ExpressionText | None = None
    lo: ExpressionText | None = None
    hi: ExpressionText | None = None
    place: bool = False

    @property
    def open(self) -> bool:
        return self.value is None and self.direction is None


def parse_call(
    cursor: Cursor, directions: Sequence[str] = OF_ARGUMENTS, *, made: bool = False
) -> tuple[str, Span, tuple[ArgumentText, ...]]:
    """`NAME(ARGUMENT, ...)`: the name, where it stands, and the arguments. `made`: a setup may make some."""
    name, first = qualified_name(cursor, "a function's name", f"write `kernel {CALL}`")
    span = cursor.span(first, cursor.last)
    cursor.expect("(", f"after `{name}`", f"the arguments of the call follow the function's name: `{CALL}`")
    arguments: list[ArgumentText] = []
    while not cursor.at(")"):
        arguments.append(_made(cursor, directions) if made else _argument(cursor, directions))
        if not cursor.accept(","):
            break
    cursor.expect(")", "after the arguments")
    return name, span, tuple(arguments)


def _made(cursor: Cursor, directions: Sequence[str]) -> ArgumentText:
    """An argument, which may be left open, or a place."""
    first = cursor.next
    if first.kind == "name":
        cursor.take()
        if cursor.at(",", ")"):
            return ArgumentText(name=first.text, span=cursor.span(first))
        if cursor.at(":", "="):
            return _described(cursor, first, directions)
    elif not cursor.at("*", "(", "&"):
        return _argument(cursor, directions)
    if not cursor.at(":"):
        cursor.expression(":", "the rest of a place, such as `A->values`")
    text = "".join(cursor.text[first.start - cursor.base : cursor.last.end - cursor.base].split())
    return _place(cursor, text, cursor.span(first, cursor.last))


def _place(cursor: Cursor, text: str, span: Span) -> ArgumentText:
    """What follows the expression: `: out double[A->n]`, or `: out double` of one object."""
    cursor.expect(":", f"after `{text}`", f"write `{text}: out double[LENGTH]`")
    direction = cursor.name("`in`, `out` or `inout`")
    if direction.text not in DIRECTIONS:
        cursor.fail(f"expected `in`, `out` or `inout`, found `{direction.text}`", token=direction)
    words = type_words(cursor, "an element type, such as `double`", stops=("range", "fill"))
    lengths = []
    while cursor.accept("["):
        lengths.append(_length(cursor))
    fill, lo, hi = contents(cursor, direction)
    return ArgumentText(
        name=text,
        span=span,
        lengths=tuple(lengths),
        direction=direction.text,
        element=words,
        fill=fill,
        lo=lo,
        hi=hi,
        place=True,
    )


def _argument(cursor: Cursor, directions: Sequence[str]) -> ArgumentText:
    return _described(cursor, cursor.name("an argument", ARGUMENT), directions)


def _described(cursor: Cursor, name: PragmaToken, directions: Sequence[str]) -> ArgumentText:
    """What follows its name."""
    span = cursor.span(name)
    if cursor.accept("="):
        return ArgumentText(name=name.text, span=span, value=cursor.expression(",)", "a value"))
    cursor.expect(":", f"or `=` after `{name.text}`", ARGUMENT)
    expected = " or ".join([", ".join(f"`{word}`" for word in directions[:-1]), f"`{directions[-1]}`"])
    direction = cursor.name(expected)
    if direction.text not in directions:
        cursor.fail(f"expected {expected}, found `{direction.text}`", token=direction)
    element = type_words(cursor, "an element type, such as `double`")
    cursor.expect("[", f"after `{element}`", f"say how many elements {name.text} has: `double[n*n]`")
    lengths = [_length(cursor)]
    while cursor.accept("["):
        lengths.append(_length(cursor))
    fill, lo, hi = contents(cursor, direction)
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


def contents(
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
