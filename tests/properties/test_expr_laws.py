"""Laws of the expression language's readers, on random typed expressions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.examples import examples
from tests.properties.expressions import BOX, NAMES, columns, expressions, row
from tunepass.diagnostics import ExpressionError
from tunepass.expr import numpy_eval, python_eval, typing
from tunepass.expr.domain import Interval, number
from tunepass.expr.interval.bounds import MAY_BE_UNDEFINED, MAY_OVERFLOW, Bounds
from tunepass.expr.interval.extension import IntervalExtension, name_bounds, node_bounds
from tunepass.expr.nodes import BOOL, CategoryType, Expr, Name, OrderType, RealType, walk
from tunepass.expr.parser import parse
from tunepass.expr.printer import to_text
from tunepass.expr.vm import compiled_expressions, lookup_tables, reassociation
from tunepass.expr.vm.compiled_expressions import CompiledExpressions

ROWS = 24
seeds = st.integers(0, 2**32 - 1)


@examples(200, few=25)
@given(expressions(rounded=True))
def test_printing_round_trips(e: Expr) -> None:
    assert parse(to_text(e), NAMES) == e


def plain(e: Expr, values: dict[str, python_eval.Scalar | tuple[int | str, ...]]) -> object:
    """The value by the lazy scalar reader, or the word for why there is none."""
    try:
        return python_eval.evaluate(e, values)
    except python_eval.UndefinedValue:
        return "undefined"
    except python_eval.OverflowValue:
        return "overflow"


def coded(value: object, e: Expr) -> object:
    return number(value, e.type) if isinstance(e.type, CategoryType) else value


@examples(200, few=25)
@given(expressions(), seeds)
def test_numpy_is_python_one_row_at_a_time(e: Expr, seed: int) -> None:
    found = columns(seed, ROWS)
    expected = [plain(e, row(found, i)) for i in range(ROWS)]
    if "overflow" in expected:
        try:
            numpy_eval.evaluate(e, found, ROWS)
        except ExpressionError:
            return
        raise AssertionError(f"{to_text(e)}: overflow not found")
    got = numpy_eval.evaluate(e, found, ROWS)
    for value, is_defined, wanted in zip(got.values.tolist(), got.defined, expected):
        assert is_defined == (wanted != "undefined"), to_text(e)
        assert not is_defined or value == coded(wanted, e), to_text(e)


@examples(200, few=25)
@given(expressions(rounded=True), seeds, st.booleans())
def test_the_interval_contains_every_value(e: Expr, seed: int, narrow: bool) -> None:
    """As compiling reads it: one box, given by domains, some names without one."""
    sampled = columns(seed, ROWS)
    box = dict(BOX)
    if narrow:
        for name in ("i", "k", "x"):
            box[name] = Interval(sampled[name].min().item(), sampled[name].max().item())
        box["j"] = tuple(np.unique(sampled["j"]).tolist())
    known: dict[int, Bounds] = {}
    with np.errstate(all="ignore"):
        for node in walk(e):
            known[id(node)] = (
                name_bounds(node, box.get(node.name)) if isinstance(node, Name) else node_bounds(node, known)
            )
    check_bounds(e, known[id(e)], [plain(e, row(sampled, i)) for i in range(ROWS)])


def check_bounds(e: Expr, bounds: Bounds, values: Sequence[object]) -> None:
    """`bounds` of one box hold the values, and foresee where there is none."""
    for value in values:
        if value == "undefined":
            assert bounds.flags & MAY_BE_UNDEFINED and not bounds.always, to_text(e)
        elif value == "overflow":
            assert bounds.flags & MAY_OVERFLOW, to_text(e)
        else:
            held = coded(value, e)
            assert isinstance(held, (bool, int, float)) and bounds.lo <= held <= bounds.hi, to_text(e)
            assert not isinstance(value, bool) or not (bounds.never if value else bounds.always), to_text(e)
    assert not isinstance(e.type, RealType) or not np.isnan(bounds.lo)


@examples(200, few=25)
@given(expressions(rounded=True), seeds)
def test_the_intervals_of_many_boxes_contain_every_value(e: Expr, seed: int) -> None:
    one, other = columns(seed, ROWS), columns(seed + 1, ROWS)
    plain_names = [name for name, kind in NAMES.items() if not isinstance(kind, OrderType)]
    lo = {name: np.minimum(one[name], other[name]) for name in plain_names}
    hi = {name: np.maximum(one[name], other[name]) for name in plain_names}
    bounds = IntervalExtension([e]).bounds(lo, hi, ROWS)[0]
    for i in range(ROWS):
        in_row = Bounds(bounds.lo[i], bounds.hi[i], bounds.flags[i])
        check_bounds(e, in_row, [plain(e, row(sampled, i)) for sampled in (one, other)])


LONG = 1100  # more than two blocks of the machine


def same(native: numpy_eval.Evaluated, reference: numpy_eval.Evaluated, rounded: bool) -> bool:
    if not np.array_equal(native.defined, reference.defined) or native.values.dtype != reference.values.dtype:
        return False
    a, b = native.values[native.defined], reference.values[reference.defined]
    return np.allclose(a, b, rtol=1e-12, atol=0) if rounded else np.array_equal(a, b)


def check_native(exprs: list[Expr], seed: int, trusted: bool, rounded: bool = False) -> None:
    """The machine gives NumPy's values and definedness, or its overflow."""
    found = columns(seed, LONG)
    program = CompiledExpressions(exprs, BOX if trusted else None)
    try:
        reference = [numpy_eval.evaluate(e, found, LONG) for e in exprs]
    except ExpressionError as error:
        try:
            program.evaluate(found, LONG)
        except ExpressionError as native:
            assert native.diagnostics[0].message == error.diagnostics[0].message
            return
        raise AssertionError(f"overflow not found: {error}") from None
    for e, native, wanted in zip(exprs, program.evaluate(found, LONG), reference):
        assert same(native, wanted, rounded), to_text(e)
    if all(e.type == BOOL for e in exprs):
        wanted_rows = np.logical_and.reduce([r.values.astype(bool) & r.defined for r in reference])
        assert np.array_equal(program.satisfied(found, LONG), wanted_rows)


@examples(200, few=25)
@given(st.lists(expressions(), min_size=1, max_size=2), seeds, st.booleans())
def test_native_equals_numpy(exprs: list[Expr], seed: int, trusted: bool) -> None:
    check_native(exprs, seed, trusted)


def bits(program: CompiledExpressions, found: dict[str, NDArray[np.generic]]) -> list[bytes] | str:
    """Everything that comes out of a program, or the message of its overflow."""
    try:
        evaluated = program.evaluate(found, LONG)
    except ExpressionError as error:
        return error.diagnostics[0].message
    rows = [program.satisfied(found, LONG)] if all(e.type == BOOL for e in program.exprs) else []
    return [a.tobytes() for a in (*(x for f in evaluated for x in (f.values, f.defined)), *rows)]


@examples(200, few=25)
@given(
    st.lists(expressions(), min_size=1, max_size=2), seeds, st.sampled_from([1, 8, 1 << 14]), st.sampled_from([1, 64])
)
def test_tables_and_regrouped_sums_change_no_bit(exprs: list[Expr], seed: int, together: int, merged: int) -> None:
    found = columns(seed, LONG)
    wanted = bits(CompiledExpressions(exprs, BOX), found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_expressions, "WORTH", 0)
        patch.setattr(lookup_tables, "WIN", math.inf)
        patch.setattr(lookup_tables, "READS", ((1 << 16, 0.5),))
        patch.setattr(lookup_tables, "PLACE", 0)
        patch.setattr(reassociation, "TOGETHER", together)
        patch.setattr(reassociation, "MERGED", merged)
        assert bits(CompiledExpressions(exprs, BOX), found) == wanted


@examples(100)
@given(st.lists(expressions(BOOL), min_size=2, max_size=3), seeds, st.booleans())
def test_native_conjunctions_equal_numpy(exprs: list[Expr], seed: int, trusted: bool) -> None:
    check_native(exprs, seed, trusted)


@examples(80)
@given(st.sampled_from(["exp", "log", "log2", "**"]), expressions(depth=2), expressions(depth=2), seeds)
def test_native_equals_numpy_but_for_the_last_places(function: str, a: Expr, b: Expr, seed: int) -> None:
    e = typing.binary("**", typing.binary("+", a, typing.constant(0.0)), b) if function == "**" else None
    check_native([e or typing.call(function, [a])], seed, trusted=True, rounded=True)
