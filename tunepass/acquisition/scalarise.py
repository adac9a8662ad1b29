"""Several objectives as one, by random weights (ParEGO, Knowles 2006); losses, so smaller is better.

    symbol   shape    meaning
    lambda   (k,)     weights >= 0 that sum to 1, drawn anew for every suggestion
    f        (n, k)   losses scaled so that the seen ones lie in [0, 1]
    g        (n,)     max_j lambda_j f_j + rho sum_j lambda_j f_j        (ParEGO, Eq. 2)

ParEGO fits one surrogate to g of the measured losses and maximises its expected improvement. `ChebyshevBound` keeps a
surrogate an objective instead, and prices g of their optimistic losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.acquisition.base import JointAcquisition
from tunepass.surrogates.base import Floats, Posterior

RHO = 0.05


def draw_weights(k: int, rng: np.random.Generator) -> Floats:
    """lambda (k,), uniform on the simplex."""
    return np.asarray(rng.dirichlet(np.ones(k)))


def augmented_chebyshev(losses: Floats, weights: Floats, rho: float = RHO) -> Floats:
    """g (n,) of losses (n, k)."""
    weighted = losses * weights
    return np.asarray(weighted.max(axis=1) + rho * weighted.sum(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Losses to [0, 1] between the smallest and largest seen, objective by objective."""

    low: Floats
    spread: Floats

    @classmethod
    def of(cls, losses: Floats) -> Scale:
        low, spread = losses.min(axis=0), np.ptp(losses, axis=0)
        return cls(low, np.where(spread > 0, spread, 1.0))

    def apply(self, losses: Floats) -> Floats:
        finite = np.isfinite(self.low)
        with np.errstate(invalid="ignore"):  # what is infinitely far from the others stays so
            return np.where(finite, (losses - self.low) / self.spread, np.where(losses == self.low, 0.0, np.inf))


@dataclass(frozen=True, slots=True, eq=False)
class ChebyshevBound(JointAcquisition):
    """-g(mu - kappa s), ParEGO's function of the optimistic losses: for any number of objectives.

    Args:
        scale: brings losses to [0, 1].
        weights: (k,), one an objective.
        kappa: deviations that the optimistic losses are below the mean.

    Example:
        >>> from tunepass.acquisition.scalarise import Scale
        >>> bound = tp.ChebyshevBound(Scale.of(np.array([[0.0, 0.0], [1.0, 2.0]])), np.array([0.5, 0.5]))
        >>> bound.utility([tp.Posterior(np.array([0.5]), np.array([0.1]))] * 2).shape
        (1,)
    """

    scale: Scale
    weights: Floats
    kappa: float = 1.0

    def utility(self, posteriors: Sequence[Posterior]) -> Floats:
        bound = np.column_stack([p.mean - self.kappa * p.deviation for p in posteriors])
        return -augmented_chebyshev(self.scale.apply(bound), self.weights)
