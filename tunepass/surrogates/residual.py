"""A prior mean under a surrogate: the loss is an affine function of the prior mean, and what is left is learned.

    symbol   shape   meaning
    m        (n,)    prior mean at the measured rows, on the losses' (log) scale
    y        (n,)    losses
    a, b             y ~ a + b m + residual; on the log scale b = 1 is "proportional" and a is the ratio of the units
    s2               variance of m over the space
    kappa            pseudo-rows, as spread out as the space, that say b = b0

b = (S_my + kappa s2 b0) / (S_mm + kappa s2), at least 0: few rows close to the prior's best say nothing about the
scale, and a prior that ranks the measured rows backwards is dropped, not inverted. The residual model competes with a
plain one by held-out likelihood: its weight is the posterior probability that it is the better one, times what the rank
correlation of m and y leaves of it: nothing, as rows gather and it is not positive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.gp import Gamma


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualSettings:
    kappa: float = 3.0
    belief: float = 0.9  # probability of the residual model before anything is measured
    evidence: float = 0.5  # how many rows' worth of likelihood a row counts: held-out rows are not independent
    best: int = 1  # of the prior's best configurations in the warm-up
    design: int = 0  # ... and of the space-filling design; all of it once the first trials refute the prior
    process: int = 12  # measured trials before which `mixed` asks the process alone: of a few, a forest learns steps
    agreeing: float = 5.0  # pseudo-rows that the prior ranks right
    convincing: float = 0.5  # rank correlation from which on the ranks take nothing from the weight
    doubt: float = 2.0  # how fast the conviction c falls with the misfit of prior and trials
    influence: float = 10.0  # beta of the prior's ranks q: they weigh in as q^(-c beta / n)
    convinced: float = 0.5  # c from which on few trials are not probed around, and the residual is expected rough:
    lengthscale: Gamma = field(default_factory=lambda: Gamma(2.0, 5.0))  # where devices agree, no trend is left
    amplitude: Gamma = field(default_factory=lambda: Gamma(2.0, 1.0))


@dataclass(frozen=True, slots=True)
class AffineMap:
    """Loss = offset + scale * prior mean."""

    scale: float
    offset: float

    def apply(self, m: Floats) -> Floats:
        return np.asarray(self.offset + self.scale * m)


def fit_map(m: Floats, y: Floats, s2: float, kappa: float, b0: float = 1.0) -> AffineMap:
    """The ridge estimate of b towards `b0`, and the a that goes through the means."""
    gap, shrink = m - m.mean(), kappa * s2
    down = float((gap * gap).sum()) + shrink
    scale = max(0.0, (float((gap * (y - y.mean())).sum()) + shrink * b0) / down) if down > 0 else b0
    return AffineMap(scale, float(y.mean() - scale * m.mean()))


def weight(residual: float, plain: float, n: int, settings: ResidualSettings) -> float:
    """Probability in (0, 1) of the residual model, from both models' mean held-out log densities of n rows."""
    odds = math.log(settings.belief / (1 - settings.belief)) + settings.evidence * n * (residual - plain)
    return 1 / (1 + math.exp(-min(max(odds, -50.0), 50.0)))


def agreement(correlation: float, n: int, settings: ResidualSettings) -> float:
    """Share of the weight that the ranks leave, from the rank correlation over n rows: 1 where it convinces, towards
    nothing as rows gather that the prior does not rank. Ranks see at once what likelihoods need a good fit for."""
    shrunk = (n * correlation + settings.agreeing) / (n + settings.agreeing)
    return min(1.0, max(0.0, shrunk / settings.convincing))


def conviction(m: Floats, y: Floats, doubt: float) -> float:
    """c in [0, 1]: how literally the prior can be taken, from how far rows are from differing by what it says (b = 1).

    c = 1 - doubt sqrt((n - 1) / (n - 2)) |(y - mean y) - (m - mean m)| / |m - mean m|, at least 0, and 0 of fewer than
    three rows: two agree by chance too easily. A prior that ranks well may yet be no guide among its own best.
    """
    n, gap = len(m), m - m.mean()
    spread = float(np.linalg.norm(gap))
    if n < 3 or spread == 0:
        return 0.0
    misfit = math.sqrt((n - 1) / (n - 2)) * float(np.linalg.norm(y - y.mean() - gap))
    return max(0.0, 1 - doubt * misfit / spread)


def mixture(share: float, one: Posterior, other: Posterior) -> Posterior:
    """Mean and variance of drawing from `one` with probability `share`, else from `other`."""
    mean = share * one.mean + (1 - share) * other.mean
    apart = share * (1 - share) * (one.mean - other.mean) ** 2
    return Posterior(mean, share * one.variance + (1 - share) * other.variance + apart)
