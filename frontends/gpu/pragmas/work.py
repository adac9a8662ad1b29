"""What a GPU kernel's source states of its work, as written: `work` and `access` pragmas.

work flops(N) [double] [integer(N)] [special(N)] [barriers(N)] [independent(N)]
access NAME: load|store(COUNT) [stride(X[, Y])] [vector(N)] [distinct(N)] [total(N)] [bytes(N)] [in PLACE]
"""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.frontends.gpu.pragmas.kernel import bracketed, take_clause
from tunepass.frontends.params.tokens import Cursor, ExpressionText, PragmaToken

WORK = ("flops", "double", "integer", "special", "barriers", "independent")
ACCESS = ("stride", "vector", "distinct", "total", "bytes", "in")
PLACES = ("global", "readonly", "shared", "constant", "texture")
HOW_WORK = "write `work flops(2 * n * TX * TY) independent(TX * TY)`"
HOW_ACCESS = "write `access A: load(n // TILE) stride(1)`, or `store(…)`"


@dataclass(frozen=True, slots=True)
class WorkPragma:
    """The numbers by their word; `flops` or `integer` is always there."""

    numbers: tuple[tuple[str, ExpressionText], ...]
    double: bool
    span: Span

    def number(self, word: str) -> ExpressionText | None:
        return dict(self.numbers).get(word)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPragma:
    name: str
    written: bool
    count: ExpressionText
    strides: tuple[ExpressionText, ...]  # between neighbours in x, and in y
    numbers: tuple[tuple[str, ExpressionText], ...]
    place: str | None  # None: the definition says
    span: Span  # of the name

    def number(self, word: str) -> ExpressionText | None:
        return dict(self.numbers).get(word)


def parse_work(cursor: Cursor) -> WorkPragma:
    keyword = cursor.last
    given: set[str] = set()
    numbers: dict[str, ExpressionText] = {}
    while cursor.next.kind == "name":
        word = take_clause(cursor, WORK, given)
        if word.text != "double":
            numbers[word.text] = bracketed(cursor, word, "a number of operations")
    cursor.finish("the work", HOW_WORK)
    if not given & {"flops", "integer"}:
        cursor.fail("`flops(…)` or `integer(…)` is missing: the operations of one thread", HOW_WORK)
    return WorkPragma(tuple(numbers.items()), "double" in given, cursor.span(keyword))


def parse_access(cursor: Cursor) -> AccessPragma:
    name = cursor.name("an array's name", HOW_ACCESS)
    cursor.expect(":", f"after `{name.text}`", HOW_ACCESS)
    verb = cursor.name("`load(COUNT)` or `store(COUNT)`", HOW_ACCESS)
    if verb.text not in ("load", "store"):
        cursor.fail(f"expected `load(COUNT)` or `store(COUNT)`, found `{verb.text}`", HOW_ACCESS, token=verb)
    count = bracketed(cursor, verb, "a number of elements")
    given: set[str] = set()
    numbers: dict[str, ExpressionText] = {}
    strides: tuple[ExpressionText, ...] = ()
    place: str | None = None
    while cursor.next.kind == "name":
        word = take_clause(cursor, ACCESS, given)
        if word.text == "in":
            place = _place(cursor)
        elif word.text == "stride":
            strides = _strides(cursor, word)
        else:
            numbers[word.text] = bracketed(cursor, word, "a number")
    cursor.finish("the access", HOW_ACCESS)
    return AccessPragma(
        name=name.text,
        written=verb.text == "store",
        count=count,
        strides=strides,
        numbers=tuple(numbers.items()),
        place=place,
        span=cursor.span(name),
    )


def _place(cursor: Cursor) -> str:
    listed = ", ".join(f"`{place}`" for place in PLACES)
    word = cursor.name(f"one of {listed}")
    if word.text not in PLACES:
        cursor.fail(f"expected one of {listed}, found `{word.text}`", token=word)
    return word.text


def _strides(cursor: Cursor, word: PragmaToken) -> tuple[ExpressionText, ...]:
    how = "write `stride(1)`, or `stride(1, n)` where the rows of a block are n elements apart"
    cursor.expect("(", f"after `{word.text}`", how)
    strides = [cursor.expression(",)", "a number of elements")]
    if cursor.accept(","):
        strides.append(cursor.expression(")", "a number of elements"))
    cursor.expect(")", "after the stride", how)
    return tuple(strides)
