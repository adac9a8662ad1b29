"""Branch and bound against brute force; its certificate accounts for every configuration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tunepass.diagnostics import SpaceError
from tunepass.exact import branch_and_bound
from tunepass.exact.base import Certificate
from tunepass.exact.branch_and_bound import BranchAndBound
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation
from tunepass.space.space import Space
from tunepass.testing.exact_solver import (
    AREA,
    TIME,
    ExactSolverContract,
    accounts_for_every_point,
    brute_force,
    expressions,
    numeric_space,
)


class TestBranchAndBound(ExactSolverContract):
    @pytest.fixture
    def solver(self, monkeypatch: pytest.MonkeyPatch) -> BranchAndBound:
        monkeypatch.setattr(branch_and_bound, "BATCH", 8)
        return BranchAndBound()


@examples(40)
@given(st.lists(st.integers(-9, 9), min_size=6, max_size=6))
@pytest.mark.slow
def test_the_front_is_exact_for_any_weights(weights: list[int]) -> None:
    a, b, c, d, e, f = weights
    space = numeric_space()
    losses = expressions(
        space, f"{a} * par + {b} * lanes * par + {c} * tile", f"{d} * par - {e} * tile + {f} * lanes ** 2"
    )
    assert np.array_equal(BranchAndBound().solve(space, losses).values, brute_force(space, losses))


def test_nothing_feasible_is_seen_from_the_bounds() -> None:
    space = numeric_space()
    front = BranchAndBound().solve(space, expressions(space, TIME), expressions(space, "par > 24"))
    assert front.configurations == () and front.certificate.infeasible == front.certificate.points


def test_a_budget_leaves_boxes_open_and_says_so() -> None:
    space = Space(
        [
            Integer("par", 1, 2000),
            Integer("lanes", 1, 2000),
            Ordinal("tile", [4, 8, 16, 32, 64, 96]),
            Categorical("overlap", [False, True]),
        ]
    )
    seen: list[Certificate] = []
    front = BranchAndBound().solve(space, expressions(space, TIME, AREA), max_points=1, progress=seen.append)
    assert accounts_for_every_point(front.certificate) and seen[-1] == front.certificate
    assert front.certificate.exact == (front.certificate.open == 0)


def test_permutations_have_no_bounds() -> None:
    space = Space([Permutation("order", 3)])
    with pytest.raises(SpaceError, match="needs parameters with finitely many numbers or strings"):
        BranchAndBound().solve(space, [])


def test_a_stopped_search_keeps_what_it_knows() -> None:
    answers, space = iter([False, False, True]), numeric_space()
    stopped = BranchAndBound().solve(space, expressions(space, TIME, AREA), stop=lambda: next(answers))
    assert accounts_for_every_point(stopped.certificate) and len(stopped.values)


@pytest.mark.parametrize("seed", range(4))
def test_strings_are_searched_as_numbers_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    how = [str(word) for word in rng.permutation(["w0", "w1", "w2", "w3"])]
    space = Space(
        [Categorical("how", how), Categorical("pipe", ["off", "plain", "flatten"]), Integer("n", 1, 40)],
        ["not (how == 'w1' and n > 20)", "pipe != 'flatten' or how in ('w0', 'w2')"],
    )
    a, b = (int(n) for n in rng.integers(1, 9, 2))
    losses = expressions(
        space,
        f"ceildiv(400, n) * (1 + (pipe == 'off')) + {b} + {a} * (how == 'w2')",
        "n * (1 + 2 * (pipe == 'flatten')) + 7 * (how in ('w0', 'w3'))",
    )
    front = BranchAndBound().solve(space, losses)
    assert np.array_equal(front.values, brute_force(space, losses)) and len(front.values) > 2
    assert all(space.contains(configuration) for configuration in front.configurations)
