"""The bound of a sampled deep Gaussian process, and where its training begins.

    symbol    meaning
    N, B, S   rows, those of a batch, samples of the hidden values of each
    k         outputs
    X         (N, e) rows whose distances are Euclidean, as in inducing.py

    bound = N / (B S) sum over the batch, samples and observed outputs E[log N(y; f, sigma^2)] - KL of all layers    (6)
    E[log N(y; f, sigma^2)] = -1/2 log(2 pi sigma^2) - ((y - mean)^2 + variance) / (2 sigma^2)            (7)

(Salimbeni & Deisenroth 2017), `mean` and `variance` being those of the last layer given a sample of the one before.
What is minimised is minus the bound; its gradient goes through the samples (3) (Kingma & Welling 2014).

Training begins at a sparse process of each output: the first k nodes of a hidden layer have the q(v) that is best for
the outputs themselves, the others are standardised principal components of X over the lengthscales, by the mean
function alone, and the last layer adds a correction to the first k nodes. Layers between pass on what they get.
Inducing inputs are rows that k-means++ draws: of X in the first layer, where they stay, and of the means that reach the
others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates.base import Floats, Mask
from tunepass.surrogates.deep_layer import flattened, unflattened
from tunepass.surrogates.hyperpriors import Gamma, Lengthscales
from tunepass.surrogates.inducing import spread_rows
from tunepass.surrogates.kernels import Features, KernelName
from tunepass.surrogates.matrices import product, times_vector
from tunepass.surrogates.sampled_layer import (
    SampledLayer,
    SampledPropagation,
    SampledState,
    best_nodes,
)
from tunepass.surrogates.sparse_gp import SparseProcess, SparseSettings

LOG_TAU = math.log(2 * math.pi)
COMPONENT_AMPLITUDE = 1e-2  # f of a node that begins as a component, and of those that pass on what they get
CORRECTION_AMPLITUDE = 0.1  # f of the last layer at the start
LOG_LENGTHSCALE = math.log(1.5)  # of the further layers' inputs, whose deviation is about 1
LEAST_START_NOISE = 1e-3  # sigma^2 at the start, at least
BOUNDS = {"lengthscales": (-4.0, 5.0), "amplitude": (-8.0, 4.0), "noise": (-10.0, 2.0)}  # of logarithms
FULL_SAMPLES = 8  # of the bound of all rows, the same ones whenever it is computed


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledSettings:
    """Settings of a sampled deep Gaussian process; rows are expected with numeric features in [0, 1].

    Args:
        hidden: nodes of each hidden layer, besides one an output; `()`: no hidden layer.
        kernel: the covariance function of rows.
        inner: the covariance function of the further layers.
        inducing_share: inducing inputs of a layer, a row.
        fewest_inducing: their number, at least, where there are as many distinct rows.
        most_inducing: their number, at most.
        lengthscale: its prior where training begins; None: none.
        samples: of the hidden values of each row, in a step of the training.
        predicted_samples: the same in predictions, which are their mixture.
        rate: of Adam.
        batch: rows of a step.
        steps: of a training.
        refit_steps: of a training that starts from parameters of fewer rows.
        seed: of every random choice.

    Raises:
        ValueError: a negative number of nodes, a share outside (0, 1], or other numbers below 1.

    Example:
        >>> tp.SampledSettings(hidden=(2, 2), kernel="se").hidden
        (2, 2)
    """

    hidden: tuple[int, ...] = (2,)
    kernel: KernelName = "matern52"
    inner: KernelName = "matern52"
    inducing_share: float = 0.1
    fewest_inducing: int = 50
    most_inducing: int = 60
    lengthscale: Lengthscales | None = field(default_factory=lambda: Gamma(2.0, 1.0))
    samples: int = 4
    predicted_samples: int = 32
    rate: float = 0.01
    batch: int = 50
    steps: int = 1000
    refit_steps: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if any(width < 0 for width in self.hidden):
            raise ValueError(f"nodes of a hidden layer must not be negative, got {self.hidden=}")
        if not 0 < self.inducing_share <= 1 or not 1 <= self.fewest_inducing <= self.most_inducing:
            raise ValueError(f"0 < inducing_share <= 1 and 1 <= fewest_inducing <= most_inducing must hold, got {self}")
        if min(self.samples, self.predicted_samples, self.batch, self.steps, self.refit_steps) < 1:
            raise ValueError(f"samples, predicted_samples, batch, steps, refit_steps >= 1 must hold, got {self}")

    def inducing(self, rows: int) -> int:
        """How many inducing inputs a layer has for `rows` rows, if all are distinct."""
        return min(rows, max(self.fewest_inducing, min(self.most_inducing, round(self.inducing_share * rows))))


class SampledBound:
    """Minus the bound (6) of layers, given expanded rows x (N, e) and outputs y (N, k), those `observed` (N, k).

    Args:
        samples: S of a batch whose draws are not given.
        seed: of draws that are not given.

    Raises (call): NotPositiveError where a covariance is not positive definite.
    """

    def __init__(self, x: Floats, y: Floats, observed: Mask, samples: int = 1, seed: int = 0):
        self.x, self.y, self.observed = np.ascontiguousarray(x), np.ascontiguousarray(y), observed
        self.samples, self.seed = samples, seed
        self._rng = np.random.default_rng([seed, len(x), 0])

    def draws(self, layers: Sequence[SampledLayer], rows: int, samples: int, rng: np.random.Generator) -> list[Floats]:
        """Standard normal draws of the outputs of each hidden layer, (S, B, w) as (S B, w)."""
        return [rng.standard_normal((samples * rows, layer.nodes)) for layer in layers[:-1]]

    def at(
        self, parameters: Floats, like: Sequence[SampledLayer], batch: NDArray[np.int64] | None = None
    ) -> tuple[float, Floats]:
        """Value and gradient by the flattened parameters: of `batch` with new draws, of all rows with the same ones."""
        layers = unflattened(parameters, like)
        if batch is not None:
            return self(layers, batch, self.draws(layers, len(batch), self.samples, self._rng))
        n, rng = len(self.x), np.random.default_rng([self.seed, len(self.x), 1])
        return self(layers, np.arange(n), self.draws(layers, n, FULL_SAMPLES, rng))

    def __call__(
        self, layers: Sequence[SampledLayer], rows: NDArray[np.int64], draws: Sequence[Floats]
    ) -> tuple[float, Floats]:
        """Value and gradient for `rows` (B,) and draws (S B, w) of each hidden layer."""
        states, value, gradients = [SampledState(layer) for layer in layers], 0.0, []
        for state in states:
            part, gradient = state.divergence()
            value += part
            gradients.append(gradient)
        samples = len(draws[0]) // len(rows) if draws else 1
        steps = [SampledPropagation(states[0], self.x[rows])]
        for state, sample in zip(states[1:], draws):
            steps.append(SampledPropagation(state, steps[-1].sampled(sample)))
        scale = len(self.x) / (len(rows) * samples)
        fit, by_mean, by_variance, by_noise = self._likelihood(steps[-1], layers[-1], np.tile(rows, samples))
        self._backward(steps, draws, gradients, scale * by_mean, scale * by_variance, scale * by_noise)
        return value + scale * fit, flattened(gradients)

    def _likelihood(
        self, last: SampledPropagation, layer: SampledLayer, rows: NDArray[np.int64]
    ) -> tuple[float, Floats, Floats, Floats]:
        """Minus the expected log likelihood (7), and its gradient by means and variances (b, k) and log noise (k,)."""
        noise, mask = np.exp(layer.noise), self.observed[rows]
        error = np.where(mask, last.mean - self.y[rows], 0.0)
        squares = np.where(mask, (error * error + last.variance) / noise, 0.0)
        value = 0.5 * float(squares.sum() + (mask * (LOG_TAU + layer.noise)).sum())
        by_noise = np.asarray(0.5 * (np.where(mask, 1.0, 0.0) - squares).sum(axis=0))
        return value, error / noise, np.where(mask, 0.5 / noise, 0.0), by_noise

    def _backward(
        self,
        steps: Sequence[SampledPropagation],
        draws: Sequence[Floats],
        gradients: list[SampledLayer],
        by_mean: Floats,
        by_variance: Floats,
        by_noise: Floats,
    ) -> None:
        """Add to `gradients`, from the last layer to the first."""
        gradients[-1].noise[:] += by_noise
        for index in range(len(steps) - 1, -1, -1):
            gradient, by_inputs = steps[index].backward(by_mean, by_variance)
            for total, part in zip(gradients[index].arrays(), gradient.arrays()):
                total += part
            if index:
                by_mean, by_variance = steps[index - 1].by_moments(by_inputs, draws[index - 1])


def sparse_theta(x: Floats, y: Floats, observed: Mask, features: Features, settings: SampledSettings) -> list[Floats]:
    """Log lengthscales, amplitude and noise of a sparse process of each output, trained on mixed rows x (n, f)."""
    start = SparseSettings(
        kernel=settings.kernel,
        fewest_inducing=min(20, settings.most_inducing),
        most_inducing=settings.most_inducing,
        move_inducing=False,
        lengthscale=settings.lengthscale,
        training_rows=200,
        draws=6,
        starts=1,
        seed=settings.seed,
    )
    return [
        SparseProcess(features, start).train(np.ascontiguousarray(x[mask]), output[mask]).theta
        for output, mask in zip(y.T, observed.T)
    ]


def initial_sampled_layers(
    x: Floats,
    group: NDArray[np.int64],
    y: Floats,
    observed: Mask,
    theta: Sequence[Floats],
    settings: SampledSettings,
) -> list[SampledLayer]:
    """Layers to start from, given expanded rows x (n, e) with the lengthscale `group` (e,) of each column, standardised
    outputs y (n, k), and log lengthscales, amplitude and noise of a sparse process of each output."""
    rng, count, k = np.random.default_rng([settings.seed, len(x)]), settings.inducing(len(x)), y.shape[1]
    logs, noise = np.mean([t[:-2] for t in theta], axis=0), np.array([t[-1] for t in theta])
    noise = np.maximum(noise, math.log(LEAST_START_NOISE))
    z = x[spread_rows(x, count, rng)]
    alone = _layer_at_prior(z, np.zeros((x.shape[1], k)), settings.kernel, group, logs)
    alone = replace(alone, amplitude=np.array([t[-2] for t in theta]), noise=noise, moved=False)
    alone = best_nodes(SampledState(alone), x, y, observed)
    if not settings.hidden:
        return [alone]
    components, offset = component_weights(x, np.exp(-logs)[group], settings.hidden[0])
    layers, h = [_with_components(alone, components, offset)], x
    for width in [*(k + more for more in settings.hidden[1:]), k]:
        h = SampledPropagation(SampledState(layers[-1]), h).mean
        q = h.shape[1]
        z = h[spread_rows(h, count, rng)]
        layers.append(_layer_at_prior(z, np.eye(q, width), settings.inner, np.arange(q), np.full(q, LOG_LENGTHSCALE)))
    last = replace(layers[-1], amplitude=np.full(k, math.log(CORRECTION_AMPLITUDE)), noise=noise)
    return [*layers[:-1], best_nodes(SampledState(last), h, y, observed)]


def component_weights(x: Floats, scale: Floats, count: int) -> tuple[Floats, Floats]:
    """Weights (e, count) and offset (count,) by which rows x (n, e) become standardised principal components of x times
    `scale` (e,); zeros in place of components without variance."""
    scaled = (x - x.mean(axis=0)) * scale
    values, vectors = np.linalg.eigh(product(scaled.T, scaled))
    weights = np.zeros((x.shape[1], count))
    for number, index in enumerate(np.argsort(-values, kind="stable")[:count]):
        spread = math.sqrt(max(values[index], 0.0) / len(x))
        if spread > 1e-9:
            weights[:, number] = vectors[:, index] * scale / spread
    return weights, -times_vector(weights.T, x.mean(axis=0))


def _layer_at_prior(
    z: Floats, weights: Floats, kernel: KernelName, group: NDArray[np.int64], logs: Floats
) -> SampledLayer:
    """A hidden layer with little more than its mean function."""
    m, d = len(z), weights.shape[1]
    amplitude, nothing = np.full(d, math.log(COMPONENT_AMPLITUDE)), np.zeros(0)
    return SampledLayer(
        logs.copy(), amplitude, nothing, z.copy(), np.zeros((d, m, m)), np.zeros((d, m)), kernel, group, weights,
        np.zeros(d), True,
    )  # fmt: skip


def _with_components(alone: SampledLayer, components: Floats, offset: Floats) -> SampledLayer:
    """A hidden layer of the nodes of `alone` and of one each component (e, c)."""
    more = replace(_layer_at_prior(alone.z, components, alone.kernel, alone.group, alone.lengthscales), offset=offset)
    return replace(
        alone,
        amplitude=np.concatenate([alone.amplitude, more.amplitude]),
        noise=more.noise,
        factor=np.concatenate([alone.factor, more.factor]),
        mean=np.concatenate([alone.mean, more.mean]),
        weights=np.column_stack([alone.weights, more.weights]),
        offset=np.concatenate([alone.offset, more.offset]),
    )


def sampled_bounds(layers: Sequence[SampledLayer]) -> tuple[Floats, Floats]:
    """Least and greatest values of the flattened parameters."""
    ends = []
    for sign, infinite in enumerate((-math.inf, math.inf)):
        filled = []
        for layer in layers:
            limited = [BOUNDS[name][sign] for name in ("lengthscales", "amplitude", "noise")]
            limits = [*limited, infinite, infinite, infinite]
            filled.append(layer.with_arrays([np.full_like(a, limit) for a, limit in zip(layer.arrays(), limits)]))
        ends.append(flattened(filled))
    return ends[0], ends[1]
