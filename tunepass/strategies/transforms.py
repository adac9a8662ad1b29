"""Output transforms, from losses to what a surrogate fits: logarithms, and several objectives as one (ParEGO).

symbol   meaning
y        a loss
z        what is fitted: s log(s y + c) where all y have the sign s = ±1 or are 0, else y
c        0, or where some magnitudes are tiny (0, rounding) the smallest of the others: tiny ones are log 2 below it
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tunepass.acquisition.scalarise import Scale, augmented_chebyshev, draw_weights
from tunepass.surrogates.base import Floats


@dataclass(frozen=True, slots=True)
class OutputScale:
    """z of y; with sign 0 it is y itself. Order is kept; what is beyond 0 is infinitely far."""

    sign: float = 0.0
    offset: float = 0.0

    def apply(self, loss: Floats) -> Floats:
        if not self.sign:
            return np.asarray(loss, np.float64)
        with np.errstate(divide="ignore"):
            return np.asarray(self.sign * np.log(np.maximum(self.sign * loss + self.offset, 0.0)))

    def invert(self, z: Floats) -> Floats:
        """y of z."""
        if not self.sign:
            return np.asarray(z, np.float64)
        return np.asarray(self.sign * (np.exp(np.minimum(self.sign * z, LARGEST_LOG)) - self.offset))


LARGEST_LOG = 700.0  # exp of it is finite
PLAIN = OutputScale()
TINY = 1e-6  # times the median magnitude


def log_scale_of(loss: Floats) -> OutputScale:
    """The log scale of losses (n,) that have one sign, some zeros among them or not; else the plain one.

    A maximised positive objective has negative losses: -log(-loss) grows with the loss.
    """
    sign = 1.0 if (loss >= 0).all() else -1.0 if (loss <= 0).all() else 0.0
    magnitudes = np.abs(loss)
    if not sign or not magnitudes.any():
        return PLAIN
    others = magnitudes[magnitudes >= TINY * typical_magnitude(loss)]
    return OutputScale(sign, float(others.min()) if len(others) < len(loss) else 0.0)


def typical_magnitude(loss: Floats) -> float:
    """The median of the magnitudes that are not 0."""
    magnitudes = np.abs(loss)
    return float(np.median(magnitudes[magnitudes > 0]))


def log_scale(losses: Floats) -> Floats:
    """Each objective (a column) on its log scale."""
    losses = np.asarray(losses, dtype=np.float64)
    return np.column_stack([log_scale_of(column).apply(column) for column in losses.T])


def log_slope(losses: Floats) -> Floats:
    """How much `log_scale` of each loss (n, k) changes for one unit of it."""
    signed = (losses > 0).all(axis=0) | (losses < 0).all(axis=0)
    return np.where(signed, 1 / np.where(losses == 0, 1.0, np.abs(losses)), 1.0)


def scalarised(losses: Floats, rng: np.random.Generator) -> Floats:
    """One loss (n,) from (n, k): itself when k = 1, else ParEGO's with random weights (Knowles 2006, Eq. 2)."""
    if losses.shape[1] == 1:
        return losses[:, 0]
    return augmented_chebyshev(Scale.of(losses).apply(losses), draw_weights(losses.shape[1], rng))
