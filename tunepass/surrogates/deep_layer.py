"""One layer of a deep Gaussian process: nodes with FITC, and what the cavity of tied factors makes of their inputs.

    symbol    shape        meaning
    u         (m,)         outputs at a node's inducing inputs z, prior N(0, K)
    T1, t                  precision and shift of the product of the N tied factors; T1 = R^T R, R upper triangular
    kappa                  share of it that counts: 1 in the posterior, (N - alpha) / N in the cavity
    S, m                   covariance (K^-1 + kappa T1)^-1 and mean S kappa t of u
    A         (m,)         K^-1 m
    Bd        (m, m)       K^-1 S K^-1 - K^-1, and Bs = Bd + A A^T
    phi                    log normaliser, 1/2 log |S| + 1/2 m^T S^-1 m

    known input      mean k A      variance f + k Bd k^T + sigma^2                       (Havasi 2017, Eq. 3.10)
    Gaussian input   mean psi1 A   variance f + sum_ab Bs_ab psi2_ab - mean^2 + sigma^2  (Eq. 3.11 and 3.12)

Those equations as printed have sigma for sigma^2, and z_1 where the second layer's z_2 is meant.

The nodes of a layer share the kernel and z; each has its own noise and its own T1 and t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from tunepass.surrogates.base import Floats
from tunepass.surrogates.matrices import inverse_factor, product, times_vector
from tunepass.surrogates.moments import FirstMoment, KernelGradient, Pairs, SecondMoment

JITTER = 1e-6  # of K's diagonal, times the amplitude
LEAST_VARIANCE = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Parameters of a layer of d nodes with q inputs; also their gradient.

    Args:
        lengthscales: log l (q,).
        amplitude: log f (1,).
        noise: log sigma^2 of each node (d,).
        z: inducing inputs (m, q).
        factor: R of each node (d, m, m), upper triangular, with logarithms on the diagonal.
        shift: t of each node (d, m).
    """

    lengthscales: Floats
    amplitude: Floats
    noise: Floats
    z: Floats
    factor: Floats
    shift: Floats

    @property
    def nodes(self) -> int:
        return len(self.shift)

    def arrays(self) -> tuple[Floats, ...]:
        return (self.lengthscales, self.amplitude, self.noise, self.z, self.factor, self.shift)

    def with_arrays(self, arrays: Sequence[Floats]) -> Layer:
        return Layer(*arrays)

    def precision_root(self, node: int) -> Floats:
        """R (m, m)."""
        root = np.triu(self.factor[node], 1)
        np.fill_diagonal(root, np.exp(np.diagonal(self.factor[node])))
        return np.asarray(root)


class Parametrised(Protocol):
    """A layer of any kind: its parameters, and one of the same kind with others."""

    def arrays(self) -> tuple[Floats, ...]: ...
    def with_arrays(self: AnyLayer, arrays: Sequence[Floats]) -> AnyLayer: ...


AnyLayer = TypeVar("AnyLayer", bound=Parametrised)


def flattened(layers: Sequence[Parametrised]) -> Floats:
    """All parameters, one behind the other."""
    return np.concatenate([array.ravel() for layer in layers for array in layer.arrays()])


def unflattened(parameters: Floats, like: Sequence[AnyLayer]) -> list[AnyLayer]:
    """Layers of the shapes of `like` from `flattened` parameters."""
    layers, start = [], 0
    for layer in like:
        arrays = []
        for array in layer.arrays():
            arrays.append(parameters[start : start + array.size].reshape(array.shape))
            start += array.size
        layers.append(layer.with_arrays(arrays))
    return layers


@dataclass(frozen=True, slots=True, eq=False)
class NodeMoments:
    """S, m, A and Bd of one node at one kappa, and phi."""

    covariance: Floats
    mean: Floats
    a: Floats
    b: Floats
    phi: float


class LayerState:
    """A layer's matrices that no input enters, at the posterior and at the cavity.

    Raises: NotPositiveError where a covariance is not positive definite.
    """

    def __init__(self, layer: Layer, cavity: float):
        self.layer, self.cavity = layer, cavity
        self.lengthscales, self.amplitude = np.exp(layer.lengthscales), float(np.exp(layer.amplitude[0]))
        self.noise = np.exp(layer.noise)
        z = layer.z / self.lengthscales
        squares = (z * z).sum(axis=1)
        r2 = np.maximum(squares[:, None] + squares - product(z, z.T) - product(z, z.T).T, 0.0)
        np.fill_diagonal(r2, 0.0)
        self.plain = self.amplitude * np.exp(-0.5 * r2)
        self.k = self.plain + JITTER * self.amplitude * np.eye(len(z))
        root, self.log_k = inverse_factor(self.k)
        self.k_inverse = product(root, root.T)
        self.roots = [layer.precision_root(node) for node in range(layer.nodes)]
        self.precisions = [product(root.T, root) for root in self.roots]
        self.posterior = [self._moments(node, 1.0) for node in range(layer.nodes)]
        self.at_cavity = [self._moments(node, cavity) for node in range(layer.nodes)]

    def _moments(self, node: int, kappa: float) -> NodeMoments:
        precision = self.k_inverse + kappa * self.precisions[node]
        root, log_precision = inverse_factor(precision)
        covariance = product(root, root.T)
        h = kappa * self.layer.shift[node]
        mean = times_vector(covariance, h)
        a = times_vector(self.k_inverse, mean)
        inner = product(root.T, self.k_inverse)
        b = product(inner.T, inner) - self.k_inverse
        phi = 0.5 * float((h * mean).sum()) - 0.5 * log_precision
        return NodeMoments(covariance, mean, a, b, phi)


class Propagation:
    """A layer's output moments for n inputs, `mean` and `variance` (n, d), noise excluded; gradients backwards.

    Args:
        inputs: mean (n, q) and variance of the inputs; None: they are known.
        posterior: at the posterior instead of the cavity, for predictions.
    """

    def __init__(self, state: LayerState, mean: Floats, variance: Floats | None, *, posterior: bool = False):
        self.state, self.known = state, variance is None
        self.nodes = state.posterior if posterior else state.at_cavity
        z, l, f = state.layer.z, state.lengthscales, state.amplitude
        self.first = FirstMoment(mean, np.zeros_like(mean) if variance is None else variance, z, l, f)
        psi1 = self.first.value
        self.a = np.column_stack([node.a for node in self.nodes])  # (m, d)
        self.mean = product(psi1, self.a)
        if variance is None:
            self.spread = [product(psi1, node.b) for node in self.nodes]
            explained = np.column_stack([(part * psi1).sum(axis=1) for part in self.spread])
        else:
            self.pairs = Pairs.of(len(z))
            self.second = SecondMoment(mean, variance, z, l, f, self.pairs)
            both = [node.b + node.a[:, None] * node.a for node in self.nodes]
            self.b = np.stack([self.pairs.of_matrix(matrix) for matrix in both])  # (d, c)
            explained = product(self.second.value, self.b.T) - self.mean**2
        self.variance = np.maximum(f + explained, LEAST_VARIANCE)

    def backward(self, by_mean: Floats, by_variance: Floats) -> tuple[Layer, Floats, Floats]:
        """The gradient by the layer's parameters, but for its noise, and by the inputs' means and variances (n, q),
        given those by `mean` and `variance` (n, d)."""
        psi1, state, f = self.first.value, self.state, self.state.amplitude
        if self.known:
            toward = by_mean
            by_psi1 = product(by_mean, self.a.T)
            by_psi1 += 2.0 * sum(by_variance[:, d, None] * part for d, part in enumerate(self.spread))
            by_b = [product((by_variance[:, d, None] * psi1).T, psi1) for d in range(len(self.nodes))]
        else:
            toward = by_mean - 2.0 * by_variance * self.mean
            by_psi1 = product(toward, self.a.T)
            by_b = [self.pairs.symmetric(row) for row in product(by_variance.T, self.second.value)]
        kernel, inputs = self.first.gradient(by_psi1)
        mean, variance = inputs.mean, inputs.variance
        kernels = [kernel]
        if not self.known:
            more, second = self.second.gradient(product(by_variance, self.b))
            kernels.append(more)
            mean, variance = mean + second.mean, variance + second.variance
        by_a = product(psi1.T, toward)
        kernels.append(KernelGradient(np.zeros_like(state.lengthscales), f * float(by_variance.sum()), 0.0 * kernel.z))
        gradient = through_cavity(state, [(by_a[:, d], part) for d, part in enumerate(by_b)], self.known, kernels)
        return gradient, mean, variance


def through_cavity(
    state: LayerState, by_moments: Sequence[tuple[Floats, Floats]], known: bool, kernels: Sequence[KernelGradient]
) -> Layer:
    """The gradient by a layer's parameters, given those by A and B (Bd where inputs are known, else Bs) of each node at
    the cavity, and by the kernel as inputs meet it."""
    k_inverse, kappa, layer = state.k_inverse, state.cavity, state.layer
    by_k_inverse, factors, shifts = np.zeros_like(k_inverse), [], []
    for node, (by_a, by_b) in enumerate(by_moments):
        moments, h = state.at_cavity[node], kappa * layer.shift[node]
        s, m = moments.covariance, moments.mean
        inner = product(product(k_inverse, by_b), k_inverse)
        by_mean, spread = times_vector(k_inverse, by_a), s
        if not known:
            by_mean = by_mean + 2.0 * times_vector(inner, m)
            spread = s + m[:, None] * m
        by_precision = -product(product(s, inner + symmetrised(by_mean, h)), s)
        chained = product(by_b, product(k_inverse, spread))
        by_k_inverse += by_precision + symmetrised(by_a, m) + chained + chained.T - by_b
        factors.append(by_root(state.roots[node], kappa * by_precision))
        shifts.append(kappa * times_vector(s, by_mean))
    return with_kernel(state, by_k_inverse, np.stack(factors), np.stack(shifts), kernels)


def normalisers(state: LayerState, prior: float, posterior: float, cavity: float) -> tuple[float, Layer]:
    """prior phi(prior) + posterior phi(posterior) + cavity phi(cavity), summed over nodes, with its gradient."""
    layer, kappas = state.layer, (1.0, state.cavity)
    value = prior * 0.5 * state.log_k * layer.nodes
    by_k_inverse, factors, shifts = -0.5 * prior * layer.nodes * state.k, [], []
    for node in range(layer.nodes):
        by_precision, by_shift = np.zeros_like(state.k), np.zeros(len(state.k))
        for weight, kappa, moments in zip((posterior, cavity), kappas, (state.posterior[node], state.at_cavity[node])):
            second = -0.5 * weight * (moments.covariance + moments.mean[:, None] * moments.mean)
            value += weight * moments.phi
            by_k_inverse += second
            by_precision += kappa * second
            by_shift += weight * kappa * moments.mean
        factors.append(by_root(state.roots[node], by_precision))
        shifts.append(by_shift)
    return value, with_kernel(state, by_k_inverse, np.stack(factors), np.stack(shifts), ())


def with_kernel(
    state: LayerState, by_k_inverse: Floats, factors: Floats, shifts: Floats, kernels: Sequence[KernelGradient]
) -> Layer:
    """A gradient whose kernel parameters have what K^-1 passes on, and `kernels`."""
    z, l = state.layer.z, state.lengthscales
    by_k = -product(product(state.k_inverse, by_k_inverse), state.k_inverse)
    c = by_k * state.plain
    c = 0.5 * (c + c.T)
    rows, toward = c.sum(axis=1)[:, None], product(c, z)
    by_z = -2.0 * (rows * z - toward) / l**2
    by_lengthscale = 2.0 * (rows * z * z - z * toward).sum(axis=0) / l**2
    amplitude = float((by_k * state.k).sum())
    for kernel in kernels:
        by_z, by_lengthscale = by_z + kernel.z, by_lengthscale + kernel.lengthscales
        amplitude += kernel.amplitude
    return Layer(by_lengthscale, np.array([amplitude]), np.zeros_like(state.layer.noise), by_z, factors, shifts)


def by_root(root: Floats, by_precision: Floats) -> Floats:
    """By R's entries, and the logarithms of its diagonal, given the symmetric derivative by R^T R."""
    gradient = np.triu(2.0 * product(root, by_precision))
    np.fill_diagonal(gradient, np.diagonal(gradient) * np.diagonal(root))
    return gradient


def symmetrised(a: Floats, b: Floats) -> Floats:
    """(a b^T + b a^T) / 2."""
    outer = a[:, None] * b
    return 0.5 * (outer + outer.T)
