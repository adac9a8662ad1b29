from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.benchmarks.search.prior_cases import CHANGES, CHOSEN, REPORTED
from tests.benchmarks.search.prior_turns import TakingTurns, TurnSettings, gain_of, scheduled
from tunepass.strategies.auto import SETTINGS
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.trial import Trial
from tunepass.testing.strategy import drive, price, task

DEFAULT = 4.0  # loss of the first trial


def with_prior(losses: list[float], pending: int = 0) -> list[int]:
    """Numbers of the suggestions, of those with a loss and the pending ones, that are made with the prior mean."""
    count = len(losses) + pending
    before = [scheduled(np.array(losses[:n]), max(0, n - len(losses)), TurnSettings()) for n in range(count)]
    return [number for number, order in enumerate(before) if order.prior_is_next]


def test_each_failure_makes_the_prior_mean_wait_three_times_as_long() -> None:
    assert with_prior([DEFAULT, *[9.0] * 45]) == [1, 5, 15, 43]
    assert with_prior([DEFAULT], pending=45) == [1, 5, 15, 43]


def test_an_improvement_gives_the_turn_back_and_a_negligible_one_does_not() -> None:
    large, small = [DEFAULT, 9.0, 9.0, 9.0, 9.0, 1.0], [DEFAULT, 9.0, 9.0, 9.0, 9.0, 3.999]
    assert with_prior([*large, *[9.0] * 4]) == [1, 5, 6, 7]
    assert with_prior([*small, *[9.0] * 9]) == [1, 5]  # the next one would be 15


@pytest.mark.parametrize("factor", [1.0, 1e150, 1e-150])
def test_a_gain_is_in_standard_deviations_of_the_logarithms(factor: float) -> None:
    losses = factor * np.array([8.0, 4.0, 2.0])
    assert gain_of(losses) == pytest.approx(math.log(2) / np.log([8.0, 4.0, 2.0]).std())
    assert gain_of(losses[::-1]) == 0 and gain_of(np.array([math.inf, 2.0])) == math.inf


def test_an_interrupted_search_continues_as_an_undisturbed_one() -> None:
    informed = replace(task(seed=2), prior_mean=PriorMean.from_expression("100 / tile + unroll"))
    first, second = TakingTurns(informed, SETTINGS), TakingTurns(informed, SETTINGS)
    for number, configuration in enumerate(drive(first, 14)):
        second.observe(Trial(number, configuration, price(configuration)))
    assert first.suggest(3) == second.suggest(3)


def test_the_panels_share_no_table() -> None:
    assert not {case.table for case in CHOSEN} & {case.table for case in REPORTED}
    assert len({(case.table, case.name) for case in (*CHOSEN, *REPORTED)}) == len(CHOSEN) + len(REPORTED) >= 42


@pytest.mark.parametrize("kind", sorted(CHANGES))
def test_changed_values_are_those_of_the_table_except_noise_and_offsets(kind: str) -> None:
    values = np.exp(np.linspace(0, 3, 40))
    changed = CHANGES[kind](values, np.random.default_rng(0))
    assert not np.array_equal(changed, values)
    assert kind in ("noisy", "offset") or np.array_equal(np.sort(changed), values)
