"""Sampled deep Gaussian process (Salimbeni & Deisenroth 2017; Havasi 2017, §6.1.3): layers that samples pass through.

    symbol      meaning
    s           one of S samples of the hidden values, by the same draws for every row
    mean_s, v_s moments of the outputs given the sample

    mean        1/S sum mean_s                                              (8)
    covariance  1/S sum [diag(v_s) + (mean_s - mean)(mean_s - mean)^T]      (9)

are those of the mixture of the samples' predictions. The first layer has the kernel of the full process, on numbers,
categories and orders alike. Closed forms of layers exist for squared exponential kernels of numbers alone, so that the
deep process reads categories as indicators and orders as positions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from tunepass.surrogates.base import Floats, JointPosterior, Mask
from tunepass.surrogates.deep_layer import flattened, unflattened
from tunepass.surrogates.deep_training import Descent, DivergedError
from tunepass.surrogates.inducing import Expansion
from tunepass.surrogates.joint_deep_gp import LayeredProcess
from tunepass.surrogates.kernels import Features
from tunepass.surrogates.matrices import NotPositiveError
from tunepass.surrogates.sampled_layer import SampledLayer, SampledPropagation, SampledState
from tunepass.surrogates.sampled_training import (
    SampledBound,
    SampledSettings,
    initial_sampled_layers,
    sampled_bounds,
    sparse_theta,
)

BLOCK = 256  # rows that are predicted at once, times the samples of each


@dataclass(frozen=True, slots=True, eq=False)
class SampledLayers:
    """Trained layers, the coordinates that the first one has its inputs in, and a mask of the outputs whose losses are
    all equal (k,), which are predicted to stay so: draws would add noise to them."""

    expansion: Expansion
    layers: Sequence[SampledLayer]
    constant: Mask


class SampledNetwork:
    """A trained network: latent moments of its standardised outputs, by `samples` of the hidden values.

    Draws of a node are the normal quantiles at (i + 1/2) / S, scaled to deviation 1 and in a random order: a Latin
    hypercube (McKay, Beckman & Conover 1979), whose means have no error where the outputs are linear.
    """

    def __init__(self, trained: SampledLayers, samples: int, seed: int):
        self.trained, self.samples = trained, samples
        self.states = [SampledState(layer) for layer in trained.layers]
        quantiles = np.array([NormalDist().inv_cdf((i + 0.5) / samples) for i in range(samples)])
        quantiles /= math.sqrt(max(float((quantiles**2).mean()), 1e-12))
        rng = np.random.default_rng([seed, samples, 2])
        self._draws = [
            np.column_stack([rng.permutation(quantiles) for _ in range(layer.nodes)]) for layer in trained.layers[:-1]
        ]

    def posterior(self, x: Floats) -> JointPosterior:
        """At mixed rows (m, f)."""
        if not len(x):
            k = self.trained.layers[-1].nodes
            return JointPosterior(np.zeros((0, k)), np.zeros((0, k, k)))
        parts = [self._block(x[start : start + BLOCK]) for start in range(0, len(x), BLOCK)]
        return JointPosterior(
            np.concatenate([part.mean for part in parts]), np.concatenate([part.covariance for part in parts])
        )

    @property
    def noise(self) -> Floats:
        """The noise of each standardised output (k,)."""
        return np.asarray(np.exp(self.trained.layers[-1].noise))

    def _block(self, x: Floats) -> JointPosterior:
        step = SampledPropagation(self.states[0], self.trained.expansion.rows(x))
        for state, draws in zip(self.states[1:], self._draws):
            step = SampledPropagation(state, step.sampled(np.repeat(draws, len(x), axis=0)))
        means, variances = (moment.reshape(-1, len(x), moment.shape[1]) for moment in (step.mean, step.variance))
        means[:, :, self.trained.constant] = 0.0
        mean = means.mean(axis=0)
        apart = means - mean
        covariance = (apart[:, :, :, None] * apart[:, :, None, :]).mean(axis=0)
        return JointPosterior(mean, covariance + variances.mean(axis=0)[:, :, None] * np.eye(mean.shape[1]))


class SampledDeepProcess(LayeredProcess[SampledNetwork, SampledLayers]):
    """Several losses, or one, by a deep process whose first layer has the full process's kernel.

    A loss may be missing in any row. Training that diverges falls back to sparse processes, with a warning and
    `fallback`.

    Args:
        features: the kinds of the columns of its rows; None: each is a number of its own.
        settings: None: one hidden layer of two nodes and one an output.

    Example:
        >>> process = tp.SampledDeepProcess(settings=tp.SampledSettings(steps=20))
        >>> losses = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
        >>> process.fit_joint(np.array([[0.0], [0.5], [1.0]]), losses)
        >>> process.joint_posterior(np.array([[0.5]])).covariance.shape
        (1, 2, 2)
    """

    kind = "sampled deep"

    def __init__(self, features: Features | None = None, settings: SampledSettings | None = None):
        self.settings = settings or SampledSettings()
        super().__init__(self.settings.seed, features)

    def _trained(self, x: Floats, y: Floats, observed: Mask, start: SampledLayers | None) -> SampledNetwork:
        s, features = self.settings, self._features or Features.plain(x.shape[1])
        constant = np.array([abs(float(loss[seen].std()) - 1.0) > 1e-6 for loss, seen in zip(y.T, observed.T)])
        y = np.where(constant, 0.0, y)
        try:
            expansion = start.expansion if start else Expansion.of(x, features)
            rows = expansion.rows(x)
            if start:
                layers = list(start.layers)
            else:
                theta = sparse_theta(x, y, observed, features, s)
                layers = initial_sampled_layers(rows, expansion.group, y, observed, theta, s)
            bound = SampledBound(rows, y, observed, s.samples, s.seed)
            descent = Descent(lambda flat, batch: bound.at(flat, layers, batch), len(rows), flattened(layers))
            best = descent.descend(s.refit_steps if start else s.steps, s, sampled_bounds(layers))
        except (NotPositiveError, np.linalg.LinAlgError) as error:
            raise DivergedError(f"no training can start: {error}") from error
        trained = SampledLayers(expansion, unflattened(best, layers), constant)
        return SampledNetwork(trained, s.predicted_samples, s.seed)

    def _predicted(self, network: SampledNetwork, x: Floats) -> JointPosterior:
        return network.posterior(x)

    def _network_noise(self, network: SampledNetwork) -> Floats:
        return network.noise

    @property
    def layers(self) -> SampledLayers | None:
        """The trained layers; None before a fit and after a fallback."""
        return self._network.trained if self._network else None
