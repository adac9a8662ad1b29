from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable

import numpy as np
import pytest

from tests.contracts.strategy import Build, StrategyContract, small_space, task
from tunepass import registry
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Real
from tunepass.space.space import Space
from tunepass.strategies.auto import REALS, SETTINGS, SEVERAL_REALS, Auto
from tunepass.strategies.base import Strategy
from tunepass.strategies.bo.bayesian import Bayesian
from tunepass.strategies.bo.hypervolume import Hypervolume
from tunepass.strategies.exhaustive import Exhaustive
from tunepass.study.outcome import Measured
from tunepass.study.trial import Trial


class TestAuto(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return Auto


def test_lists_the_space_when_the_budget_covers_it() -> None:
    space = small_space()
    assert isinstance(Auto(task(space, max_evals=space.size)).chosen, Exhaustive)
    assert isinstance(Auto(task(space, max_evals=space.size - 1)).chosen, Bayesian)
    assert isinstance(Auto(task(space, max_evals=None)).chosen, Bayesian)
    assert isinstance(Auto(task(Space([Real("ratio", 0.0, 1.0)]), max_evals=100)).chosen, Bayesian)


class TestAutoOnReals(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Bayesian(t, REALS)


class TestAutoOnRealsAndSeveralObjectives(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Hypervolume(t, SEVERAL_REALS)


def test_reals_alone_have_settings_of_their_own() -> None:
    reals, mixed = [Real("x", 0.0, 1.0)], [Real("x", 0.0, 1.0), Integer("n", 1, 9)]
    for parameters, settings in ((reals, REALS), (mixed, SETTINGS)):
        chosen = Auto(task(Space(parameters))).chosen
        assert isinstance(chosen, Bayesian) and chosen.settings is settings
    several = [Auto(task(Space(parameters), objectives=2)).chosen for parameters in (reals, mixed)]
    assert [s.settings is SEVERAL_REALS for s in several if isinstance(s, Hypervolume)] == [True, False]


def test_several_objectives_are_searched_by_hypervolume() -> None:
    assert isinstance(Auto(task(objectives=2)).chosen, Hypervolume)
    assert isinstance(Auto(task(objectives=3, max_evals=10_000)).chosen, Exhaustive)


@pytest.mark.parametrize("name", sorted(registry.STRATEGIES))
def test_every_named_strategy_loads(name: str) -> None:
    assert isinstance(registry.strategy(name)(task()), Strategy)


def test_an_objective_is_sure_along_parameters_that_do_not_matter_to_it() -> None:
    space = Space([Real(f"x{i}", 0.0, 1.0) for i in range(5)])
    strategy, rng = Hypervolume(task(space, objectives=2), SEVERAL_REALS), np.random.default_rng(0)
    for number, row in enumerate(rng.random((20, 5)) * [1.0, 0.5, 0.5, 0.5, 0.5]):
        losses = {"time": 1 + float(row[0]), "energy": 2 - float(row[0]) + float(row[1:].sum())}
        strategy.observe(Trial(number, configured(row), Measured(losses)))
    strategy.suggest(1)
    model = strategy.model_sets[0][0]
    away = model.posterior(model.rows(space.columns([configured([0.0, 1.0, 1.0, 1.0, 1.0])])))
    assert float(away.deviation[0]) < 0.01  # in logarithms of the time


def configured(row: Iterable[float]) -> Configuration:
    return Configuration({f"x{i}": float(x) for i, x in enumerate(row)})


def test_a_suggestion_by_the_models_loads_no_scipy() -> None:
    """Loading it takes as long as ten suggestions."""
    code = """
import sys
import tunepass as tp

space = tp.Space([tp.Ordinal("tile", [2**k for k in range(12)], log=True), tp.Categorical("kind", ["a", "b", "c"])])
study = tp.Study(space, [tp.Objective("time")], max_evals=15)
while not study.finished:
    for configuration in study.suggest():
        study.observe(configuration, tp.Measured({"time": 1.0 + abs(configuration["tile"] - 32)}))
print([name for name in sys.modules if name.split(".")[0] == "scipy"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
