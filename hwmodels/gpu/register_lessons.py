"""Correction of register estimates by reports of some of the kernel's configurations.

    symbol    shape    meaning
    y         (n,)     log(reported / estimated)
    Z         (n, d)   parameters and the terms of the estimate, to mean 0 and deviation 1
    k(r)               Matern 5/2: (1 + s + s^2 / 3) exp(-s) with s = sqrt(5) r / l
    a         (n,)     (K + v I)^-1 (y - m), with K of the distances within Z and m the mean of y

    y(z) = m + sum_i a_i k(|z - z_i|)

Compilers repeat themselves: neighbouring configurations are off in the same way. The lengthscale l and the noise v are
those at which each report is predicted best by the others (its error is a_i / [(K + v I)^-1]_ii). Far from all reports
the estimate keeps one factor. As an expression, so that the model of time takes it in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import Columns, evaluate_within
from tunepass.hwmodels.gpu.register_fit import Floats

LENGTHS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # l that are tried
NOISES = (1e-3, 1e-2, 5e-2, 0.2, 1.0)  # v, of y to deviation 1
MOST = 64  # reports that an expression is made of
FLAT = 1e-9  # a feature that deviates less says nothing


@dataclass(frozen=True, slots=True)
class Lessons:
    """`points` (n, d) and `weights` (n,) by report; `means` and `deviations` by feature. `error` is the root mean
    square of y of reports that were left out."""

    features: tuple[Expr, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    points: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]
    constant: float
    length: float
    error: float

    def factor(self) -> Expr:
        """Factor of the estimate."""
        standardised = [
            alg.mul(1 / deviation, alg.sub(feature, mean))
            for feature, mean, deviation in zip(self.features, self.means, self.deviations)
        ]
        norm = alg.add(0.0, *(alg.mul(z, z) for z in standardised))
        pulls = [
            alg.mul(weight, _matern(_squared(norm, standardised, point), self.length))
            for weight, point in zip(self.weights, self.points)
        ]
        return alg.apply("exp", alg.add(self.constant, *pulls))


def learn(features: Sequence[Expr], columns: Columns, estimated: Floats, reported: Floats) -> Lessons:
    """From n reports, of the configurations in the columns."""
    chosen = np.unique(np.linspace(0, len(reported) - 1, min(MOST, len(reported))).astype(int))
    table = [(feature, _values(feature, columns, len(reported))[chosen]) for feature in features]
    informative = [(feature, row) for feature, row in table if np.isfinite(row).all() and row.std() > FLAT]
    y = np.log(np.maximum(1.0, reported[chosen]) / np.maximum(1.0, estimated[chosen]))
    points = (
        np.array([(row - row.mean()) / row.std() for _, row in informative]).reshape(len(informative), len(y)).T
    )  # (n, d)
    mean, deviation = float(y.mean()), max(float(y.std()), FLAT)
    distances = np.sqrt(np.maximum(0.0, ((points[:, None] - points[None]) ** 2).sum(axis=2)))  # (n, n)
    settings = list(product(LENGTHS, NOISES))
    left_out = [_left_out(distances, (y - mean) / deviation, *setting) for setting in settings]
    best = min(range(len(settings)), key=lambda i: float(left_out[i][1]))
    return Lessons(
        features=tuple(feature for feature, _ in informative),
        means=tuple(float(row.mean()) for _, row in informative),
        deviations=tuple(float(row.std()) for _, row in informative),
        points=tuple(tuple(map(float, point)) for point in points),
        weights=tuple(float(weight) for weight in deviation * left_out[best][0]),
        constant=mean,
        length=settings[best][0],
        error=deviation * left_out[best][1],
    )


def _left_out(distances: Floats, y: Floats, length: float, noise: float) -> tuple[Floats, float]:
    """Weights (n,), and the root mean square of the errors at each report by the others."""
    s = np.sqrt(5) * distances / length
    inverse = np.linalg.inv((1 + s + s * s / 3) * np.exp(-s) + noise * np.eye(len(y)))
    weights = inverse @ y
    return weights, float(np.sqrt(np.mean((weights / np.diag(inverse)) ** 2)))


def _squared(norm: Expr, z: Sequence[Expr], point: Sequence[float]) -> Expr:
    """|z - point|^2 by |z|^2, which all points share."""
    inner = [alg.mul(-2.0 * at, coordinate) for at, coordinate in zip(point, z)]
    return alg.maximum(0.0, alg.add(norm, float(sum(at * at for at in point)), *inner))


def _matern(squared: Expr, length: float) -> Expr:
    s = alg.apply("sqrt", alg.mul(5.0 / length**2, squared))
    return alg.mul(alg.add(1.0, s, alg.mul(1 / 3, s, s)), alg.apply("exp", alg.mul(-1.0, s)))


def _values(e: Expr, columns: Columns, n: int) -> Floats:
    values: Floats = np.asarray(evaluate_within(e, columns, n).values, np.float64)
    return np.broadcast_to(values, (n,))
