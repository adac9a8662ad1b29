"""Hamiltonian Monte Carlo from a mode (Neal 2011, Fig. 2): draws of a dozen hyperparameters, for their uncertainty.

The step adapts during the whole short chain, so it is an approximation that widens a mode, not an exact sampler.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tunepass.surrogates.base import Floats
from tunepass.surrogates.lbfgs import Objective, within

LEAPS = 5  # gradient evaluations a proposal
FIRST_STEP = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """The random numbers of a chain: `momenta` (n, d), and `chances` (n,) that are compared with the probability of
    being accepted. Every `thin`-th state is a draw."""

    momenta: Floats
    chances: Floats
    thin: int
    leaps: int = LEAPS
    step: float = FIRST_STEP

    @classmethod
    def drawn(cls, rng: np.random.Generator, dimensions: int, *, count: int, thin: int) -> Proposals:
        """Random numbers of `count` draws."""
        drawn = [(rng.normal(size=dimensions), rng.random()) for _ in range(count * thin)]
        momenta = np.array([momentum for momentum, _ in drawn]).reshape(-1, dimensions)
        return cls(momenta, np.array([chance for _, chance in drawn]), thin)


def draws(objective: Objective, mode: Floats, proposals: Proposals, bound: float) -> list[Floats]:
    """States of a chain from `mode` under exp(-objective), in the box |x_i| <= bound: the reference for the native
    chain of a Gaussian process, `kernels.Likelihood.chain`."""
    x, step, states = mode, proposals.step, []
    value, gradient = objective(x)
    for number, (momentum, chance) in enumerate(zip(proposals.momenta, proposals.chances), start=1):
        before = value + 0.5 * float(np.add.reduce(momentum * momentum))
        position, slope, new = x, gradient, value
        for _ in range(proposals.leaps):
            momentum = momentum - 0.5 * step * slope
            position = within(position + step * momentum, bound)
            new, slope = objective(position)
            momentum = momentum - 0.5 * step * slope
        accepted = math.log(chance + 1e-300) < before - new - 0.5 * float(np.add.reduce(momentum * momentum))
        if accepted:
            x, value, gradient = position, new, slope
        step *= 1.15 if accepted else 0.75
        if number % proposals.thin == 0:
            states.append(x)
    return states
