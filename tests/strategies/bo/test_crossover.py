from __future__ import annotations

import numpy as np

from tunepass.space.columns import length, take
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Categorical, Integer, Permutation
from tunepass.space.space import Space
from tunepass.strategies.bo.crossover import crossover

SPACE = Space(
    [Integer("x", 1, 300), Integer("y", 1, 9), Categorical("kind", ["a", "b", "c"]), Permutation("order", 3)],
    constraints=["x % y == 0"],
)


def test_offspring_are_feasible_and_new() -> None:
    rng = np.random.default_rng(0)
    front = SPACE.sample_columns(6, rng)
    found = crossover(Neighbourhood(SPACE), front, 200, rng)
    assert 0 < length(found) <= 200
    assert SPACE.contains_columns(found).all()
    parents = set(SPACE.configurations(front))
    assert sum(c not in parents for c in SPACE.configurations(found)) > length(found) / 2


def test_what_is_not_kept_is_left_out() -> None:
    rng = np.random.default_rng(0)
    front = SPACE.sample_columns(6, rng)
    found = crossover(Neighbourhood(SPACE, lambda c: c["x"] > 100), front, 300, rng)
    assert (found["x"] > 100).all()


def test_a_front_of_one_is_mutated() -> None:
    rng = np.random.default_rng(1)
    one = take(SPACE.sample_columns(3, rng), slice(0, 1))
    assert len(set(SPACE.configurations(crossover(Neighbourhood(SPACE), one, 100, rng)))) > 10


def test_a_step_moves_one_parameter_a_row() -> None:
    rng = np.random.default_rng(2)
    rows = SPACE.sample_columns(80, rng)
    moved = Neighbourhood(SPACE).stepped(rows, rng)
    changed = [(moved[p.name] != rows[p.name]).reshape(80, -1).any(axis=1) for p in SPACE.parameters]
    assert (np.sum(changed, axis=0) == 1).all()
    assert all(c.any() for c in changed)
