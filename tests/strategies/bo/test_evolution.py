from __future__ import annotations

import numpy as np
import pytest

from tunepass.space.columns import Columns, length
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Integer, Parameter, Real
from tunepass.space.space import Space
from tunepass.strategies.bo.evolution import evolved, front_region, niches, reference_directions
from tunepass.surrogates.base import Floats

REALS: list[Parameter] = [Real(f"x{i}", 0.0, 1.0) for i in range(5)]
NUMBERS: list[Parameter] = [Integer(f"x{i}", 0, 99) for i in range(5)]


def sphere(columns: Columns) -> Floats:
    """Four losses on a sphere of radius 1 where the last two parameters are in the middle, farther out elsewhere."""
    x = np.column_stack([column / (99 if column.dtype.kind == "i" else 1) for column in columns.values()])
    angles, radius = x[:, :3] * np.pi / 2, 1 + ((x[:, 3:] - 0.5) ** 2).sum(axis=1)
    ones = np.ones((len(x), 1))
    rising = np.cumprod(np.hstack([ones, np.cos(angles)]), axis=1)[:, ::-1]
    return np.asarray(rising * np.hstack([ones, np.sin(angles[:, ::-1])]) * radius[:, None])


@pytest.mark.parametrize("parameters", [REALS, NUMBERS], ids=["reals", "integers"])
def test_it_comes_near_all_parts_of_the_front(parameters: list[Parameter]) -> None:
    space, rng = Space(parameters), np.random.default_rng(0)
    start = space.sample_columns(100, rng)
    members, losses = evolved(Neighbourhood(space), sphere, start, 0.1, 12, rng)
    assert np.linalg.norm(sphere(members), axis=1).mean() < 1.03 and length(members) > 30
    low, high = front_region(losses, 0.1)
    np.testing.assert_allclose(low, 0.0, atol=0.05)
    np.testing.assert_allclose(high, 1.0, atol=0.15)


def test_constraints_hold() -> None:
    space, rng = Space(NUMBERS, ["x0 + x1 <= 80"]), np.random.default_rng(1)
    members, _ = evolved(Neighbourhood(space), sphere, space.sample_columns(50, rng), 0.1, 4, rng)
    assert space.contains_columns(members).all()


def test_each_direction_has_its_best_member() -> None:
    directions = reference_directions(3)
    rows = np.vstack([np.eye(3), np.full((1, 3), 0.4), np.full((1, 3), 0.9)])
    best = niches(rows, directions, 0.1)
    assert 4 not in best and set(best.tolist()) == {0, 1, 2, 3}


def test_ends_that_gain_little_are_no_part_of_the_region() -> None:
    losses = np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.5], [0.5, 0.5, 0.4], [-1e-9, 3.0, 0.5]])
    assert front_region(losses, 0.1)[1].tolist() == [1.0, 1.0, 0.5]
    worse = np.vstack([losses, [[0.05, 1.4, 0.5], [-0.01, 1.5, 0.5]]])  # undominated, but of no direction
    assert front_region(worse, 0.1)[1].tolist() == [1.0, 1.0, 0.5]
