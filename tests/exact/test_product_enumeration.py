"""The product's front is the one that branch and bound finds, on any number of threads and in chunks of any size."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.exact import product_enumeration
from tunepass.exact.base import Certificate
from tunepass.exact.branch_and_bound import BranchAndBound
from tunepass.exact.product_enumeration import product_front
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation
from tunepass.space.space import Space
from tunepass.testing.exact_solver import expressions

SPACE = Space([Ordinal("tile", [64, 4, 8, 16, 32]), Integer("par", 1, 30), Categorical("piped", [True, False])])


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("chunk", [1, 64, 1 << 20])
def test_the_front_is_branch_and_bounds(monkeypatch: pytest.MonkeyPatch, jobs: int, chunk: int) -> None:
    monkeypatch.setattr(product_enumeration, "CHUNK", chunk)
    losses = expressions(
        SPACE, "ceildiv(4096, tile) * (40 + ceildiv(tile, par)) * if(piped, 1, 2)", "par * tile + 3 * par"
    )
    constraints = expressions(SPACE, "par <= tile", "par * tile < 700")
    seen: list[Certificate] = []
    front = product_front(SPACE.parameters, losses, constraints, jobs=jobs, progress=seen.append)
    assert np.array_equal(front.values, BranchAndBound().solve(SPACE, losses, constraints).values)
    assert front.certificate.exact and front.certificate.evaluated == 300 == seen[-1].evaluated
    assert seen[-1].found == len(front.configurations)
    for configuration in front.configurations:
        par, tile = configuration["par"], configuration["tile"]
        assert isinstance(par, int) and isinstance(tile, int) and par <= tile
        assert isinstance(configuration["piped"], bool)


def test_a_search_that_is_stopped_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_enumeration, "CHUNK", 30)
    losses = expressions(SPACE, "tile", "par")
    front = product_front(SPACE.parameters, losses, max_points=100)
    assert front.certificate.evaluated == 120 and front.certificate.open == 180  # whole runs of 30
    assert not front.certificate.exact and front.gap == float("inf")
    assert product_front(SPACE.parameters, losses, stop=lambda: True).certificate.evaluated == 0


def test_permutations_have_no_product() -> None:
    with pytest.raises(SpaceError, match="finitely many numbers"):
        product_front([Permutation("order", 3)], [])
