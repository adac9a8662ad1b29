"""Log priors of configurations: the product of the parameters' own, finite where a floor is asked for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space


def test_it_is_the_product_of_the_parameters_priors() -> None:
    space = Space(
        [
            Ordinal("tile", [4, 8, 16, 32], log=True, prior="decay"),
            Integer("unroll", 1, 9, prior=(2.0, 5.0)),
            Categorical("kind", ["a", "b"], prior=[0.8, 0.2]),
            Integer("free", 0, 3),
        ]
    )
    rows = list(space.enumerate())
    found = np.exp(space.log_prior(space.columns(rows)))
    masses = [p.masses() for p in space.parameters[:3]]
    expected = [
        np.prod([m[p.domain.index(c[p.name])] for m, p in zip(masses, space.parameters)])  # type: ignore[union-attr,arg-type]
        for c in rows
    ]
    np.testing.assert_allclose(found / found.sum(), np.array(expected) / np.sum(expected))


def test_orders_are_drawn_as_their_prior_says() -> None:
    weights = [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]
    space = Space([Permutation("order", 3, prior=weights)])
    orders = list(itertools.permutations(range(3)))
    found = np.exp(space.log_prior({"order": np.array(orders)}))
    assert found.sum() == pytest.approx(1.0)
    drawn = space.sample_columns(1, np.random.default_rng(0), prior=True)["order"][0]
    assert found[orders.index(tuple(drawn.tolist()))] > 0
    assert orders[int(np.argmax(found))] == (0, 1, 2)


def test_it_stays_finite_where_a_prior_rules_out_or_diverges() -> None:
    space = Space([Real("x", 0.0, 1.0, prior="decay"), Categorical("kind", ["a", "b"], prior=[1.0, 0.0])])
    columns = {"x": np.array([0.0, 0.5, 1.0, 0.5]), "kind": np.array([0, 0, 0, 1])}
    found = space.log_prior(columns, 1e-12)
    assert np.isfinite(found).all() and found[0] > found[1] > found[2] and found[3] < found[1] - 20


def test_without_priors_all_is_equally_likely() -> None:
    space = Space([Integer("x", 0, 9)])
    assert not space.log_prior(space.columns(list(space.enumerate()))).any()


def test_an_orders_prior_is_that_of_its_choices() -> None:
    p = Permutation("p", 3, prior=[[2, 1, 1], [1, 1, 1], [1, 1, 1]])
    orders = p.column(list(itertools.permutations(range(3))))
    assert np.exp(p.log_prior(orders)).sum() == pytest.approx(1)
    assert np.exp(p.log_prior(orders))[0] == pytest.approx(0.25)


def test_an_order_that_only_weightless_items_can_complete_has_its_share() -> None:
    p = Permutation("p", 3, prior=[[1, 0, 0], [1, 0, 0], [1, 1, 1]])
    orders = p.column([(0, 1, 2), (0, 2, 1), (1, 0, 2)])
    np.testing.assert_allclose(np.exp(p.log_prior(orders)), [0.5, 0.5, 0.0])
    assert p.log_prior(orders, 1e-6)[2] == pytest.approx(np.log(1e-6))
