"""Spaces and results that are hard to search, for every strategy that has a name."""

from __future__ import annotations

import math

import pytest

from tunepass import registry
from tunepass.diagnostics import TunepassError
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal
from tunepass.space.space import Space
from tunepass.strategies.base import Strategy
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome
from tunepass.study.study import Study
from tunepass.testing.strategy import drive, task

STRATEGIES = sorted(registry.STRATEGIES)
SPACES = {
    "fifty parameters": Space([Ordinal(f"p{i}", [1, 2, 4, 8]) for i in range(50)]),
    "10^12 configurations": Space([Integer(f"p{i}", 1, 1000) for i in range(4)], ["p0 * p1 <= 900000"]),
    "a hundred categories": Space([Categorical("p0", [f"k{i}" for i in range(100)]), Integer("p1", 1, 1000)]),
}


def made(name: str, space: Space) -> Strategy:
    strategy = registry.find("strategies", name)(task(space, max_evals=30))
    assert isinstance(strategy, Strategy)
    return strategy


def price(c: Configuration) -> Outcome:
    first = c["p0"]
    return Measured({"time": 1.0 + (int(first[1:]) if isinstance(first, str) else float(str(first)))})


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.each_value
def test_large_spaces(name: str, kind: str) -> None:
    space = SPACES[kind]
    seen = drive(made(name, space), 14, price)
    assert len(set(seen)) == 14 and all(space.contains(c) for c in seen)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("outcome", [Failed("compile", ""), Infeasible("fits")], ids=["failed", "infeasible"])
def test_all_infeasible_so_far_and_then_one_that_is_not(name: str, outcome: Outcome) -> None:
    space = Space([Integer("p0", 0, 30), Integer("p1", 0, 30)])
    strategy = made(name, space)
    first = drive(strategy, 16, lambda _: outcome)
    then = drive(strategy, 8, price)
    assert len({*first, *then}) == 24


@pytest.mark.parametrize("name", STRATEGIES)
def test_an_objective_that_is_constant_is_searched_on(name: str) -> None:
    space = Space([Integer("p0", 0, 30), Integer("p1", 0, 30)])
    assert len(set(drive(made(name, space), 24, lambda _: Measured({"time": 2.0})))) == 24


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_refused_and_the_study_goes_on(value: float) -> None:
    study = Study(Space([Integer("x", 0, 30)]), [Objective("time")], max_evals=6)
    (first,) = study.suggest(1)
    with pytest.raises(TunepassError, match=r"time.*finite"):
        study.observe(first, Measured({"time": value}))
    study.observe(first, Failed("metric", str(value)))
    assert len(study.suggest(3)) == 3 and not isinstance(study.best, Configuration)


def test_a_space_of_one_configuration_is_one_trial() -> None:
    study = Study(Space([Ordinal("tile", [8])]), [Objective("time")])
    (only,) = study.suggest(5)
    study.observe(only, Measured({"time": 3.0}))
    assert study.finished and study.suggest(1) == [] and study.best is not None
