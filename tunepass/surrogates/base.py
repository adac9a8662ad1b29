"""The role of a surrogate: fit rows and losses, give a posterior. Arrays in, arrays out; no space, no study."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Posterior:
    """Mean and variance of the latent loss at m points: two arrays of shape (m,), variance >= 0."""

    mean: Floats
    variance: Floats

    @property
    def deviation(self) -> Floats:
        return np.sqrt(self.variance)


class Surrogate(ABC):
    """A regression model of the loss over encoded rows."""

    @abstractmethod
    def fit(self, x: Floats, loss: Floats) -> None:
        """Learn from rows `x` (n, d) and their losses (n,); raises ValueError on NaN or infinite input."""

    @abstractmethod
    def posterior(self, x: Floats) -> Posterior:
        """Posterior of the latent loss at `x` (m, d)."""
