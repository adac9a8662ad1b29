"""The role of a surrogate: fit rows and losses, give a posterior. Arrays in, arrays out; no space, no study."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
