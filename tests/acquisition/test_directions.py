from __future__ import annotations

import numpy as np
import pytest

from tunepass.acquisition.directions import even_directions, even_points


@pytest.mark.parametrize("k", [2, 4, 6])
def test_points_are_even(k: int) -> None:
    points = even_points(k, 1024, np.full(k, 0.3))
    corner = np.random.default_rng(k).uniform(0.4, 0.9, (20, k))
    shares = (points[None] < corner[:, None]).all(axis=2).mean(axis=1)
    assert np.array_equal(points[0], np.full(k, 0.3)) and ((points >= 0) & (points < 1)).all()
    np.testing.assert_allclose(shares, corner.prod(axis=1), atol=0.02)


def test_directions_are_even_and_the_same_every_time() -> None:
    directions = even_directions(5, 256)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0)
    np.testing.assert_allclose(directions.mean(axis=0), directions.mean(), rtol=0.05)
    assert (directions > 0).all() and np.array_equal(directions, even_directions(5, 256))
