"""Neighbours of one configuration, and priors of orders."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.space.moves import log_prior
from tunepass.space.parameter import Categorical, Integer, Permutation
from tunepass.space.space import Space


def test_neighbours_change_one_parameter_and_are_all_of_them() -> None:
    parameters = [Integer("a", 1, 6), Integer("b", 1, 6), Permutation("p", 3), Categorical("s", ["x", "y"])]
    space = Space(parameters, ["a * b <= 8", "pos(p, 0) < a"])
    here = space.default
    got = {tuple(c.items()) for c in space.neighbours(here)}
    wanted = {tuple(c.items()) for c in space.enumerate() if sum(c[name] != here[name] for name in c) == 1}
    assert got <= wanted and {c for c in wanted if dict(c)["p"] == here["p"]} <= got


def test_an_orders_prior_is_that_of_its_choices() -> None:
    p = Permutation("p", 3, prior=[[2, 1, 1], [1, 1, 1], [1, 1, 1]])
    orders = p.column(list(itertools.permutations(range(3))))
    assert np.exp(log_prior(p, orders)).sum() == pytest.approx(1)
    assert np.exp(log_prior(p, orders))[0] == pytest.approx(0.25)
