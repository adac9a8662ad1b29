"""Orders of more items than a 64-bit index can number."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.space.parameter import PERMUTATION_LIMIT, Integer, Permutation, Real
from tunepass.space.parameters.steps import reorderings
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

ITEMS = [f"i{number}" for number in range(24)]


@pytest.mark.parametrize("items", [20, 21, 30, PERMUTATION_LIMIT])
def test_orders_have_ranks_however_many_they_are(items: int) -> None:
    space = Space([Permutation("order", items), Integer("tile", 1, 3)])
    assert space.size == math.factorial(items) * 3
    draw = random.Random(0)
    for rank in [0, space.size - 1, *(draw.randrange(space.size) for _ in range(5))]:
        assert space.rank(space.unrank(rank)) == rank
    assert space.unrank(space.size - 1)["order"] == tuple(reversed(range(items)))


def test_draws_of_many_items_are_orders_and_differ() -> None:
    order = Permutation("order", ITEMS)
    rows = order.draw(50, np.random.default_rng(0))
    assert order.inside(rows).all() and len({tuple(row) for row in rows.tolist()}) == 50
    assert not order.inside(np.zeros((1, len(ITEMS)), np.int64))[0]
    assert order.find(np.zeros((1, len(ITEMS)), np.int64))[0] == -1


def test_draws_of_few_items_are_uniform() -> None:
    order = Permutation("order", 3)
    rows = order.draw(6000, np.random.default_rng(0))
    _, counts = np.unique(order.find(rows), return_counts=True)
    assert order.inside(rows).all() and len(counts) == 6 and abs(counts - 1000).max() < 150


def test_neighbours_of_many_items_are_swaps_and_moves_over_powers_of_two() -> None:
    assert len(reorderings(20)) == 190 + 342  # every swap; moves to the next place are swaps
    steps = reorderings(24)
    assert len(steps) == len({tuple(row) for row in steps.tolist()})
    swapped = [np.flatnonzero(row != np.arange(24)) for row in steps if (row != np.arange(24)).sum() == 2]
    assert {int(places[1] - places[0]) for places in swapped} == {1, 2, 4, 8, 16}


def test_a_constraint_ties_many_items() -> None:
    space = Space([Permutation("order", ITEMS), Integer("first", 1, 9)], ["pos(order, i1) < first"], node_limit=1000)
    assert not space.complete
    drawn = space.sample(20, np.random.default_rng(0))
    assert all(c["order"].index("i1") < c["first"] for c in drawn)  # type: ignore[union-attr, operator]


def test_a_study_goes_on_from_good_orders() -> None:
    space = Space([Permutation("order", 30), Real("x", 0.0, 1.0)])
    study = Study(space, [Objective("cost")], max_evals=16, seed=0)
    while not study.finished:
        (suggested,) = study.suggest(1)
        order = suggested["order"]
        assert isinstance(order, tuple)
        cost = sum((int(item) - place) ** 2 for place, item in enumerate(order))
        study.observe(suggested, Measured({"cost": float(cost)}))
    assert len({trial.configuration for trial in study.trials}) == 16


def test_too_many_items_are_refused() -> None:
    with pytest.raises(SpaceError, match="a permutation has 1 to 64 items, got 65"):
        Permutation("order", PERMUTATION_LIMIT + 1)
