from __future__ import annotations

import numpy as np

from tunepass.surrogates.base import Floats
from tunepass.surrogates.hamiltonian import draws


def bowl(x: Floats) -> tuple[float, Floats]:
    """A normal distribution of deviations 1 and 0.5."""
    scale = np.array([1.0, 4.0])
    return 0.5 * float((scale * x * x).sum()), scale * x


def test_draws_have_the_spread_of_the_distribution() -> None:
    found = np.array(draws(bowl, np.zeros(2), np.random.default_rng(0), count=1500, thin=2, bound=12.0))
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=0.15)
    np.testing.assert_allclose(found.std(axis=0), [1.0, 0.5], rtol=0.2)


def test_draws_stay_in_the_box_and_repeat() -> None:
    first, again = (
        np.array(draws(bowl, np.zeros(2), np.random.default_rng(1), count=40, thin=1, bound=0.3)) for _ in range(2)
    )
    assert np.abs(first).max() <= 0.3
    np.testing.assert_array_equal(first, again)


def test_none_wanted_none_drawn() -> None:
    assert draws(bowl, np.zeros(2), np.random.default_rng(0), count=0, thin=4, bound=12.0) == []
