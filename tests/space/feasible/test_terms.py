"""Terms share, flatten where that is exact, and show what later layers need; ranges of terms contain their values."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.expr.nodes import INTEGER, Expr, Name
from tunepass.expr.numpy_eval import evaluate
from tunepass.expr.parser import parse
from tunepass.expr.typing import binary, call, constant
from tunepass.space.feasible.diagram.order import choose
from tunepass.space.feasible.diagram.terms import Term, Terms, conjuncts
from tunepass.space.parameter import Integer, Permutation

ABC = [Integer(n, 1, 9) for n in "abc"]


def built(text: str, terms: Terms | None = None) -> tuple[Terms, Term]:
    terms = terms or Terms([v for p in ABC for v in p.variables()])
    return terms, terms.build(parse(text, {p.name: p.type for p in ABC}))


def test_the_bound_part_of_a_product_is_one_frontier_value() -> None:
    terms, t = built("a * b * c <= 100")
    (frontier,) = terms.frontier(t, 0b011)
    assert frontier is built("b * a", terms)[1] or frontier is built("a * b", terms)[1]
    assert frontier.kind == "product" and frontier.mask == 0b011
    assert len(terms.frontier(built("a * b + a <= c * b", terms)[1], 0b011)) == 2


def test_equal_terms_are_one_object() -> None:
    terms, t = built("a + b * c")
    assert built("a + b * c", terms)[1] is t


def test_what_may_overflow_is_not_regrouped() -> None:
    big = Terms([v for n in "abc" for v in Integer(n, 1, 2**40).variables()])
    assert built("a * b * c", big)[1].kind == "apply"


@pytest.mark.parametrize("text", ["a % b - c", "a * b // c", "abs(a - b) * c", "if(a > b, a, b * c)", "ceildiv(a, b)"])
def test_ranges_contain_every_value(text: str) -> None:
    t = built(text)[1]
    grid = np.stack(np.meshgrid(*[np.arange(1, 10)] * 3), axis=-1).reshape(-1, 3)
    e = parse(text, {p.name: p.type for p in ABC})
    values = evaluate(e, {n: np.ascontiguousarray(grid[:, i]) for i, n in enumerate("abc")}, len(grid)).values
    assert t.range.lo <= values.min() and values.max() <= t.range.hi


def test_conjuncts_take_chains_and_conjunctions_apart() -> None:
    e = parse("a < b < c and (a == 1 or b == 2)", {p.name: p.type for p in ABC})
    assert len(conjuncts(e)) == 3


def test_the_order_keeps_frontiers_narrow_and_permutations_together() -> None:
    parameters = [
        Integer("a", 1, 50),
        Integer("b", 1, 50),
        Integer("c", 1, 50),
        Integer("d", 1, 50),
        Permutation("p", 3),
    ]
    terms = Terms([v for p in parameters for v in p.variables()])
    names = {p.name: p.type for p in parameters}
    texts = ["a % c == 0", "b % d == 0", "a + pos(p, 0) < 9"]
    constraints = [terms.build(parse(t, names)) for t in texts]
    order = choose(terms, constraints, [(0,), (1,), (2,), (3,), (4, 5, 6)], {i: 50 if i < 4 else 3 for i in range(7)})
    at = order.index(4)
    assert order[at : at + 3] == [4, 5, 6] and sorted(order) == list(range(7))
    assert abs(order.index(1) - order.index(3)) == 1


def test_an_expression_that_is_part_of_several_is_looked_into_once() -> None:
    """2**60 paths, values of 60 bits."""
    e: Expr = Name("a", INTEGER)
    for _ in range(60):
        e = call("max", [e, binary("//", e, constant(2))])
    terms = Terms(Integer("a", 1, 10).variables())
    assert terms.build(e).mask == 1
