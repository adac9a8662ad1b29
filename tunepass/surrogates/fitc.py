"""The fully independent training conditional of a Gaussian process (FITC), and power EP's whole family around it.

    symbol    shape    meaning
    n, k               rows, inducing inputs z
    Q         (n, n)   Kfu Kuu^-1 Kuf, of rank k
    r         (n,)     diag(Kff - Q), not negative
    sigma2    (n,)     noise of each loss
    G         (n,)     alpha r + sigma2
    S                  Q + diag(G)
    V         (k, n)   L^-1 Kuf, Kuu = L L^T
    A         (k, k)   I + V G^-1 V^T
    P         (k, n)   Kuu^-1 Kuf
    W                  S^-1 y y^T S^-1 - S^-1

    log Z = log N(y; 0, S) - (1 - alpha) / (2 alpha) sum log(1 + alpha r / sigma2)

is power EP's energy at its fixed point for regression (Bui, Yan & Turner 2017, "A unifying framework for Gaussian
process pseudo-point approximations using power expectation propagation", §3). alpha = 1 is FITC (Snelson & Ghahramani
2006, Eq. 9; Havasi 2017, Eq. 3.2), alpha = 0 the variational bound (Titsias 2009, Eq. 9).

Gradients by c = alpha diag(W) / 2 - (1 - alpha) / (2 G), the derivative by r:

    d log Z / d Kuf = P W - 2 P diag(c)      d log Z / d Kuu = -1/2 (d log Z / d Kuf) P^T

and P S^-1 = B^-1 Kuf G^-1 with B = L A L^T. Every product costs k^2 n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.inducing import correlation, squared_distances
from tunepass.surrogates.kernels import KernelName
from tunepass.surrogates.matrices import inverse_factor, product, times_vector

JITTER = 1e-8  # of Kuu's diagonal, times the amplitude, and of the noise
HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


@dataclass(frozen=True, slots=True, eq=False)
class InducedKernel:
    """Covariances with the inducing inputs `z` (k, e); theta = log lengthscales (p,), log amplitude, log noise."""

    name: KernelName
    group: NDArray[np.int64]
    theta: Floats
    z: Floats

    @property
    def amplitude(self) -> float:
        return math.exp(self.theta[-2])

    @property
    def noise(self) -> float:
        """The variance that is learned, with the jitter."""
        return math.exp(self.theta[-1]) + JITTER

    @property
    def weights(self) -> Floats:
        """1 / l^2 of each coordinate (e,)."""
        return np.asarray(np.exp(-2.0 * self.theta[:-2])[self.group])

    def cross(self, x: Floats) -> tuple[Floats, Floats]:
        """Kuf (k, n) at expanded rows, and its derivative by r2."""
        value, slope = correlation(self.name, squared_distances(self.z, x, self.weights))
        return self.amplitude * value, self.amplitude * slope

    def among(self) -> tuple[Floats, Floats]:
        """Kuu (k, k) with jitter, and its derivative by r2."""
        r2 = squared_distances(self.z, self.z, self.weights)
        r2 = 0.5 * (r2 + r2.T)
        np.fill_diagonal(r2, 0.0)
        value, slope = correlation(self.name, r2)
        return self.amplitude * (value + JITTER * np.eye(len(r2))), self.amplitude * slope

    def gradient(self, x: Floats, cross: Floats, among: Floats) -> tuple[Floats, Floats]:
        """By the log lengthscales (p,) and by z (k, e), given the derivatives by r2 of `cross` (k, n) and `among`
        (k, k)."""
        w, z, both = self.weights, self.z, among + among.T
        rows, inner = cross.sum(axis=1), both.sum(axis=1)
        toward_x, toward_z = product(cross, x), product(both, z)
        by_z = 2.0 * w * ((rows + inner)[:, None] * z - toward_x - toward_z)
        squares = (rows[:, None] * z * z - 2.0 * z * toward_x).sum(axis=0) + (cross.sum(axis=0)[:, None] * x * x).sum(
            axis=0
        )
        squares += (inner[:, None] * z * z - z * toward_z).sum(axis=0)
        by_lengthscale = -2.0 * np.bincount(self.group, w * squares, len(self.theta) - 2)
        return np.asarray(by_lengthscale, dtype=np.float64), np.asarray(by_z)

    def by_rows(self, x: Floats, cross: Floats) -> Floats:
        """By the rows x (n, e), given the derivatives by r2 of `cross` (k, n)."""
        return np.asarray(2.0 * self.weights * (cross.sum(axis=0)[:, None] * x - product(cross.T, self.z)))


@dataclass(frozen=True, slots=True, eq=False)
class Conditioned:
    """A FITC process given n losses: what predictions and left-out losses take."""

    kernel: InducedKernel
    log_evidence: float
    inverse: Floats  # u^-1 (k, k), Kuu = u^T u
    inverse_of_a: Floats  # the same of A
    alpha: Floats  # B^-1 Kuf G^-1 y (k,)
    left_out: Posterior  # of each loss by the others, noise included

    def posterior(self, x: Floats) -> Posterior:
        """Posterior of the latent loss at expanded rows (Snelson & Ghahramani 2006, Eq. 8, without the noise)."""
        cross, _ = self.kernel.cross(x)
        v = product(self.inverse.T, cross)
        inner = product(self.inverse_of_a.T, v)
        variance = self.kernel.amplitude - (v * v).sum(axis=0) + (inner * inner).sum(axis=0)
        return Posterior(times_vector(cross.T, self.alpha), np.maximum(variance, 0.0))


class Fitc:
    """log Z of losses y (n,) at expanded rows x (n, e), and its gradient by theta and z.

    Args:
        stated: (n,) variances known of the losses' errors.
        power: alpha.

    Raises (call, condition): NotPositiveError where a covariance is not positive definite.
    """

    def __init__(
        self, x: Floats, group: NDArray[np.int64], y: Floats, kernel: KernelName, stated: Floats, power: float = 1.0
    ):
        self.x, self.y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        self.group, self.kernel, self.stated, self.power = group, kernel, stated, power

    def __call__(self, theta: Floats, z: Floats) -> tuple[float, Floats, Floats]:
        """log Z, its gradient by theta (p + 2,) and by z (k, e)."""
        terms = self._terms(theta, z)
        kernel, power = terms.kernel, self.power
        p = product(terms.inverse, terms.v)
        p_s = product(product(terms.inverse, terms.inverse_of_a), terms.inner) / terms.g  # P S^-1
        w = terms.a * terms.a - terms.diagonal
        by_r = 0.5 * power * w - 0.5 * (1.0 - power) / terms.g
        by_cross = times_vector(p, terms.a)[:, None] * terms.a - p_s - 2.0 * by_r * p
        by_among = -0.5 * product(by_cross, p.T)
        lengthscales, by_z = kernel.gradient(self.x, by_cross * terms.cross_slope, by_among * terms.among_slope)
        amplitude = (by_cross * terms.cross).sum() + (by_among * terms.among).sum() + kernel.amplitude * by_r.sum()
        by_noise = 0.5 * w + 0.5 * (1.0 - power) * terms.r / (terms.sigma2 * terms.g)
        noise = math.exp(theta[-1]) * by_noise.sum()
        return terms.value, np.concatenate([lengthscales, [amplitude, noise]]), by_z

    def condition(self, theta: Floats, z: Floats) -> Conditioned:
        """The process given the losses; left-out losses by Rasmussen & Williams, Eq. 5.12."""
        terms = self._terms(theta, z)
        solution = times_vector(terms.v, self.y / terms.g)
        solution = times_vector(terms.inverse_of_a, times_vector(terms.inverse_of_a.T, solution))
        left_out = Posterior(self.y - terms.a / terms.diagonal, 1.0 / terms.diagonal)
        alpha = times_vector(terms.inverse, solution)
        return Conditioned(terms.kernel, terms.value, terms.inverse, terms.inverse_of_a, alpha, left_out)

    def _terms(self, theta: Floats, z: Floats) -> _Terms:
        kernel, y, power = InducedKernel(self.kernel, self.group, theta, z), self.y, self.power
        cross, cross_slope = kernel.cross(self.x)
        among, among_slope = kernel.among()
        inverse, _ = inverse_factor(among)
        v = product(inverse.T, cross)
        r = np.maximum(kernel.amplitude - (v * v).sum(axis=0), 0.0)
        sigma2 = kernel.noise + self.stated
        g = power * r + sigma2
        inverse_of_a, log_a = inverse_factor(np.eye(len(z)) + product(v / g, v.T))
        inner = product(inverse_of_a.T, v)
        b = times_vector(inner, y / g)
        a = (y - times_vector(inner.T, b)) / g
        diagonal = 1.0 / g - (inner * inner).sum(axis=0) / (g * g)
        fit = -0.5 * (float((y * y / g).sum() - (b * b).sum()) + log_a + float(np.log(g).sum()))
        value = fit - len(y) * HALF_LOG_TAU - self._penalty(r, sigma2)
        return _Terms(
            kernel, cross, cross_slope, among, among_slope, inverse, v, r, sigma2, g, inverse_of_a, inner, a, diagonal,
            value,
        )  # fmt: skip

    def _penalty(self, r: Floats, sigma2: Floats) -> float:
        """(1 - alpha) / (2 alpha) sum log(1 + alpha r / sigma2), and its limit for alpha = 0."""
        ratio = r / sigma2
        sums = ratio if self.power == 0 else np.log1p(self.power * ratio) / self.power
        return 0.5 * (1.0 - self.power) * float(sums.sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Terms:
    """Symbols as in the module's table; inner = L_A^-1 V, a = S^-1 y, diagonal = diag(S^-1)."""

    kernel: InducedKernel
    cross: Floats
    cross_slope: Floats
    among: Floats
    among_slope: Floats
    inverse: Floats
    v: Floats
    r: Floats
    sigma2: Floats
    g: Floats
    inverse_of_a: Floats
    inner: Floats
    a: Floats
    diagonal: Floats
    value: float
