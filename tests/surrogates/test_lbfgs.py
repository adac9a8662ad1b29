from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from tunepass.surrogates.base import Floats
from tunepass.surrogates.lbfgs import minimise


def rosenbrock(x: Floats) -> tuple[float, Floats]:
    return float(rosen(x)), np.asarray(rosen_der(x))


def test_finds_rosenbrocks_minimum() -> None:
    x, value = minimise(rosenbrock, np.array([-1.2, 1.0, 0.5]), bound=5.0, iterations=500, tolerance=1e-8)
    np.testing.assert_allclose(x, 1.0, atol=1e-3)
    assert value < 1e-6


def test_stays_in_the_box() -> None:
    x, value = minimise(lambda x: (float(-x.sum()), -np.ones_like(x)), np.zeros(3), bound=2.0)
    np.testing.assert_array_equal(x, 2.0)
    assert value == pytest.approx(-6.0)


def test_never_ends_above_its_start() -> None:
    for seed in range(10):
        start = np.random.default_rng(seed).normal(size=4)
        assert minimise(rosenbrock, start, bound=3.0, iterations=3)[1] <= rosenbrock(np.clip(start, -3, 3))[0]
