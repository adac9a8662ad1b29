"""From losses to what a surrogate fits: the log of positive objectives, several objectives as one (ParEGO)."""

from __future__ import annotations

import numpy as np

from tunepass.surrogates.base import Floats

RHO = 0.05  # ParEGO (Knowles 2006, Eq. 2): weight of the linear part of the augmented Chebyshev function


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


def scalarised(losses: Floats, rng: np.random.Generator) -> Floats:
    """One loss (n,) from (n, k): itself when k = 1, else ParEGO's with a random weight vector."""
    if losses.shape[1] == 1:
        return losses[:, 0]
    low, high = losses.min(axis=0), losses.max(axis=0)
    unit = (losses - low) / np.where(high > low, high - low, 1.0)
    weighted = unit * rng.dirichlet(np.ones(losses.shape[1]))
    return np.asarray(weighted.max(axis=1) + RHO * weighted.sum(axis=1))
