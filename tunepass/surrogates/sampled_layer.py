"""One layer of a deep Gaussian process that samples pass through (Salimbeni & Deisenroth 2017, "Doubly stochastic
variational inference for deep Gaussian processes"; equations are numbered here, on through sampled_training.py).

    symbol    shape        meaning
    h         (n, q)       inputs of the layer: rows, or a sample of the outputs of the layer before
    z         (m, q)       inducing inputs
    k                      correlation of two inputs, k(h, h) = 1; f k is a node's covariance, f its amplitude
    L         (m, m)       K = L L^T at z, so that u = f^1/2 L v are a node's values there
    M, R      (m,), (m, m) q(v) = N(M, R R^T), R lower triangular; the prior is N(0, I)
    a         (m, n)       L^-1 k(z, h)
    W, c      (q, d), (d,) the mean function h W + c, which is not trained
    e         (n, d)       standard normal draws

    mean        h W + c + f^1/2 a^T M                                          (1)
    variance    f (1 - a^T a + a^T R R^T a), the diagonal                      (2)
    sample      mean + variance^1/2 e, the inputs of the layer after           (3)
    KL          1/2 sum over nodes [M^T M + |R|^2 - m - 2 sum log R_ii]        (4)

Only k(z, h) and its derivative by squared distances enter, so that any kernel will do; on rows of numbers, categories
and orders it is the one of the full process. The nodes of a layer share k and z; each has its own f, M and R. With C
the product of the derivative by a and of a^T, and F(C) its lower triangle with half the diagonal,

    derivative by K    -1/2 L^-T (F(C) + F(C)^T) L^-1                          (5)

is what the reverse mode of Cholesky's factor comes to (Murray 2016, "Differentiation of the Cholesky decomposition").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_layer import LEAST_VARIANCE
from tunepass.surrogates.fitc import InducedKernel
from tunepass.surrogates.kernels import KernelName, factor
from tunepass.surrogates.matrices import NotPositiveError, inverse_factor, product


@dataclass(frozen=True, slots=True, eq=False)
class SampledLayer:
    """Parameters of a layer of d nodes with q inputs; also their gradient.

    Args:
        lengthscales: log l (p,).
        amplitude: log f of each node (d,).
        noise: log sigma^2 of each output (d,); of a hidden layer none (0,).
        z: inducing inputs (m, q).
        factor: R of each node (d, m, m), lower triangular, with logarithms on the diagonal.
        mean: M of each node (d, m).
        kernel: the name of k.
        group: the lengthscale of each input (q,).
        weights: W (q, d).
        offset: c (d,).
        moved: whether z is trained.
    """

    lengthscales: Floats
    amplitude: Floats
    noise: Floats
    z: Floats
    factor: Floats
    mean: Floats
    kernel: KernelName
    group: NDArray[np.int64]
    weights: Floats
    offset: Floats
    moved: bool

    @property
    def nodes(self) -> int:
        return len(self.mean)

    def arrays(self) -> tuple[Floats, ...]:
        """The trained parameters, and z, whose gradient is 0 where it is not moved."""
        return (self.lengthscales, self.amplitude, self.noise, self.z, self.factor, self.mean)

    def with_arrays(self, arrays: Sequence[Floats]) -> SampledLayer:
        lengthscales, amplitude, noise, z, factor, mean = arrays
        return replace(self, lengthscales=lengthscales, amplitude=amplitude, noise=noise, z=z, factor=factor, mean=mean)

    def root(self, node: int) -> Floats:
        """R (m, m)."""
        root = np.tril(self.factor[node], -1)
        np.fill_diagonal(root, np.exp(np.diagonal(self.factor[node])))
        return np.asarray(root)


class SampledState:
    """A layer's matrices that no input enters.

    Raises: NotPositiveError where K is not positive definite.
    """

    def __init__(self, layer: SampledLayer):
        self.layer = layer
        theta = np.concatenate([layer.lengthscales, np.zeros(2)])
        self.kernel = InducedKernel(layer.kernel, layer.group, theta, layer.z)
        among, self.among_slope = self.kernel.among()
        self.inverse, _ = inverse_factor(among)  # L^-T
        self.roots = [layer.root(node) for node in range(layer.nodes)]
        self.f = np.exp(layer.amplitude)

    def whitened(self, inputs: Floats) -> tuple[Floats, Floats]:
        """a (m, n), and the derivative of k(z, h) by squared distances."""
        cross, slope = self.kernel.cross(inputs)
        return product(self.inverse.T, cross), slope

    def divergence(self) -> tuple[float, SampledLayer]:
        """KL (4), and its gradient."""
        layer, m = self.layer, len(self.layer.z)
        diagonals = np.diagonal(layer.factor, axis1=1, axis2=2)
        squares = sum(float((root * root).sum()) for root in self.roots)
        value = 0.5 * (float((layer.mean**2).sum()) + squares - m * layer.nodes) - float(diagonals.sum())
        factors = [by_factor(root, root) - np.eye(m) for root in self.roots]
        others = [np.zeros_like(array) for array in layer.arrays()[:4]]
        gradient = layer.with_arrays([*others, np.stack(factors), layer.mean.copy()])
        return value, gradient


class SampledPropagation:
    """Moments of a layer's outputs for n known inputs, `mean` (1) and `variance` (2) (n, d); gradients backwards."""

    def __init__(self, state: SampledState, inputs: Floats):
        self.state, self.inputs, layer = state, inputs, state.layer
        self.a, self.slope = state.whitened(inputs)
        self.spread = [product(root.T, self.a) for root in state.roots]  # R^T a of each node
        self.correction = np.sqrt(state.f) * product(self.a.T, layer.mean.T)
        self.mean = product(inputs, layer.weights) + layer.offset + self.correction
        known = 1.0 - (self.a * self.a).sum(axis=0)
        learned = np.stack([(part * part).sum(axis=0) for part in self.spread], axis=1)
        self.variance = np.maximum(state.f * (known[:, None] + learned), LEAST_VARIANCE)

    def sampled(self, draws: Floats) -> Floats:
        """Outputs (S n, d) of draws (S n, d), one sample's behind the other (3)."""
        copies = draws.reshape(-1, *self.mean.shape)
        return np.asarray(self.mean + np.sqrt(self.variance) * copies).reshape(draws.shape)

    def by_moments(self, by_output: Floats, draws: Floats) -> tuple[Floats, Floats]:
        """By the means and by the variances (n, d), given the derivatives by `sampled` outputs."""
        shape = (-1, *self.mean.shape)
        by_variance = 0.5 * (by_output * draws).reshape(shape).sum(axis=0) / np.sqrt(self.variance)
        return np.asarray(by_output.reshape(shape).sum(axis=0)), np.asarray(by_variance)

    def backward(self, by_mean: Floats, by_variance: Floats) -> tuple[SampledLayer, Floats]:
        """The gradient by the layer's parameters, but for its noise, and by the inputs (n, q), given those by `mean`
        and `variance` (n, d)."""
        state, layer, a = self.state, self.state.layer, self.a
        by_variance = np.where(self.variance > LEAST_VARIANCE, by_variance, 0.0)
        by_amplitude = (0.5 * by_mean * self.correction + by_variance * self.variance).sum(axis=0)
        by_correction, by_square = by_mean * np.sqrt(state.f), by_variance * state.f
        by_a = product(layer.mean.T, by_correction.T) - 2.0 * a * by_square.sum(axis=1)
        factors = []
        for node, (root, part) in enumerate(zip(state.roots, self.spread)):
            weighted = 2.0 * part * by_square[:, node]
            by_a += product(root, weighted)
            factors.append(by_factor(root, product(a, weighted.T)))
        by_cross = product(state.inverse, by_a) * self.slope
        half = np.tril(product(by_a, a.T))
        np.fill_diagonal(half, 0.5 * np.diagonal(half))
        by_among = -0.5 * product(product(state.inverse, half + half.T), state.inverse.T) * state.among_slope
        by_lengthscale, by_z = state.kernel.gradient(self.inputs, by_cross, by_among)
        gradient = layer.with_arrays(
            [
                by_lengthscale,
                by_amplitude,
                np.zeros_like(layer.noise),
                by_z if layer.moved else np.zeros_like(by_z),
                np.stack(factors),
                product(a, by_correction).T,
            ]
        )
        return gradient, product(by_mean, layer.weights.T) + state.kernel.by_rows(self.inputs, by_cross)


def by_factor(root: Floats, by_root: Floats) -> Floats:
    """By R's entries, and the logarithms of its diagonal, given the derivative by R."""
    gradient = np.tril(by_root)
    np.fill_diagonal(gradient, np.diagonal(gradient) * np.diagonal(root))
    return np.asarray(gradient)


def best_nodes(state: SampledState, inputs: Floats, y: Floats, observed: NDArray[np.bool_]) -> SampledLayer:
    """The layer with the q(v) of each output that maximises the bound of one layer given the inputs and its noise
    (Titsias 2009, Eq. 10): R R^T = (I + f a a^T / sigma^2)^-1, M = R R^T a (y - h W - c) f^1/2 / sigma^2."""
    layer, (a, _) = state.layer, state.whitened(inputs)
    residual = y - product(inputs, layer.weights) - layer.offset
    factors, means = [], []
    for node, f in enumerate(state.f):
        weight = np.where(observed[:, node], float(np.exp(-layer.noise[node])), 0.0)
        inverse, _ = inverse_factor(np.eye(len(a)) + f * product(a * weight, a.T))
        covariance = product(inverse, inverse.T)
        upper = covariance.copy()
        if not factor(upper):
            raise NotPositiveError("the covariance of inducing values is not positive definite")
        root = np.triu(upper).T
        np.fill_diagonal(root, np.log(np.diagonal(root)))
        factors.append(root)
        explained = np.where(observed[:, node], residual[:, node], 0.0) * weight * np.sqrt(f)
        means.append(product(covariance, product(a, explained[:, None]))[:, 0])
    return replace(layer, factor=np.stack(factors), mean=np.stack(means))
