from __future__ import annotations

from dataclasses import replace

import pytest

from tests.benchmarks.search.panel_reals import PROBLEMS
from tunepass import registry
from tunepass.strategies.bo.baco import SETTINGS, baco
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.study.outcome import Measured
from tunepass.testing.strategy import Build, StrategyContract, drive, small_space, task


class TestBaco(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return baco


@pytest.mark.slow_tests("exhaust")
class TestPublished(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Bayesian(t, BayesianSettings.baco_published())


def test_the_warm_up_is_random_and_the_name_is_known() -> None:
    space = small_space()
    strategy = registry.find("strategies", "baco")(task(space))
    assert strategy.settings.design.kind == "random"  # type: ignore[attr-defined]
    assert strategy.suggest(1) == [space.default]  # type: ignore[attr-defined]


def test_reals_do_not_stall_as_they_do_where_a_lucky_measurement_is_to_be_improved_on() -> None:
    (levy,) = [problem for problem in PROBLEMS if problem.name == "Levy6"]

    def best(settings: BayesianSettings) -> float:
        tried = drive(
            Bayesian(replace(task(levy.space, max_evals=100), objectives=(levy.objective,)), settings), 50, levy.price
        )
        outcomes = [levy.price(c) for c in tried]
        return min(outcome.values["value"] for outcome in outcomes if isinstance(outcome, Measured))

    assert best(SETTINGS) < 0.5 * best(BayesianSettings.baco_published())
