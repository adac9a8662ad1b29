"""Surrogates seen from a strategy: columns in, posteriors of the scaled loss out. Each owns its row format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tunepass.space.columns import Columns
from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import Encoding
from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.forest import Forest, ForestSettings
from tunepass.surrogates.gp import GaussianProcess, GpSettings, mixture
from tunepass.surrogates.kernels import Features

REFIT_EVERY = 0.08  # hyperparameters are searched again when rows have grown by this share: n^2 a suggestion, amortised
REFIT_LATER = 0.25  # ... once there are more than FIT_ROWS, which are all that the search looks at
TREE_ROWS, MIN_TREES = 10_000, 10  # fewer trees on more rows, so that a suggestion's cost stays bounded
DRAW_ROWS = 600  # ... and fewer draws of a process's hyperparameters: they matter while rows are few
FIT_ROWS = 200  # ... on at most this many rows: the best half and the latest half
Indices = NDArray[np.int64]


class Model(ABC):
    """`rows(columns)` once per batch of candidates; `fit` on the measured rows; `posterior` at candidates' rows."""

    @abstractmethod
    def rows(self, columns: Columns) -> Floats: ...

    @abstractmethod
    def fit(self, x: Floats, loss: Floats, fantasies: Floats, keep: Indices | None = None) -> None:
        """Learn rows `x` (n, f) and losses (n,); then believe in the posterior mean at `fantasies` (k, f).

        `keep`: where all rows are too many for a process to be conditioned on, those that matter.
        """

    @abstractmethod
    def posterior(self, x: Floats) -> Posterior: ...

    @abstractmethod
    def score(self) -> float:
        """Mean log predictive density of measured rows that were held out, in units of the losses' deviation."""


class GpModel(Model):
    """The hyperparameters at n rows depend on the rows at the last refit only, never on the path taken there.

    With `settings.samples`, one process a draw of them, and the moments of their mixture; with fewer rows than
    `settings.turns` the draws take turns, so that what one is blind to the next may ask for (Thompson sampling of
    hyperparameters).
    """

    def __init__(self, embedding: Embedding, settings: GpSettings):
        self.embedding = embedding
        self.settings, features = settings, Features.of(embedding.group, embedding.nominal)
        self.processes = [GaussianProcess(features, settings) for _ in range(max(1, settings.samples))]
        self._used = self.processes
        self._thetas: dict[bytes, list[Floats]] = {}
        self._score = -np.inf

    def rows(self, columns: Columns) -> Floats:
        return self.embedding.rows(columns)

    def fit(self, x: Floats, loss: Floats, fantasies: Floats, keep: Indices | None = None) -> None:
        rows, at = len(x), last_refit(len(x))
        key = loss[:at].tobytes()
        if key not in self._thetas:
            few = informative(loss[:at], FIT_ROWS)
            self._thetas = {key: self._search(x[:at][few], loss[:at][few], DRAW_ROWS // at)}
        if keep is not None:
            x, loss = x[keep], loss[keep]
        drawn = list(zip(self.processes, self._thetas[key]))
        if rows < self.settings.turns:
            drawn = [drawn[(rows + len(fantasies)) % len(drawn)]]
        self._used = [process for process, _ in drawn]
        for process, theta in drawn:
            process.refit(x, loss, theta)
        if len(fantasies):
            believed = self.posterior(fantasies).mean
            for process, theta in drawn:
                process.refit(np.vstack([x, fantasies]), np.concatenate([loss, believed]), theta)

    def posterior(self, x: Floats) -> Posterior:
        return mixture(self._used, x)

    def score(self) -> float:
        """As of the last refit."""
        return self._score

    def _search(self, x: Floats, loss: Floats, most: int) -> list[Floats]:
        first = self.processes[0]
        first.fit(x, loss)
        draws = first.draws()[:most] if most > 1 else []
        thetas = draws or [first.fitted.theta]
        left_out = []
        for process, theta in zip(self.processes, thetas):
            process.refit(x, loss, theta)
            left_out.append(process.leave_one_out())
        self._score = held_out(moments(left_out), loss)
        return thetas


def moments(parts: Sequence[Posterior]) -> Posterior:
    """Mean and variance of an equal mixture."""
    if len(parts) == 1:
        return parts[0]
    means = np.array([part.mean for part in parts])
    return Posterior(means.mean(axis=0), np.mean([part.variance for part in parts], axis=0) + means.var(axis=0))


class ForestModel(Model):
    def __init__(self, encoding: Encoding, settings: ForestSettings, seed: int):
        self.encoding, self.settings, self.seed = encoding, settings, seed
        self.forest, self._score = Forest(settings), -np.inf

    def rows(self, columns: Columns) -> Floats:
        return self.encoding.encode(columns)

    def fit(self, x: Floats, loss: Floats, fantasies: Floats, keep: Indices | None = None) -> None:
        trees = max(min(self.settings.trees, MIN_TREES), min(self.settings.trees, TREE_ROWS // len(x)))
        self.forest = Forest(replace(self.settings, trees=trees, seed=self.seed + len(x) + len(fantasies)))
        self.forest.fit(x, loss)
        left_out = self.forest.trees.out_of_bag
        error = np.where(np.isnan(left_out), loss.mean(), left_out) - loss
        self._score = held_out(Posterior(loss + error, np.full(len(loss), (error**2).mean())), loss)
        if len(fantasies):
            believed = self.forest.posterior(fantasies).mean
            self.forest.fit(np.vstack([x, fantasies]), np.concatenate([loss, believed]))

    def posterior(self, x: Floats) -> Posterior:
        return self.forest.posterior(x)

    def score(self) -> float:
        return self._score


def held_out(predicted: Posterior, loss: Floats) -> float:
    """Mean log density of `loss` (n,) under its held-out predictions, free of the losses' unit."""
    unit = float(loss.std()) or 1.0
    variance = np.maximum(predicted.variance / unit**2, 1e-6)
    error = (predicted.mean - loss) / unit
    return float(-0.5 * (np.log(2 * np.pi * variance) + error**2 / variance).mean())


def weights(models: Sequence[Model], trust: float) -> Floats:
    """How much each model counts: a softmax of `trust` times its score; equal when `trust` is 0."""
    scores = trust * np.array([model.score() for model in models])
    odds = np.exp(scores - scores.max())
    return np.asarray(odds / odds.sum())


def last_refit(n: int) -> int:
    """The largest count <= n in 1, 2, ..., each next one larger by REFIT_EVERY or by one, later by REFIT_LATER."""
    at = 1
    while (following := max(at + 1, int(at * (1 + (REFIT_EVERY if at < FIT_ROWS else REFIT_LATER))))) <= n:
        at = following
    return at


def informative(loss: Floats, limit: int) -> Indices:
    """Indices (sorted) of the `limit` rows to fit hyperparameters on: the best half, then the latest."""
    n = len(loss)
    if n <= limit:
        return np.arange(n)
    best = np.argsort(loss, kind="stable")[: limit // 2]
    rest = np.setdiff1d(np.arange(n), best)[-(limit - len(best)) :]
    return np.sort(np.concatenate([best, rest]))
