"""Deep Gaussian process (Havasi 2017, §3.2; Bui et al. 2016): layers of sparse nodes that warp the space for the next.

Losses are shifted and scaled to mean 0 and deviation 1. Training that diverges falls back to the sparse process, with a
warning that gives the reason.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tunepass.surrogates.base import Floats, Mask, Posterior, Surrogate
from tunepass.surrogates.deep_energy import DeepEnergy, forward
from tunepass.surrogates.deep_layer import Layer, LayerState
from tunepass.surrogates.deep_training import DeepSettings, DivergedError, Training, initial_layers
from tunepass.surrogates.forest import checked
from tunepass.surrogates.matrices import NotPositiveError
from tunepass.surrogates.pairs import standardised
from tunepass.surrogates.sparse_gp import SparseProcess, SparseSettings, deviation

START = SparseSettings(kernel="se", most_inducing=30, training_rows=200, draws=6, starts=1)  # of first lengthscales


@dataclass(frozen=True, slots=True)
class DeepNetwork:
    """A trained network: latent moments (m, d) of its standardised outputs."""

    layers: Sequence[Layer]
    states: Sequence[LayerState]

    @staticmethod
    def of(layers: Sequence[Layer]) -> DeepNetwork:
        return DeepNetwork(layers, [LayerState(layer, 1.0) for layer in layers])

    def moments(self, x: Floats) -> tuple[Floats, Floats]:
        last = forward(self.states, np.ascontiguousarray(x, dtype=np.float64), posterior=True)[-1]
        return last.mean, last.variance

    @property
    def noise(self) -> Floats:
        """The noise of each standardised output (d,)."""
        return np.exp(self.layers[-1].noise)


def trained(
    x: Floats, y: Floats, observed: Mask, settings: DeepSettings, start: Sequence[Layer] | None = None
) -> DeepNetwork:
    """A network trained on rows x (n, q) and standardised outputs y (n, d), those that are `observed` (n, d).

    It goes on from `start` for `refit_steps`, else from sparse processes of principal components. DivergedError where
    training ends worse than it began.
    """
    energy = DeepEnergy(x, y, observed, settings.power)
    try:
        layers = list(start) if start else initial_layers(x, y, observed, _lengthscales(x, y, observed), settings)
        steps = settings.refit_steps if start else settings.steps
        return DeepNetwork.of(Training(energy, layers).run(steps, settings))
    except (NotPositiveError, np.linalg.LinAlgError) as error:
        raise DivergedError(f"no training can start: {error}") from error


def _lengthscales(x: Floats, y: Floats, observed: Mask) -> Floats:
    """The lengthscales of sparse processes of each output, their geometric mean (q,)."""
    logs = []
    for output, mask in zip(y.T, observed.T):
        if mask.any():
            process = SparseProcess(settings=START)
            logs.append(process.train(np.ascontiguousarray(x[mask]), output[mask]).theta[:-2])
    return np.asarray(np.exp(np.mean(logs, axis=0)))


class DeepProcess(Surrogate):
    """A Gaussian process of Gaussian processes, trained by stochastic expectation propagation.

    Args:
        settings: None: one hidden layer of two nodes.

    Example:
        >>> process = tp.DeepProcess(tp.DeepSettings(steps=20))
        >>> process.fit(np.array([[0.0], [0.5], [1.0]]), np.array([1.0, 0.0, 1.0]))
        >>> process.posterior(np.array([[0.5]])).mean.shape
        (1,)
    """

    def __init__(self, settings: DeepSettings | None = None):
        self.settings = settings or DeepSettings()
        self.fallback: str | None = None  # why the sparse process predicts instead, if it does
        self._network: DeepNetwork | None = None
        self._sparse: SparseProcess | None = None
        self._shift, self._scale = 0.0, 1.0

    def fit(self, x: Floats, loss: Floats) -> None:
        self.refit(x, loss, None)

    def refit(self, x: Floats, loss: Floats, start: Sequence[Layer] | None) -> None:
        """Train on rows from the layers of a fit to fewer of them, with `refit_steps`; None: as `fit`."""
        x, loss = checked(x, loss)
        self._shift, self._scale = float(loss.mean()), deviation(loss)
        y = standardised(loss)[:, None]
        self.fallback, self._network, self._sparse = None, None, None
        try:
            self._network = trained(x, y, np.ones(y.shape, bool), self.settings, start)
        except DivergedError as error:
            self.fallback = str(error)
            warnings.warn(f"a sparse process in place of the deep one: {error}", RuntimeWarning, stacklevel=2)
            self._sparse = SparseProcess(settings=replace(SparseSettings(), seed=self.settings.seed))
            self._sparse.fit(x, loss)

    def posterior(self, x: Floats) -> Posterior:
        if self._sparse is not None:
            return self._sparse.posterior(x)
        if self._network is None:
            raise ValueError("fit before asking for a posterior")
        mean, variance = self._network.moments(x)
        return Posterior(self._shift + self._scale * mean[:, 0], self._scale**2 * variance[:, 0])

    @property
    def noise(self) -> float:
        """The variance of a loss's error."""
        if self._network is not None:
            return float(self._scale**2 * self._network.noise[0])
        return 0.0 if self._sparse is None else self._sparse.noise

    @property
    def layers(self) -> Sequence[Layer] | None:
        """The trained layers; None before a fit and after a fallback."""
        return self._network.layers if self._network else None
