from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.strategies.bo.test_bayesian import bowl
from tunepass.capabilities import capability
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer
from tunepass.space.space import Space
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.models import GpModel
from tunepass.strategies.bo.residual_model import ResidualModel
from tunepass.strategies.density_ratio import DensityRatio
from tunepass.strategies.prior_mean.scaled import ScaledPriorMean
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.capabilities import KnowsConfigurations
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.surrogates.residual import ResidualSettings
from tunepass.testing.strategy import Build, StrategyContract, drive, task

SPACE = Space([Integer("x", 0, 63), Integer("y", 0, 31)], constraints=["(x + y) % 2 == 1"])
RIGHT = "2.5 + (x - 38) ** 2 / 90 + (y - 9) ** 2 / 30"
WRONG = "50 - (x - 40) ** 2 / 50 - (y - 7) ** 2 / 40"


@pytest.mark.slow_tests("exhaust")
class TestInformed(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        prior = PriorMean.from_expression("100 / tile + unroll")
        return lambda t: Bayesian(
            replace(t, prior_mean=prior if len(t.objectives) == 1 and has_unroll(t.space) else None)
        )


def has_unroll(space: Space) -> bool:
    return any(p.name == "unroll" for p in space.parameters)


def best_after(n: int, prior: str | None, surrogate: str, seed: int, strategy: type = Bayesian) -> float:
    mean = PriorMean.from_expression(prior) if prior else None
    informed = replace(task(SPACE, seed=seed), prior_mean=mean)
    search = Bayesian(informed, BayesianSettings(surrogate=surrogate)) if strategy is Bayesian else strategy(informed)
    seen = drive(search, n, bowl)
    return min(o.values["time"] for c in seen if isinstance(o := bowl(c), Measured))


@pytest.mark.parametrize("surrogate", ["gp", "forest"])
def test_a_good_prior_saves_evaluations(surrogate: str) -> None:
    informed = np.mean([best_after(8, RIGHT, surrogate, seed) for seed in range(4)])
    plain = np.mean([best_after(8, None, surrogate, seed) for seed in range(4)])
    assert informed - 1 < 0.5 * (plain - 1)


@pytest.mark.parametrize("surrogate", ["gp", "mixed"])
@pytest.mark.slow_but(2)
def test_a_misleading_prior_does_not_prevent_convergence(surrogate: str) -> None:
    misled = np.mean([best_after(40, WRONG, surrogate, seed) for seed in range(3)])
    assert misled < 1.3


def test_the_source_s_densities_guide_the_density_ratio() -> None:
    informed = np.mean([best_after(8, RIGHT, "gp", seed, DensityRatio) for seed in range(4)])
    plain = np.mean([best_after(8, None, "gp", seed, DensityRatio) for seed in range(4)])
    assert informed < plain


def test_the_prior_knows_its_best_and_fills_in_its_worst() -> None:
    space = Space([Integer("x", 0, 9)])
    prior = ScaledPriorMean(replace(task(space), prior_mean=PriorMean.from_expression("12 / x")), log=True)
    assert prior.best["x"][0] == 9
    at = prior.losses(space.columns(list(space.enumerate())))
    assert at[0] == pytest.approx(np.log(12)) and at[9] == pytest.approx(np.log(12 / 9))


def test_the_prior_ranks_the_space() -> None:
    space = Space([Integer("x", 1, 10)])
    prior = ScaledPriorMean(replace(task(space), prior_mean=PriorMean.from_expression("12 / x")), log=True)
    assert prior.rank(space.columns(list(space.enumerate()))).tolist() == pytest.approx(np.arange(9, -1, -1) / 10)


@pytest.mark.parametrize(("text", "literally"), [(RIGHT, True), (WRONG, False)])
def test_a_prior_that_foretells_the_trials_is_followed_down_its_ranks(text: str, literally: bool) -> None:
    settings = BayesianSettings(surrogate="gp", one_at_a_time=2)
    search = Bayesian(replace(task(SPACE, seed=1), prior_mean=PriorMean.from_expression(text)), settings)
    assert search.prior is not None
    found = drive(search, 8, bowl)
    ranks = search.prior.rank(SPACE.columns(found[2:]))
    assert (ranks.max() < 0.05) == literally


@pytest.mark.parametrize("surrogate", ["gp", "forest", "mixed"])
def test_trust_goes_to_nothing_where_the_ranks_do_not_agree(surrogate: str) -> None:
    misled = Bayesian(
        replace(task(SPACE, seed=1), prior_mean=PriorMean.from_expression(WRONG)), BayesianSettings(surrogate=surrogate)
    )
    begun = misled.prior_weight
    drive(misled, 25, bowl)
    assert begun is not None and begun > 0.8 and misled.prior_weight == 0


def test_the_weight_of_a_source_s_densities_fades() -> None:
    right, wrong = (
        DensityRatio(replace(task(SPACE, seed=1), prior_mean=PriorMean.from_expression(text)))
        for text in (RIGHT, WRONG)
    )
    weights = []
    for _ in range(3):
        weights.append(right.prior_weight or 0.0)
        drive(right, 8, bowl)
    assert weights[0] == 0.5 and weights[0] > weights[1] > weights[2] > 0
    drive(wrong, 20, bowl)
    assert wrong.prior_weight == 0


def test_the_prior_s_favourites_are_spread() -> None:
    task_ = replace(task(SPACE), prior_mean=PriorMean.from_expression(RIGHT))
    search = Bayesian(task_)
    assert search.prior is not None
    first, second, third = search.prior.spread_best(search.embedding, 3)
    assert first == 0 and len({first, second, third}) == 3


@pytest.mark.parametrize("maximise", [False, True])
def test_an_earlier_study_s_best_is_a_favourite_even_of_a_space_too_large_to_sample(maximise: bool) -> None:
    space = Space([Integer(name, 0, 999) for name in "xyz"])
    best = {"x": 123, "y": 456, "z": 789}
    outside = {"x": 5000, "y": 1, "z": 1}
    rows = [{"x": i, "y": i, "z": i} for i in range(20)] + [outside, best]
    values = [2.0 + i / 20 for i in range(20)] + [0.5, 1.0]
    prior_mean = PriorMean.from_observations(rows, [-v for v in values] if maximise else values)
    asked = replace(task(space), prior_mean=prior_mean, objectives=(Objective("speed", maximise=maximise),))
    assert prior_mean.known(space, 1, largest=maximise) == [Configuration(best)]
    assert space.configurations(ScaledPriorMean(asked, log=True).best)[0] == Configuration(best)


def test_what_an_earlier_study_did_not_vary_is_not_made_up() -> None:
    space = Space([Integer("x", 0, 9), Integer("y", 0, 9)])
    assert PriorMean.from_observations([{"x": 1}, {"x": 2}], [1.0, 2.0]).known(space, 5, largest=False) == []
    assert capability(PriorMean.from_expression("x + y"), KnowsConfigurations) is None


def test_the_forest_is_asked_once_there_are_trials_enough() -> None:
    informed = replace(task(SPACE), prior_mean=PriorMean.from_expression(RIGHT))
    few, settings = ResidualSettings().process_only_trials, BayesianSettings(surrogate="mixed")
    young, grown = Bayesian(informed, settings), Bayesian(informed, settings)
    drive(young, few - 1, bowl)
    assert [type(model.plain) for model in young.active_models if isinstance(model, ResidualModel)] == [GpModel]
    drive(grown, 2 * few, bowl)
    assert grown.active_models == grown.models and len(grown.models) == 2
