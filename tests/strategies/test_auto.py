from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from tests.benchmarks.search import objective_problems, panel_reals
from tunepass import registry
from tunepass.space.columns import take
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Real
from tunepass.space.space import Space
from tunepass.strategies.auto import FOUR_REALS, REALS, SETTINGS, SEVERAL_REALS, THREE_REALS, Auto
from tunepass.strategies.base import Strategy
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.hypervolume import Hypervolume
from tunepass.strategies.exhaustive import Exhaustive
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.trial import Trial
from tunepass.study.trust import rank_correlation
from tunepass.testing.strategy import Build, StrategyContract, drive, small_space, task


class TestAuto(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return Auto


def test_lists_the_space_when_the_budget_covers_it() -> None:
    space = small_space()
    assert isinstance(Auto(task(space, max_evals=space.size)).wrapped, Exhaustive)
    assert isinstance(Auto(task(space, max_evals=space.size - 1)).wrapped, Bayesian)
    assert isinstance(Auto(task(space, max_evals=None)).wrapped, Bayesian)
    assert isinstance(Auto(task(Space([Real("ratio", 0.0, 1.0)]), max_evals=100)).wrapped, Bayesian)


@pytest.mark.slow
class TestAutoOnReals(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Bayesian(t, REALS)


@pytest.mark.slow
class TestAutoOnRealsAndSeveralObjectives(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Hypervolume(t, SEVERAL_REALS)


@pytest.mark.slow_tests("exhaust")
class TestAutoOnRealsAndThreeObjectives(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Hypervolume(t, THREE_REALS)


def test_reals_alone_have_settings_of_their_own() -> None:
    reals, mixed = [Real("x", 0.0, 1.0)], [Real("x", 0.0, 1.0), Integer("n", 1, 9)]
    for parameters, settings in ((reals, REALS), (mixed, SETTINGS)):
        chosen = Auto(task(Space(parameters))).wrapped
        assert isinstance(chosen, Bayesian) and chosen.settings is settings
    several = [Auto(task(Space(parameters), objectives=2)).wrapped for parameters in (reals, mixed)]
    assert [s.settings is SEVERAL_REALS for s in several if isinstance(s, Hypervolume)] == [True, False]
    three = Auto(task(Space(reals), objectives=3)).wrapped
    assert isinstance(three, Hypervolume) and three.settings is THREE_REALS
    names = tuple(Objective(name) for name in "abcde")
    five = Auto(replace(task(Space(reals)), objectives=names)).wrapped
    assert isinstance(five, Hypervolume) and five.settings is FOUR_REALS


def test_several_objectives_are_searched_by_hypervolume() -> None:
    assert isinstance(Auto(task(objectives=2)).wrapped, Hypervolume)
    assert isinstance(Auto(task(objectives=3, max_evals=10_000)).wrapped, Exhaustive)


@pytest.mark.parametrize("name", sorted(registry.STRATEGIES))
def test_every_named_strategy_loads(name: str) -> None:
    assert isinstance(registry.find("strategies", name)(task()), Strategy)


def test_an_objective_is_sure_along_parameters_that_do_not_matter_to_it() -> None:
    space = Space([Real(f"x{i}", 0.0, 1.0) for i in range(5)])
    strategy, rng = Hypervolume(task(space, objectives=2), SEVERAL_REALS), np.random.default_rng(0)
    for number, row in enumerate(rng.random((20, 5)) * [1.0, 0.5, 0.5, 0.5, 0.5]):
        losses = {"time": 1 + float(row[0]), "energy": 2 - float(row[0]) + float(row[1:].sum())}
        strategy.observe(Trial(number, configured(row), Measured(losses)))
    strategy.suggest(1)
    model = strategy.model_sets[0].models[0]
    away = model.posterior(model.rows(space.columns([configured([0.0, 1.0, 1.0, 1.0, 1.0])])))
    assert float(away.deviation[0]) < 0.01  # in logarithms of the time


def test_a_rough_objective_is_not_taken_for_noise() -> None:
    """Of these 60 rows of WFG4, a process that expects much longer lengthscales learns nothing about the third loss."""
    problem, rng = objective_problems.PROBLEMS["WFG4"], np.random.default_rng(1)
    strategy = Hypervolume(task(problem.space, objectives=3, max_evals=None), THREE_REALS)
    rows = problem.space.sample_columns(260, rng)
    losses = problem.losses(np.column_stack([rows[p.name] for p in problem.space.parameters]))
    for number, (configuration, row) in enumerate(zip(problem.space.configurations(rows), losses[:60].tolist())):
        strategy.observe(Trial(number, configuration, Measured(dict(zip(("time", "energy", "area"), row)))))
    strategy.suggest(1)
    others = take(rows, slice(60, None))
    predicted = [model.posterior(model.rows(others)).mean for model in strategy.model_sets[0].models]
    assert min(rank_correlation(mean, loss) for mean, loss in zip(predicted, losses[60:].T)) > 0.6


@pytest.mark.slow
def test_a_rough_function_of_reals_does_not_stall_at_a_lucky_measurement() -> None:
    (ackley,) = [problem for problem in panel_reals.PROBLEMS if problem.name == "Ackley10"]

    def best(settings: BayesianSettings) -> float:
        given = replace(task(ackley.space, seed=2, max_evals=100), objectives=(ackley.objective,))
        tried = drive(Bayesian(given, settings), 75, ackley.price)
        outcomes = [ackley.price(c) for c in tried]
        return min(outcome.values["value"] for outcome in outcomes if isinstance(outcome, Measured))

    assert best(REALS) < 0.8 * best(replace(REALS, incumbent="measured"))


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
