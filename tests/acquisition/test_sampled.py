from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tunepass.acquisition.hypervolume import ExpectedHypervolumeImprovement
from tunepass.acquisition.sampled import SampledImprovement
from tunepass.study.results.pareto import hypervolume
from tunepass.surrogates.base import Floats
from tunepass.testing.joint_acquisition import Build, JointAcquisitionContract, posteriors


def sampled(front: Floats, corner: Floats, count: int = 20_000, low: float = 0.0) -> SampledImprovement:
    return SampledImprovement.of(front, np.full(len(corner), low), corner, count, np.random.default_rng(0))


class TestSampledImprovement(JointAcquisitionContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda front: sampled(front, np.array([1.2, 1.2]), 1024)


@pytest.mark.parametrize("k", [2, 3])
def test_it_agrees_with_the_exact_one(k: int) -> None:
    rng = np.random.default_rng(k)
    front, corner = rng.random((20, k)), np.full(k, 1.1)
    points = posteriors((0.2 + 0.7 * rng.random((80, k))).tolist(), rng.uniform(0.03, 0.2, (80, k)).tolist())
    exact = np.exp(ExpectedHypervolumeImprovement.of(front, corner).utility(points))
    gained = np.exp(sampled(front, corner, low=-0.4).utility(points))
    np.testing.assert_allclose(gained, exact, rtol=0.06, atol=3e-4)


def test_without_deviation_it_is_the_gain_of_four_objectives() -> None:
    pytest.importorskip("moocore")
    rng, corner = np.random.default_rng(0), np.full(4, 1.1)
    front, vector = rng.random((12, 4)), np.full(4, 0.4)
    true = hypervolume(np.vstack([front, vector]), [1.1] * 4) - hypervolume(front, [1.1] * 4)
    gained = np.exp(sampled(front, corner).utility(posteriors([vector.tolist()], [[0.0] * 4])))
    assert gained[0] == pytest.approx(true, rel=0.05)


def test_gains_beyond_the_region_s_lower_corner_count() -> None:
    front, corner = np.array([[0.5, 0.5]]), np.array([1.0, 1.0])
    near, far = np.exp(sampled(front, corner).utility(posteriors([[0.0, 0.0], [-0.5, -0.5]], [[0.0, 0.0]] * 2)))
    assert near == pytest.approx(0.75, rel=0.05) and far == pytest.approx(2.0, rel=0.1)


def test_no_gain_is_expected_below_the_least_loss() -> None:
    front, corner, low = np.array([[0.5, 0.5]]), np.ones(2), np.full(2, -1.0)
    rng = np.random.default_rng(0)
    bounded = SampledImprovement.of(front, low, corner, 4096, rng, least=np.zeros(2))
    gain = np.exp(bounded.utility(posteriors([[-0.9, -0.9]], [[0.0, 0.0]])))
    assert gain[0] == pytest.approx(0.75, rel=0.06)


@pytest.mark.parametrize("scale", [np.log, lambda rows: 3 * rows - 1])
def test_gains_are_those_of_plain_losses_on_any_scale(scale: Callable[[Floats], Floats]) -> None:
    front, corner = np.array([[0.3, 0.8], [0.8, 0.3]]), np.ones(2)
    plain = SampledImprovement.of(front, np.full(2, 0.01), corner, 1024, np.random.default_rng(0), least=np.zeros(2))
    means = np.array([[0.4, 0.4], [0.1, 0.9]])
    there = plain.mapped(scale).utility(posteriors(scale(means).tolist(), [[0.0, 0.0]] * 2))
    np.testing.assert_allclose(there, plain.utility(posteriors(means.tolist(), [[0.0, 0.0]] * 2)), rtol=1e-3)


def test_as_many_posteriors_as_objectives() -> None:
    with pytest.raises(ValueError, match="as many posteriors"):
        sampled(np.empty((0, 4)), np.ones(4), 64).utility(posteriors([[0.0]], [[1.0]]))
