"""The formulas of the table: what they compute, and what is refused."""

from __future__ import annotations

import pytest

from tunepass.expr import algebra
from tunepass.expr.nodes import INTEGER, CategoryType, Name
from tunepass.expr.python_eval import evaluate
from tunepass.graphs.formula import formula
from tunepass.graphs.functions import reshaped
from tunepass.graphs.values import GraphError, Value, told

SHAPE: tuple[Value, ...] = tuple(algebra.lift(n) for n in (2, 3, 4))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("x[0] * x[-1]", "8"),
        ("(*x[1:], 7)", "(3, 4, 7)"),
        ("x + 1", "(3, 4, 5)"),
        ("x // 2", "(1, 1, 2)"),
        ("prod(x) if rank(x) > 2 else 0", "24"),
        ("x == x", "True"),
        ("not x[0] == 3 and 1 < 2", "True"),
        ("repeat(1, rank(x) - 1)", "(1, 1)"),
        ("reshaped(x, (4, -1))", "(4, 6)"),
        ("permuted(x, (2, 0, 1))", "(4, 2, 3)"),
        ("without(x, 1, False)", "error"),
        ("without(x, (1,), True)", "(2, 1, 4)"),
        ("broadcast(x, (3, 1))", "(2, 3, 4)"),
        ("joined((x, x), 1)", "(2, 6, 4)"),
        ("sliced(10, 1, -1, 2)", "4"),
        ("einsum_shape('...ij,jk->...ik', (x, (4, 5)))", "(2, 3, 5)"),
        ("'same' == 'valid'", "False"),
        ("-x[0]", "-2"),
    ],
)
def test_formulas_compute_with_numbers_and_tuples(text: str, result: str) -> None:
    if result == "error":
        with pytest.raises(GraphError):
            formula(text).value({"x": SHAPE})
    else:
        assert told(formula(text).value({"x": SHAPE})) == result


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "x.shape",
        "lambda: 1",
        "[i for i in x]",
        "x := 1",
        "prod(x, key=1)",
        "prood(x)",
        "x ** 2",
        "x is x",
        "f'{x}'",
        "1 +",
        "(" * 400 + ")" * 400,
        "x" * 3000,
    ],
)
def test_anything_else_is_refused_before_it_is_computed(text: str) -> None:
    with pytest.raises(GraphError, match="formula"):
        formula(text)


@pytest.mark.parametrize(
    "text", ["y", "x[5]", "x + (1, 2)", "prod(2)", "reshaped(x, (5, -1))", "broadcast(x, (5,))", "x['a']", "x[0][0]"]
)
def test_values_that_do_not_go_together_are_told(text: str) -> None:
    with pytest.raises(GraphError):
        formula(text).value({"x": SHAPE})


def test_a_word_that_a_parameter_chooses_chooses_the_size() -> None:
    padding = Name("padding", CategoryType(("valid", "same")))
    size = formula("window((9,), 3, 2, 1, padding, False)").value({"padding": padding})
    assert isinstance(size, tuple)
    assert [evaluate(size[0], {"padding": word}) for word in ("valid", "same")] == [4, 5]  # type: ignore[arg-type]


def test_conditions_on_parameters_stay_in_the_expression() -> None:
    value = formula("x if b else 2 * x").value({"b": Name("b", INTEGER), "x": algebra.lift(3)})
    assert [evaluate(value, {"b": b}) for b in (1, 0)] == [3, 6]  # type: ignore[arg-type]


def test_sizes_that_stay_cancel_once_each() -> None:
    """Equal sizes may be one object: (n, 1, n) to (n, -1) is (n, n)."""
    n = algebra.lift(3)
    assert reshaped((n, algebra.lift(1), n), (n, algebra.lift(-1))) == (n, n)
