"""Joint deep Gaussian process (Havasi 2017, §3.2.3): several outputs from one hidden representation.

    cov(f_d, f_e) = A_d^T psi2 A_e - mean_d mean_e        d != e

is what the uncertain hidden values share of two outputs; nodes are independent given them. Training that diverges falls
back to a sparse process of each output, which are independent, with a warning that gives the reason.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Generic, TypeVar

import numpy as np

from tunepass.surrogates.base import Floats, JointPosterior, JointSurrogate, Mask
from tunepass.surrogates.deep_energy import forward
from tunepass.surrogates.deep_gp import DeepNetwork, trained
from tunepass.surrogates.deep_layer import Layer
from tunepass.surrogates.deep_training import DeepSettings, DivergedError
from tunepass.surrogates.kernels import Features
from tunepass.surrogates.matrices import product
from tunepass.surrogates.sparse_gp import SparseProcess, SparseSettings, deviation

Network = TypeVar("Network")
Layers = TypeVar("Layers")


class LayeredProcess(JointSurrogate, Generic[Network, Layers]):
    """Several losses by a network of layers, which is trained on losses shifted and scaled to mean 0 and deviation 1.

    A subclass trains the network, which goes on from `Layers` of fewer rows, and predicts by it.

    Args:
        seed: of the sparse processes that take over where training diverges.
        features: the kinds of the columns of its rows; None: each is a number of its own.
    """

    kind: ClassVar[str]  # in warnings

    def __init__(self, seed: int, features: Features | None = None):
        self.fallback: str | None = None  # why sparse processes predict instead, if they do
        self._fallback_settings, self._features = replace(SparseSettings(), seed=seed), features
        self._network: Network | None = None
        self._sparse: list[SparseProcess] = []
        self._shift, self._scale = np.zeros(0), np.ones(0)

    @abstractmethod
    def _trained(self, x: Floats, y: Floats, observed: Mask, start: Layers | None) -> Network:
        """A network trained on standardised outputs y (n, k), those that are `observed`. DivergedError where training
        ends worse than it began."""

    @abstractmethod
    def _predicted(self, network: Network, x: Floats) -> JointPosterior:
        """Posterior of the standardised outputs at `x` (m, d)."""

    @abstractmethod
    def _network_noise(self, network: Network) -> Floats:
        """The noise of each standardised output (k,)."""

    def fit_joint(self, x: Floats, losses: Floats, observed: Mask | None = None) -> None:
        self.refit(x, losses, None, observed)

    def refit(self, x: Floats, losses: Floats, start: Layers | None, observed: Mask | None = None) -> None:
        """Train on rows from the layers of a fit to fewer of them, with `refit_steps`; None: as `fit_joint`."""
        x, losses, mask = checked_joint(x, losses, observed)
        columns = [column[seen] for column, seen in zip(losses.T, mask.T)]
        self._shift = np.array([column.mean() for column in columns])
        self._scale = np.array([deviation(column) for column in columns])
        y = np.where(mask, (losses - self._shift) / self._scale, 0.0)
        self.fallback, self._network, self._sparse = None, None, []
        try:
            self._network = self._trained(x, y, mask, start)
        except DivergedError as error:
            self.fallback = str(error)
            warnings.warn(f"sparse processes in place of the {self.kind} one: {error}", RuntimeWarning, stacklevel=3)
            for seen, column in zip(mask.T, columns):
                process = SparseProcess(self._features, self._fallback_settings)
                process.fit(np.ascontiguousarray(x[seen]), column)
                self._sparse.append(process)

    def joint_posterior(self, x: Floats) -> JointPosterior:
        x = np.ascontiguousarray(x, dtype=np.float64)
        if self._sparse:
            parts = [process.posterior(x) for process in self._sparse]
            return independent(np.column_stack([p.mean for p in parts]), np.column_stack([p.variance for p in parts]))
        if self._network is None:
            raise ValueError("fit before asking for a posterior")
        standardised = self._predicted(self._network, x)
        scale = self._scale[:, None] * self._scale
        return JointPosterior(self._shift + self._scale * standardised.mean, scale * standardised.covariance)

    @property
    def noise(self) -> Floats:
        """The variance of each loss's error (k,)."""
        if self._network is not None:
            return np.asarray(self._scale**2 * self._network_noise(self._network))
        return np.array([process.noise for process in self._sparse])


class JointDeepProcess(LayeredProcess[DeepNetwork, Sequence[Layer]]):
    """Several losses by one deep process; a loss may be missing in any row.

    Args:
        settings: None: one hidden layer of two nodes.

    Example:
        >>> process = tp.JointDeepProcess(tp.DeepSettings(steps=20))
        >>> losses = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
        >>> process.fit_joint(np.array([[0.0], [0.5], [1.0]]), losses)
        >>> process.joint_posterior(np.array([[0.5]])).covariance.shape
        (1, 2, 2)
    """

    kind = "joint deep"

    def __init__(self, settings: DeepSettings | None = None):
        self.settings = settings or DeepSettings()
        super().__init__(self.settings.seed)

    def _trained(self, x: Floats, y: Floats, observed: Mask, start: Sequence[Layer] | None) -> DeepNetwork:
        return trained(x, y, observed, self.settings, start)

    def _predicted(self, network: DeepNetwork, x: Floats) -> JointPosterior:
        last = forward(network.states, x, posterior=True)[-1]
        standardised = independent(last.mean, last.variance)
        covariance = standardised.covariance
        if not last.known:
            a = np.array([node.a for node in last.nodes])  # (k, inducing)
            for d in range(len(a)):
                for e in range(d):
                    outer = a[d][:, None] * a[e]
                    pairs = last.pairs.of_matrix(0.5 * (outer + outer.T))
                    both = product(last.second.value, pairs[:, None])[:, 0]
                    covariance[:, d, e] = covariance[:, e, d] = both - last.mean[:, d] * last.mean[:, e]
        return standardised

    def _network_noise(self, network: DeepNetwork) -> Floats:
        return network.noise

    @property
    def layers(self) -> Sequence[Layer] | None:
        """The trained layers; None before a fit and after a fallback."""
        return self._network.layers if self._network else None


def independent(mean: Floats, variance: Floats) -> JointPosterior:
    """Losses without correlation; both (m, k)."""
    return JointPosterior(mean, variance[:, :, None] * np.eye(mean.shape[1]))


def checked_joint(x: Floats, losses: Floats, observed: Mask | None) -> tuple[Floats, Floats, Mask]:
    """Rows (n, d), losses and observed (n, k); ValueError unless what is observed is finite and no loss is absent."""
    x, losses = np.ascontiguousarray(x, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    mask = np.ones(losses.shape, bool) if observed is None else np.asarray(observed, dtype=bool)
    if x.ndim != 2 or losses.ndim != 2 or len(losses) != len(x) or mask.shape != losses.shape or not len(x):
        raise ValueError(
            f"rows (n, d), losses and observed (n, k) with n >= 1 must match, got {x.shape}, {losses.shape} and "
            f"{mask.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(losses[mask]).all()):
        raise ValueError("rows and observed losses must be finite")
    if not mask.any(axis=0).all():
        raise ValueError("every loss must be observed in a row")
    return x, losses, mask
