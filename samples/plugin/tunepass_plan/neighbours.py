"""A surrogate that averages the nearest rows."""

import numpy as np

import tunepass as tp
from tunepass.extension import Floats

NEIGHBOURS = 5
LEAST_DISTANCE = 1e-9  # squared: rows nearer than this count alike


class Neighbours(tp.Surrogate):
    """The mean of the nearest rows' losses, weighted by the inverse squared distance; its variance is that of those
    losses, and grows with the distance of the nearest row."""

    def __init__(self) -> None:
        self.x: Floats = np.zeros((0, 0))  # (n, d)
        self.loss: Floats = np.zeros(0)  # (n,)

    def fit(self, x: Floats, loss: Floats) -> None:
        if len(x) != len(loss) or not len(x):
            raise ValueError(f"rows and losses must match and be some, got {len(x)} rows and {len(loss)} losses")
        if not (np.isfinite(x).all() and np.isfinite(loss).all()):
            raise ValueError("rows and losses must be finite")
        self.x, self.loss = x, loss

    def posterior(self, x: Floats) -> tp.Posterior:
        if not len(self.x):
            raise ValueError("fit before asking for a posterior")
        squared = ((x[:, None, :] - self.x[None, :, :]) ** 2).sum(axis=2)  # (m, n)
        nearest = np.argsort(squared, axis=1, kind="stable")[:, :NEIGHBOURS]  # (m, k)
        distance, losses = np.take_along_axis(squared, nearest, axis=1), self.loss[nearest]
        weight = 1 / (distance + LEAST_DISTANCE)
        weight /= weight.sum(axis=1, keepdims=True)
        mean = (weight * losses).sum(axis=1)
        spread = (weight * (losses - mean[:, None]) ** 2).sum(axis=1)
        return tp.Posterior(mean, spread + self.loss.var() * distance[:, 0] / self.x.shape[1])
