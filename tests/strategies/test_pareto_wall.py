from __future__ import annotations

import numpy as np
import pytest

from tests.strategies.bo.test_hypervolume import SPACE, schaffer, volume
from tunepass.space.parameter import Integer, Real
from tunepass.space.space import Space
from tunepass.strategies.pareto_wall import ParetoWall, ParetoWallSettings
from tunepass.strategies.random import Random
from tunepass.study.outcome import Failed, Measured
from tunepass.testing.strategy import Build, StrategyContract, drive, small_space, task


class TestParetoWall(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: ParetoWall(t)


class TestIterationsOfSeveral(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: ParetoWall(t, ParetoWallSettings(per_iteration=5, pool=40))


class TestPublished(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: ParetoWall(t, ParetoWallSettings.published(t.max_evals or 30))


def test_as_published_two_thirds_are_warm_up_and_five_iterations_follow() -> None:
    settings = ParetoWallSettings.published(1500)
    assert (settings.warm_up, settings.per_iteration) == (1000, 100)
    assert ParetoWallSettings.published(100).per_iteration == 6


def test_beats_random_at_the_same_budget() -> None:
    ours = [volume(ParetoWall(task(SPACE, seed=s, objectives=2)), 60) for s in range(3)]
    theirs = [volume(Random(task(SPACE, seed=s, objectives=2)), 60) for s in range(3)]
    assert np.mean(ours) > np.mean(theirs)


def test_the_classifier_avoids_failures() -> None:
    def failures(settings: ParetoWallSettings) -> int:
        runs = [drive(ParetoWall(task(SPACE, seed=s, objectives=2), settings), 50, schaffer) for s in range(2)]
        return sum(isinstance(schaffer(c), Failed) for seen in runs for c in seen[10:])

    assert failures(ParetoWallSettings()) <= failures(ParetoWallSettings(feasibility=None))


def test_warm_up_draws_from_the_priors_and_starts_with_the_default() -> None:
    space = Space([Integer("x", 1, 100, prior="decay"), Integer("y", 1, 100)])
    seen = drive(ParetoWall(task(space), ParetoWallSettings(warm_up=40)), 40, lambda _: Measured({"time": 1.0}))
    assert seen[0] == space.default
    x, y = (np.mean([c[name] for c in seen]) for name in ("x", "y"))
    assert x < 40 < y


def test_a_real_parameter() -> None:
    space = Space([Real("x", 0.0, 1.0), Real("y", 0.0, 1.0)])

    def price(c: object) -> Measured:
        return Measured({"time": 1 + (float(c["x"]) - 0.3) ** 2, "energy": 1 + (float(c["x"]) - 0.6) ** 2})  # type: ignore[index]

    assert len(set(drive(ParetoWall(task(space, objectives=2)), 30, price))) == 30


@pytest.mark.parametrize(
    "settings",
    [
        ParetoWallSettings(wall=False),
        ParetoWallSettings(choose="chebyshev", per_iteration=4),
        ParetoWallSettings(prior=False),
        ParetoWallSettings(epsilon=0.0, warm_up=3),
        ParetoWallSettings(log_output=False),
    ],
    ids=lambda s: "",
)
def test_every_ablation_runs(settings: ParetoWallSettings) -> None:
    for objectives in (1, 2, 3):
        assert len(set(drive(ParetoWall(task(small_space(), objectives=objectives), settings), 25))) == 25
