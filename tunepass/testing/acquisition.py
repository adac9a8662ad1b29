"""Contract of single-objective acquisitions, tested on mock posteriors. A test class supplies `acquisition`."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.acquisition.base import Acquisition
from tunepass.surrogates.base import Posterior


def posterior(mean: list[float], deviation: list[float]) -> Posterior:
    return Posterior(np.array(mean), np.array(deviation) ** 2)


class AcquisitionContract:
    @pytest.fixture
    def acquisition(self) -> Acquisition:
        raise NotImplementedError("supply an acquisition whose incumbent's loss, if it has one, is 0")

    def test_one_finite_utility_a_point_even_far_away_and_without_variance(self, acquisition: Acquisition) -> None:
        utility = acquisition.utility(posterior([0.0, 1.0, 60.0, -60.0, 1e6], [1.0, 0.0, 1.0, 1e-3, 1.0]))
        assert utility.shape == (5,) and np.isfinite(utility).all()

    def test_a_smaller_mean_is_better(self, acquisition: Acquisition) -> None:
        utility = acquisition.utility(posterior([80.0, 50.0, 5.0, 1.0, 0.0, -1.0, -70.0], [1.0] * 7))
        assert (np.diff(utility) > 0).all()

    def test_more_variance_is_better_at_equal_mean(self, acquisition: Acquisition) -> None:
        for mean in (-0.5, 0.0, 0.5, 40.0):
            utility = acquisition.utility(posterior([mean] * 4, [0.1, 0.5, 1.0, 3.0]))
            assert (np.diff(utility) > 0).all()
