from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.strategies.bo.test_bayesian import bowl, number
from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space
from tunepass.strategies.base import Strategy
from tunepass.strategies.density_ratio import DensityRatio, DensityRatioSettings, importance
from tunepass.strategies.factors import Factors
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.strategies.random import Random
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.trial import Trial
from tunepass.testing.strategy import Build, StrategyContract, drive, price, small_space, task


class TestRanking(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: DensityRatio(t)


class TestProposal(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: DensityRatio(t, DensityRatioSettings(initial=5, ranking=0, proposals=50))


@pytest.mark.parametrize("ranking", [50_000, 0])
def test_beats_random_at_the_same_budget(ranking: int) -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 31)], constraints=["(x + y) % 2 == 1"])

    def best(strategy: Strategy) -> float:
        return min(o.values["time"] for c in drive(strategy, 60, bowl) if isinstance(o := bowl(c), Measured))

    settings = DensityRatioSettings(ranking=ranking)
    ours = [best(DensityRatio(task(space, seed=s, max_evals=60), settings)) for s in range(5)]
    theirs = [best(Random(task(space, seed=s, max_evals=60))) for s in range(5)]
    assert np.mean(ours) < np.mean(theirs)


def test_real_parameters_and_orders_are_proposed() -> None:
    space = Space([Real("x", 1e-3, 1.0, log=True), Permutation("order", 4)], constraints=["order[0] != 3"])

    def cost(c: Configuration) -> Measured:
        order = c["order"]
        assert isinstance(order, tuple)
        return Measured({"time": 1.0 + abs(number(c["x"]) - 0.1) + abs(int(order[0]) - 2)})

    seen = drive(DensityRatio(task(space, max_evals=60)), 60, cost)
    assert len(set(seen)) == 60 and all(space.contains(c) for c in seen)
    assert np.median([cost(c).values["time"] for c in seen[40:]]) < np.median(
        [cost(c).values["time"] for c in seen[:20]]
    )


def test_factors_round_trip() -> None:
    space = Space(
        [
            Integer("long", 1, 100_000, log=True),
            Integer("huge", 0, 10**9),
            Ordinal("mixed", [7, *range(100, 200), 3], log=True),
            Permutation("o", 3),
            Real("r", 1.0, 2.0),
        ]
    )
    columns = space.sample_columns(50, np.random.default_rng(0))
    back = Factors(space).columns(Factors(space).rows(columns))
    for name in ("long", "huge", "mixed", "o"):
        np.testing.assert_array_equal(back[name], columns[name])
    np.testing.assert_allclose(back["r"], columns["r"])


def test_the_parameter_that_decides_is_the_most_important() -> None:
    space = small_space()
    trials = [Trial(i, c, price(c)) for i, c in enumerate(space.enumerate())]
    found = importance(space, Objective("time"), trials)
    assert set(found) == {p.name for p in space.parameters}
    assert next(iter(found)) in ("tile", "unroll") and found["order"] < 0.01
    with pytest.raises(StudyError, match="at least one trial"):
        importance(space, Objective("time"), [])


def test_a_first_batch_may_be_larger_than_the_warm_up() -> None:
    informed = replace(task(), prior_mean=PriorMean.from_expression("100 / tile + unroll"))
    assert len(set(DensityRatio(informed).suggest(4))) == 4
