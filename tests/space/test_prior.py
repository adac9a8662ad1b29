"""Priors as probabilities: they sum to one, keep their shape, and refuse nonsense."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.space.prior import SHAPES, beta_prior, position_weights, probabilities, value_masses


@pytest.mark.parametrize("shape", SHAPES)
def test_masses_sum_to_one_and_keep_the_shape(shape: str) -> None:
    mass = value_masses(SHAPES[shape], np.linspace(0, 1, 9))
    assert mass.sum() == pytest.approx(1)
    assert {"uniform": np.ptp(mass) < 1e-12, "gaussian": mass.argmax() == 4, "decay": mass.argmax() == 0,
            "exponential": mass.argmax() == 8}[shape]  # fmt: skip


def test_between_is_the_inverse_of_mass() -> None:
    beta, lo, hi = SHAPES["decay"], np.array([0.1, 0.5]), np.array([0.4, 1.0])
    at = beta.between(lo, hi, np.array([0.25, 0.5]))
    assert beta.mass(lo, at) / beta.mass(lo, hi) == pytest.approx([0.25, 0.5])


def test_weights_are_normalised_and_checked() -> None:
    assert probabilities("c", [1, 3], 2) == (0.25, 0.75) and probabilities("c", "uniform", 2) is None
    assert position_weights("p", [[1, 1], [0, 2]], 2) == ((0.5, 0.5), (0.0, 1.0))
    for wrong in ([0.0, 0.0], [float("nan"), 1.0], [1.0]):
        with pytest.raises(SpaceError):
            probabilities("c", wrong, 2)
    with pytest.raises(SpaceError, match="did you mean 'decay'"):
        beta_prior("r", "decai")
