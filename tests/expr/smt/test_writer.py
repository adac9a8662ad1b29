"""Expressions as SMT-LIB, held against the reference reader by a plain evaluator of scripts."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.examples import examples
from tests.expr.smt.script import Script, TooLarge, Value
from tests.properties.expressions import BOX, NAMES, columns, expressions
from tunepass.diagnostics import ExpressionError
from tunepass.expr.domain import Domain, Interval
from tunepass.expr.nodes import BOOL, INTEGER, REAL, BoolType, Expr, OrderType, RealType
from tunepass.expr.numpy_eval import evaluate_within
from tunepass.expr.parser import parse
from tunepass.expr.smt.text import symbol
from tunepass.expr.smt.writer import SmtWriter

Rows = Mapping[str, NDArray[np.generic]]
ROWS = 60
INTEGERS = [
    "i // j + j // -3 == (0 - i) // (0 - j) - 1",
    "i // (i - 3) >= 2",
    "i % j + (-i) % -3 == 3",
    "i % (j - 4) < 0",
    "ceildiv(i, j) - ceildiv(j, -5) == 4 or ceildiv(i, i + 2) == 1",
    "i ** 3 + 2 ** abs(i) < 100",
    "abs(i) ** (j // 4) <= 81",
    "(1 - p) ** k == 1 and (0 - p) ** k == 1",
    "i ** i > 0",
    "(j << 2) + (i >> 1) + (i << 3) < 64",
    "i << i > 4",
    "0 < i < j <= 16",
    "not p or i == 3 and j != 4",
    "i != 0 and 12 % i == 0",
    "if(i == 0, 5, 10 // i) == 5",
    "i in {1, j, 5} and not i in {5}",
    "min(i, j, 3) + max(i, -2) > 2",
    "p + p * 2 == 3",
    "ispow2(i) == ispow2(j)",
    "gcd(i, j * 6) + lcm(i, j) > 20",
    's == t and t != "auto"',
    'if(p, s, t) == "auto" or if(i > 0, s, t) == "static"',
    't in {"guided", "static"} and s in {t}',
    "o[2] + o[abs(i) % 4] * 10 > 15",
    "o[i] == 1",
    "pos(o, 1) + pos(o, abs(i) % 4) * 10 > 12",
    "pos(o, i) == 2",
    'w[1] == "j" or pos(w, "k") == 0',
    "pos(w, w[0]) == 0",
    "k + 1 > k",
    "k * k > 0 or k == 0",
    "-k <= k and abs(k) >= 0",
]
REALS = [
    "x + y <= 1.5",
    "x * 3.0 - y == 0.3",
    "i / j + p > 1",
    "i / 3 == 1 or x != x",
    "x / i < 1",
    "j / 8 * 8 == j",
    "floor(x) + ceil(x) * 10 + round(x * 2) * 100 > 21",
    "floor(j / 4) + ceil(j / 3.0) >= 3",
    "x // 0.75 + x % 0.75 < 1",
    "ceildiv(x, 0.3) > 2",
    "max(x, i, 2.5) - min(y, 1) >= 3",
    "abs(x) > 1 and if(x > 0, i, 2.5) * 2 > 4",
    "log2(j) >= 3 and ceil(log2(j)) == 3",
    "sqrt(j) + exp(0 - j) + log(j) < 5",
    "i ** 2.0 <= 16 and j ** 0.5 > 2",
    "x ** 3.0 + x ** 1.0 > 0",
    "sqrt(i) >= 1",
    "j * 1e17 + 1 > j * 1e17",
    "k / 2 >= 0.0",
    "y * 1e300 * 1e300 > 1",
]


def assigned(found: Rows, at: int) -> dict[str, Value]:
    """A row of columns as the values of the writer's symbols."""
    values: dict[str, Value] = {}
    for name, kind in NAMES.items():
        value = found[name][at]
        if isinstance(kind, OrderType):
            values |= {symbol(f"{name}[{place}]"): int(code) for place, code in enumerate(np.asarray(value))}
        elif isinstance(kind, RealType):
            values[symbol(name)] = Fraction(float(value))
        else:
            values[symbol(name)] = bool(value) if isinstance(kind, BoolType) else int(value)
    return values


def check(e: Expr, seed: int, n: int) -> bool:
    """Holds the script against the reference at n rows; whether rounding leaves nothing open."""
    writer = SmtWriter(NAMES, BOX)
    truth = writer.satisfied(e)
    found = columns(seed, n)
    read = evaluate_within(e, found, n)
    for at in range(n):
        script = Script(writer.lines, {**assigned(found, at), **divisors(writer, found, at)})
        expected = bool(read.defined[at] and read.values[at])
        try:
            exact, may, may_not = (script.truth(text) for text in (truth.exact, truth.may, truth.may_not))
        except TooLarge:
            continue
        assert script.holds
        if truth.is_doubtful:
            assert may if expected else may_not, assigned(found, at)
        else:
            assert exact == expected == may == (not may_not), assigned(found, at)
    return not truth.is_doubtful


def divisors(writer: SmtWriter, found: Rows, at: int) -> dict[str, Value]:
    """The tests have no gcd of values too many to list."""
    assert not [line for line in writer.lines if line.startswith("(declare-const d.")]
    return {}


@pytest.mark.parametrize("text", INTEGERS)
def test_what_has_no_rounding_is_exact(text: str) -> None:
    assert check(parse(text, NAMES), 1, ROWS)


@pytest.mark.parametrize("text", REALS)
def test_what_rounds_is_held_between_two_formulas(text: str) -> None:
    check(parse(text, NAMES), 2, ROWS)


@examples(60)
@given(expressions(BOOL), st.integers(0, 1000))
def test_any_expression_is_what_the_reference_says(e: Expr, seed: int) -> None:
    try:
        check(e, seed, 6)
    except ExpressionError as error:
        assert "has no form in SMT-LIB" in str(error)


DOMAINS: dict[str, Domain] = {"a": range(2, 21, 3), "b": [4, 16], "x": Interval(0.5, 1.0), "f": [True]}
TYPES = {"a": INTEGER, "b": INTEGER, "x": REAL, "f": BOOL}


def test_domains_are_declared_as_they_are() -> None:
    assert SmtWriter(TYPES, DOMAINS).lines == [
        "(declare-const a Int)",
        "(assert (and (<= 2 a 20) (= (mod a 3) 2)))",
        "(declare-const b Int)",
        "(assert (or (= b 4) (= b 16)))",
        "(declare-const x Real)",
        "(assert (<= (/ 1.0 2.0) x 1.0))",
        "(declare-const f Bool)",
        "(assert f)",
    ]


def test_a_positive_divisor_needs_no_condition() -> None:
    assert SmtWriter(TYPES, DOMAINS).satisfied(parse("b % a == 0", TYPES)).exact == "(= (mod b a) 0)"


def test_whole_doubles_are_exact() -> None:
    """Of sums and products of whole numbers nothing is rounded off."""
    truth = SmtWriter(TYPES, DOMAINS).satisfied(parse("a * 4.0 + b <= 1e9", TYPES))
    assert not truth.is_doubtful
    assert SmtWriter(TYPES, DOMAINS).satisfied(parse("a / b <= 1e9", TYPES)).is_doubtful


def test_a_part_that_is_used_twice_is_defined_once() -> None:
    writer = SmtWriter(TYPES, DOMAINS)
    writer.satisfied(parse("(a * b + a % b) // a > 3 and (a * b + a % b) % 7 == 0", TYPES))
    assert sum("(+ (* a b) (mod a b))" in line for line in writer.lines) == 1


def test_a_greatest_common_divisor_of_many_values_is_described() -> None:
    wide: dict[str, Domain] = {"a": Interval(1, 10**6), "b": Interval(1, 10**6)}
    writer = SmtWriter({"a": INTEGER, "b": INTEGER}, wide)
    truth = writer.satisfied(parse("gcd(a, b) == 6", {"a": INTEGER, "b": INTEGER}))
    rest = {"a": 12, "b": 18, "d.1.m": 2, "d.1.n": 3, "d.1.u": -1, "d.1.v": 1}
    script = Script(writer.lines, {**rest, "d.1.d": 6})
    assert script.holds and script.truth(truth.exact)
    assert not Script(writer.lines, {**rest, "d.1.d": 3}).holds


def test_what_has_no_form_is_told_at_its_place() -> None:
    with pytest.raises(ExpressionError, match=r"`log2` of so many values has no form in SMT-LIB") as caught:
        SmtWriter(NAMES, BOX).satisfied(parse("i > 0 and log2(x) > 1", NAMES))
    span = caught.value.diagnostics[0].span
    assert span is not None and span.text == "log2(x)"
