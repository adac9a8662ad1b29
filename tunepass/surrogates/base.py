"""The role of a surrogate: fit rows and losses, give a posterior. Arrays in, arrays out; no space, no study."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Posterior:
    """A surrogate's prediction of the latent loss at m points.

    Args:
        mean: (m,).
        variance: (m,), not negative.

    Example:
        >>> tp.Posterior(np.array([1.0, 2.0]), np.array([0.25, 4.0])).deviation.tolist()
        [0.5, 2.0]
    """

    mean: Floats
    variance: Floats

    @property
    def deviation(self) -> Floats:
        """The standard deviation (m,)."""
        return np.sqrt(self.variance)


class Surrogate(ABC):
    """A regression model of the loss over encoded rows. Arrays in, arrays out.

    Example:
        >>> class Average(tp.Surrogate):
        ...     def fit(self, x, loss):
        ...         self.mean, self.variance = loss.mean(), loss.var()
        ...     def posterior(self, x):
        ...         return tp.Posterior(np.full(len(x), self.mean), np.full(len(x), self.variance))
        >>> settings = tp.BayesianSettings(surrogate=Average)
        >>> len(tp.Study(space, [tp.Objective("time")], strategy=lambda task: tp.Bayesian(task, settings)).suggest())
        1
    """

    @abstractmethod
    def fit(self, x: Floats, loss: Floats) -> None:
        """Learn from rows `x` (n, d) and their losses (n,); raises ValueError on NaN or infinite input."""

    @abstractmethod
    def posterior(self, x: Floats) -> Posterior:
        """Posterior of the latent loss at `x` (m, d)."""


@dataclass(frozen=True, slots=True, eq=False)
class JointPosterior(Sequence[Posterior]):
    """A prediction of k latent losses at m points, and the sequence of the k marginal ones.

    Args:
        mean: (m, k).
        covariance: (m, k, k), of the losses at one point.

    Example:
        >>> both = tp.JointPosterior(np.array([[1.0, 2.0]]), np.array([[[1.0, 0.5], [0.5, 4.0]]]))
        >>> [float(marginal.deviation[0]) for marginal in both]
        [1.0, 2.0]
    """

    mean: Floats
    covariance: Floats

    def __len__(self) -> int:
        return int(self.mean.shape[1])

    def __getitem__(self, output: int) -> Posterior:  # type: ignore[override]
        return Posterior(self.mean[:, output], self.covariance[:, output, output])

    def at(self, rows: NDArray[np.int64]) -> JointPosterior:
        """The predictions at those points."""
        return JointPosterior(self.mean[rows], self.covariance[rows])

    def scaled(self, low: Floats, spread: Floats) -> JointPosterior:
        """The prediction of (losses - low) / spread, both (k,)."""
        return JointPosterior((self.mean - low) / spread, self.covariance / (spread[:, None] * spread))


class JointSurrogate(Surrogate):
    """A regression model of several losses at once, with what they have in common. As a `Surrogate` it has one loss.

    Example:
        >>> class Averages(tp.JointSurrogate):
        ...     def fit_joint(self, x, losses, observed=None):
        ...         self.mean, self.covariance = losses.mean(axis=0), np.atleast_2d(np.cov(losses.T))
        ...     def joint_posterior(self, x):
        ...         k = len(self.mean)
        ...         means = np.broadcast_to(self.mean, (len(x), k))
        ...         return tp.JointPosterior(means, np.broadcast_to(self.covariance, (len(x), k, k)))
        >>> tp.HypervolumeSettings(surrogate=Averages).surrogate.__name__
        'Averages'
    """

    @abstractmethod
    def fit_joint(self, x: Floats, losses: Floats, observed: Mask | None = None) -> None:
        """Learn from rows `x` (n, d) and losses (n, k), those that are `observed` (n, k); None: all are. ValueError for
        rows or observed losses that are not finite, and for a loss that no row has."""

    @abstractmethod
    def joint_posterior(self, x: Floats) -> JointPosterior:
        """Posterior of the latent losses at `x` (m, d)."""

    def fit(self, x: Floats, loss: Floats) -> None:
        self.fit_joint(x, np.asarray(loss, dtype=np.float64)[:, None])

    def posterior(self, x: Floats) -> Posterior:
        return self.joint_posterior(x)[0]
