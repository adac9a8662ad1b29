from __future__ import annotations

import numpy as np
import pytest

from tunepass.surrogates.base import Posterior
from tunepass.surrogates.residual import (
    AffineMap,
    ResidualSettings,
    fit_affine_map,
    rank_agreement,
    residual_weight,
    two_part_mixture,
    value_agreement,
)


def test_the_map_is_least_squares_where_rows_are_many_and_spread() -> None:
    rng = np.random.default_rng(0)
    m = rng.normal(0, 1, 500)
    found = fit_affine_map(m, 3.0 + 0.6 * m + rng.normal(0, 0.1, 500), 1.0, kappa=3.0)
    assert found.scale == pytest.approx(0.6, abs=0.02) and found.offset == pytest.approx(3.0, abs=0.02)


def test_few_rows_all_alike_leave_the_scale_alone() -> None:
    m = np.array([0.0, 0.01, 0.02])
    assert fit_affine_map(m, np.array([5.0, 4.0, 3.0]), 1.0, kappa=3.0).scale == pytest.approx(1.0, abs=0.02)
    one = fit_affine_map(np.array([2.0]), np.array([7.0]), 1.0, kappa=3.0)
    assert one == AffineMap(1.0, 5.0)


def test_a_prior_that_ranks_backwards_is_dropped_not_inverted() -> None:
    m = np.linspace(-1, 1, 30)
    assert fit_affine_map(m, -m, 0.3, kappa=3.0).scale == 0.0


def test_a_constant_prior_only_shifts() -> None:
    assert fit_affine_map(np.full(3, 2.0), np.array([1.0, 2.0, 3.0]), 0.0, kappa=3.0).apply(np.array([2.0]))[0] == 2.0


def test_the_weight_follows_the_evidence() -> None:
    settings = ResidualSettings(residual_probability=0.9, likelihood_power=1.0)
    assert residual_weight(0.0, 0.0, 10, settings) == pytest.approx(0.9)
    assert residual_weight(-1.0, 0.0, 10, settings) < 0.01 < 0.999 < residual_weight(1.0, 0.0, 10, settings)
    assert 0 < residual_weight(-1e9, 0.0, 10, settings) < 1e-9


def test_the_mixture_has_the_moments_of_its_draws() -> None:
    one, other = Posterior(np.array([0.0]), np.array([1.0])), Posterior(np.array([3.0]), np.array([0.25]))
    found = two_part_mixture(0.3, one, other)
    rng = np.random.default_rng(0)
    draws = np.where(rng.random(400_000) < 0.3, rng.normal(0, 1, 400_000), rng.normal(3, 0.5, 400_000))
    assert found.mean[0] == pytest.approx(draws.mean(), abs=0.01)
    assert found.variance[0] == pytest.approx(draws.var(), abs=0.02)


def test_ranks_leave_all_some_or_nothing_of_the_weight() -> None:
    s = ResidualSettings()
    assert rank_agreement(0.9, 10, s) == 1.0 and rank_agreement(0.0, 0, s) == 1.0
    assert rank_agreement(-0.5, 20, s) == 0.0
    uncertain = [rank_agreement(0.0, n, s) for n in (3, 10, 40)]
    assert uncertain[0] > uncertain[1] > uncertain[2] > 0 and uncertain[2] < 0.25


def test_a_prior_is_taken_literally_as_far_as_rows_differ_by_what_it_says() -> None:
    m = np.array([3.0, 1.0, -1.0])
    assert value_agreement(m, m + 7.0, 2.0) == pytest.approx(1.0)
    off = np.array([0.1, -0.2, 0.1])  # its length is sqrt(0.06), that of m - mean m sqrt(8)
    assert value_agreement(m, m + off, 2.0) == pytest.approx(1 - 2 * np.sqrt(2 * 0.06 / 8))
    assert value_agreement(m, -m, 2.0) == value_agreement(m, np.full(3, 1.0), 2.0) == 0.0
    assert (
        value_agreement(m[:2], m[:2], 2.0) == value_agreement(np.full(3, 3.0), m, 2.0) == 0.0
    )  # two rows agree by chance
