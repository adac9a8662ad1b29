"""Distances against their definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.space.configuration import Configuration
from tunepass.space.features.distance import squared_distances
from tunepass.space.features.embedding import Embedding, PermutationDistance
from tunepass.space.parameter import Categorical, Ordinal, Permutation, Real
from tunepass.space.space import Space

K = 4
ORDERS = list(itertools.permutations(range(K)))


def defined(metric: PermutationDistance, a: tuple[int, ...], b: tuple[int, ...]) -> float:
    """BaCO §4.1 on positions (spearman, kendall), over its largest value, or on places (hamming)."""
    pa, pb = np.argsort(a), np.argsort(b)
    if metric == "spearman":
        return float(((pa - pb) ** 2).sum()) / (K * (K * K - 1) / 3)
    if metric == "hamming":
        return float(np.not_equal(a, b).sum())
    pairs = list(itertools.combinations(range(K), 2))
    return sum((pa[i] < pa[j]) != (pb[i] < pb[j]) for i, j in pairs) / len(pairs)


@pytest.mark.parametrize("metric", ["spearman", "kendall", "hamming"])
def test_permutations_follow_their_definition(metric: PermutationDistance) -> None:
    space = Space([Permutation("p", K)])
    measure = Embedding(space.parameters, permutation=metric)
    rows = measure.rows(space.columns([Configuration({"p": o}) for o in ORDERS]))
    found = squared_distances(measure, rows, rows[:5])[0]
    expected = [[defined(metric, a, b) for b in ORDERS[:5]] for a in ORDERS]
    assert np.allclose(found, expected)


def test_numbers_and_categories() -> None:
    space = Space([Ordinal("t", [1, 4, 16], log=True), Categorical("s", ["x", "y", "z"]), Real("r", 0, 10)])
    measure = Embedding(space.parameters)
    rows = measure.rows(
        space.columns([Configuration({"t": 1, "s": "x", "r": 0.0}), Configuration({"t": 4, "s": "z", "r": 10.0})])
    )
    found = squared_distances(measure, rows, rows)
    assert np.allclose(found[:, 0, 1], [0.25, 1.0, 1.0])
    assert np.allclose(found[:, 0, 0], 0) and np.allclose(found, found.transpose(0, 2, 1))
