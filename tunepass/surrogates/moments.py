"""Expectations of a squared exponential kernel over Gaussian inputs, in closed form, with their gradients.

    symbol    shape      meaning
    mu, s     (n, q)     mean and variance of each coordinate of n inputs, independent
    z         (m, q)     inducing inputs
    l         (q,)       lengthscales
    f         ()         amplitude, sigma_f^2
    psi1      (n, m)     E[k(x, z_a)]
    psi2      (n, c)     E[k(x, z_a) k(x, z_b)] of the c = m (m + 1) / 2 pairs a <= b

    psi1 = f prod_q (l^2 / (l^2 + s))^1/2 exp(-(mu - z)^2 / (2 (l^2 + s)))
    psi2 = f^2 prod_q (l^2 / (l^2 + 2 s))^1/2 exp(-(z_a - z_b)^2 / (4 l^2) - (mu - (z_a + z_b) / 2)^2 / (l^2 + 2 s))

(Girard et al. 2003; Titsias & Lawrence 2010, Appendix; what Havasi 2017, Eq. 3.12 takes the expectation of.) With s = 0
psi1 is the kernel itself. Squares are expanded, so that all sums over rows are products of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates.base import Floats
from tunepass.surrogates.matrices import product, times_vector


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The pairs a <= b of m inducing inputs: indices, and how often each stands in a symmetric matrix."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    count: Floats
    size: int

    @staticmethod
    def of(m: int) -> Pairs:
        first, second = np.triu_indices(m)
        return Pairs(first, second, np.where(first == second, 1.0, 2.0), m)

    def symmetric(self, values: Floats) -> Floats:
        """The matrix (m, m) with the values (c,) at both places of each pair."""
        matrix = np.empty((self.size, self.size))
        matrix[self.first, self.second] = values
        matrix[self.second, self.first] = values
        return matrix

    def of_matrix(self, matrix: Floats) -> Floats:
        """A symmetric matrix's values (c,), twice beside the diagonal: their sum is the matrix's."""
        return np.asarray(matrix[self.first, self.second] * self.count)


@dataclass(frozen=True, slots=True)
class KernelGradient:
    """By log l (q,), log f and z (m, q)."""

    lengthscales: Floats
    amplitude: float
    z: Floats


@dataclass(frozen=True, slots=True)
class InputGradient:
    """By mu (n, q) and s (n, q)."""

    mean: Floats
    variance: Floats


class FirstMoment:
    """psi1 at inputs, and its gradients."""

    def __init__(self, mean: Floats, variance: Floats, z: Floats, lengthscales: Floats, amplitude: float):
        self.mean, self.variance, self.z, self.squared = mean, variance, z, lengthscales**2
        self._e = 1.0 / (variance + self.squared)
        exponent = (mean * mean * self._e).sum(axis=1)[:, None]
        exponent = exponent - 2.0 * product(mean * self._e, z.T) + product(self._e, (z * z).T)
        scale = 0.5 * np.log(self.squared * self._e).sum(axis=1)
        self.value = amplitude * np.exp(scale[:, None] - 0.5 * np.maximum(exponent, 0.0))

    def gradient(self, by_value: Floats) -> tuple[KernelGradient, InputGradient]:
        """Given the derivative by psi1 (n, m)."""
        a, e, mean, z = by_value * self.value, self._e, self.mean, self.z
        total, linear = a.sum(axis=1)[:, None], product(a, z)
        squares = product(a, z * z) - 2.0 * mean * linear + mean * mean * total  # sum_m a (z - mu)^2
        by_mean = e * (linear - mean * total)
        by_variance = 0.5 * (squares * e * e - e * total)
        by_lengthscale = (self.squared * squares * e * e + self.variance * e * total).sum(axis=0)
        by_z = product(a.T, e * mean) - z * product(a.T, e)
        return KernelGradient(by_lengthscale, float(a.sum()), by_z), InputGradient(by_mean, by_variance)


class SecondMoment:
    """psi2 of all pairs of inducing inputs, and its gradients."""

    def __init__(self, mean: Floats, variance: Floats, z: Floats, lengthscales: Floats, amplitude: float, pairs: Pairs):
        self.mean, self.squared, self.pairs = mean, lengthscales**2, pairs
        self._middle, self._apart = 0.5 * (z[pairs.first] + z[pairs.second]), z[pairs.first] - z[pairs.second]
        self._r = 1.0 / (2.0 * variance + self.squared)
        exponent = (mean * mean * self._r).sum(axis=1)[:, None]
        exponent = exponent - 2.0 * product(mean * self._r, self._middle.T)
        exponent += product(self._r, (self._middle * self._middle).T)
        between = times_vector(self._apart * self._apart, 0.25 / self.squared)
        scale = 0.5 * np.log(self.squared * self._r).sum(axis=1)
        self.value = amplitude**2 * np.exp(scale[:, None] - np.maximum(exponent, 0.0) - between)

    def gradient(self, by_value: Floats) -> tuple[KernelGradient, InputGradient]:
        """Given the derivative by psi2 (n, c), each pair counted once."""
        b, r, mean, middle = by_value * self.value, self._r, self.mean, self._middle
        total, linear = b.sum(axis=1)[:, None], product(b, middle)
        squares = product(b, middle * middle) - 2.0 * mean * linear + mean * mean * total  # sum_c b w^2
        by_mean = -2.0 * r * (mean * total - linear)
        by_variance = 2.0 * squares * r * r - r * total
        by_pair, apart = b.sum(axis=0)[:, None], self._apart
        between = (by_pair * apart * apart).sum(axis=0) / (2.0 * self.squared)
        by_lengthscale = total.sum() + between + (self.squared * (2.0 * squares * r * r - r * total)).sum(axis=0)
        pull = product(b.T, r * mean) - middle * product(b.T, r)  # sum_n b w r (c, q)
        push = by_pair * apart / (2.0 * self.squared)
        by_z = np.zeros((self.pairs.size, mean.shape[1]))
        np.add.at(by_z, self.pairs.first, pull - push)
        np.add.at(by_z, self.pairs.second, pull + push)
        return KernelGradient(by_lengthscale, 2.0 * float(b.sum()), by_z), InputGradient(by_mean, by_variance)
