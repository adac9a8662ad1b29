from __future__ import annotations

import numpy as np
import pytest

from tunepass.acquisition.correlated import CorrelatedImprovement, factored
from tunepass.acquisition.hypervolume import ExpectedHypervolumeImprovement
from tunepass.surrogates.base import Floats, JointPosterior
from tunepass.testing.joint_acquisition import Build, JointAcquisitionContract

FRONT = np.array([[0.0, 1.0], [0.4, 0.4], [1.0, 0.0]])


def improvement(front: Floats) -> CorrelatedImprovement:
    return CorrelatedImprovement.of(ExpectedHypervolumeImprovement.of(front, np.array([1.2, 1.2])))


class TestCorrelatedImprovement(JointAcquisitionContract):
    @pytest.fixture
    def build(self) -> Build:
        return improvement


def posterior(correlation: float, mean: list[list[float]]) -> JointPosterior:
    covariance = 0.09 * np.array([[1.0, correlation], [correlation, 1.0]])
    return JointPosterior(np.array(mean), np.tile(covariance, (len(mean), 1, 1)))


@pytest.mark.parametrize("correlation", [-0.9, -0.5, 0.5, 0.9])
def test_equals_many_draws(correlation: float) -> None:
    """Means near the front, at it and beyond."""
    acquisition, means = improvement(FRONT), [[0.5, 0.5], [0.3, 0.3], [0.7, 0.2], [0.6, 0.7]]
    predicted = posterior(correlation, means)
    draws = np.random.default_rng(0).multivariate_normal(np.zeros(2), predicted.covariance[0], 200_000)
    exact = [acquisition.exact.boxes.improvement(mean + draws).mean() for mean in predicted.mean]
    np.testing.assert_allclose(np.exp(acquisition.utility(predicted)), exact, rtol=0.06, atol=6e-4)


def test_without_correlations_it_is_the_exact_one_and_far_candidates_keep_an_order() -> None:
    acquisition, means = improvement(FRONT), [[0.5, 0.5], [3.0, 3.0], [9.0, 9.0], [90.0, 90.0]]
    free = posterior(0.0, means)
    np.testing.assert_array_equal(acquisition.utility(free), acquisition.exact.utility(free))
    assert (np.diff(acquisition.utility(posterior(0.8, means))) < 0).all()


def test_factors_of_small_covariances_even_singular_ones() -> None:
    full = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 1.0]])
    covariances = np.stack([full, np.ones((3, 3)), np.zeros((3, 3)), np.diag([0.0, 2.0, 0.0])])
    factor = factored(covariances)
    np.testing.assert_allclose(factor @ factor.transpose(0, 2, 1), covariances, atol=1e-12)
    np.testing.assert_allclose(factor[0], np.linalg.cholesky(full))


def test_three_objectives_equal_many_draws() -> None:
    front = np.array([[0.0, 0.6, 0.9], [0.4, 0.4, 0.4], [0.9, 0.2, 0.1]])
    acquisition = CorrelatedImprovement.of(ExpectedHypervolumeImprovement.of(front, np.full(3, 1.2)))
    covariance = 0.05 * np.array([[1.0, 0.7, -0.3], [0.7, 1.0, 0.1], [-0.3, 0.1, 1.0]])
    predicted = JointPosterior(np.array([[0.5, 0.4, 0.4], [0.2, 0.5, 0.3]]), np.tile(covariance, (2, 1, 1)))
    draws = np.random.default_rng(0).multivariate_normal(np.zeros(3), covariance, 200_000)
    exact = [acquisition.exact.boxes.improvement(mean + draws).mean() for mean in predicted.mean]
    np.testing.assert_allclose(np.exp(acquisition.utility(predicted)), exact, rtol=0.06)
    assert (np.abs(acquisition.utility(predicted) - acquisition.exact.utility(predicted)) > 0.05).any()
