from __future__ import annotations

import numpy as np
import pytest

from tunepass.acquisition.directions import DirectionalImprovement, even_directions, unit_volume
from tunepass.acquisition.hypervolume import ExpectedHypervolumeImprovement
from tunepass.study.pareto import hypervolume, nondominated
from tunepass.testing.joint_acquisition import Build, JointAcquisitionContract, posteriors


class TestDirectionalImprovement(JointAcquisitionContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda front: DirectionalImprovement.of(front, np.array([1.2, 1.2]))


@pytest.mark.parametrize("k", [2, 3])
def test_it_agrees_with_the_exact_one(k: int) -> None:
    rng = np.random.default_rng(k)
    front, reference = rng.random((20, k)), np.full(k, 1.1)
    points = posteriors(rng.random((80, k)).tolist(), rng.uniform(0.01, 0.4, (80, k)).tolist())
    exact = np.exp(ExpectedHypervolumeImprovement.of(front, reference).utility(points))
    gained = np.exp(DirectionalImprovement.of(front, reference, 1024).utility(points))
    np.testing.assert_allclose(gained, exact, rtol=0.06, atol=1e-4)


@pytest.mark.parametrize("k", [2, 4, 6])
def test_directions_give_the_hypervolume(k: int) -> None:
    if k > 3:
        pytest.importorskip("moocore")
    front = np.random.default_rng(k).random((30, k))
    front = front[nondominated(front)]
    reach = DirectionalImprovement.of(front, np.full(k, 1.1), 4096).reach
    assert np.mean(reach**k) * unit_volume(k) == pytest.approx(hypervolume(front, [1.1] * k), rel=0.02)


def test_without_deviation_it_is_the_gain() -> None:
    front = np.array([[0.0, 1.0], [1.0, 0.0]])
    gained = DirectionalImprovement.of(front, np.array([1.2, 1.2]), 4096).utility(
        posteriors([[0.5, 0.4]], [[0.0, 0.0]])
    )
    true = hypervolume([*front.tolist(), [0.5, 0.4]], [1.2, 1.2]) - hypervolume(front, [1.2, 1.2])
    assert np.exp(gained[0]) == pytest.approx(true, rel=0.05)


def test_directions_are_even_and_the_same_every_time() -> None:
    directions = even_directions(5, 256)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0)
    np.testing.assert_allclose(directions.mean(axis=0), directions.mean(), rtol=0.05)
    assert (directions > 0).all() and np.array_equal(directions, even_directions(5, 256))


def test_as_many_posteriors_as_objectives() -> None:
    with pytest.raises(ValueError, match="as many posteriors"):
        DirectionalImprovement.of(np.empty((0, 4)), np.ones(4)).utility(posteriors([[0.0]], [[1.0]]))
