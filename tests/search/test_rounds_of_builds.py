"""Whole builds with a clock of their own: is enough of the budget kept for the rounds that tell a gain from noise?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
import pytest

from tests.examples import scaled
from tests.passes.fakes import Clock, kernel, search_step
from tests.passes.fakes import Comparing as Fake
from tunepass.evaluators.measure.interleaved import interleaved
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.pipeline import Pipeline
from tunepass.search.finalists.rounds import RESERVED_ROUNDS, measurements
from tunepass.search.result import SearchResult
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Ordinal
from tunepass.study.outcome import Evaluation, Measured

STEPS = Ordinal("STEPS", [4, 5, 6], default=5)
IDLE = Ordinal("IDLE", list(range(100)), default=50)
GAIN = 1.3
BUILD_S, MEASURE_S = 0.15, 0.1


class Quick(Fake):
    """Trials end early, rounds do not: those take `again_s` a configuration, with `noise` in each."""

    def __init__(self, seed: int, again_s: float, noise: float):
        super().__init__(lambda c: 1.0, lambda c, r: 1.0, Clock())
        self.rng, self.again_s, self.noise = np.random.default_rng(seed), again_s, noise

    def time(self, configuration: Configuration) -> float:
        true = 1 / GAIN if configuration["STEPS"] == 4 else 1.0
        return true * float(np.exp(self.noise * self.rng.standard_normal()))

    def round_s(self, trial_s: float) -> float:
        return self.again_s

    def __call__(self, configuration: Configuration) -> Evaluation:
        self.clock.now += BUILD_S + MEASURE_S
        return Evaluation(Measured({"time": self.time(configuration)}), {"compile": BUILD_S, "measure": MEASURE_S})

    def compare_again(
        self,
        configurations: list[Configuration],
        rounds: int = 9,
        seconds: float | None = None,
        behind: Callable[[Sequence[Sequence[float]]], Collection[int]] | None = None,
    ) -> list[list[float]]:
        def measure(index: int) -> float:
            self.clock.now += self.again_s
            return self.time(configurations[index])

        return interleaved([True] * len(configurations), measure, rounds, behind=behind)


def build(seed: int, budget_s: float, again_s: float, noise: float = 0.08) -> tuple[SearchResult, float]:
    evaluator = Quick(seed, again_s, noise)
    pipeline = Pipeline((ExtractSpace(), search_step(evaluator, budget_s=budget_s)))
    found = pipeline.run(kernel([STEPS, IDLE], [])).found
    assert found is not None
    return found, evaluator.clock.now


@pytest.mark.parametrize("again_s", [0.05, 0.2, 0.35])
@pytest.mark.slow_but(3)
def test_a_gain_of_a_third_is_found_by_builds_of_forty_seconds(again_s: float) -> None:
    found, seeds = 0, scaled(20)
    for seed in range(seeds):
        built, now = build(seed, 40.0, again_s)
        found += built.choice["STEPS"] == 4
        assert now <= 42.0
        assert built.comparison is not None and built.comparison.rounds >= 8
    assert found >= seeds - 1


def test_the_best_of_some_finalists_makes_the_rounds_that_time_is_kept_for() -> None:
    built, now = build(0, 40.0, 0.2, noise=0.5)
    assert built.comparison is not None
    assert built.comparison.rounds >= RESERVED_ROUNDS - 1 and now <= 40.5


def test_the_measurements_of_rounds_in_which_the_worse_half_goes() -> None:
    assert measurements(1, 6) == 12
    assert measurements(8, 6) == 2 * 9 + 5 + 3 + 2 + 2
    assert measurements(3, 2) == 8 and measurements(3, 1) == 4
