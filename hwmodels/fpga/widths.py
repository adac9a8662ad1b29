"""Amounts by the widths that are parameters: worked out for every width, and told as one expression.

A latency or the blocks of a memory depend on a width in steps, so they are computed with numbers of bits, once for
each value of the width, and joined: y0 + sum of slope * (x - x_i) over the straight pieces of x -> y.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, product

from tunepass.expr import algebra
from tunepass.expr.algebra import ExprLike
from tunepass.expr.nodes import INTEGER, Binary, Expr, Name
from tunepass.hwmodels.base import ModelError
from tunepass.ir.hardware import Element, Fixed, Operation, Struct, TunedFixed

Close = Callable[[Element], Element]  # the element with numbers for its widths
CASES_LIMIT = 4096  # combinations of the widths of one body
_ONE = algebra.lift(1)


def by_width(elements: Iterable[Element], value: Callable[[Close], Mapping[str, ExprLike]]) -> dict[str, Expr]:
    """What `value` gives for the elements closed, over the widths that are open in them."""
    tuned = list(dict.fromkeys(t for element in elements for t in _tuned(element)))
    if math.prod(len(totals(t)) for t in tuned) > CASES_LIMIT:
        names = ", ".join(width.parameter for t in tuned for width in t.widths)
        raise ModelError(f"the widths {names} meet in one body in more than {CASES_LIMIT:,} combinations")
    return {name: algebra.lift(e) for name, e in _joined(tuned, {}, value).items()}


def number_by_width(elements: Iterable[Element], value: Callable[[Close], ExprLike]) -> Expr:
    return by_width(elements, lambda close: {"": value(close)})[""]


def elements_of(operations: Sequence[Operation]) -> tuple[Element, ...]:
    return tuple(operation.element for operation in operations)


def closed_operations(operations: Sequence[Operation], close: Close) -> tuple[Operation, ...]:
    return tuple(replace(operation, element=close(operation.element)) for operation in operations)


def totals(element: TunedFixed) -> list[int]:
    """Every number of bits that the element can have, ascending."""
    fixed = element.bits - sum(width.default for width in element.widths)
    return sorted({fixed + sum(chosen) for chosen in product(*(width.values for width in element.widths))})


def bits(element: TunedFixed) -> Expr:
    fixed = element.bits - sum(width.default for width in element.widths)
    return algebra.add(fixed, *(Name(width.parameter, INTEGER) for width in element.widths))


def _tuned(element: Element) -> Iterable[TunedFixed]:
    if isinstance(element, TunedFixed):
        yield element
    elif isinstance(element, Struct):
        for _, field in element.fields:
            yield from _tuned(field)


def _joined(
    tuned: list[TunedFixed], chosen: Mapping[TunedFixed, int], value: Callable[[Close], Mapping[str, ExprLike]]
) -> Mapping[str, ExprLike]:
    if not tuned:
        return value(lambda element: _closed(element, chosen))
    first, *rest = tuned
    rows = [(total, _joined(rest, {**chosen, first: total}, value)) for total in totals(first)]
    names = dict.fromkeys(name for _, row in rows for name in row)
    return {name: _table(bits(first), [(total, row.get(name, 0)) for total, row in rows]) for name in names}


def _closed(element: Element, chosen: Mapping[TunedFixed, int]) -> Element:
    if isinstance(element, TunedFixed):
        return Fixed(element.signed, chosen[element], 0)
    if isinstance(element, Struct):
        return Struct(tuple((name, _closed(field, chosen)) for name, field in element.fields))
    return element


def _table(x: Expr, rows: Sequence[tuple[int, ExprLike]]) -> Expr:
    """y of x, where x is one of the rows'. Neighbouring rows whose y differ in a factor only share the rest of it."""
    factored = [(at, *_factored(y)) for at, y in rows]
    runs = [list(run) for _, run in groupby(factored, key=lambda row: row[2])]
    pieces = [(run[0][0], algebra.mul(_pieces(x, [(at, c) for at, c, _ in run]), run[0][2])) for run in runs]
    return _choice(x, pieces)


def _choice(x: Expr, pieces: Sequence[tuple[int, Expr]]) -> Expr:
    """The last piece that starts at most at x."""
    if len(pieces) == 1:
        return pieces[0][1]
    half = len(pieces) // 2
    below = algebra.compare(x, "<", pieces[half][0])
    return algebra.where(below, _choice(x, pieces[:half]), _choice(x, pieces[half:]))


def _pieces(x: Expr, rows: Sequence[tuple[int, float]]) -> Expr:
    """The straight pieces through the rows, each as far as x reaches into it; a step where two rows are all of one."""
    terms: list[ExprLike] = [rows[0][1]]
    i = 0
    while i < len(rows) - 1:
        slope, j = _slope(rows[i], rows[i + 1]), i + 1
        while j < len(rows) - 1 and math.isclose(_slope(rows[j], rows[j + 1]), slope, rel_tol=1e-9, abs_tol=1e-12):
            j += 1
        (x0, y0), (x1, y1) = rows[i], rows[j]
        if y1 != y0 and j == i + 1:
            terms.append(algebra.mul(_whole(y1 - y0), algebra.where(algebra.compare(x, ">=", x1), 1, 0)))
        elif y1 != y0:
            reach = algebra.sub(x, x0) if i == 0 else algebra.maximum(0, algebra.sub(x, x0))
            reach = reach if j == len(rows) - 1 else algebra.minimum(reach, x1 - x0)
            terms.append(algebra.mul(_whole(slope), reach))
        i = j
    return algebra.add(*terms)


def _slope(left: tuple[int, float], right: tuple[int, float]) -> float:
    return (right[1] - left[1]) / (right[0] - left[0])


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _factored(e: ExprLike) -> tuple[int | float, Expr]:
    """A number and an expression whose product it is; algebra.mul puts the number first."""
    value = algebra.number(e)
    if value is not None:
        return value, _ONE
    e = algebra.lift(e)
    if isinstance(e, Binary) and e.op == "*":
        number, rest = _factored(e.left)
        return number, e.right if rest == _ONE else algebra.mul(rest, e.right)
    return 1, e
