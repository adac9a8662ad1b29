"""The strategy's contract holds whichever switch of the settings is turned, also with several earlier studies as prior
mean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.lengthscales import ROLES
from tunepass.strategies.bo.pair_draws import PairDrawSettings
from tunepass.strategies.prior_mean.several import SeveralPriorMeans
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.surrogates.pairs import PairsSettings
from tunepass.testing.strategy import Build, StrategyContract, drive, small_space, task

GP = BayesianSettings(surrogate="gp")
DRAWS = PairDrawSettings(more_than=0, every=2, first=6, process=PairsSettings(iterations=10), steps=10)
SWITCHES = {
    "lengthscales by role": replace(GP, lengthscales=replace(ROLES, more_than=0)),
    "predicted incumbent": replace(GP, incumbent="predicted"),
    "chosen output": replace(GP, output="chosen"),
    "drawn effects of pairs": replace(GP, pair_draws=DRAWS),
    "drawn effects alone": replace(GP, pair_draws=replace(DRAWS, hundreds=0, early=4)),
    "draws in turn": replace(GP, gp=replace(GP.gp, samples=3, thompson_rows=99)),
    "steps of any length": replace(GP, local_search=replace(GP.local_search, rounds=3)),
}


@pytest.mark.in_turn(3)
@pytest.mark.slow
class TestSwitches(StrategyContract):
    @pytest.fixture(params=SWITCHES, ids=lambda name: str(name).replace(" ", "_"))
    def build(self, request: pytest.FixtureRequest) -> Build:
        settings = SWITCHES[request.param]
        return lambda t: Bayesian(t, settings)


def siblings() -> SeveralPriorMeans:
    """Two earlier studies, one of them misleading."""
    made, rng = [], np.random.default_rng(0)
    for sign in (1, -1):
        configurations = small_space().sample(12, rng)
        made.append(
            PriorMean.from_observations(configurations, [50.0 - sign * float(str(c["tile"])) for c in configurations])
        )
    return SeveralPriorMeans(made)


@pytest.mark.slow
class TestSiblings(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        def made(t: Task) -> Strategy:
            named = any(p.name == "unroll" for p in t.space.parameters)
            return Bayesian(replace(t, prior_mean=siblings() if named and len(t.objectives) == 1 else None), GP)

        return made


def test_the_switches_are_turned() -> None:
    plain = drive(Bayesian(task(), GP), 24)
    for name, settings in SWITCHES.items():
        if name != "steps of any length":  # of a finite space there are none
            assert drive(Bayesian(task(), settings), 24) != plain, name
