"""The energy of a deep process by its definition in extended precision: who is right where two codes differ.

Matrices are inverted by a Cholesky factor in `numpy.longdouble` (64 bits of mantissa on x86); the formulas are those
of deep_layer.py and deep_energy.py, written once more without anything of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_layer import Layer

Extended = NDArray[np.longdouble]


def extended(values: Floats | float) -> Extended:
    return np.asarray(values, dtype=np.longdouble)


def inverse_and_log_determinant(matrix: Extended) -> tuple[Extended, np.longdouble]:
    """Of a positive definite matrix."""
    lower, n = np.zeros_like(matrix), len(matrix)
    for j in range(n):
        rest = matrix[j:, j] - lower[j:, :j] @ lower[j, :j]
        lower[j:, j] = rest / np.sqrt(rest[0])
    inverse = np.eye(n, dtype=np.longdouble)
    for i in range(n):
        inverse[i] = (inverse[i] - lower[i, :i] @ inverse[:i]) / lower[i, i]
    return inverse.T @ inverse, 2 * np.log(np.diagonal(lower)).sum()


@dataclass(frozen=True, slots=True, eq=False)
class NodeAtCavity:
    mean_weights: Extended  # A
    spread: Extended  # Bd
    normalisers: np.longdouble  # what the node adds to the energy


def nodes(layer: Layer, k: Extended, rows: int, alpha: float) -> list[NodeAtCavity]:
    inverse, log_k = inverse_and_log_determinant(k)
    made = []
    for factor, shift in zip(layer.factor, layer.shift):
        root = np.triu(extended(factor), 1) + np.diag(np.exp(np.diagonal(extended(factor))))
        phis = []
        for share in (extended(1.0), (extended(rows) - extended(alpha)) / extended(rows)):
            covariance, log_precision = inverse_and_log_determinant(inverse + share * root.T @ root)
            h = share * extended(shift)
            phis.append((h @ covariance @ h - log_precision) / 2)
        mean, factors = covariance @ h, rows / extended(alpha)
        total = log_k / 2 + (factors - 1) * phis[0] - factors * phis[1]
        made.append(NodeAtCavity(inverse @ mean, inverse @ covariance @ inverse - inverse, np.longdouble(total)))
    return made


def energy(layers: Sequence[Layer], x: Floats, y: Floats, jitter: float, alpha: float = 1.0) -> float:
    """E of layers given rows x (n, q) and outputs y (n, d); the jitter is times the amplitude."""
    mean, variance, total = extended(x), 0 * extended(x), extended(0.0)
    for number, layer in enumerate(layers):
        z, squared = extended(layer.z), np.exp(2 * extended(layer.lengthscales))
        f, noise = np.exp(extended(layer.amplitude[0])), np.exp(extended(layer.noise))
        apart = z[:, None] - z
        k = f * np.exp(-(apart**2 / squared).sum(axis=-1) / 2)
        made = nodes(layer, k + extended(jitter) * f * np.eye(len(z)), len(x), alpha)
        total = total + sum(node.normalisers for node in made)
        one, two = squared + variance[:, None], squared + 2 * variance[:, None, None]
        psi1 = f * (np.sqrt(squared / one) * np.exp(-((mean[:, None] - z) ** 2) / (2 * one))).prod(axis=-1)
        middle = (z[:, None] + z) / 2
        exponent = apart**2 / (4 * squared) + (mean[:, None, None] - middle) ** 2 / two
        psi2 = f**2 * (np.sqrt(squared / two) * np.exp(-exponent)).prod(axis=-1)
        means = np.column_stack([psi1 @ node.mean_weights for node in made])
        variances = list[Extended]()
        for node, column in zip(made, means.T):
            spread = node.spread + (np.outer(node.mean_weights, node.mean_weights) if number else 0)
            variances.append(f + (psi2 * spread).sum(axis=(1, 2)) - (column**2 if number else 0))
        mean, variance = means, np.column_stack(variances) + (noise if number < len(layers) - 1 else 0)
    spread = variance + noise / extended(alpha)
    tau = 2 * extended(np.pi)
    log_z = -(np.log(tau * spread) + (extended(y) - mean) ** 2 / spread) / 2
    log_z = log_z + np.log(tau * noise / extended(alpha)) / 2 - extended(alpha) * np.log(tau * noise) / 2
    return float(total - log_z.sum() / extended(alpha))
