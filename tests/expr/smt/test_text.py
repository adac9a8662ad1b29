"""Symbols, literals, and formulas that fold."""

from __future__ import annotations

import pytest

from tunepass.expr.smt.text import choice, conjunction, disjunction, integer, negation, real, symbol


@pytest.mark.parametrize(
    "name,expected", [("tile", "tile"), ("mod", "mod.parameter"), ("Int", "Int.parameter"), ("höhe", "|höhe|")]
)
def test_a_name_is_a_symbol_that_means_nothing_else(name: str, expected: str) -> None:
    assert symbol(name) == expected


@pytest.mark.parametrize("value,expected", [(3, "3"), (0, "0"), (-7, "(- 7)")])
def test_integers(value: int, expected: str) -> None:
    assert integer(value) == expected


@pytest.mark.parametrize(
    "value,expected", [(2.0, "2.0"), (-0.5, "(- (/ 1.0 2.0))"), (0.1, "(/ 3602879701896397.0 36028797018963968.0)")]
)
def test_reals_are_the_exact_numbers_that_doubles_are(value: float, expected: str) -> None:
    assert real(value) == expected


def test_formulas_fold_what_is_known() -> None:
    assert conjunction("a", "true", "b", "a") == "(and a b)"
    assert conjunction("a", "false") == "false"
    assert conjunction() == "true"
    assert disjunction("a", "false") == "a"
    assert negation("(not a)") == "a"
    assert negation("true") == "false"
    assert choice("true", "1", "2") == "1"
    assert choice("a", "1", "1") == "1"
