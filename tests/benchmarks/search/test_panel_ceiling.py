from __future__ import annotations

import numpy as np
import pytest

from tests.benchmarks.search.drawn import flags
from tests.benchmarks.search.panel_ceiling import Told, chosen_share, table


@pytest.mark.parametrize("thompson", [False, True])
def test_without_noise_the_optimum_is_known(thompson: bool) -> None:
    problem = flags(3, 12, 0.5, 6)
    told = Told.everything(problem, 1e-3)
    share = chosen_share(problem, told, 80, np.random.default_rng(0), thompson=thompson, noise=1e-3)
    assert share == pytest.approx(1.0, abs=2e-3)


def test_noise_and_interactions_that_are_not_told_cost_something() -> None:
    shares = []
    for noise, tell in ((0.02, Told.everything), (0.3, Told.everything), (0.02, Told.single_effects)):
        problems = [flags(seed, 16, 0.8, 40) for seed in range(4)]
        shares.append(
            np.mean([
                chosen_share(p, tell(p, noise), 150, np.random.default_rng(0), thompson=False, noise=noise)
                for p in problems
            ])
        )  # fmt: skip
    assert shares[0] > 0.95 and shares[0] > shares[1] + 0.02 and shares[0] > shares[2] + 0.02


def test_the_least_is_that_of_all_configurations() -> None:
    problem = flags(1, 8, 0.5, 5)
    told = Told.everything(problem)
    every = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(float)
    beta = np.concatenate([[0.0], problem.main, problem.joint])
    assert told.rows(told.least(beta, every)[None])[0] @ beta == pytest.approx((told.rows(every) @ beta).min())


def test_the_table_has_a_row_for_each_kind_and_what_is_told() -> None:
    assert len(table(range(1000, 1002), 3).splitlines()) == 2 + 4
