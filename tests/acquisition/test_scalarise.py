from __future__ import annotations

import numpy as np
import pytest

from tunepass.acquisition.scalarise import ChebyshevBound, Scale, augmented_chebyshev, draw_weights
from tunepass.testing.joint_acquisition import Build, JointAcquisitionContract


class TestChebyshevBound(JointAcquisitionContract):
    @pytest.fixture
    def build(self) -> Build:
        scale = Scale(np.zeros(2), np.ones(2))
        return lambda _: ChebyshevBound(scale, np.array([0.3, 0.7]))


def test_the_augmented_chebyshev_function() -> None:
    g = augmented_chebyshev(np.array([[0.2, 0.8], [1.0, 0.0]]), np.array([0.25, 0.75]), rho=0.1)
    np.testing.assert_allclose(g, [0.6 + 0.1 * 0.65, 0.25 + 0.1 * 0.25])


def test_weights_cover_the_simplex() -> None:
    weights = np.array([draw_weights(3, np.random.default_rng(s)) for s in range(500)])
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    np.testing.assert_allclose(weights.mean(axis=0), 1 / 3, atol=0.04)
    assert (weights >= 0).all()


def test_every_front_point_is_the_minimum_for_some_weights() -> None:
    """Also in a concave front, where a weighted sum finds the ends only."""
    t = np.linspace(0, np.pi / 2, 9)
    front = np.column_stack([np.sin(t), np.cos(t)])
    rng = np.random.default_rng(0)
    found = {int(np.argmin(augmented_chebyshev(front, draw_weights(2, rng)))) for _ in range(2000)}
    assert len(found) >= 7


def test_losses_scale_to_the_unit_box_and_constant_ones_to_zero() -> None:
    losses = np.array([[2.0, 7.0], [4.0, 7.0]])
    np.testing.assert_allclose(Scale.of(losses).apply(losses), [[0, 0], [1, 0]])
