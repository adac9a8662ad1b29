from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.space.features.derived import Derived
from tunepass.space.features.embedding import Embedding, PermutationDistance
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space
from tunepass.surrogates.kernels import Features, distances

K = 4


def embedded_distance(metric: PermutationDistance, a: tuple[int, ...], b: tuple[int, ...]) -> float:
    space = Space([Permutation("order", K)])
    embedding = Embedding(space.parameters, permutation=metric)
    one, two = (embedding.rows({"order": np.array([v], np.int64)}) for v in (a, b))
    return float(distances(one, two, Features.of(embedding.group, embedding.nominal))[0, 0, 0])


def place(order: tuple[int, ...]) -> list[int]:
    return [order.index(item) for item in range(K)]


def spearman(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    return sum((i - j) ** 2 for i, j in zip(place(a), place(b))) / (K * (K * K - 1) / 3)


def kendall(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    pairs = list(itertools.combinations(range(K), 2))
    return sum((place(a)[i] < place(a)[j]) != (place(b)[i] < place(b)[j]) for i, j in pairs) / len(pairs)


def hamming(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    return float(sum(i != j for i, j in zip(a, b)))


def naive(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    return float(a != b)


@pytest.mark.parametrize(
    "metric,expected", [("spearman", spearman), ("kendall", kendall), ("hamming", hamming), ("naive", naive)]
)
def test_permutation_distances_against_their_definitions(metric: PermutationDistance, expected: object) -> None:
    assert callable(expected)
    orders = list(itertools.permutations(range(K)))[::3]
    for a, b in itertools.product(orders, orders):
        assert embedded_distance(metric, a, b) == pytest.approx(expected(a, b), abs=1e-12)


def test_numbers_are_compared_on_their_own_scale_and_categories_by_equality() -> None:
    space = Space(
        [
            Real("r", 1e-3, 1.0, log=True),
            Integer("n", 0, 10),
            Ordinal("t", [1, 2, 4, 8], log=True),
            Categorical("c", ["a", "b", "c"]),
        ]
    )
    embedding = Embedding(space.parameters)
    rows = embedding.rows(
        {
            "r": np.array([1e-3, 1e-2]),
            "n": np.array([0, 5]),
            "t": np.array([1, 4]),
            "c": space.parameters[3].column(["a", "c"]),
        }
    )
    d2 = distances(rows, rows, Features.of(embedding.group, embedding.nominal))[:, 0, 1]
    np.testing.assert_allclose(np.sqrt(d2), [1 / 3, 0.5, 2 / 3, 1.0])


def test_without_log_every_number_is_on_its_plain_scale() -> None:
    space = Space([Real("r", 1.0, 4.0, log=True), Ordinal("t", [1, 2, 4, 9], log=True)])
    columns = {"r": np.array([1.0, 2.0, 4.0]), "t": np.array([1, 2, 9])}
    np.testing.assert_allclose(Embedding(space.parameters).rows(columns)[1], [0.5, np.log(2) / np.log(9)])
    plain = Embedding(space.parameters, log=False).rows(columns)
    np.testing.assert_allclose(plain, [[0, 0], [1 / 3, 1 / 8], [1, 1]])


def test_roles_of_lengthscales() -> None:
    space = Space(
        [
            Real("r", 1.0, 4.0, log=True),
            Ordinal("t", [1, 2]),
            Categorical("f", [False, True]),
            Categorical("c", ["a", "b", "c"]),
            Permutation("o", 3),
            Integer("n", 0, 9),
        ]
    )
    roles = ("log", "flag", "flag", "category", "order", "linear")
    assert Embedding(space.parameters).roles == roles
    assert Embedding(space.parameters, log=False).roles == ("linear", *roles[1:])
    by_item = Embedding(space.parameters, permutation="positions", derived=[Derived((("n", 1),), True)])
    assert by_item.roles == (*roles[:4], "order", "order", "order", "linear", "derived")
    assert len(by_item.roles) == by_item.group[-1] + 1
