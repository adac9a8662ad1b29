from __future__ import annotations

import pytest

from tunepass.strategies.exhaustive import Exhaustive
from tunepass.testing.strategy import Build, StrategyContract, drive, small_space, task


class TestExhaustive(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return Exhaustive


def test_after_the_default_it_follows_the_order_of_the_space() -> None:
    space = small_space()
    expected = [c for c in space.enumerate() if c != space.default]
    assert drive(Exhaustive(task(space)), 1000) == [space.default, *expected]
