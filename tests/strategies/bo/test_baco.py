from __future__ import annotations

import pytest

from tests.contracts.strategy import Build, StrategyContract, small_space, task
from tunepass import registry
from tunepass.strategies.bo.baco import baco


class TestBaco(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return baco


def test_the_warm_up_is_random_and_the_name_is_known() -> None:
    space = small_space()
    strategy = registry.strategy("baco")(task(space))
    assert strategy.settings.design.kind == "random"  # type: ignore[attr-defined]
    assert strategy.suggest(1) == [space.default]  # type: ignore[attr-defined]
