from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tunepass.space.configuration import Configuration
from tunepass.space.features.encoding import Encoding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Categorical, Ordinal, Permutation
from tunepass.space.space import Space
from tunepass.strategies.auto import SETTINGS
from tunepass.strategies.bo.bayesian import Bayesian
from tunepass.strategies.bo.design import DesignSettings, design_size
from tunepass.strategies.bo.pair_draws import PairDraws, PairDrawSettings
from tunepass.strategies.history import TrialHistory
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.trial import Trial
from tunepass.testing.strategy import drive, task

SPACE = Space([Categorical(f"f{i}", [False, True]) for i in range(24)])
MIXED = Space(
    [
        Categorical("two", ["a", "b"]),
        Categorical("three", ["a", "b", "c"]),
        Ordinal("size", [1, 2, 4], log=True),
        Permutation("order", 3),
    ]
)


def price(c: Configuration) -> Outcome:
    """Two flags that cost something alone and help together, where six others help by themselves."""
    on = [float(bool(c[f"f{i}"])) for i in range(24)]
    return Measured({"time": float(np.exp(0.03 * (on[3] + on[9]) - 0.15 * on[3] * on[9] - 0.1 * sum(on[12:18])))})


def fails(c: Configuration) -> Outcome:
    return Failed("compile", "") if c["f0"] and c["f1"] else price(c)


def test_rows_have_a_column_of_two_values_and_one_each_of_more() -> None:
    draws = PairDraws(Encoding(MIXED), Neighbourhood(MIXED), PairDrawSettings())
    rows = draws.rows(MIXED.columns([Configuration({"two": "b", "three": "a", "size": 2, "order": (0, 1, 2)})]))
    np.testing.assert_allclose(rows, [[1, 1, -1, -1, 0, -1, 0, 1]])


def test_two_flags_that_help_only_together_are_found() -> None:
    tried = drive(Bayesian(task(SPACE, seed=2, max_evals=80), SETTINGS), 80, price)
    best = min(tried, key=lambda c: price(c).values["time"])  # type: ignore[union-attr]
    assert best["f3"] and best["f9"] and all(best[f"f{i}"] for i in range(12, 18))


def test_draws_are_only_where_parameters_are_many_and_nothing_is_known_beforehand() -> None:
    def has(space: Space, objectives: tuple[Objective, ...] = (Objective("time"),)) -> bool:
        return Bayesian(replace(task(space), objectives=objectives), SETTINGS)._pair_draws is not None

    assert has(SPACE)
    assert not has(Space(SPACE.parameters[:20]))
    assert not has(SPACE, (Objective("time"), Objective("size")))


@pytest.mark.parametrize("outcome", [price, fails])
def test_a_replay_and_batches_go_on_as_an_undisturbed_search(outcome: object) -> None:
    strategy = Bayesian(task(SPACE, seed=3, max_evals=60), SETTINGS)
    tried = drive(strategy, 39, outcome)  # type: ignore[arg-type]
    replayed = Bayesian(task(SPACE, seed=3, max_evals=60), SETTINGS)
    for number, configuration in enumerate(tried):
        replayed.observe(Trial(number, configuration, outcome(configuration)))  # type: ignore[operator]
    batch = strategy.suggest(4)
    assert replayed.suggest(4) == batch
    assert len({*batch, *tried}) == 43


def test_the_switch_changes_what_follows_the_first_draw() -> None:
    with_draws = drive(Bayesian(task(SPACE, seed=1, max_evals=60), SETTINGS), 34, price)
    without = drive(Bayesian(task(SPACE, seed=1, max_evals=60), replace(SETTINGS, pair_draws=None)), 34, price)
    assert with_draws[:16] == without[:16] and with_draws[16] != without[16]


def due(space: Space, most: int, settings: PairDrawSettings) -> list[int]:
    """Before which of 40 trials a draw is due."""
    history, budget = TrialHistory(task(space)), task(space, max_evals=most)
    draws = PairDraws(Encoding(space), Neighbourhood(space), settings, design_size(budget, DesignSettings()))
    numbers = []
    for number, configuration in enumerate(space.sample(40, np.random.default_rng(0))):
        numbers += [number] if draws.is_due(history) else []
        history.observe(Trial(number, configuration, Measured({"time": 1.0})))
    return numbers


def test_of_mostly_flags_draws_come_earlier() -> None:
    others = [Ordinal(f"o{i}", [1, 2, 4]) for i in range(12)]
    assert due(Space([*SPACE.parameters[:12], *others]), 100, PairDrawSettings())[0] == 16
    assert due(Space([*SPACE.parameters[:11], *others]), 100, PairDrawSettings())[0] == 30


def test_of_hundreds_of_parameters_draws_come_right_after_the_warm_up() -> None:
    settings = PairDrawSettings(hundreds=23)
    assert due(SPACE, 100, settings) == [*range(16, 40)] and due(SPACE, 40, settings) == [*range(12, 40)]


def test_draws_of_few_trials_are_near_the_posterior_mean() -> None:
    rows = SPACE.columns(SPACE.sample(24, np.random.default_rng(0)))
    loss = np.random.default_rng(1).normal(size=24)

    def spread(least_share: float, full_at: float) -> float:
        settings = PairDrawSettings(least_share=least_share, full_at=full_at)
        draws = PairDraws(Encoding(SPACE), Neighbourhood(SPACE), settings)
        drawn = [draws.draw(rows, loss, np.random.default_rng(seed)).single for seed in range(20)]
        return float(np.std(drawn, axis=0).sum())

    assert spread(0.0, 2.0) == pytest.approx(spread(0.5, 100.0)) and spread(0.5, 100.0) == pytest.approx(
        spread(1.0, 2.0) / 2
    )


def test_of_hundreds_of_parameters_all_are_draws_from_early_on() -> None:
    few = replace(SETTINGS, pair_draws=PairDrawSettings(hundreds=23, early=12))
    strategy = Bayesian(task(SPACE, seed=1, max_evals=60), few)
    drive(strategy, 12, price)
    assert strategy._pair_draws is not None
    assert strategy._pair_draws.is_due(strategy.history)
    drive(strategy, 1, price)
    assert strategy._pair_draws.is_due(strategy.history)
    usual = Bayesian(task(SPACE, seed=1, max_evals=60), SETTINGS)
    drive(usual, 13, price)
    assert usual._pair_draws is not None and not usual._pair_draws.is_due(usual.history)


def test_a_space_that_is_nearly_exhausted_gives_what_is_left() -> None:
    parameters = [Categorical(f"f{i}", [False, True]) for i in range(21)]
    space = Space(parameters, [f"not f{i}" for i in range(5, 21)])
    tried = drive(
        Bayesian(task(space, max_evals=None), SETTINGS), 40, lambda c: Measured({"time": 1.0 + bool(c["f1"])})
    )
    assert len(tried) == len(set(tried)) == 32
