"""Gaussian process over mixed rows (BaCO, §3.2): ARD lengthscales, their priors, multi-start L-BFGS.

symbol      meaning
y           losses shifted and scaled to mean 0 and deviation 1
theta       log lengthscales, log amplitude, log noise (kernels.py), with the priors of hyperpriors.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.surrogates import kernels
from tunepass.surrogates.base import Floats, Posterior, Surrogate
from tunepass.surrogates.forest import checked
from tunepass.surrogates.hamiltonian import Proposals
from tunepass.surrogates.hyperpriors import Gamma, Hyperpriors, Lengthscales, draw_starts, lengthscale_priors
from tunepass.surrogates.lbfgs import minimise

JITTER = 1e-8
BOUND = 12.0  # |theta| stays below: e^12 is beyond any useful scale of standardised data


@dataclass(frozen=True, slots=True, kw_only=True)
class GpSettings:
    """Settings of a Gaussian process; rows are expected with numeric features in [0, 1].

    Args:
        kernel: the covariance function.
        lengthscale: its prior; None: none.
        amplitude: the prior of the variance.
        noise: the prior of the noise's variance.
        draws: starts of the fit that are evaluated.
        starts: starts of the fit that are climbed.
        iterations: of a climb, at most.
        samples: draws of the hyperparameters that predictions are averaged over; 0: the most probable ones alone.
        thompson_rows: with fewer rows than these each suggestion uses the next one of the draws alone.
        thin: states of the Markov chain from one draw to the next.
        seed: of the draws.

    Example:
        >>> tp.BayesianSettings(surrogate="gp", gp=tp.GpSettings(kernel="matern52", samples=8)).gp.samples
        8
    """

    kernel: kernels.KernelName = "matern52"
    lengthscale: Lengthscales | None = field(default_factory=lambda: Gamma(2.0, 1.0))
    amplitude: Gamma = field(default_factory=lambda: Gamma(2.0, 0.2))
    noise: Gamma = field(default_factory=lambda: Gamma(1.1, 20.0))
    draws: int = 24
    starts: int = 2
    iterations: int = 50
    samples: int = 0
    thompson_rows: int = 0
    thin: int = 4
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A fitted process: hyperparameters, factor and K^-1 y."""

    theta: Floats
    log_posterior: float
    u: Floats
    alpha: Floats
    kernel: kernels.CovarianceKernel


class GaussianProcess(Surrogate):
    """A Gaussian process with a prior for each hyperparameter.

    Args:
        features: the kinds of the columns of its rows.
        settings: None: the usual ones.

    Example:
        >>> from tunepass.surrogates.kernels import Features
        >>> process = tp.GaussianProcess(Features.plain(1))
        >>> process.fit(np.array([[0.0], [0.5], [1.0]]), np.array([1.0, 0.0, 1.0]))
        >>> process.posterior(np.array([[0.5]])).mean.shape
        (1,)
    """

    def __init__(self, features: kernels.Features, settings: GpSettings | None = None):
        self.features, self.settings = features, settings or GpSettings()
        self._x: Floats | None = None
        self._fit: Fit
        self._stated = np.zeros(0)  # what is known of the rows' noise (n,), in units of y
        self._exact = False  # no extra jitter: the factor can be extended

    def fit(self, x: Floats, loss: Floats, noise: Floats | None = None) -> None:
        x, loss = checked(x, loss)
        self._standardise(loss)
        theta, value = self._maximise(x, noise)
        self._condition(x, theta, value, noise)

    def refit(self, x: Floats, loss: Floats, theta: Floats, noise: Floats | None = None) -> None:
        """Condition on rows with hyperparameters given, `noise` (n,) being the variance known of each loss's error.
        Rows that extend those of the last call only append: n^2."""
        x, loss = checked(x, loss)
        self._standardise(loss)
        self._condition(x, np.asarray(theta, dtype=np.float64), float("nan"), noise)

    def draws(self, noise: Floats | None = None) -> list[Floats]:
        """`settings.samples` hyperparameters from their posterior given the fitted rows."""
        s, fit = self.settings, self.fitted
        assert self._x is not None
        posterior = self._log_posterior(self._x, noise)
        rng = np.random.default_rng([s.seed, len(self._y), 1])
        return posterior.chain(fit.theta, Proposals.drawn(rng, len(fit.theta), count=s.samples, thin=s.thin))

    def posterior(self, x: Floats) -> Posterior:
        fit, rows = self.fitted, self._x
        assert rows is not None
        standardised = kernels.posterior(rows, x, self.features, fit.kernel, fit.u, fit.alpha)
        return Posterior(self._shift + self._scale * standardised.mean, self._scale**2 * standardised.variance)

    def leave_one_out(self) -> Posterior:
        """Predictive mean and variance of each fitted row given the others (Rasmussen & Williams, Eq. 5.12)."""
        fit = self.fitted
        precision = kernels.inverse_diagonal(fit.u)
        mean = self._y - fit.alpha / precision
        return Posterior(self._shift + self._scale * mean, self._scale**2 / precision)

    @property
    def rows(self) -> Floats:
        """The rows that it is conditioned on (n, d)."""
        assert self._x is not None
        return self._x

    @property
    def fitted(self) -> Fit:
        """The fitted hyperparameters. ValueError before the first fit."""
        if self._x is None:
            raise ValueError("fit before asking for a posterior")
        return self._fit

    def _standardise(self, loss: Floats) -> None:
        self._shift, spread = float(loss.mean()), float(loss.std())
        self._scale = spread if spread > 1e-12 * max(1.0, abs(self._shift)) else 1.0
        self._y = (loss - self._shift) / self._scale

    def _known_noise(self, noise: Floats | None, rows: int) -> Floats:
        """Known noise (n,), in units of y."""
        return np.zeros(rows) if noise is None else np.asarray(noise / self._scale**2)

    def _condition(self, x: Floats, theta: Floats, value: float, noise: Floats | None = None) -> None:
        """The factor has the same bits whether rows were appended or came together."""
        n, jitter, stated = len(x), JITTER, self._known_noise(noise, len(x))
        known = self._known(x, theta, stated)
        kernel = kernels.CovarianceKernel.of(self.settings.kernel, theta)
        u = np.zeros((n, n))
        if known:
            u[:known, :known] = self._fit.u[:known, :known]
        while not self._factored(u, x, kernel, stated + jitter, known):
            known, jitter = 0, jitter * 10
        self._exact, self._stated = jitter == JITTER, stated
        self._x, self._fit = x, Fit(theta, value, u, kernels.solve(u, self._y), kernel)

    def _factored(self, u: Floats, x: Floats, kernel: kernels.CovarianceKernel, noise: Floats, known: int) -> bool:
        kernels.fill(u, x, self.features, kernel, kernel.noise + noise, known)
        return kernels.factor(u, known)

    def _known(self, x: Floats, theta: Floats, stated: Floats) -> int:
        """How many leading rows the present factor already covers: those both have, whatever follows them."""
        if self._x is None or not self._exact or not np.array_equal(theta, self._fit.theta):
            return 0
        n = min(len(self._x), len(x))
        same = (self._x[:n] == x[:n]).all(axis=1) & (self._stated[:n] == stated[:n])
        return n if same.all() else int(np.argmin(same))

    def _log_posterior(self, x: Floats, noise: Floats | None) -> LogPosterior:
        """Of rows `x`; it sees the mean of what is known of their noise."""
        known = float(self._known_noise(noise, len(self._y)).mean())
        return LogPosterior(
            kernels.Likelihood(x, self.features, self._y, self.settings.kernel, JITTER + known), self.settings
        )

    def _maximise(self, x: Floats, noise: Floats | None = None) -> tuple[Floats, float]:
        objective = self._log_posterior(x, noise)
        rng = np.random.default_rng([self.settings.seed, len(self._y)])
        starts = objective.starts(rng)
        scores = [objective(start)[0] for start in starts]
        best, best_value = starts[int(np.argmin(scores))], float(np.min(scores))
        for index in np.argsort(scores, kind="stable")[: self.settings.starts]:
            parameters, value = minimise(objective, starts[index], bound=BOUND, iterations=self.settings.iterations)
            if value < best_value:
                best, best_value = parameters, value
        return best, -best_value


def mixture(processes: Sequence[GaussianProcess]) -> kernels.Mixture:
    """An equal mixture of processes that are fitted to the same rows and losses."""
    first, fits = processes[0], [process.fitted for process in processes]
    conditioned = [(fit.kernel, fit.u, fit.alpha) for fit in fits]
    return kernels.Mixture(first.rows, first.features, conditioned, first._shift, first._scale)


class LogPosterior:
    """-log p(theta | y) up to a constant, with its gradient: what L-BFGS minimises."""

    def __init__(self, likelihood: kernels.Likelihood, settings: GpSettings):
        self.likelihood, self.settings = likelihood, settings
        self._lengthscales = lengthscale_priors(settings.lengthscale, likelihood.p)
        self._priors = Hyperpriors([*self._lengthscales, settings.amplitude, settings.noise]).table

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        return self.likelihood.minus_log_posterior(self._priors, theta)

    def chain(self, mode: Floats, proposals: Proposals) -> list[Floats]:
        """The states of a Hamiltonian chain from `mode`, as of `hamiltonian.draws`."""
        return list(self.likelihood.chain(self._priors, mode, proposals, BOUND))

    def starts(self, rng: np.random.Generator) -> Floats:
        """The prior's middle and draws around it, (draws, p + 2)."""
        p, n = self.likelihood.p, self.settings.draws
        starts = np.zeros((n, p + 2))
        starts[:, :p] = draw_starts(self._lengthscales, n, rng)
        starts[:, -1] = np.log(rng.choice([1e-3, 1e-2, 1e-1], n))
        starts[0, -1] = np.log(1e-2)
        return starts
