from __future__ import annotations

import numpy as np
import pytest

from tunepass.space.columns import Columns, length
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer
from tunepass.space.space import Space
from tunepass.strategies.auto import Auto
from tunepass.strategies.base import Task
from tunepass.strategies.bo.hypervolume import Hypervolume
from tunepass.strategies.draws import draw_fitting
from tunepass.strategies.random import Random
from tunepass.study.objective import Objective
from tunepass.study.outcome import Infeasible, Measured, Outcome
from tunepass.study.task import Feasible
from tunepass.testing.strategy import Build, StrategyContract, drive

SPACE = Space([Integer("x", 1, 60), Integer("y", 1, 60, prior="decay")])


def fits(columns: Columns) -> np.ndarray:
    return np.asarray(columns["x"] * columns["y"] <= 120)


def price(c: Configuration) -> Outcome:
    x, y = int(str(c["x"])), int(str(c["y"]))
    return Measured({"time": 1000.0 / x + y, "area": 1.0 + x * y}) if x * y <= 120 else Infeasible("area")


def task(feasible: Feasible | None, objectives: int = 2) -> Task:
    names = tuple(Objective(name) for name in ("time", "area")[:objectives])
    return Task(space=SPACE, objectives=names, max_evals=60, feasible=feasible)


def test_draws_fit_and_are_as_many_as_asked_for() -> None:
    drawn = draw_fitting(task(fits), 50, np.random.default_rng(0))
    assert length(drawn) == 50 and fits(drawn).all()
    assert fits(draw_fitting(task(fits), 50, np.random.default_rng(0), prior=True)).all()
    assert not fits(draw_fitting(task(None), 50, np.random.default_rng(0))).all()


def test_where_nothing_fits_nothing_is_drawn() -> None:
    assert length(draw_fitting(task(lambda c: np.zeros(length(c), bool)), 5, np.random.default_rng(0))) == 0


@pytest.mark.parametrize("build", [Auto, Random, Hypervolume])
@pytest.mark.parametrize("objectives", [1, 2])
def test_what_does_not_fit_is_not_evaluated(build: Build, objectives: int) -> None:
    seen = drive(build(task(fits, objectives)), 16, price)
    assert len(set(seen)) == 16
    assert all(isinstance(price(c), Measured) for c in seen[1:])
    blind = drive(build(task(None, objectives)), 5, price)
    assert not all(isinstance(price(c), Measured) for c in blind)


def test_what_does_not_fit_comes_once_all_that_fits_is_known() -> None:
    space = Space([Integer("x", 1, 6)])
    few = Task(space=space, objectives=(Objective("time"),), feasible=lambda c: np.asarray(c["x"] <= 3))
    seen = [int(str(c["x"])) for c in drive(Random(few), 9, lambda c: Measured({"time": 1.0}))]
    assert sorted(seen[:3]) == [1, 2, 3] and sorted(seen) == [1, 2, 3, 4, 5, 6]


@pytest.mark.slow_tests("exhaust")
class TestRefused(StrategyContract):
    """Everything else a strategy promises holds though the task says that nothing fits."""

    @pytest.fixture
    def build(self) -> Build:
        def refusing(t: Task) -> Hypervolume:
            return Hypervolume(
                Task(
                    space=t.space,
                    objectives=t.objectives,
                    seed=t.seed,
                    max_evals=t.max_evals,
                    feasible=lambda c: np.zeros(length(c), bool),
                )
            )

        return refusing
