"""Training of a deep Gaussian process: from a sparse process of principal components, by Adam on the energy.

    symbol    meaning
    h         (n, w) standardised principal components of the inputs over their lengthscales, w being a layer's width
    z         inducing inputs: rows that k-means++ draws, of the inputs in the first layer and of h in the others
    T1, t     of a hidden node: 100 I, and t so that its mean at z is h there; of an output: those of FITC given h
    l         lengthscales: those of a sparse process; above, 1 over what the components were divided by

A hidden layer thus begins as the identity on h, and the energy as that of a sparse process of h. Settings of the paper
(Havasi 2017, Table 4.1): rate 0.01, batches of 50, 2,000 epochs. Adam is Kingma & Ba 2015, Alg. 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates.base import Floats, Mask
from tunepass.surrogates.deep_energy import DeepEnergy
from tunepass.surrogates.deep_layer import JITTER, Layer, flattened, unflattened
from tunepass.surrogates.inducing import spread_rows, squared_distances
from tunepass.surrogates.matrices import NotPositiveError, inverse_factor, product, times_vector

HIDDEN_PRECISION = 100.0  # T1 of a hidden node at the start, times the identity
START_NOISE = math.log(1e-2)  # log sigma^2
MOMENTS = (0.9, 0.999)  # of Adam
CHECKS = 8  # full energies that the best parameters are chosen among
MOST_FAILURES = 8  # steps out of the region where covariances are positive definite, each halving the rate
BOUNDS = {"lengthscales": (-4.0, 5.0), "amplitude": (-6.0, 6.0), "noise": (-10.0, 2.0)}  # of logarithms


FlatEnergy = Callable[[Floats, NDArray[np.int64] | None], tuple[float, Floats]]


class DivergedError(ArithmeticError):
    """Training left the parameters worse than at its start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepSettings:
    """Settings of a deep Gaussian process.

    Args:
        hidden: nodes of each hidden layer; the paper has one layer of two.
        inducing_share: inducing inputs of a node, a row.
        fewest_inducing: their number, at least, where there are as many distinct rows.
        most_inducing: their number, at most.
        power: power EP's alpha; the smaller, the closer to the variational bound.
        rate: of Adam.
        batch: rows of a step.
        steps: of a training.
        refit_steps: of a training that starts from parameters of fewer rows.
        seed: of every random choice.

    Raises:
        ValueError: no node in a layer, a share or power outside (0, 1], or numbers below 1.

    Example:
        >>> tp.DeepSettings(hidden=(3, 2), power=0.5).hidden
        (3, 2)
    """

    hidden: tuple[int, ...] = (2,)
    inducing_share: float = 0.1
    fewest_inducing: int = 10
    most_inducing: int = 50
    power: float = 1.0
    rate: float = 0.01
    batch: int = 50
    steps: int = 1500
    refit_steps: int = 150
    seed: int = 0

    def __post_init__(self) -> None:
        if any(width < 1 for width in self.hidden):
            raise ValueError(f"every hidden layer must have a node, got {self.hidden=}")
        if not 0 < self.inducing_share <= 1 or not 0 < self.power <= 1:
            raise ValueError(f"0 < inducing_share <= 1 and 0 < power <= 1 must hold, got {self}")
        if not 1 <= self.fewest_inducing <= self.most_inducing or min(self.batch, self.steps, self.refit_steps) < 1:
            raise ValueError(
                f"1 <= fewest_inducing <= most_inducing and batch, steps, refit_steps >= 1 must hold, got {self}"
            )

    def inducing(self, rows: int) -> int:
        """How many inducing inputs a node has for `rows` rows, if all are distinct."""
        return min(rows, max(self.fewest_inducing, min(self.most_inducing, round(self.inducing_share * rows))))


def initial_layers(x: Floats, y: Floats, observed: Mask, lengthscales: Floats, settings: DeepSettings) -> list[Layer]:
    """Layers to start from, given rows x (n, q), standardised outputs y (n, d) and lengthscales (q,)."""
    rng, count = np.random.default_rng([settings.seed, len(x)]), settings.inducing(len(x))
    layers, inputs, logs = [], x, np.log(lengthscales)
    for width in settings.hidden:
        scores, spread = principal_components(x / lengthscales, width, rng)
        chosen = spread_rows(inputs, count, rng)
        layers.append(_identity_layer(inputs[chosen], scores[chosen], logs))
        inputs, logs = scores, -np.log(spread)
    z = inputs[spread_rows(inputs, count, rng)]
    return [*layers, _output_layer(z, inputs, y, observed, logs)]


def principal_components(x: Floats, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Standardised scores (n, count) of the first components, and what they were divided by (count,).

    In place of components without variance: waves along random directions, smooth at distances below 1 (Rahimi & Recht
    2007, Alg. 1), and random numbers where all rows are equal.
    """
    centered = x - x.mean(axis=0)
    values, vectors = np.linalg.eigh(product(centered.T, centered))
    order = np.argsort(-values, kind="stable")[:count]
    scores = product(centered, np.ascontiguousarray(vectors[:, order]))
    scores = np.column_stack([scores, np.zeros((len(x), count - len(order)))])
    constant = scores.std(axis=0) < 1e-9
    missing = int(constant.sum())
    waves = np.cos(product(x, rng.normal(size=(x.shape[1], missing))) + rng.uniform(0.0, 2 * math.pi, missing))
    waves[:, waves.std(axis=0) < 1e-9] = rng.normal(size=(len(x), 1))
    scores[:, constant] = waves
    spread = scores.std(axis=0)
    spread[spread < 1e-9] = 1.0
    return np.ascontiguousarray((scores - scores.mean(axis=0)) / spread), spread


def _kernel(z: Floats, x: Floats, logs: Floats) -> Floats:
    return np.exp(-0.5 * squared_distances(z, x, np.exp(-2.0 * logs)))


def _identity_layer(z: Floats, scores: Floats, logs: Floats) -> Layer:
    """Nodes whose means at z (m, q) are `scores` (m, w), each with T1 = 100 I."""
    m, width = scores.shape
    root, _ = inverse_factor(_kernel(z, z, logs) + JITTER * np.eye(m))
    precision = product(root, root.T) + HIDDEN_PRECISION * np.eye(m)
    factor = np.tile(0.5 * math.log(HIDDEN_PRECISION) * np.eye(m), (width, 1, 1))
    return Layer(logs.copy(), np.zeros(1), np.full(width, START_NOISE), z, factor, product(precision, scores).T.copy())


def _output_layer(z: Floats, inputs: Floats, y: Floats, observed: Mask, logs: Floats) -> Layer:
    """Nodes with FITC's T1 and t given the inputs (Havasi 2017, Eq. 3.2): sums of C^T C / G and of C^T y / G."""
    m, root = len(z), inverse_factor(_kernel(z, z, logs) + JITTER * np.eye(len(z)))[0]
    v = product(root.T, _kernel(z, inputs, logs))
    c = product(root, v)  # K^-1 Kuf (m, n)
    g = np.maximum(1.0 - (v * v).sum(axis=0), 0.0) + math.exp(START_NOISE)
    factors, shifts = [], []
    for output, mask in zip(y.T, observed.T):
        weight = np.where(mask, 1.0 / g, 0.0)
        precision = product(c * weight, c.T)
        precision += 1e-6 * (1.0 + float(np.trace(precision)) / m) * np.eye(m)
        upper = np.linalg.cholesky(precision).T
        factor = np.triu(upper, 1)
        np.fill_diagonal(factor, np.log(np.diagonal(upper)))
        factors.append(factor)
        shifts.append(times_vector(c, np.where(mask, output, 0.0) * weight))
    noise = np.full(y.shape[1], START_NOISE)
    return Layer(logs.copy(), np.zeros(1), noise, z, np.stack(factors), np.stack(shifts))


@dataclass(slots=True)
class Adam:
    """Adam's state; `step` gives the change of the parameters."""

    rate: float
    mean: Floats
    square: Floats
    count: int = 0

    def step(self, gradient: Floats) -> Floats:
        first, second = MOMENTS
        self.count += 1
        self.mean = first * self.mean + (1 - first) * gradient
        self.square = second * self.square + (1 - second) * gradient**2
        unbiased = self.square / (1 - second**self.count)
        return -self.rate * (self.mean / (1 - first**self.count)) / (np.sqrt(unbiased) + 1e-8)


class StepSettings(Protocol):
    """The settings of a training's steps."""

    @property
    def rate(self) -> float: ...
    @property
    def batch(self) -> int: ...
    @property
    def seed(self) -> int: ...


class Descent:
    """Adam on an energy: the best flattened parameters so far, of those whose full energy was evaluated.

    Args:
        energy: value and gradient by the flattened parameters, of a batch of rows or of all (None); NotPositiveError
            where it has none.
        rows: their number.
        start: the first parameters.

    Raises: DivergedError where the energy of the first parameters is not finite.
    """

    def __init__(self, energy: FlatEnergy, rows: int, start: Floats):
        self._energy, self._rows, self.best = energy, rows, start
        self.start = self.least = self._full(start)
        if not math.isfinite(self.start):
            raise DivergedError("the energy of the first parameters is not finite")

    def descend(self, steps: int, settings: StepSettings, bounds: tuple[Floats, Floats]) -> Floats:
        """The best parameters after `steps` of Adam within bounds. DivergedError where none were better than the
        first."""
        rng, n, parameters = np.random.default_rng([settings.seed, self._rows, steps]), self._rows, self.best
        adam, failures, interval = Adam(settings.rate, 0.0 * parameters, 0.0 * parameters), 0, max(1, steps // CHECKS)
        order = np.zeros(0, np.int64)
        for step in range(1, steps + 1):
            order = order if len(order) else rng.permutation(n)
            batch, order = order[: settings.batch], order[settings.batch :]
            gradient = self._gradient(parameters, batch)
            if gradient is None:
                failures += 1
                if failures > MOST_FAILURES:
                    raise DivergedError(f"covariances were not positive definite in {failures} of {step} steps")
                parameters, adam = self.best, Adam(adam.rate / 2, 0.0 * parameters, 0.0 * parameters)
                continue
            parameters = np.clip(parameters + adam.step(gradient), *bounds)
            if step % interval == 0 or step == steps:
                self._check(parameters)
        if not self.least <= self.start:
            raise DivergedError(f"the energy rose from {self.start:.6g} to {self.least:.6g}")
        return self.best

    def _gradient(self, parameters: Floats, batch: NDArray[np.int64]) -> Floats | None:
        """None where a covariance is not positive definite or the energy is not finite."""
        try:
            value, gradient = self._energy(parameters, batch)
        except NotPositiveError:
            return None
        return gradient if math.isfinite(value) and np.isfinite(gradient).all() else None

    def _full(self, parameters: Floats) -> float:
        try:
            value, _ = self._energy(parameters, None)
        except NotPositiveError:
            return math.inf
        return value if math.isfinite(value) else math.inf

    def _check(self, parameters: Floats) -> None:
        if (value := self._full(parameters)) < self.least:
            self.best, self.least = parameters, value


class Training(Descent):
    """The training of layers by a deep energy."""

    def __init__(self, energy: DeepEnergy, layers: list[Layer]):
        self.layers = layers
        super().__init__(lambda flat, batch: energy.at(flat, layers, batch), len(energy.x), flattened(layers))

    def run(self, steps: int, settings: StepSettings) -> list[Layer]:
        """The layers after `steps` of Adam. DivergedError where none were better than the first."""
        return unflattened(self.descend(steps, settings, parameter_bounds(self.layers)), self.layers)


def parameter_bounds(layers: Sequence[Layer]) -> tuple[Floats, Floats]:
    """Least and greatest values of the flattened parameters."""
    ends = []
    for sign in (0, 1):
        infinite = (-math.inf, math.inf)[sign]
        ends.append(
            flattened(
                [
                    Layer(
                        np.full_like(layer.lengthscales, BOUNDS["lengthscales"][sign]),
                        np.full_like(layer.amplitude, BOUNDS["amplitude"][sign]),
                        np.full_like(layer.noise, BOUNDS["noise"][sign]),
                        *(np.full_like(array, infinite) for array in (layer.z, layer.factor, layer.shift)),
                    )
                    for layer in layers
                ]
            )
        )
    return ends[0], ends[1]
