"""Output transforms, from losses to what a surrogate fits: logarithms, and several objectives as one (ParEGO)."""

from __future__ import annotations

import numpy as np

from tunepass.acquisition.scalarise import Scale, augmented_chebyshev, draw_weights
from tunepass.surrogates.base import Floats


def log_scale(losses: Floats) -> Floats:
    """Each objective (a column) on the log scale if all its values have one sign and none is 0; order is kept.

    A maximised positive objective has negative losses: -log(-loss) grows with the loss.
    """
    scaled = np.array(losses, dtype=np.float64)
    for column in scaled.T:
        if (column > 0).all():
            column[:] = np.log(column)
        elif (column < 0).all():
            column[:] = -np.log(-column)
    return scaled


def log_slope(losses: Floats) -> Floats:
    """How much `log_scale` of each loss (n, k) changes for one unit of it."""
    signed = (losses > 0).all(axis=0) | (losses < 0).all(axis=0)
    return np.where(signed, 1 / np.where(losses == 0, 1.0, np.abs(losses)), 1.0)


def scalarised(losses: Floats, rng: np.random.Generator) -> Floats:
    """One loss (n,) from (n, k): itself when k = 1, else ParEGO's with random weights (Knowles 2006, Eq. 2)."""
    if losses.shape[1] == 1:
        return losses[:, 0]
    return augmented_chebyshev(Scale.of(losses).apply(losses), draw_weights(losses.shape[1], rng))
