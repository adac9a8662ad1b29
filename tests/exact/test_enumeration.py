"""Enumeration against brute force, over the whole product and over a diagram's configurations."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.exact import enumeration, product_enumeration
from tunepass.exact.enumeration import Enumeration
from tunepass.space.parameter import Categorical, Ordinal, Permutation
from tunepass.space.space import Space
from tunepass.testing.exact_solver import AREA, TIME, ExactSolverContract, brute_force, expressions, numeric_space


class TestEnumeration(ExactSolverContract):
    @pytest.fixture
    def solver(self, monkeypatch: pytest.MonkeyPatch) -> Enumeration:
        for module in (enumeration, product_enumeration):
            monkeypatch.setattr(module, "CHUNK", 96)
        return Enumeration(jobs=1)


def test_what_the_space_rules_out_is_not_looked_at() -> None:
    space = numeric_space("tile % par == 0")
    front = Enumeration().solve(space, expressions(space, TIME, AREA), expressions(space, "tile * par <= 300"))
    assert front.certificate.evaluated == front.certificate.points == space.size < space.dense


def test_strings_and_orders_are_enumerated_too() -> None:
    space = Space([Permutation("order", 4), Categorical("kind", ["x", "y"]), Ordinal("tile", [4, 8, 16])])
    losses = expressions(space, "tile * pos(order, 2) + if(kind == 'x', 1, 2)", "64 // tile + order[0]")
    front = Enumeration().solve(space, losses)
    assert np.array_equal(front.values, brute_force(space, losses)) and front.certificate.evaluated == space.size


def test_a_budget_is_met_within_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "CHUNK", 16)
    space = numeric_space("par <= tile")
    front = Enumeration().solve(space, expressions(space, "tile", "par"), max_points=40)
    assert 40 <= front.certificate.evaluated < 60 and front.certificate.open > 0 and front.gap == float("inf")
    assert Enumeration().solve(space, expressions(space, "tile"), stop=lambda: True).certificate.evaluated == 0
