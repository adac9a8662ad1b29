"""Exhaustion gives the front that a plain loop gives, on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.exact.branch_and_bound import pareto_front
from tunepass.expr.nodes import BOOL, INTEGER
from tunepass.expr.parser import parse
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation
from tunepass.strategies import exhaustion
from tunepass.strategies.exhaustion import exhaustive_front

PARAMETERS = [Ordinal("tile", [64, 4, 8, 16, 32]), Integer("par", 1, 30), Categorical("piped", [True, False])]
NAMES = {"tile": INTEGER, "par": INTEGER, "piped": BOOL}


def parsed(*texts):
    return [parse(text, NAMES) for text in texts]


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("chunk", [1, 64, 1 << 20])
def test_the_front_is_branch_and_bounds(monkeypatch, jobs, chunk):
    monkeypatch.setattr(exhaustion, "CHUNK", chunk)
    objectives = parsed("ceildiv(4096, tile) * (40 + ceildiv(tile, par)) * if(piped, 1, 2)", "par * tile + 3 * par")
    constraints = parsed("par <= tile", "par * tile < 700")
    done = []
    front = exhaustive_front(PARAMETERS, objectives, constraints, jobs=jobs, progress=done.append)
    assert np.array_equal(front.values, pareto_front(PARAMETERS, objectives, constraints).values)
    assert front.certificate.exact and front.certificate.evaluated == 300 == done[-1].evaluated
    assert done[-1].found == len(front.configurations)
    assert all(c["par"] <= c["tile"] and isinstance(c["piped"], bool) for c in front.configurations)


def test_three_objectives_and_none_feasible():
    objectives = parsed("tile", "par", "200 - tile * par")
    front = exhaustive_front(PARAMETERS, objectives)
    assert np.array_equal(front.values, pareto_front(PARAMETERS, objectives).values)
    assert len(exhaustive_front(PARAMETERS, objectives, parsed("par > 30")).configurations) == 0


def test_a_search_that_is_stopped_says_so(monkeypatch):
    monkeypatch.setattr(exhaustion, "CHUNK", 30)
    objectives = parsed("tile", "par")
    front = exhaustive_front(PARAMETERS, objectives, max_points=100)
    assert (
        front.certificate.evaluated == 120 and front.certificate.open == 180
    )  # whole runs of 30 and not front.certificate.exact
    assert front.gap == float("inf")
    assert exhaustive_front(PARAMETERS, objectives, stop=lambda: True).certificate.evaluated == 0


def test_permutations_are_refused():
    with pytest.raises(SpaceError, match="numeric"):
        exhaustive_front([Permutation("order", 3)], parsed("1"))
