"""Covariances of mixed rows: one thin wrapper per function of native/src/gp_kernels.c.

    symbol    shape    meaning
    x, z      (n, f)   rows; feature c belongs to parameter group[c], nominal features compare by Hamming distance
    d2        (p, n, n) squared distance of each parameter
    l         (p,)     lengthscale of each parameter
    r2        (n, m)   sum_g d2_g / l_g^2                                                        (BaCO, Eq. 2)
    theta     (p + 2,) log l, log amplitude, log noise
    u         (n, n)   upper Cholesky factor, K + noise I = u^T u

    Matérn-5/2   (1 + sqrt(5) r + 5/3 r^2) exp(-sqrt(5) r)      BaCO's Eq. 1 as printed lacks the factor 1/3
    Matérn-3/2   (1 + sqrt(3) r) exp(-sqrt(3) r)
    SE           exp(-r^2 / 2)

Every per-parameter distance is Euclidean in some embedding (positions for Spearman, pair orders for Kendall, indicator
vectors for Hamming), so r is Euclidean too and each of these is positive semi-definite on mixed spaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tunepass import _native
from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.hamiltonian import Proposals

_ffi, _lib = _native.ffi, _native.lib

KernelName = Literal["matern52", "matern32", "se"]
KERNELS: dict[str, int] = {"matern52": 0, "matern32": 1, "se": 2}
LANES = 8  # of native/src/gp_kernels.c


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Parameter of each of f features (f,), and a mask of the nominal ones (f,)."""

    group: NDArray[np.int32]
    nominal: NDArray[np.uint8]

    @staticmethod
    def of(group: NDArray[np.int64], nominal: NDArray[np.bool_]) -> Features:
        group = np.asarray(group)
        if group.shape != np.shape(nominal) or not len(group) or set(group.tolist()) != set(range(group.max() + 1)):
            raise ValueError(f"groups 0..p-1 must each own a feature, got {group.tolist()}")
        return Features(np.ascontiguousarray(group, np.int32), np.ascontiguousarray(nominal, np.uint8))

    @staticmethod
    def plain(d: int) -> Features:
        """d numeric features, each its own parameter."""
        return Features.of(np.arange(d), np.zeros(d, np.bool_))

    @property
    def parameters(self) -> int:
        return int(self.group.max()) + 1


def distances(x: Floats, z: Floats, features: Features) -> Floats:
    """Squared distance of each parameter between rows: (p, n, m)."""
    out = np.empty((features.parameters, len(x), len(z)))
    _lib.tp_gp_distances(
        _reals(x), len(x), _reals(z), len(z), x.shape[1], _ints(features.group), _bytes(features.nominal),
        features.parameters, _reals(out),
    )  # fmt: skip
    return out


@dataclass(frozen=True, slots=True, eq=False)
class CovarianceKernel:
    """A covariance with its hyperparameters."""

    name: KernelName
    lengthscales: Floats
    amplitude: float
    noise: float

    @staticmethod
    def of(name: KernelName, theta: Floats) -> CovarianceKernel:
        scales = np.exp(theta)
        return CovarianceKernel(name, scales[:-2], float(scales[-2]), float(scales[-1]))

    def weights(self, features: Features) -> Floats:
        """1 / l^2 of each feature's parameter (f,)."""
        return np.asarray((self.lengthscales**-2.0)[features.group])


def covariance(x: Floats, features: Features, kernel: CovarianceKernel, diagonal: float) -> Floats:
    """Upper triangle of amplitude k(x, x) + diagonal I, (n, n); the lower triangle is 0."""
    n, xt = len(x), transposed(x)
    out, weight = np.zeros((n, xt.shape[1])), kernel.weights(features)
    _lib.tp_gp_covariance(
        _reals(xt), n, xt.shape[1], len(xt), _reals(weight), _bytes(features.nominal), KERNELS[kernel.name],
        kernel.amplitude, diagonal, _reals(out), _ffi.NULL,
    )  # fmt: skip
    return np.triu(out[:, :n])


def fill(u: Floats, x: Floats, features: Features, kernel: CovarianceKernel, diagonal: Floats, known: int) -> None:
    """Columns [known, n) of u (n, n) become those of amplitude k(x, x) + diag(diagonal)."""
    new, weight = np.ascontiguousarray(x[known:]), kernel.weights(features)
    if _lib.tp_gp_cross(
        _reals(x), len(x), _reals(new), len(new), x.shape[1], _reals(weight), _bytes(features.nominal),
        KERNELS[kernel.name], kernel.amplitude, _reals(u), len(u), known,
    ):  # fmt: skip
        raise MemoryError(f"no memory for a covariance of {len(x)} rows")
    u[np.arange(known, len(u)), np.arange(known, len(u))] += diagonal[known:]


def factor(u: Floats, known: int = 0) -> bool:
    """Cholesky-factor the upper triangle in place, the first `known` rows being factored. False: not positive."""
    return bool(_lib.tp_gp_cholesky(_reals(u), u.shape[1], known, len(u)) == 0)


def solve(u: Floats, b: Floats) -> Floats:
    """K^-1 b (n,)."""
    b = np.array(b, dtype=np.float64)
    _lib.tp_gp_solve(_reals(u), u.shape[1], len(u), _reals(b))
    return b


def inverse_diagonal(u: Floats) -> Floats:
    """The diagonal of K^-1 (n,)."""
    n, stride = len(u), -(-len(u) // LANES) * LANES
    padded, inverse, scratch = np.zeros((n, stride)), np.empty((n, stride)), np.empty((n, stride))
    padded[:, :n] = u
    _lib.tp_gp_inverse(_reals(padded), stride, n, _reals(inverse), _reals(scratch))
    return np.diagonal(inverse).copy()


def posterior(
    x: Floats, z: Floats, features: Features, kernel: CovarianceKernel, u: Floats, alpha: Floats
) -> Posterior:
    """Latent posterior at rows `z` (m, f) given rows `x` (n, f), the factor u and alpha = K^-1 y."""
    z = np.ascontiguousarray(z, dtype=np.float64)
    mean, variance, weight = np.empty(len(z)), np.empty(len(z)), kernel.weights(features)
    if _lib.tp_gp_posterior(
        _reals(x), len(x), _reals(z), len(z), x.shape[1], _reals(weight), _bytes(features.nominal),
        KERNELS[kernel.name], kernel.amplitude, _reals(u), u.shape[1],
        _reals(alpha), _reals(mean), _reals(variance),
    ):  # fmt: skip
        raise MemoryError(f"no memory for a posterior over {len(x)} rows")
    return Posterior(mean, variance)


class Mixture:
    """The equal mixture of processes (kernel, u, alpha) given the same rows `x`; losses are shift + scale y."""

    def __init__(
        self,
        x: Floats,
        features: Features,
        processes: Sequence[tuple[CovarianceKernel, Floats, Floats]],
        shift: float,
        scale: float,
    ):
        kernels, us, alphas = zip(*processes)
        weight = np.array([kernel.weights(features) for kernel in kernels])
        amplitude = np.array([kernel.amplitude for kernel in kernels])
        self._x, self._ends = (_reals(x), len(x)), (shift, scale)
        self._held = (  # found once: there are many calls
            x.shape[1], _reals(weight), _bytes(features.nominal), KERNELS[kernels[0].name], _reals(amplitude),
            _ffi.new("double *[]", [_reals(u) for u in us]), us[0].shape[1],
            _ffi.new("double *[]", [_reals(alpha) for alpha in alphas]),
        )  # fmt: skip
        self._count, self._kept = len(kernels), (features, us, alphas)  # what native code reads stays in memory

    def posterior(self, z: Floats) -> Posterior:
        """Mean and variance at rows `z` (m, f)."""
        mean, variance = np.empty(len(z)), np.empty(len(z))
        self._predict(z, _reals(mean), _reals(variance))
        return Posterior(mean, variance)

    def mean(self, z: Floats) -> Floats:
        """The mean alone (m,), in half of the time."""
        mean = np.empty(len(z))
        self._predict(z, _reals(mean), _ffi.NULL)
        return mean

    def _predict(self, z: Floats, mean: object, variance: object) -> None:
        z = np.ascontiguousarray(z, dtype=np.float64)
        if _lib.tp_gp_mixture(self._count, *self._x, _reals(z), len(z), *self._held, *self._ends, mean, variance):
            raise MemoryError(f"no memory for posteriors over {self._x[1]} rows")


class Likelihood:
    """log p(y | theta) and its gradient for fixed rows; the scratch memory is kept between calls."""

    def __init__(self, x: Floats, features: Features, y: Floats, kernel: KernelName, jitter: float):
        self.p, self.kernel, self.jitter = features.parameters, KERNELS[kernel], jitter
        self._x, self._y, self._features = transposed(x), np.ascontiguousarray(y), features
        (f, stride), n = self._x.shape, len(x)
        self._scratch = np.empty((4 * n + 2) * stride + f)
        self._held = (  # found once: there are many calls
            _reals(self._x), n, stride, f, _ints(features.group), _bytes(features.nominal), self.p, _reals(self._y),
        )  # fmt: skip
        self._room = _reals(self._scratch)

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        theta, gradient = np.ascontiguousarray(theta), np.empty(self.p + 2)
        value: float = _lib.tp_gp_likelihood(
            *self._held, self.kernel, _reals(theta), self.jitter, _reals(gradient), self._room
        )
        return value, gradient

    def minus_log_posterior(self, priors: Floats, theta: Floats) -> tuple[float, Floats]:
        """-log p(theta | y) up to a constant, and its gradient; 1e10 and zeros where the covariance is not positive.
        `priors` (4, p + 2) as of Hyperpriors.table."""
        theta, gradient = np.ascontiguousarray(theta), np.empty(self.p + 2)
        value: float = _lib.tp_gp_minus_log_posterior(
            *self._held, self.kernel, _reals(priors), _reals(theta), self.jitter, _reals(gradient), self._room
        )
        return value, gradient

    def chain(self, priors: Floats, mode: Floats, proposals: Proposals, bound: float) -> Floats:
        """The states (n, p + 2) of a Hamiltonian chain from `mode` under `minus_log_posterior`."""
        theta, momenta = mode.copy(), proposals.momenta.copy()
        states = np.empty((len(momenta) // proposals.thin, self.p + 2))
        _lib.tp_gp_chain(
            *self._held, self.kernel, _reals(priors), self.jitter, self._room, _reals(theta), bound, proposals.leaps,
            proposals.step, len(momenta), proposals.thin, _reals(momenta), _reals(proposals.chances), _reals(states),
            _reals(np.empty(4 * (self.p + 2))),
        )  # fmt: skip
        return states


def transposed(x: Floats) -> Floats:
    """Rows (n, f) as columns (f, n rounded up to LANES), 0 behind the rows."""
    out = np.zeros((x.shape[1], -(-len(x) // LANES) * LANES))
    out[:, : len(x)] = x.T
    return out


def _reals(a: Floats) -> object:
    """A pointer to a contiguous array's data, which ffi checks."""
    assert a.dtype == np.float64
    return _ffi.from_buffer("double[]", a)


def _ints(a: NDArray[np.int32]) -> object:
    return _ffi.cast("int32_t *", a.ctypes.data)


def _bytes(a: NDArray[np.uint8]) -> object:
    return _ffi.cast("uint8_t *", a.ctypes.data)
