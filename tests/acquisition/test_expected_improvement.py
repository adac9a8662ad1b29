from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from tunepass.acquisition.base import Acquisition
from tunepass.acquisition.expected_improvement import ExpectedImprovement, log_h
from tunepass.testing.acquisition import AcquisitionContract, posterior


class TestExpectedImprovement(AcquisitionContract):
    @pytest.fixture
    def acquisition(self) -> Acquisition:
        return ExpectedImprovement(best=0.0)

    def test_is_the_logarithm_of_the_textbook_formula(self) -> None:
        mean, deviation, best = np.linspace(-2, 3, 11), np.linspace(0.1, 2, 11), 0.4
        z = (best - mean) / deviation
        expected = (best - mean) * norm.cdf(z) + deviation * norm.pdf(z)
        utility = ExpectedImprovement(best).utility(posterior(list(mean), list(deviation)))
        np.testing.assert_allclose(np.exp(utility), expected, rtol=1e-9)

    def test_agrees_with_monte_carlo(self) -> None:
        draws = np.random.default_rng(0).normal(0.3, 0.8, 400_000)
        utility = ExpectedImprovement(0.1).utility(posterior([0.3], [0.8]))
        assert np.exp(utility[0]) == pytest.approx(np.maximum(0.1 - draws, 0).mean(), rel=0.01)


def test_log_h_is_continuous_and_increasing_across_its_regimes() -> None:
    z = np.concatenate([np.linspace(-1.1, -0.9, 400), -np.logspace(5, 3, 400)])
    for part in (z[:400], z[400:]):
        steps = np.diff(log_h(part))
        assert (steps > 0).all()
    around = log_h(np.array([-1e4 - 1e-3, -1e4 + 1e-3]))
    assert around[1] - around[0] == pytest.approx(1e4 * 2e-3, rel=1e-4)


def test_log_h_against_high_precision_values() -> None:
    # mpmath 1.3 with 50 digits: log(npdf(z) + z * ncdf(z))
    reference = {
        -40.0: -808.29856835662,
        -5.0: -16.744301162661,
        -1.0: -2.4851210257126,
        0.0: -0.91893853320467,
        3.0: 1.0987396653277,
    }
    np.testing.assert_allclose(log_h(np.array(list(reference))), list(reference.values()), rtol=1e-10)


def test_log_h_far_out_equals_its_series() -> None:
    t = np.logspace(2, 5, 50)  # h = phi(t) (1/t^2 - 3/t^4 + 15/t^6 - ...)
    series = -0.5 * t * t - 0.5 * np.log(2 * np.pi) - 2 * np.log(t) + np.log1p(-3 / t**2 + 15 / t**4)
    np.testing.assert_allclose(log_h(-t), series, rtol=1e-15, atol=1e-9)


def test_log_h_keeps_shapes_and_ends() -> None:
    z = np.array([[-np.inf, -1.0], [0.0, np.inf]])
    np.testing.assert_allclose(log_h(z), [[-np.inf, -2.4851210257126], [-0.91893853320467, np.inf]], rtol=1e-10)
    np.testing.assert_array_equal(
        log_h(np.linspace(-3, 3, 14).reshape(7, 2)[:, ::-1])[:, 0], log_h(np.linspace(-3, 3, 14)[1::2])
    )
