from __future__ import annotations

import numpy as np

from tests.contracts.strategy import small_space, task
from tunepass.space.embedding import Embedding
from tunepass.space.parameter import Integer, Ordinal
from tunepass.space.space import Space
from tunepass.strategies.design import DESIGN_KEY, DesignSettings, design_size, warm_up
from tunepass.surrogates.kernels import Features, distances


def closest(space: Space, kind: str, seed: int) -> float:
    embedding = Embedding(space.parameters)
    settings = DesignSettings(kind="maximin" if kind == "maximin" else "random", size=9)
    rows = embedding.rows(space.columns(warm_up(task(space, seed=seed), embedding, settings)))
    d2 = distances(rows, rows, Features.of(embedding.group, embedding.nominal)).sum(axis=0)
    return float(d2[np.triu_indices(len(rows), 1)].min())


def test_maximin_keeps_farther_apart_than_random() -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 63)], constraints=["x + y <= 80"])
    assert min(closest(space, "maximin", s) for s in range(4)) > 2 * max(closest(space, "random", s) for s in range(4))


def test_default_first_feasible_distinct_and_the_same_for_a_seed() -> None:
    space = small_space()
    embedding = Embedding(space.parameters)
    design = warm_up(task(space), embedding, DesignSettings(size=12))
    assert design[0] == space.default and len(set(design)) == 12
    assert all(space.contains(configuration) for configuration in design)
    assert design == warm_up(task(space), embedding, DesignSettings(size=12))
    assert design != warm_up(task(space, seed=1), embedding, DesignSettings(size=12))


def test_size_follows_dimension_and_budget() -> None:
    space = Space([Integer(f"p{i}", 0, 9) for i in range(10)])
    assert design_size(task(space, max_evals=None), DesignSettings()) == 11
    assert design_size(task(space, max_evals=20), DesignSettings()) == 6
    assert design_size(task(space, max_evals=4), DesignSettings()) == 3
    assert design_size(task(space), DesignSettings(size=7)) == 7


def test_half_of_the_design_follows_the_priors() -> None:
    space = Space([Ordinal("tile", list(range(200)), prior=(1.0, 30.0)), Integer("n", 0, 99)])
    design = warm_up(task(space), Embedding(space.parameters), DesignSettings(size=21))
    low = sum(int(str(c["tile"])) < 25 for c in design[1:])
    assert 8 <= low <= 16


def test_every_other_point_of_half_a_design_is_a_uniform_draw() -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 63)])
    design = warm_up(task(space, seed=3), Embedding(space.parameters), DesignSettings(kind="half", size=21))
    drawn = set(space.sample(21, np.random.default_rng([3, DESIGN_KEY]), prior=True))
    assert all(configuration in drawn for configuration in design[2::2])
    assert sum(configuration in drawn for configuration in design[1::2]) <= 1


def test_a_space_smaller_than_the_design() -> None:
    space = Space([Integer("n", 0, 3)])
    design = warm_up(task(space), Embedding(space.parameters), DesignSettings(size=10))
    assert 1 <= len(set(design)) == len(design) <= 4
