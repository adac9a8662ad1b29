"""The native machine: several outputs, conjunctions, block edges, checks, threads. Its laws are in properties."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.properties.expressions import BOX, NAMES, columns
from tunepass.diagnostics import ExpressionError
from tunepass.expr import numpy_eval
from tunepass.expr.domain import Domain, Interval
from tunepass.expr.nodes import INTEGER, Expr, Type
from tunepass.expr.parser import parse
from tunepass.expr.vm.compiled_expressions import CompiledExpressions

AB: dict[str, Type] = {"a": INTEGER, "b": INTEGER}


def p(text: str) -> Expr:
    return parse(text, AB)


@pytest.mark.parametrize("n", [0, 1, 2, 511, 512, 513, 1025])
def test_any_number_of_rows(n: int) -> None:
    a = np.arange(n)
    values, even = CompiledExpressions([p("a * 3 + 1"), p("a % 2 == 0")]).run({"a": a}, n)
    assert np.array_equal(values, a * 3 + 1) and np.array_equal(even, a % 2 == 0)
    assert values.dtype == np.int64 and even.dtype == np.bool_


def test_satisfied_is_the_conjunction_and_undefined_is_not() -> None:
    found = {"a": np.array([6, 7, 8, 9]), "b": np.array([3, 0, 4, 4])}
    program = CompiledExpressions([p("a % b == 0"), p("a > 6")])
    assert program.satisfied(found, 4).tolist() == [False, False, True, False]
    assert program.count(found, 4) == 1
    assert CompiledExpressions([], None).satisfied({}, 2).tolist() == [True, True]


def test_undefined_values_are_nan_or_zero_and_marked() -> None:
    found = {"a": np.array([6, 7]), "b": np.array([3, 0])}
    program = CompiledExpressions([p("a / b"), p("a // b")])
    real, whole = program.evaluate(found, 2)
    assert real.values[0] == 2 and np.isnan(real.values[1]) and whole.values.tolist() == [2, 0]
    assert real.defined.tolist() == whole.defined.tolist() == [True, False]


def test_overflow_points_at_the_operation() -> None:
    a = np.full(2000, 2, np.int64)
    a[1700] = 2**62
    with pytest.raises(ExpressionError, match="overflow") as caught:
        CompiledExpressions([p("1 + a * 4 > 0")]).satisfied({"a": a}, 2000)
    span = caught.value.diagnostics[0].span
    assert span is not None and span.text == "a * 4"
    assert CompiledExpressions([p("a > 9 or a * 4 > 0")]).satisfied({"a": a}, 2000).all()


def test_domains_remove_the_checks() -> None:
    e = p("b != 0 and a % b == 0 and (a * b + a) // b < 1000")
    box: dict[str, Domain] = {"a": Interval(1, 100), "b": Interval(1, 100)}
    assert CompiledExpressions([e], box).instructions < CompiledExpressions([e]).instructions - 5
    rng = np.random.default_rng(0)
    found = {"a": rng.integers(1, 101, 3000), "b": rng.integers(1, 101, 3000)}
    assert np.array_equal(CompiledExpressions([e], box).satisfied(found, 3000), numpy_eval.satisfied(e, found, 3000))


def test_common_subexpressions_and_constants_cost_nothing() -> None:
    box: dict[str, Domain] = {"a": Interval(1, 100), "b": Interval(1, 100)}
    once = CompiledExpressions([p("a * b + 3")], box).instructions
    twice = [p("b * a + (1 + 2) * 1 ** 7"), p("a * b + 3")]
    assert CompiledExpressions(twice, box).instructions == once + 1  # one more output
    assert CompiledExpressions([p("a > 0 and b < 101")], box).instructions == 1


@pytest.mark.parametrize("limit", [50, 2**31, 2**50, 2**62])
@pytest.mark.parametrize("op", ["//", "%"])
def test_division_is_exact_at_every_size(limit: int, op: str) -> None:
    rng = np.random.default_rng(limit)
    a, b = rng.integers(-limit, limit, 4000), rng.integers(1, limit, 4000)
    b[::2] = rng.integers(1, 50, 2000)
    b[rng.random(4000) < 0.5] *= -1
    a[::5] = (a[::5] // b[::5]) * b[::5]  # exact multiples and their neighbours
    a[::10] -= 1
    box: dict[str, Domain] = {"a": Interval(int(a.min()), int(a.max())), "b": Interval(int(b.min()), int(b.max()))}
    for text in (f"a {op} b", "ceildiv(a, b)", f"a {op} 7", f"a {op} -7", f"a {op} 16"):
        (got,) = CompiledExpressions([p(text)], box).run({"a": a, "b": b}, 4000)
        assert np.array_equal(got, numpy_eval.evaluate(p(text), {"a": a, "b": b}, 4000).values), text


def test_columns_of_other_types_and_strides_are_converted() -> None:
    a = np.arange(20, dtype=np.int32)[::2]
    assert np.array_equal(CompiledExpressions([p("a + 1")]).run({"a": a}, 10)[0], a + 1)
    with pytest.raises(ExpressionError, match="no column for `b`"):
        CompiledExpressions([p("b + 1")]).run({"a": a}, 10)


def test_orders_and_strings() -> None:
    text = 'pos(o, 1) < pos(o, 3) and w[1] != "j" and (s == t or pos(w, "k") == 2 or o[i % 4] == 0)'
    e, found = parse(text, NAMES), columns(1, 3000)
    assert np.array_equal(CompiledExpressions([e], BOX).satisfied(found, 3000), numpy_eval.satisfied(e, found, 3000))


def test_one_program_in_several_threads() -> None:
    program = CompiledExpressions([p("(a * a + b) % 97 == b % 89")], {"a": Interval(0, 10**6), "b": Interval(0, 10**6)})
    rng = np.random.default_rng(3)
    parts = [{"a": rng.integers(0, 10**6, 50_000), "b": rng.integers(0, 10**6, 50_000)} for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda part: program.satisfied(part, 50_000), parts))
    for part, mask in zip(parts, got):
        assert np.array_equal(mask, (part["a"] ** 2 + part["b"]) % 97 == part["b"] % 89)


def test_powers_beyond_64_bits_are_found_whatever_wraps() -> None:
    a = np.array([0, 1, -1, 1, -1])
    b = np.array([2**62, 2**62, 2**62, 2**62 + 1, 2**62 + 1])
    assert CompiledExpressions([p("a ** b")]).run({"a": a, "b": b}, 5)[0].tolist() == [0, 1, 1, 1, -1]
    for base in (2, 3, -3, 2**32, 5):
        with pytest.raises(ExpressionError, match="overflow"):
            CompiledExpressions([p("a ** b")]).run({"a": np.array([base]), "b": np.array([2**62])}, 1)
