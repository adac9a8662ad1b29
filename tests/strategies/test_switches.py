"""Every switch of the settings changes what it says, and nothing where there is nothing for it to change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.lengthscales import ROLES
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.surrogates.hyperpriors import Gamma
from tunepass.testing.strategy import drive, task

ORDERS = [Permutation("order", 4), Integer("n", 1, 9)]
WIDE = [Ordinal("tile", [1, 2, 4, 8, 16, 32, 64], log=True), Integer("n", 1, 9)]
NARROW = [Integer("m", 1, 9), Integer("n", 1, 9)]
ODD = [Ordinal("tile", [8, 16, 24, 32, 48, 64], log=True), Integer("n", 1, 9)]
POWERS = [Ordinal("tile", [1, 2, 4, 8, 16, 32, 64], log=True), Ordinal("n", [1, 2, 4, 8, 16])]
LIKED = [Ordinal("tile", [1, 2, 4, 8, 16, 32, 64], log=True, prior="decay"), Integer("n", 1, 9)]
GP = BayesianSettings(surrogate="gp")
NOISY = replace(GP, gp=replace(GP.gp, noise=Gamma(3.0, 1.0)))
SAMPLED = replace(GP, gp=replace(GP.gp, samples=4))
MIXED = BayesianSettings(surrogate="mixed")


def price(c: Configuration) -> Outcome:
    n, tile, order = c["n"], c.get("tile", c.get("m", 3)), c.get("order", (0, 1))
    assert isinstance(n, int) and isinstance(tile, int) and isinstance(order, tuple)
    return Measured({"time": 1.0 + (n - 6) ** 2 + abs(tile - 8) + 3 * order.index(1)})


def fails(c: Configuration) -> Outcome:
    return Failed("memory", "") if c["n"] in (7, 8, 9) else price(c)


def said(parameters: list[object], settings: BayesianSettings, fail: bool = False) -> list[Configuration]:
    space = Space(parameters)  # type: ignore[arg-type]
    return drive(Bayesian(task(space, seed=1), settings), 24, fails if fail else price)


# switch, settings it is turned in, parameters that it is about, parameters that it is not about
SWITCHES = [
    ("permutation", GP, replace(GP, permutation="kendall"), ORDERS, WIDE),
    ("permutation", GP, replace(GP, permutation="hamming"), ORDERS, WIDE),
    ("permutation", GP, replace(GP, permutation="naive"), ORDERS, WIDE),
    ("permutation", GP, replace(GP, permutation="positions"), ORDERS, WIDE),
    ("derived", GP, replace(GP, derived=True), ODD, POWERS),
    ("samples", GP, replace(GP, gp=replace(GP.gp, samples=4)), WIDE, None),
    ("turns", SAMPLED, replace(SAMPLED, gp=replace(SAMPLED.gp, thompson_rows=99)), WIDE, None),
    ("probe", GP, replace(GP, one_at_a_time=3), WIDE, None),
    ("influence", GP, replace(GP, influence=0.0), LIKED, WIDE),
    ("log_input", GP, replace(GP, log_input=False), WIDE, NARROW),
    ("log_output", GP, replace(GP, log_output=False), WIDE, None),
    ("lengthscale prior", GP, replace(GP, gp=replace(GP.gp, lengthscale=None)), WIDE, None),
    ("lengthscales by role", GP, replace(GP, lengthscales=replace(ROLES, more_than=0)), WIDE, None),
    ("incumbent", NOISY, replace(NOISY, incumbent="predicted"), WIDE, None),
    ("output", GP, replace(GP, output="chosen"), WIDE, None),
    ("kernel", GP, replace(GP, gp=replace(GP.gp, kernel="se")), WIDE, None),
    ("local search", GP, replace(GP, pool=12, local_search=replace(GP.local_search, enabled=False)), WIDE, None),
    ("surrogate", GP, replace(GP, surrogate="forest"), WIDE, None),
    ("surrogate", MIXED, replace(MIXED, surrogate="forest"), WIDE, None),
    ("trust", MIXED, replace(MIXED, score_weight=0.0), WIDE, None),
    ("design", GP, replace(GP, design=replace(GP.design, kind="random")), WIDE, None),
    ("design", GP, replace(GP, design=replace(GP.design, kind="medoids", size=7)), WIDE, None),
]


@pytest.mark.parametrize("name,base,turned,about,beside", SWITCHES, ids=lambda v: v if isinstance(v, str) else "")
@pytest.mark.slow_but(3)
def test_a_switch_changes_what_it_is_about(
    name: str, base: BayesianSettings, turned: BayesianSettings, about: list[object], beside: list[object] | None
) -> None:
    base = replace(base, pool=turned.pool)
    assert said(about, turned) != said(about, base)
    if beside is not None:
        assert said(beside, turned) == said(beside, base)


def test_steps_of_any_length_matter_where_there_are_reals() -> None:
    polished = replace(GP, local_search=replace(GP.local_search, rounds=3))
    real = [Real("x", 0.0, 1.0), Integer("n", 1, 9)]
    assert said(WIDE, polished) == said(WIDE, GP) and said(real, polished) != said(real, GP)


@pytest.mark.parametrize("turned", [replace(GP, feasibility=None), replace(GP, limit=0.0)], ids=["model", "limit"])
def test_feasibility_matters_once_something_has_failed(turned: BayesianSettings) -> None:
    assert said(WIDE, turned, fail=True) != said(WIDE, GP, fail=True)
    assert said(WIDE, turned) == said(WIDE, GP)


def test_priors_of_parameters_steer_the_warm_up() -> None:
    towards = [
        *WIDE[:1],
        Integer("n", 1, 9, prior="decay"),
        Categorical("kind", ["a", "b", "c"], prior=[0.9, 0.05, 0.05]),
    ]
    without = [*WIDE[:1], Integer("n", 1, 9), Categorical("kind", ["a", "b", "c"])]
    liked = [sum(c["kind"] == "a" for c in said(parameters, GP)[:5]) for parameters in (towards, without)]
    assert liked[0] > liked[1]
