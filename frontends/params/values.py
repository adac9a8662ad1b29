"""The values a `param` lists: literals, ranges, powers of two, orders; its default and its prior."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.frontends.params.tokens import Cursor, PragmaToken, unquoted
from tunepass.space.parameter import PERMUTATION_LIMIT

PARAMETER_KINDS = ("ordinal", "integer", "real", "categorical", "permutation", "pow2")  # the last is an ordinal
LIST_LIMIT = 100_000  # values that a range inside `ordinal` may spell out

Scalar = bool | int | float | str
BOOLEANS = {"true": True, "True": True, "false": False, "False": False}


@dataclass(frozen=True, slots=True)
class LiteralText:
    value: Scalar
    span: Span


@dataclass(frozen=True, slots=True)
class ItemOrder:
    """`(k, i, j)`: the default of a permutation."""

    items: tuple[int | str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RangeText:
    """`lo..hi step s`; `step` is None where it is not written."""

    lo: int | float
    hi: int | float
    step: int | float | None
    span: Span


@dataclass(frozen=True, slots=True)
class Listed:
    values: tuple[Scalar, ...]
    span: Span
    spans: tuple[Span, ...]  # of each value


@dataclass(frozen=True, slots=True)
class Items:
    """A permutation's items; a single number counts them."""

    items: tuple[str, ...] | int
    span: Span


Values = RangeText | Listed | Items


@dataclass(frozen=True, slots=True)
class PriorText:
    """A shape's name, or numbers: two for a Beta, one per category, a row per position of a permutation."""

    shape: str | None
    numbers: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]
    span: Span


def parse_values(cursor: Cursor, kind: PragmaToken) -> Values:
    """The bracket after the kind."""
    if kind.text == "pow2":
        powers = tuple(_pow2(cursor, kind))
        span = cursor.span(kind, cursor.last)
        return Listed(powers, span, (span,) * len(powers))
    cursor.expect("(", f"after `{kind.text}`")
    match kind.text:
        case "integer":
            values: Values = _integer_range(cursor)
        case "real":
            values = _range(cursor, "write `real(0.1..2.5)`")
        case "permutation":
            values = _items(cursor)
        case "categorical" | "compiler":
            values = _listed(cursor, numeric=False)
        case _:
            values = _listed(cursor, numeric=True)
    cursor.expect(")", "after the values", "separate values by commas")
    return values


def _range(cursor: Cursor, hint: str) -> RangeText:
    first = cursor.next
    lo = cursor.number("the least value")
    cursor.expect("..", "after the least value", hint)
    hi = cursor.number("the largest value")
    step = cursor.number("a step") if cursor.accept("step") else None
    if lo > hi:
        cursor.fail(f"a range goes up: {lo} <= {hi} does not hold", token=first)
    if step is not None and step <= 0:
        cursor.fail(f"a step is positive, got {step}", token=first)
    return RangeText(lo, hi, step, cursor.span(first, cursor.last))


def _integer_range(cursor: Cursor) -> RangeText | Listed:
    first = cursor.next
    if cursor.at("pow2"):
        powers, span = tuple(_pow2(cursor, cursor.take())), cursor.span(first, cursor.last)
        return Listed(powers, span, (span,) * len(powers))
    bounds = _range(cursor, "write `integer(1..8)` or `integer(0..64 step 8)`; `ordinal` takes a list")
    for value in (bounds.lo, bounds.hi, bounds.step):
        if value is not None and not isinstance(value, int):
            cursor.fail(f"the range of an integer has whole ends and steps, got {value}", "use `real`", token=first)
    return bounds


def _listed(cursor: Cursor, numeric: bool) -> Listed:
    values: list[Scalar] = []
    spans: list[Span] = []
    start = cursor.next
    while not cursor.at(")"):
        first = cursor.next
        if cursor.at("pow2"):
            values += _pow2(cursor, cursor.take())
        else:
            value = _literal(cursor, "a number" if numeric else "a string, a number, true or false")
            if numeric and isinstance(value, (bool, str)):
                cursor.fail(f"ordinal values are numbers, found `{first.text}`", "use `categorical`", token=first)
            values += _spread(cursor, first, value) if cursor.accept("..") else [value]
        spans += [cursor.span(first, cursor.last)] * (len(values) - len(spans))
        if not cursor.accept(","):
            break
    if not values:
        cursor.fail("at least one value is needed")
    return Listed(tuple(values), cursor.span(start, cursor.last), tuple(spans))


def _spread(cursor: Cursor, first: PragmaToken, lo: Scalar) -> list[Scalar]:
    """The values of `lo..hi step s` inside a list."""
    hi = cursor.number("the largest value")
    step = cursor.number("a step") if cursor.accept("step") else 1
    if isinstance(lo, (bool, str)) or lo > hi or step <= 0:
        cursor.fail(f"a range goes up in positive steps, got {lo}..{hi} step {step}", token=first)
    count = int((hi - lo) / step + 1e-9) + 1
    if count > LIST_LIMIT:
        cursor.fail(f"this range lists {count} values; at most {LIST_LIMIT} can be", "use `integer`", token=first)
    return [round(lo + i * step, 12) for i in range(count)]  # 0.1, 0.2, 0.3: not 0.30000000000000004


def _pow2(cursor: Cursor, first: PragmaToken) -> list[Scalar]:
    """`pow2(8, 256)`: 8, 16, …, 256; `first` is the word."""
    cursor.expect("(", "after `pow2`", "write `pow2(8, 256)`")
    ends = [cursor.integer("the least power of two")]
    cursor.expect(",", "after the least power of two", "write `pow2(8, 256)`")
    ends.append(cursor.integer("the largest power of two"))
    cursor.expect(")", "after the largest power of two")
    lo, hi = ends
    for end in ends:
        if not (1 <= end <= 2**62 and end & (end - 1) == 0):
            cursor.fail(
                f"the ends of `pow2` are powers of two, got {end}", "`pow2(8, 256)` is 8, 16, …, 256", token=first
            )
    if lo > hi:
        cursor.fail(f"a range goes up: {lo} <= {hi} does not hold", token=first)
    return [1 << e for e in range(lo.bit_length() - 1, hi.bit_length())]


def _literal(cursor: Cursor, what: str) -> Scalar:
    token = cursor.next
    if token.kind == "string":
        return unquoted(cursor.take().text)
    if token.text in BOOLEANS:
        return BOOLEANS[cursor.take().text]
    if token.kind == "name" and cursor.bare_words and what != "a number":
        return cursor.take().text
    if token.kind == "name":
        cursor.fail(f"expected {what}, found `{token.text}`", f'put it in quotes: `"{token.text}"`')
    return cursor.number(what, "a value that is not a number is written in quotes")


def _items(cursor: Cursor) -> Items:
    first = cursor.next
    if first.kind == "number":
        count = cursor.integer("a number of items")
        if not 1 <= count <= PERMUTATION_LIMIT:
            cursor.fail(f"a permutation has 1 to {PERMUTATION_LIMIT} items, got {count}", token=first)
        return Items(count, cursor.span(first))
    names: list[str] = []
    while True:
        names.append(cursor.name("an item's name", "write `permutation(i, j, k)`").text)
        if not cursor.accept(","):
            return Items(tuple(names), cursor.span(first, cursor.last))


def parse_default(cursor: Cursor) -> LiteralText | ItemOrder:
    first = cursor.next
    if not cursor.accept("("):
        value = _literal(cursor, "a default")
        return LiteralText(value, cursor.span(first, cursor.last))
    items: list[int | str] = []
    while True:
        number = cursor.next.kind == "number"
        items.append(cursor.integer("an item") if number else cursor.name("an item of the order").text)
        if not cursor.accept(","):
            break
    last = cursor.expect(")", "after the order")
    return ItemOrder(tuple(items), cursor.span(first, last))


def parse_prior(cursor: Cursor) -> PriorText:
    """`prior(gaussian)`, `prior(2, 5)`, `prior(0.5, 0.25, 0.25)`, `prior([1, 2], [2, 1])`."""
    cursor.expect("(", "after `prior`", "write `prior(gaussian)` or `prior(2, 5)`")
    first = cursor.next
    shape: str | None = None
    numbers: list[float] = []
    rows: list[tuple[float, ...]] = []
    if first.kind == "name":
        shape = cursor.take().text
    elif cursor.at("["):
        while True:
            cursor.expect("[", "before the weights of a position")
            rows.append(tuple(_numbers(cursor)))
            cursor.expect("]", "after the weights of a position")
            if not cursor.accept(","):
                break
    else:
        numbers = _numbers(cursor)
    span = cursor.span(first, cursor.last)
    cursor.expect(")", "after the prior")
    return PriorText(shape, tuple(numbers), tuple(rows), span)


def _numbers(cursor: Cursor) -> list[float]:
    numbers = [float(cursor.number("a number"))]
    while cursor.accept(","):
        numbers.append(float(cursor.number("a number")))
    return numbers


@dataclass(frozen=True, slots=True)
class ToleranceText:
    relative: float
    absolute: float | None


def parse_tolerance(cursor: Cursor) -> ToleranceText:
    cursor.expect("(", "after `tolerance`", "write `tolerance(1e-9)` or `tolerance(1e-9, 1e-12)`")
    relative = _bound(cursor, "a relative tolerance")
    absolute = _bound(cursor, "an absolute tolerance") if cursor.accept(",") else None
    cursor.expect(")", "after the tolerance")
    return ToleranceText(relative, absolute)


def _bound(cursor: Cursor, what: str) -> float:
    token = cursor.next
    value = float(cursor.number(what))
    if not 0 <= value < float("inf"):
        cursor.fail(f"a tolerance is finite and not negative, got {value:g}", token=token)
    return value
