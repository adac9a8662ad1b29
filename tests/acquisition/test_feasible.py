from __future__ import annotations

import numpy as np

from tunepass.acquisition.feasible import draw_limit, feasible_utility


def test_utility_is_weighted_by_the_probability_above_the_limit() -> None:
    utility = feasible_utility(np.log([1.0, 1.0, 2.0]), np.array([0.9, 0.2, 0.5]), limit=0.3)
    np.testing.assert_allclose(np.exp(utility), [0.9, 0.0, 1.0])


def test_when_all_are_below_the_limit_the_probability_decides() -> None:
    utility = feasible_utility(np.array([5.0, 0.0]), np.array([0.01, 0.02]), limit=0.5)
    assert utility.argmax() == 1


def test_the_limit_is_sometimes_zero_and_never_above_its_bound() -> None:
    rng = np.random.default_rng(0)
    limits = np.array([draw_limit(rng, 0.6) for _ in range(600)])
    assert 0.05 < (limits == 0).mean() < 0.16
    assert limits.max() <= 0.6
