"""A prior mean under a surrogate: the loss is an affine function of the prior mean, and what is left is learned.

    symbol   shape   meaning
    m        (n,)    prior mean at the measured rows, on the losses' (log) scale
    y        (n,)    losses
    a, b             y ~ a + b m + residual; on the log scale b = 1 is "proportional" and a is the ratio of the units
    s2               variance of m over the space
    kappa            pseudo-rows, as spread out as the space, that say b = b0
    rho              rank correlation of m and y
    w                weight of the residual model beside the plain one, which learns y itself
    c                value agreement of m and y, 0 to 1

    b = max(0, (S_my + kappa s2 b0) / (S_mm + kappa s2))

Few rows close to the prior's best say nothing about the scale, hence the pseudo-rows. A prior that ranks the measured
rows backwards is dropped (b = 0), not inverted. w is the posterior probability that the residual model is the better
one, by held-out likelihoods, times the rank agreement, which falls to 0 as rows gather and rho is not positive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.hyperpriors import Gamma


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualSettings:
    """`kappa`: see above. `warm_up_best` configurations that the prior ranks best and `warm_up_design` of the
    space-filling design are the warm-up; all of the design once the first trials refute the prior."""

    kappa: float = 3.0
    residual_probability: float = 0.9  # probability of the residual model before anything is measured
    likelihood_power: float = 0.5  # how many rows' worth of likelihood a row counts: held-out rows are not independent
    warm_up_best: int = 1
    warm_up_design: int = 0
    process_only_trials: int = 12  # measured trials before which `mixed` asks the process alone: a forest needs more
    agreeing_rows: float = 3.0  # pseudo-rows that the prior ranks right
    trusted_correlation: float = 0.5  # rank correlation from which on the rank agreement is 1
    misfit_penalty: float = 2.0  # how fast the value agreement c falls with the misfit of prior and trials
    influence: float = 10.0  # beta of the prior's ranks q: they weigh in as q^(-c beta / n)
    trusted_agreement: float = 0.5  # c above which no parameter is changed alone while trials are few, and the
    rough_lengthscale: Gamma = field(default_factory=lambda: Gamma(2.0, 5.0))  # residual has these hyperpriors
    rough_amplitude: Gamma = field(default_factory=lambda: Gamma(2.0, 1.0))


@dataclass(frozen=True, slots=True)
class AffineMap:
    """Loss = offset + scale * prior mean."""

    scale: float
    offset: float

    def apply(self, m: Floats) -> Floats:
        return np.asarray(self.offset + self.scale * m)


def fit_affine_map(m: Floats, y: Floats, s2: float, kappa: float, b0: float = 1.0) -> AffineMap:
    """The ridge estimate of b towards `b0`, and the a that goes through the means."""
    deviation, ridge = m - m.mean(), kappa * s2
    denominator = float((deviation * deviation).sum()) + ridge
    scale = b0
    if denominator > 0:
        scale = max(0.0, (float((deviation * (y - y.mean())).sum()) + ridge * b0) / denominator)
    return AffineMap(scale, float(y.mean() - scale * m.mean()))


def residual_weight(residual_score: float, plain_score: float, n: int, settings: ResidualSettings) -> float:
    """Probability in (0, 1) of the residual model, from both models' mean held-out log densities of n rows."""
    prior_odds = math.log(settings.residual_probability / (1 - settings.residual_probability))
    odds = prior_odds + settings.likelihood_power * n * (residual_score - plain_score)
    return 1 / (1 + math.exp(-min(max(odds, -50.0), 50.0)))


def rank_agreement(correlation: float, n: int, settings: ResidualSettings) -> float:
    """Factor in [0, 1] of the weight, from the rank correlation over n rows: 1 where it is trusted, falling to 0 as
    rows gather that the prior does not rank. Ranks show at once what likelihoods show once a model fits well."""
    shrunk = (n * correlation + settings.agreeing_rows) / (n + settings.agreeing_rows)
    return min(1.0, max(0.0, shrunk / settings.trusted_correlation))


def value_agreement(m: Floats, y: Floats, misfit_penalty: float) -> float:
    """c in [0, 1]: how far the rows differ by as much as the prior says they do (b = 1), not only in that order.

    c = 1 - misfit_penalty sqrt((n - 1) / (n - 2)) |(y - mean y) - (m - mean m)| / |m - mean m|, at least 0, and 0 of
    fewer than three rows: two agree by chance too easily. A prior that ranks the whole space well may still mislead
    among its own best configurations.
    """
    n, deviation = len(m), m - m.mean()
    spread = float(np.linalg.norm(deviation))
    if n < 3 or spread == 0:
        return 0.0
    misfit = math.sqrt((n - 1) / (n - 2)) * float(np.linalg.norm(y - y.mean() - deviation))
    return max(0.0, 1 - misfit_penalty * misfit / spread)


def two_part_mixture(share: float, first: Posterior, second: Posterior) -> Posterior:
    """Mean and variance of drawing from `first` with probability `share`, else from `second`."""
    mean = share * first.mean + (1 - share) * second.mean
    between = share * (1 - share) * (first.mean - second.mean) ** 2
    return Posterior(mean, share * first.variance + (1 - share) * second.variance + between)
