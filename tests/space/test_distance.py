"""Distances against their definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.space.configuration import Configuration
from tunepass.space.distance import Metric, PermutationMetric
from tunepass.space.parameter import Categorical, Ordinal, Permutation, Real
from tunepass.space.space import Space

K = 4
ORDERS = list(itertools.permutations(range(K)))


def defined(metric: PermutationMetric, a: tuple[int, ...], b: tuple[int, ...]) -> float:
    """BaCO §4.1 on positions (spearman, kendall) or places (hamming), over its largest value."""
    pa, pb = np.argsort(a), np.argsort(b)
    if metric == "spearman":
        return float(((pa - pb) ** 2).sum()) / (K * (K * K - 1) / 3)
    if metric == "hamming":
        return float(np.not_equal(a, b).sum()) / K
    pairs = list(itertools.combinations(range(K), 2))
    return sum((pa[i] < pa[j]) != (pb[i] < pb[j]) for i, j in pairs) / len(pairs)


@pytest.mark.parametrize("metric", ["spearman", "kendall", "hamming"])
def test_permutations_follow_their_definition(metric: PermutationMetric) -> None:
    space = Space([Permutation("p", K)])
    measure = Metric(space, metric)
    rows = measure.rows(space.columns([Configuration({"p": o}) for o in ORDERS]))
    found = measure.squared(rows, rows[:5])[0]
    expected = [[defined(metric, a, b) for b in ORDERS[:5]] for a in ORDERS]
    assert np.allclose(found, expected) and found.max() <= 1 + 1e-12


def test_numbers_and_categories() -> None:
    space = Space([Ordinal("t", [1, 4, 16], log=True), Categorical("s", ["x", "y", "z"]), Real("r", 0, 10)])
    measure = Metric(space)
    rows = measure.rows(
        space.columns([Configuration({"t": 1, "s": "x", "r": 0.0}), Configuration({"t": 4, "s": "z", "r": 10.0})])
    )
    found = measure.squared(rows, rows)
    assert np.allclose(found[:, 0, 1], [0.25, 1.0, 1.0])
    assert np.allclose(found[:, 0, 0], 0) and np.allclose(found, found.transpose(0, 2, 1))
