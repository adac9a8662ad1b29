from __future__ import annotations

import pytest

from tests.contracts.strategy import Build, StrategyContract, small_space, task
from tunepass import registry
from tunepass.space.parameter import Real
from tunepass.space.space import Space
from tunepass.strategies.auto import Auto
from tunepass.strategies.base import Strategy
from tunepass.strategies.bo.bayesian import Bayesian
from tunepass.strategies.bo.hypervolume import Hypervolume
from tunepass.strategies.exhaustive import Exhaustive


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


def test_several_objectives_are_searched_by_hypervolume() -> None:
    assert isinstance(Auto(task(objectives=2)).chosen, Hypervolume)
    assert isinstance(Auto(task(objectives=3, max_evals=10_000)).chosen, Exhaustive)


@pytest.mark.parametrize("name", sorted(registry.STRATEGIES))
def test_every_named_strategy_loads(name: str) -> None:
    assert isinstance(registry.strategy(name)(task()), Strategy)
