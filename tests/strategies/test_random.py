from __future__ import annotations

from collections import Counter

import pytest

from tunepass.space.parameter import Ordinal, Real
from tunepass.space.space import Space
from tunepass.strategies.random import Random, RandomSettings
from tunepass.study.outcome import Measured
from tunepass.testing.strategy import Build, StrategyContract, drive, small_space, task


class TestRandom(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return Random


class TestPriorRandom(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Random(t, RandomSettings(prior=True))


def test_uniform_over_the_feasible_configurations() -> None:
    space = small_space()
    counts = Counter(drive(Random(task(space, seed=seed)), 2)[1] for seed in range(3000))
    expected = 3000 / (space.size - 1)
    assert max(counts.values()) < 2.2 * expected and len(counts) == space.size - 1


def test_priors_are_followed_when_asked() -> None:
    space = Space([Ordinal("tile", list(range(100)), prior="decay")])
    means = [
        sum(int(str(c["tile"])) for c in drive(Random(task(space, seed=1), RandomSettings(prior=prior)), 40, measured))
        for prior in (False, True)
    ]
    assert means[1] < 0.75 * means[0]


def measured(_: object) -> Measured:
    return Measured({"time": 1.0})


def test_real_parameters_are_never_exhausted() -> None:
    space = Space([Real("ratio", 0.001, 1.0, log=True)])
    assert len(set(drive(Random(task(space)), 50, measured))) == 50
