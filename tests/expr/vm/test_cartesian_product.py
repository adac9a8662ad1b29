"""A product of domains gives what the machine gives element by element, whatever is tabulated."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import ExpressionError
from tunepass.expr.domain import Interval
from tunepass.expr.nodes import BOOL, INTEGER, REAL, OrderType
from tunepass.expr.parser import parse
from tunepass.expr.vm import cartesian_product as module
from tunepass.expr.vm import tables
from tunepass.expr.vm.cartesian_product import CartesianProduct
from tunepass.expr.vm.compiled_expressions import CompiledExpressions

NAMES = {"a": INTEGER, "b": INTEGER, "c": INTEGER, "x": REAL, "on": BOOL}
DOMAINS = {
    "a": (1, 2, 3, 5),
    "b": tuple(range(40)),
    "c": (7, 1, 4),
    "x": (0.5, 2.0, -1.0),
    "on": (False, True),
}
TEXTS = (
    "ceildiv(a * 96, c) + (b * b - 3) // a",
    "(a * x + log(c)) / (1.0 + exp(x * 0.1)) + sqrt(a * c)",
    "if(on, b * c, a * c) + max(a, b)",
    "on and b % a == 0",
    "a / b + x",  # undefined where b is 0
    "3",
    "x",
)


@pytest.mark.parametrize("largest,run", [(1 << 20, 1 << 15), (4, 1 << 15), (1, 3), (40, 5)])
def test_bit_equal_to_the_machine(monkeypatch, largest, run):
    monkeypatch.setattr(tables, "LARGEST_TABLE", largest)
    monkeypatch.setattr(module, "LONGEST_RUN", run)
    exprs = [parse(text, NAMES) for text in TEXTS]
    product = CartesianProduct(exprs, DOMAINS)
    assert product.size == 4 * 40 * 3 * 3 * 2
    columns = product.columns(np.arange(product.size))
    wanted = CompiledExpressions(exprs, DOMAINS).run(columns, product.size)
    for first in range(0, product.size, product.run_length * 6):
        n = min(product.run_length * 6, product.size - first)
        for got, want in zip(product.evaluate(first, n), wanted):
            part = want[first : first + n]
            assert got.dtype == part.dtype
            assert np.array_equal(got.view(np.uint8), np.ascontiguousarray(part).view(np.uint8))


def test_most_of_a_model_is_tabulated():
    text = "ceildiv(a * 3 + 1, 4) * (b * 5 + 2) + ceildiv(b * 3 + 1, 4) * (a * 5 + 2)"
    exprs = [parse(text, NAMES)]
    product = CartesianProduct(exprs, {name: DOMAINS[name] for name in ("a", "b")})
    assert product.names == ("a", "b")
    assert product.instructions < CompiledExpressions(exprs, DOMAINS).instructions


def test_every_name_is_numbered_even_if_not_read():
    product = CartesianProduct([parse("a + 1", NAMES)], {"a": (1, 2), "b": (10, 20, 30)})
    assert product.names == ("a", "b") and product.size == 6
    assert product.evaluate(0, 6)[0].tolist() == [2, 2, 2, 3, 3, 3]
    assert product.columns(np.array([4])) == {"a": [2], "b": [20]}


def test_an_overflow_is_raised_with_its_span():
    product = CartesianProduct([parse("a * 4611686018427387904", NAMES)], {"a": (0, 1, 2)})
    with pytest.raises(ExpressionError, match="overflow"):
        product.evaluate(0, 3)


def test_what_has_no_product():
    with pytest.raises(ExpressionError, match="listed values"):
        CartesianProduct([parse("a + 1", NAMES)], {"a": Interval(1, 5)})
    with pytest.raises(ExpressionError, match="permutations"):
        CartesianProduct([parse("pos(order, 0)", {"order": OrderType((0, 1))})], {"order": (0, 1)})
