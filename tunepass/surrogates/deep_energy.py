"""The energy of stochastic, power expectation propagation in a deep Gaussian process (Havasi 2017, §3.2.2).

    symbol    meaning
    N, B      rows, and those of a batch
    alpha     power of EP
    Z_n       normaliser of a loss under the cavity, moments of each layer matched (Eq. 3.8 to 3.12)

    E = sum over nodes [phi(prior) + (N / alpha - 1) phi(posterior) - N / alpha phi(cavity)]
        - N / (B alpha) sum over the batch log Z_n
    log Z_n = log N(y; mean, variance + sigma^2 / alpha) + 1/2 log(2 pi sigma^2 / alpha) - alpha / 2 log(2 pi sigma^2)

-E approximates the log marginal likelihood (Eq. 3.6 and 3.13 with alpha = 1; Bui et al. 2016). Eq. 3.7 and 3.13
as printed have N phi(prior), where Eq. 3.6 leaves one. alpha -> 0 is the variational limit. Several outputs add
(§3.2.3), those that are not observed excepted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tunepass import _native
from tunepass.surrogates.base import Floats, Mask
from tunepass.surrogates.deep_layer import (
    JITTER,
    LEAST_VARIANCE,
    Layer,
    LayerState,
    Propagation,
    flattened,
    normalisers,
)
from tunepass.surrogates.matrices import NotPositiveError

LOG_TAU = math.log(2 * math.pi)
_ffi, _lib = _native.ffi, _native.lib


class DeepEnergy:
    """E of layers given rows x (n, q) and outputs y (n, d).

    Args:
        observed: (n, d); None: all outputs are.
        power: alpha, in (0, 1].

    Raises (call): NotPositiveError where a covariance is not positive definite.
    """

    def __init__(self, x: Floats, y: Floats, observed: Mask | None = None, power: float = 1.0):
        self.x, self.y, self.power = np.ascontiguousarray(x), np.ascontiguousarray(y), power
        self.observed = np.ones(y.shape, bool) if observed is None else np.ascontiguousarray(observed)

    @property
    def cavity(self) -> float:
        """The share (N - alpha) / N of the factors that the cavity has."""
        return (len(self.x) - self.power) / len(self.x)

    def __call__(self, layers: Sequence[Layer], batch: NDArray[np.int64] | None = None) -> tuple[float, Floats]:
        """E and its gradient by the flattened parameters; `batch` has indices of rows, None: all."""
        rows = np.arange(len(self.x)) if batch is None else batch
        n, alpha = len(self.x), self.power
        states = [LayerState(layer, self.cavity) for layer in layers]
        value, gradients = 0.0, []
        for state in states:
            part, gradient = normalisers(state, 1.0, n / alpha - 1.0, -n / alpha)
            value += part
            gradients.append(gradient)
        scale = n / (len(rows) * alpha)
        steps = forward(states, self.x[rows])
        log_z, by_mean, by_variance, by_noise = self._likelihood(steps[-1], states[-1], rows)
        value -= scale * log_z
        backward(steps, states, gradients, -scale * by_mean, -scale * by_variance, -scale * by_noise)
        return value, flattened(gradients)

    def at(
        self, parameters: Floats, like: Sequence[Layer], batch: NDArray[np.int64] | None = None
    ) -> tuple[float, Floats]:
        """As a call with layers of the shapes of `like` and these flattened parameters, in native code."""
        rows = np.arange(len(self.x)) if batch is None else batch
        width = np.array([self.x.shape[1], *(layer.nodes for layer in like)], np.int32)
        inducing = np.array([len(layer.z) for layer in like], np.int32)
        value, gradient = np.zeros(1), np.empty(len(parameters))
        code = _lib.tp_deep_energy(
            _reals(self.x), _reals(self.y), _ffi.from_buffer("uint8_t[]", self.observed), len(self.x),
            _ffi.from_buffer("int64_t[]", rows), len(rows), len(like), _ffi.from_buffer("int32_t[]", width),
            _ffi.from_buffer("int32_t[]", inducing), self.power, JITTER, LEAST_VARIANCE, _reals(parameters),
            _reals(value), _reals(gradient),
        )  # fmt: skip
        if code < 0:
            raise MemoryError(f"no memory for an energy of {len(rows)} rows")
        if code:
            raise NotPositiveError("a covariance is not positive definite")
        return float(value[0]), gradient

    def _likelihood(
        self, last: Propagation, state: LayerState, rows: NDArray[np.int64]
    ) -> tuple[float, Floats, Floats, Floats]:
        """Sum of log Z, and its gradient by the last layer's means and variances (b, d) and log noise (d,)."""
        alpha, noise, mask = self.power, state.noise, self.observed[rows]
        spread = last.variance + noise / alpha
        error = np.where(mask, self.y[rows] - last.mean, 0.0)
        constant = 0.5 * (LOG_TAU + np.log(noise / alpha)) - 0.5 * alpha * (LOG_TAU + np.log(noise))
        log_z = -0.5 * (LOG_TAU + np.log(spread) + error**2 / spread) + constant
        by_mean = error / spread
        by_variance = np.where(mask, 0.5 * (by_mean**2 - 1.0 / spread), 0.0)
        by_noise = by_variance.sum(axis=0) * noise / alpha + 0.5 * (1.0 - alpha) * mask.sum(axis=0)
        return float(log_z[mask].sum()), by_mean, by_variance, by_noise


def _reals(a: Floats) -> object:
    return _ffi.from_buffer("double[]", a)


def forward(states: Sequence[LayerState], x: Floats, *, posterior: bool = False) -> list[Propagation]:
    """Moments of each layer's outputs; those of hidden layers have their noise when they enter the next one."""
    steps = [Propagation(states[0], x, None, posterior=posterior)]
    for above, state in pairwise(states):
        last = steps[-1]
        steps.append(Propagation(state, last.mean, last.variance + above.noise, posterior=posterior))
    return steps


def backward(
    steps: Sequence[Propagation],
    states: Sequence[LayerState],
    gradients: list[Layer],
    by_mean: Floats,
    by_variance: Floats,
    by_noise: Floats,
) -> None:
    """Add to `gradients`, from the last layer to the first ("probabilistic backpropagation")."""
    for index in range(len(steps) - 1, -1, -1):
        step = steps[index]
        by_variance = np.where(step.variance > LEAST_VARIANCE, by_variance, 0.0)
        gradient, by_input, by_spread = step.backward(by_mean, by_variance)
        for total, part in zip(gradients[index].arrays(), gradient.arrays()):
            total += part
        gradients[index].noise[:] += by_noise
        if index:
            by_mean, by_variance = by_input, by_spread
            by_noise = states[index - 1].noise * by_variance.sum(axis=0)
