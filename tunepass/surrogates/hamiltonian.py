"""Hamiltonian Monte Carlo from a mode (Neal 2011, Fig. 2): draws of a dozen hyperparameters, for their uncertainty.

The step adapts during the whole short chain, so it is an approximation that widens a mode, not an exact sampler.
"""

from __future__ import annotations

import math

import numpy as np

from tunepass.surrogates.base import Floats
from tunepass.surrogates.lbfgs import Objective, within

LEAPS = 5  # gradient evaluations a proposal
FIRST_STEP = 0.15


def draws(
    objective: Objective, mode: Floats, rng: np.random.Generator, *, count: int, thin: int, bound: float
) -> list[Floats]:
    """`count` states of a chain from `mode` under exp(-objective), every `thin`-th, in the box |x_i| <= bound."""
    x, step, states = mode, FIRST_STEP, []
    value, gradient = objective(x)
    for proposal in range(count * thin):
        momentum = rng.normal(size=len(x))
        before = value + 0.5 * float(np.add.reduce(momentum * momentum))
        position, slope, new = x, gradient, value
        for _ in range(LEAPS):
            momentum = momentum - 0.5 * step * slope
            position = within(position + step * momentum, bound)
            new, slope = objective(position)
            momentum = momentum - 0.5 * step * slope
        accepted = math.log(rng.random() + 1e-300) < before - new - 0.5 * float(np.add.reduce(momentum * momentum))
        if accepted:
            x, value, gradient = position, new, slope
        step *= 1.15 if accepted else 0.75
        if (proposal + 1) % thin == 0:
            states.append(x)
    return states
