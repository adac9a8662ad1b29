"""Spaces that are sampled: rare rows are found, in proportion to their volume; what is empty is proved so."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.space.feasible.sampling.rejection import RejectionGroup
from tunepass.space.parameter import Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_discrete_prefixes_are_weighed_by_the_volume_of_their_reals() -> None:
    space = Space([Integer("n", 1, 4), Real("x", 0, 1)], ["x * n <= 0.01"])
    drawn = space.sample_columns(4000, rng())
    share = np.bincount(drawn["n"].astype(int), minlength=5)[1:] / 4000
    assert np.abs(share - (1 / np.arange(1, 5)) / (25 / 12)).max() < 0.03


def test_a_thousandth_of_a_space_is_sampled_in_full() -> None:
    tiles = [Ordinal(f"t{i}", [2**k for k in range(11)]) for i in range(3)]
    space = Space(
        [*tiles, Real("a", 1e-6, 1, log=True), Permutation("p", 3)],
        ["t0 * t1 * t2 == 1024", "a * t0 <= 0.001", "a * t1 > 0.0008", "pos(p, 0) < t0 * a * 2000"],
    )
    drawn = space.sample(100, rng())
    assert len(set(drawn)) == 100 and all(space.contains(c) for c in drawn)
    assert len(space.sample(100, rng(), prior=True)) == 100


def test_past_the_node_limit_rows_are_nearly_uniform() -> None:
    parameters = [Integer(f"x{i}", 1, 6) for i in range(4)]
    texts = ["x0 * x1 + x2 * x3 == 20"]
    exact = Space(parameters, texts)
    sampled = RejectionGroup(parameters, [c.expression for c in exact.constraints], 3)
    counts = np.zeros(exact.size)
    generator = rng()
    for _ in range(60):
        columns = sampled.draw(20, generator)
        for c in exact.configurations(columns):
            counts[exact.rank(c)] += 1
    assert (counts > 0).all() and counts.max() < 4 * counts.mean()


def test_an_empty_space_over_reals_is_proved_so() -> None:
    with pytest.raises(SpaceError, match="x \\* n > 9"):
        Space([Real("x", 0, 1), Integer("n", 1, 8)], ["x * n > 9", "n > 1"])


def test_coming_short_is_a_warning() -> None:
    space = Space([Integer("a", 1, 10**9), Integer("b", 1, 10**9)], ["a * a == b * b + 3000000019"])
    assert space.sample(3, rng()) == [] and "only 0 of 3" in space.warnings[0].message + space.warnings[1].message
