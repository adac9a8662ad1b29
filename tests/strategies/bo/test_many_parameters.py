"""What keeps a suggestion affordable and a warm-up short where there are dozens or hundreds of parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical
from tunepass.space.space import Space
from tunepass.strategies.auto import SETTINGS
from tunepass.strategies.bo import bayesian
from tunepass.strategies.bo.bayesian import Bayesian
from tunepass.strategies.bo.design import DesignSettings, design_size
from tunepass.strategies.bo.loop import FEW, affordable
from tunepass.strategies.bo.models import ForestModel
from tunepass.study.outcome import Measured, Outcome
from tunepass.study.trial import Trial
from tunepass.testing.strategy import drive, task

MATTERS = {"f3": -0.3, "f9": -0.2, "f17": 0.4, "f22": -0.1, "f31": 0.2}


def flags(count: int) -> Space:
    return Space([Categorical(f"f{i}", [False, True]) for i in range(count)])


def price(configuration: Configuration) -> Outcome:
    effects = sum(effect * bool(configuration.get(name)) for name, effect in MATTERS.items())
    return Measured({"time": float(np.exp(effects))})


def test_fewer_candidates_only_where_parameters_are_many() -> None:
    assert affordable(SETTINGS, FEW) is SETTINGS
    sixty, thousand = affordable(SETTINGS, 60), affordable(SETTINGS, 1000)
    assert thousand.pool < sixty.pool < SETTINGS.pool
    assert (thousand.local_search.climbers, thousand.local_search.steps, thousand.elite) == (2, 1, 1)
    few = replace(SETTINGS, pool=50, local_search=replace(SETTINGS.local_search, climbers=1))
    assert affordable(few, 1000).pool == 50 and affordable(few, 1000).local_search.climbers == 1


def test_a_warm_up_has_an_end_whatever_the_dimension() -> None:
    sizes = [design_size(task(flags(count), max_evals=200), DesignSettings()) for count in (9, 60, 120)]
    assert sizes == [10, 16, 16]


def test_a_forest_that_hardly_counts_rests_and_a_replay_suggests_the_same() -> None:
    space = flags(40)
    strategy = Bayesian(task(space, max_evals=60), SETTINGS)
    tried = drive(strategy, 48, price)
    forest = strategy.models[1]
    assert isinstance(forest, ForestModel) and forest._earlier
    replayed = Bayesian(task(space, max_evals=60), SETTINGS)
    for number, configuration in enumerate(tried):
        replayed.observe(Trial(number, configuration, price(configuration)))
    assert replayed.suggest(1) == strategy.suggest(1)
    assert bayesian.LEAST_SHARE < 0.05
    best = min(tried, key=lambda c: sum(effect * bool(c[name]) for name, effect in MATTERS.items()))
    assert all(bool(best[name]) == (effect < 0) for name, effect in MATTERS.items())


def test_single_changes_are_rarer_where_parameters_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Configuration] = []

    def change(best: Configuration, *_: object) -> None:
        asked.append(best)

    monkeypatch.setattr(bayesian, "change_one_parameter", change)
    counts = []
    for count in (12, 45):
        asked.clear()
        drive(Bayesian(task(flags(count), max_evals=60), replace(SETTINGS, surrogate="gp")), 36, price)
        counts.append(len(asked))
    assert counts[0] == 8 and counts[1] <= 3
