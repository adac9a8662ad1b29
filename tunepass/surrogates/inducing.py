"""Rows in which every distance is Euclidean, and inducing inputs chosen among them.

    symbol    shape     meaning
    x         (n, e)    expanded rows: numeric features as they are, of a nominal one an indicator a value, / sqrt(2)
    z         (k, e)    inducing inputs, in the same coordinates
    group     (e,)      parameter of each coordinate
    w         (e,)      1 / l^2 of each coordinate's parameter
    r2        (k, n)    sum_c w_c (z_c - x_c)^2                                              (BaCO, Eq. 2)

Two indicators of different values have the squared distance 1, so r2 is that of kernels.py, and inducing inputs can be
moved along gradients whatever the parameters are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates.base import Floats
from tunepass.surrogates.kernels import Features, KernelName
from tunepass.surrogates.matrices import product


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """Mixed rows to Euclidean ones; values of nominal features that were absent from `x` have distance 1 to all."""

    features: Features
    values: tuple[Floats, ...]  # of each nominal feature, sorted
    group: NDArray[np.int64]

    @staticmethod
    def of(x: Floats, features: Features) -> Expansion:
        nominal = features.nominal.astype(bool)
        values = tuple(np.unique(x[:, c]) for c in np.flatnonzero(nominal))
        groups = [features.group[~nominal].astype(np.int64)]
        groups += [np.full(len(v) + 1, features.group[c]) for c, v in zip(np.flatnonzero(nominal), values)]
        return Expansion(features, values, np.concatenate(groups))

    def rows(self, x: Floats) -> Floats:
        """Expanded rows (n, e) of mixed rows (n, f)."""
        nominal = self.features.nominal.astype(bool)
        parts = [x[:, ~nominal]]
        for c, values in zip(np.flatnonzero(nominal), self.values):
            equal = x[:, c, None] == values
            parts.append(np.column_stack([equal, ~equal.any(axis=1)]) * math.sqrt(0.5))
        return np.ascontiguousarray(np.column_stack(parts), dtype=np.float64)


def squared_distances(z: Floats, x: Floats, w: Floats) -> Floats:
    """r2 (k, n)."""
    scale = np.sqrt(w)
    z, x = z * scale, x * scale
    r2 = (z * z).sum(axis=1)[:, None] + (x * x).sum(axis=1) - 2.0 * product(z, x.T)
    return np.asarray(np.maximum(r2, 0.0))


def correlation(kernel: KernelName, r2: Floats) -> tuple[Floats, Floats]:
    """k / amplitude, and its derivative by r2, at squared distances."""
    if kernel == "se":
        value = np.exp(-0.5 * r2)
        return value, -0.5 * value
    if kernel == "matern32":
        s = np.sqrt(3.0 * r2)
        fall = np.exp(-s)
        return (1.0 + s) * fall, -1.5 * fall
    s = np.sqrt(5.0 * r2)
    fall = np.exp(-s)
    return (1.0 + s + 5.0 / 3.0 * r2) * fall, -5.0 / 6.0 * (1.0 + s) * fall


def spread_rows(x: Floats, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Indices of at most `count` distinct rows, each drawn in proportion to its squared distance to the nearest one
    before (k-means++, Arthur & Vassilvitskii 2007, §2.2)."""
    chosen = [int(rng.integers(len(x)))]
    nearest = ((x - x[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count and nearest.max() > 0:
        reach = np.cumsum(nearest)
        index = min(int(np.searchsorted(reach, rng.random() * reach[-1], side="right")), len(x) - 1)
        if nearest[index] == 0:
            index = int(np.argmax(nearest))
        chosen.append(index)
        nearest = np.minimum(nearest, ((x - x[index]) ** 2).sum(axis=1))
    return np.sort(np.array(chosen))
