"""Sparse Gaussian process (Havasi 2017, §3.2.1; Snelson & Ghahramani 2006): FITC with inducing inputs that are trained.

symbol      meaning
y           losses shifted and scaled to mean 0 and deviation 1
theta       log lengthscales, log amplitude, log noise, as of the full process, with the same priors
z           inducing inputs (k, e): rows that k-means++ draws, then moved along the gradient of log Z + log p(theta)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates import kernels
from tunepass.surrogates.base import Floats, Posterior, Surrogate
from tunepass.surrogates.fitc import Conditioned, Fitc
from tunepass.surrogates.forest import checked
from tunepass.surrogates.hyperpriors import FLAT, Gamma, Hyperpriors, Lengthscales, draw_starts, lengthscale_priors
from tunepass.surrogates.inducing import Expansion, spread_rows
from tunepass.surrogates.lbfgs import minimise
from tunepass.surrogates.matrices import NotPositiveError
from tunepass.surrogates.pairs import standardised

BOUND = 12.0  # of every parameter's absolute value
WORST = 1e10  # -log p where a covariance is not positive definite


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseSettings:
    """Settings of a sparse Gaussian process; rows are expected with numeric features in [0, 1].

    Args:
        kernel: the covariance function.
        inducing_share: inducing inputs a row; the paper has 0.1.
        fewest_inducing: their number, at least, where there are as many distinct rows.
        most_inducing: their number, at most.
        training: `map`, with the priors, or `ml`, without.
        power: power EP's alpha; 1: FITC, 0: the variational bound.
        move_inducing: whether inducing inputs are trained; else they stay rows of the data.
        lengthscale: its prior; None: none.
        amplitude: the prior of the variance.
        noise: the prior of the noise's variance.
        draws: starts of the fit that are evaluated.
        starts: starts of the fit that are climbed.
        iterations: of a climb, at most, and once more with the inducing inputs.
        training_rows: rows that hyperparameters and inducing inputs are trained on, at most; predictions use all.
        seed: of every random choice.

    Raises:
        ValueError: a share outside (0, 1], a power outside [0, 1], or numbers of inducing inputs or rows below 1.

    Example:
        >>> tp.SparseSettings(kernel="se", training="ml").most_inducing
        100
    """

    kernel: kernels.KernelName = "matern52"
    inducing_share: float = 0.1
    fewest_inducing: int = 20
    most_inducing: int = 100
    training: Literal["map", "ml"] = "map"
    power: float = 1.0
    move_inducing: bool = True
    lengthscale: Lengthscales | None = field(default_factory=lambda: Gamma(2.0, 1.0))
    amplitude: Gamma = field(default_factory=lambda: Gamma(2.0, 0.2))
    noise: Gamma = field(default_factory=lambda: Gamma(1.1, 20.0))
    draws: int = 12
    starts: int = 2
    iterations: int = 25
    training_rows: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.inducing_share <= 1 or not 0 <= self.power <= 1:
            raise ValueError(f"0 < inducing_share <= 1 and 0 <= power <= 1 must hold, got {self}")
        if not 1 <= self.fewest_inducing <= self.most_inducing or min(self.training_rows, self.draws, self.starts) < 1:
            raise ValueError(
                f"1 <= fewest_inducing <= most_inducing and training_rows, draws, starts >= 1 must hold, got {self}"
            )
        if self.training not in ("map", "ml"):
            raise ValueError(f"training is map or ml, got {self.training!r}")

    def inducing(self, rows: int) -> int:
        """How many inducing inputs `rows` rows have, if all are distinct."""
        return min(rows, max(self.fewest_inducing, min(self.most_inducing, round(self.inducing_share * rows))))


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """Hyperparameters and inducing inputs, in the coordinates of their expansion."""

    theta: Floats
    z: Floats
    expansion: Expansion


class SparseProcess(Surrogate):
    """A Gaussian process seen through k inducing inputs: k^2 n for n rows instead of n^3.

    Args:
        features: the kinds of the columns of its rows; None: each is a number of its own.
        settings: None: the usual ones.

    Example:
        >>> process = tp.SparseProcess()
        >>> process.fit(np.array([[0.0], [0.5], [1.0]]), np.array([1.0, 0.0, 1.0]))
        >>> process.posterior(np.array([[0.5]])).mean.shape
        (1,)
    """

    def __init__(self, features: kernels.Features | None = None, settings: SparseSettings | None = None):
        self._features, self.settings = features, settings or SparseSettings()
        self._trained: Trained | None = None
        self._process: Conditioned
        self._shift, self._scale = 0.0, 1.0

    def fit(self, x: Floats, loss: Floats, noise: Floats | None = None) -> None:
        """Train on the rows, then condition on them; `noise` (n,) is the variance known of each loss's error."""
        self.condition(x, loss, self.train(x, loss, noise), noise)

    def train(
        self, x: Floats, loss: Floats, noise: Floats | None = None, rows: NDArray[np.int64] | None = None
    ) -> Trained:
        """Hyperparameters and inducing inputs by the likelihood of `rows` (indices); None: drawn ones."""
        x, loss = checked(x, loss)
        s, n = self.settings, len(x)
        features = self._features or kernels.Features.plain(x.shape[1])
        expansion, rng = Expansion.of(x, features), np.random.default_rng([s.seed, n])
        if rows is None:
            rows = np.arange(n) if n <= s.training_rows else np.sort(rng.permutation(n)[: s.training_rows])
        expanded, scale = expansion.rows(x), deviation(loss)
        z = expanded[spread_rows(expanded, s.inducing(n), rng)]
        stated = np.zeros(n) if noise is None else noise / scale**2
        fitc = Fitc(expanded[rows], expansion.group, standardised(loss)[rows], s.kernel, stated[rows], s.power)
        return Trained(*self._climb(fitc, features.parameters, z, rng), expansion)

    def condition(self, x: Floats, loss: Floats, trained: Trained, noise: Floats | None = None) -> None:
        """Condition on rows with hyperparameters and inducing inputs given."""
        x, loss = checked(x, loss)
        self._shift, self._scale = float(loss.mean()), deviation(loss)
        stated = np.zeros(len(x)) if noise is None else noise / self._scale**2
        expansion, s = trained.expansion, self.settings
        fitc = Fitc(expansion.rows(x), expansion.group, standardised(loss), s.kernel, stated, s.power)
        self._process, self._trained = fitc.condition(trained.theta, trained.z), trained

    def posterior(self, x: Floats) -> Posterior:
        rows = self.trained.expansion.rows(np.asarray(x, dtype=np.float64))
        return self._scaled(self._process.posterior(rows))

    def leave_one_out(self) -> Posterior:
        """Predictive mean and variance of each conditioning row given the others, noise included."""
        assert self.trained
        return self._scaled(self._process.left_out)

    @property
    def noise(self) -> float:
        """The variance of a loss's error that was learned."""
        return float(self._scale**2 * np.exp(self.trained.theta[-1]))

    @property
    def trained(self) -> Trained:
        """The trained hyperparameters and inducing inputs. ValueError before the first fit."""
        if self._trained is None:
            raise ValueError("fit before asking for a posterior")
        return self._trained

    def _scaled(self, standardised: Posterior) -> Posterior:
        return Posterior(self._shift + self._scale * standardised.mean, self._scale**2 * standardised.variance)

    def _climb(self, fitc: Fitc, p: int, z: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The best climb from a few starts with `z` where it is, then all together."""
        s = self.settings
        objective = SparseObjective(fitc, s, p)
        starts = objective.starts(rng)
        fixed = [objective.value(start, z) for start in starts]
        climbed = [
            minimise(lambda theta: objective.at(theta, z), starts[i], bound=BOUND, iterations=s.iterations)
            for i in np.argsort(fixed, kind="stable")[: s.starts]
        ]
        theta, _ = min(climbed, key=lambda pair: pair[1])
        if not s.move_inducing or len(z) >= len(np.unique(fitc.x, axis=0)):  # of the full process nothing can be better
            return theta, z
        joint = np.concatenate([theta, z.ravel()])
        moved, _ = minimise(lambda both: objective.joint(both, z.shape), joint, bound=BOUND, iterations=s.iterations)
        return moved[: len(theta)], moved[len(theta) :].reshape(z.shape)


class SparseObjective:
    """-log Z - log p(theta), with its gradient: the minimum is the MAP estimate, without priors the ML one."""

    def __init__(self, fitc: Fitc, settings: SparseSettings, p: int):
        self.fitc, self.settings, self.p = fitc, settings, p
        maximum_likelihood = settings.training == "ml"
        self._lengthscales = lengthscale_priors(settings.lengthscale, p)
        priors = [*self._lengthscales, settings.amplitude, settings.noise]
        self._priors = Hyperpriors([FLAT] * (p + 2) if maximum_likelihood else priors)

    def value(self, theta: Floats, z: Floats) -> float:
        return self._evaluated(theta, z)[0]

    def at(self, theta: Floats, z: Floats) -> tuple[float, Floats]:
        """By theta (p + 2,), with `z` given."""
        value, by_theta, _ = self._evaluated(theta, z)
        return value, by_theta

    def joint(self, both: Floats, shape: tuple[int, ...]) -> tuple[float, Floats]:
        """By theta and z, one behind the other."""
        theta, z = both[: self.p + 2], both[self.p + 2 :].reshape(shape)
        value, by_theta, by_z = self._evaluated(theta, z)
        return value, np.concatenate([by_theta, by_z.ravel()])

    def starts(self, rng: np.random.Generator) -> Floats:
        """The priors' middle and draws around it, (draws, p + 2)."""
        starts = np.zeros((self.settings.draws, self.p + 2))
        starts[:, : self.p] = draw_starts(self._lengthscales, len(starts), rng)
        starts[:, -1] = np.log(rng.choice([1e-3, 1e-2, 1e-1], len(starts)))
        starts[0, -1] = np.log(1e-2)
        return starts

    def _evaluated(self, theta: Floats, z: Floats) -> tuple[float, Floats, Floats]:
        try:
            value, by_theta, by_z = self.fitc(theta, z)
        except NotPositiveError:
            return WORST, np.zeros_like(theta), np.zeros_like(z)
        prior, slope = self._priors(theta)
        return -(value + prior), -(by_theta + slope), -by_z


def deviation(loss: Floats) -> float:
    """The standard deviation of losses; 1 where they are the same up to rounding."""
    spread = float(loss.std())
    return spread if spread > 1e-12 * max(1.0, abs(float(loss.mean()))) else 1.0
