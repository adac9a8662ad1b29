"""Contract of multi-objective acquisitions, tested on mock posteriors. A test class supplies `build`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tunepass.acquisition.base import JointAcquisition
from tunepass.surrogates.base import Floats, Posterior

Build = Callable[[Floats], JointAcquisition]


def posteriors(mean: list[list[float]], deviation: list[list[float]]) -> list[Posterior]:
    """One posterior an objective from a row a point."""
    means, deviations = np.array(mean), np.array(deviation)
    return [Posterior(m, s**2) for m, s in zip(means.T, deviations.T)]


class JointAcquisitionContract:
    front = np.array([[0.0, 1.0], [0.4, 0.4], [1.0, 0.0]])

    @pytest.fixture
    def build(self) -> Build:
        raise NotImplementedError("supply a fixture from a front below the reference (1.2, 1.2) to an acquisition")

    def test_one_finite_utility_a_point_even_far_away_and_without_variance(self, build: Build) -> None:
        mean = [[0.2, 0.2], [90.0, 90.0], [-90.0, -90.0], [0.4, 0.4], [1e6, -1e6]]
        for deviation in (0.0, 1e-3, 1.0):
            utility = build(self.front).utility(posteriors(mean, [[deviation] * 2] * 5))
            assert utility.shape == (5,) and np.isfinite(utility).all()

    def test_smaller_means_are_better(self, build: Build) -> None:
        mean = [[5.0, 5.0], [2.0, 2.0], [0.6, 0.6], [0.35, 0.35], [0.1, 0.1], [-2.0, -2.0]]
        assert (np.diff(build(self.front).utility(posteriors(mean, [[0.3, 0.3]] * 6))) > 0).all()

    def test_more_variance_is_better_at_equal_mean(self, build: Build) -> None:
        deviation = [[s, s] for s in (0.05, 0.2, 0.6, 2.0)]
        assert (np.diff(build(self.front).utility(posteriors([[0.7, 0.7]] * 4, deviation))) > 0).all()

    def test_an_empty_front_is_a_front(self, build: Build) -> None:
        utility = build(np.empty((0, 2))).utility(posteriors([[0.5, 0.5], [0.1, 0.1]], [[0.1, 0.1]] * 2))
        assert np.isfinite(utility).all() and utility[1] > utility[0]
