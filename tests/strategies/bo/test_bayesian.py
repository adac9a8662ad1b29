from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Real
from tunepass.space.space import Space
from tunepass.strategies.bo import bayesian, models
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.design import DesignSettings
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.strategies.random import Random
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.study import Study
from tunepass.study.trial import Trial
from tunepass.surrogates.base import Floats
from tunepass.surrogates.gp import GaussianProcess
from tunepass.testing.strategy import Build, StrategyContract, drive, task


class TestForest(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Bayesian(t, BayesianSettings(surrogate="forest"))


class TestGp(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Bayesian(t, BayesianSettings(surrogate="gp"))


@pytest.mark.slow
class TestMixed(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Bayesian(t, BayesianSettings(surrogate="mixed"))


@pytest.mark.slow_tests("exhaust")
class TestSparse(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Bayesian(t, BayesianSettings(surrogate="sparse"))


SURROGATES = pytest.mark.parametrize("surrogate", ["forest", "gp", "mixed", "sparse"])


def number(value: object) -> float:
    assert isinstance(value, (int, float))
    return float(value)


def bowl(configuration: Configuration) -> Outcome:
    x, y = number(configuration["x"]), number(configuration["y"])
    if x > 48:
        return Failed("crash", "")
    return Measured({"time": 1.0 + (x - 40) ** 2 / 50 + (y - 7) ** 2 / 20})


def best(strategy: Bayesian | Random, n: int) -> float:
    seen = drive(strategy, n, bowl)
    return min(o.values["time"] for c in seen if isinstance(o := bowl(c), Measured))


@SURROGATES
@pytest.mark.slow_but(3)
def test_beats_random_at_the_same_budget(surrogate: str) -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 31)], constraints=["(x + y) % 2 == 1"])
    ours = [best(Bayesian(task(space, seed=s), BayesianSettings(surrogate=surrogate)), 30) for s in range(5)]
    theirs = [best(Random(task(space, seed=s)), 30) for s in range(5)]
    assert np.mean(ours) < 1.0 + 0.4 * (np.mean(theirs) - 1.0)


@SURROGATES
@pytest.mark.slow_but(3)
def test_the_feasibility_model_avoids_failures(surrogate: str) -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 31)])

    def failures(settings: BayesianSettings) -> int:
        runs = [drive(Bayesian(task(space, seed=seed), settings), 30, bowl) for seed in range(3)]
        return sum(isinstance(bowl(c), Failed) for seen in runs for c in seen[10:])

    settings = BayesianSettings(surrogate=surrogate)
    assert failures(settings) < 0.75 * failures(replace(settings, feasibility=None, limit=0.0))


@SURROGATES
def test_real_parameters_are_refined(surrogate: str) -> None:
    space = Space([Real("x", 0.0, 1.0), Real("y", 1e-3, 10.0, log=True)])

    def price(c: Configuration) -> Outcome:
        return Measured({"time": 1 + (number(c["x"]) - 0.37) ** 2 + 0.1 * math.log(number(c["y"]) / 0.2) ** 2})

    seen = drive(Bayesian(task(space), BayesianSettings(surrogate=surrogate)), 40, price)
    assert len(set(seen)) == 40
    assert min(price(c).values["time"] for c in seen) < (1.1 if surrogate == "forest" else 1.02)  # type: ignore[union-attr]


@SURROGATES
def test_fifty_parameters(surrogate: str) -> None:
    space = Space([Ordinal(f"p{i}", [1, 2, 4, 8]) for i in range(50)])  # 4^50 configurations
    seen = drive(
        Bayesian(task(space, max_evals=20), BayesianSettings(surrogate=surrogate)),
        14,
        lambda c: Measured({"time": 1.0 + sum(number(c[f"p{i}"]) for i in range(50))}),
    )
    assert len(set(seen)) == 14


@SURROGATES
def test_a_hundred_categories(surrogate: str) -> None:
    space = Space([Categorical("kind", [f"k{i}" for i in range(100)]), Integer("n", 1, 8)])
    seen = drive(
        Bayesian(task(space), BayesianSettings(surrogate=surrogate)),
        20,
        lambda c: Measured({"time": 1.0 + int(str(c["kind"])[1:]) % 7 + number(c["n"])}),
    )
    assert len(set(seen)) == 20


def test_a_million_million_configurations() -> None:
    space = Space([Integer(f"p{i}", 1, 1000) for i in range(4)], constraints=["p0 * p1 <= 500000"])
    seen = drive(Bayesian(task(space)), 16, lambda c: Measured({"time": number(c["p0"]) + number(c["p1"])}))
    assert len(set(seen)) == 16 and all(space.contains(c) for c in seen)


@pytest.mark.parametrize(
    "settings",
    [
        BayesianSettings(log_output=False),
        BayesianSettings(feasibility=None),
        BayesianSettings(limit=0.0),
        BayesianSettings(permutation="kendall", surrogate="gp"),
        BayesianSettings(permutation="hamming", surrogate="gp"),
        BayesianSettings(permutation="naive", surrogate="gp"),
        BayesianSettings(design=DesignSettings(kind="random")),
        BayesianSettings(design=DesignSettings(size=12)),
    ],
    ids=lambda s: "",
)
def test_every_ablation_runs(settings: BayesianSettings) -> None:
    assert len(set(drive(Bayesian(task(), settings), 18))) == 18


def test_all_failed_so_far_moves_away_from_the_failures() -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 31)])
    seen = drive(Bayesian(task(space)), 20, lambda _: Failed("compile", ""))
    assert len({number(c["x"]) for c in seen}) > 8


def test_fantasies_spread_a_batch() -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 63)])
    strategy = Bayesian(task(space), BayesianSettings(surrogate="gp"))
    drive(strategy, 15, lambda c: Measured({"time": 1.0 + (37 * number(c["x"]) + 11 * number(c["y"])) % 17}))
    batch = strategy.suggest(6)
    points = np.array([[number(c["x"]), number(c["y"])] for c in batch])
    gaps = np.abs(points[:, None] - points[None]).sum(-1)[np.triu_indices(6, 1)]
    assert np.median(gaps) > 6


def believing(
    x: tuple[float, float],
    y: tuple[float, float],
    evals: int,
    seed: int,
    influence: float = BayesianSettings().influence,
) -> float:
    """The best of `bowl` under these priors of its parameters."""
    space = Space([Integer("x", 0, 63, prior=x), Integer("y", 0, 31, prior=y)], constraints=["(x + y) % 2 == 1"])
    settings = BayesianSettings(surrogate="gp", influence=influence)
    seen = drive(Bayesian(task(space, seed=seed), settings), evals, bowl)
    return min(o.values["time"] for c in seen if isinstance(o := bowl(c), Measured))


SETTINGS = BayesianSettings()
RIGHT, WRONG = ((9.0, 6.0), (4.0, 9.0)), ((1.0, 12.0), (12.0, 1.0))  # the bowl's lowest point is x = 40, y = 7


def test_a_good_prior_of_the_parameters_saves_evaluations() -> None:
    believed = np.mean([believing(*RIGHT, evals=10, seed=seed) for seed in range(4)])
    only_drawn = np.mean([believing(*RIGHT, influence=0.0, evals=10, seed=seed) for seed in range(4)])
    misled = np.mean([believing(*WRONG, evals=10, seed=seed) for seed in range(4)])
    assert believed <= only_drawn and believed < misled


@pytest.mark.slow
def test_a_misleading_prior_of_the_parameters_does_not_prevent_convergence() -> None:
    misled = np.mean([believing(*WRONG, evals=40, seed=seed) for seed in range(3)])
    assert misled < 1.3


def test_believed_failures_are_not_gone_back_to() -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 31)])

    def failures(believe: bool, seed: int) -> int:
        settings = BayesianSettings(surrogate="gp", feasibility=None, fantasise_failures=believe)
        return sum(isinstance(bowl(c), Failed) for c in drive(Bayesian(task(space, seed=seed), settings), 25, bowl))

    assert sum(failures(True, seed) for seed in range(4)) < sum(failures(False, seed) for seed in range(4))


def test_a_process_is_conditioned_on_a_bounded_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    space = Space([Integer("x", 0, 63), Integer("y", 0, 31)])
    rows: list[int] = []

    class Counting(GaussianProcess):
        def refit(self, x: Floats, loss: Floats, theta: Floats, noise: Floats | None = None) -> None:
            rows.append(len(x))
            super().refit(x, loss, theta, noise)

    def suggested(limit: int) -> list[Configuration]:
        monkeypatch.setattr(bayesian, "ROWS", limit)
        rows.clear()
        strategy = Bayesian(task(space, max_evals=None), BayesianSettings(surrogate="mixed"))
        for number, c in enumerate(space.sample(40, np.random.default_rng(0))):
            strategy.observe(Trial(number, c, bowl(c)))
        return strategy.suggest(1)

    monkeypatch.setattr(models, "GaussianProcess", Counting)
    everything, measured = suggested(10**9), max(rows)
    assert suggested(measured) == everything and max(rows) == measured
    assert suggested(20) and max(rows[1:]) == 20 < measured  # the first is the search for hyperparameters


def test_a_search_whose_prior_mean_says_nothing_makes_up_for_the_design_that_it_spared() -> None:
    space = Space([Integer("x", 0, 19), Integer("y", 0, 19), Integer("z", 0, 19)])
    noise = PriorMean.from_expression("1 + (7919 * x + 104729 * y + 1299709 * z) % 1009")
    exact = PriorMean.from_expression("1 + (x - 3) * (x - 3) + (y - 11) * (y - 11) + z")

    def made(prior: PriorMean) -> int:
        """How many of a plain search's first trials are among the first ones with this prior mean."""
        design = trials(space, None, 5)
        return len(set(design) & set(trials(space, prior, 16)))

    def trials(space: Space, prior: PriorMean | None, count: int) -> list[Configuration]:
        study = Study(space, [Objective("time", unit="ms")], strategy="auto", seed=3, max_evals=60, prior_mean=prior)
        for _ in range(count):
            (c,) = study.suggest(1)
            x, y, z = (float(str(c[name])) for name in "xyz")
            study.observe(c, Measured({"time": 1 + (x - 3) ** 2 + (y - 11) ** 2 + z}))
        return [trial.configuration for trial in study.trials]

    assert made(noise) >= 4 and made(exact) <= 2
