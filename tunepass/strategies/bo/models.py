"""Surrogates as the Bayesian loop sees them: columns to rows, rows to posteriors of the scaled loss.

Each model has its own features, so each makes its own rows of a space's columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tunepass.space.columns import Columns
from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import Encoding
from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.forest import Forest, ForestSettings
from tunepass.surrogates.gp import GaussianProcess, GpSettings, mixture
from tunepass.surrogates.kernels import Features

FIT_ROWS = 200  # rows that hyperparameters are searched on, at most: the best half and the latest half
REFIT_GROWTH = 0.08  # they are searched again when rows have grown by this share: n^2 a suggestion, amortised
REFIT_GROWTH_LATER = 0.25  # the same, from FIT_ROWS rows on
DRAW_ROWS = 600  # rows times draws of the hyperparameters, at most: draws matter while rows are few
DRAW_CELLS = 3_000_000  # rows squared times lengthscales times draws, at most: what a refit costs
TREE_ROWS, MIN_TREES = 10_000, 10  # rows times trees at most, but some trees: a suggestion's cost stays bounded
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TrainingSample:
    """Rows and losses that a model learns; see `Model.fit`."""

    x: Floats
    loss: Floats
    fantasies: Floats
    keep: Indices | None = None
    bounds: Mask | None = None
    noise: Floats | None = None

    def conditioning(self) -> TrainingSample:
        """The sample with only the rows of `keep`, where it is given."""
        if (keep := self.keep) is None:
            return self
        bounds = None if self.bounds is None else self.bounds[keep]
        noise = None if self.noise is None else self.noise[keep]
        return replace(self, x=self.x[keep], loss=self.loss[keep], bounds=bounds, noise=noise)


class Model(ABC):
    """`rows(columns)` once per batch of candidates; `fit` on the measured rows; `posterior` at candidates' rows."""

    @abstractmethod
    def rows(self, columns: Columns) -> Floats:
        """Rows (n, f) of this model's features."""

    def fit(
        self,
        x: Floats,
        loss: Floats,
        fantasies: Floats,
        keep: Indices | None = None,
        bounds: Mask | None = None,
        noise: Floats | None = None,
    ) -> None:
        """Learn rows `x` (n, f) and losses (n,), then rows `fantasies` (k, f) with their posterior means as losses.

        `keep`: indices of the rows that a process is conditioned on, where all rows are too many. `bounds` (n,): whose
        losses are only the least that they can be. Those have what the other rows predict of them, where that is more
        (one step of the imputation of Hutter, Hoos and Leyton-Brown 2011, "Bayesian optimization with censored
        response data"). `noise` (n,): variance known of the losses' errors, if anything is.
        """
        self.learn(TrainingSample(x, loss, fantasies, keep, bounds, noise))

    @abstractmethod
    def learn(self, sample: TrainingSample) -> None:
        """As `fit`."""

    @abstractmethod
    def posterior(self, x: Floats) -> Posterior:
        """Posterior of the latent loss at rows `x` (m, f)."""

    def mean(self, x: Floats) -> Floats:
        """The posterior's mean (m,), where nothing else of it is needed."""
        return self.posterior(x).mean

    @abstractmethod
    def left_out(self, x: Floats, loss: Floats) -> Posterior:
        """What each row (n,) of the last fit has, noise included, by those of the others; it may have had fantasies."""

    @abstractmethod
    def score(self) -> float:
        """Mean log predictive density of measured rows that were held out, in units of the losses' deviation."""


class GpModel(Model):
    """The hyperparameters at n rows depend on the rows at the last refit only, never on the path taken there.

    With `settings.samples`, one process for each draw of them, and the moments of their mixture. With fewer rows than
    `settings.thompson_rows` one draw serves each fit, the next draw the next fit (Thompson sampling of
    hyperparameters): what one is sure of wrongly, another may ask for.
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

    def learn(self, sample: TrainingSample) -> None:
        x, loss, fantasies, noise = sample.x, sample.loss, sample.fantasies, sample.noise
        rows, n = len(x), last_refit(len(x))
        key = loss[:n].tobytes() + (b"" if noise is None else noise[:n].tobytes())
        if key not in self._thetas:
            chosen = informative_rows(loss[:n], FIT_ROWS)
            known = None if noise is None else noise[:n][chosen]
            self._thetas = {key: self._search(x[:n][chosen], loss[:n][chosen], self._affordable_draws(n), known)}
        part = sample.conditioning()
        x, loss, bounds, noise = part.x, part.loss, part.bounds, part.noise
        drawn = list(zip(self.processes, self._thetas[key]))
        if rows < self.settings.thompson_rows:
            drawn = [drawn[(rows + len(fantasies)) % len(drawn)]]
        self._used = [process for process, _ in drawn]
        self._condition(drawn, x, loss, noise)
        if bounds is not None and bounds.any():
            loss = raised(loss, bounds, equal_mixture([process.leave_one_out() for process in self._used]).mean)
            self._condition(drawn, x, loss, noise)
        if len(fantasies):
            losses = np.concatenate([loss, self.posterior(fantasies).mean])
            noise = None if noise is None else np.concatenate([noise, np.zeros(len(fantasies))])
            self._condition(drawn, np.vstack([x, fantasies]), losses, noise)

    def _condition(
        self, drawn: Sequence[tuple[GaussianProcess, Floats]], x: Floats, loss: Floats, noise: Floats | None
    ) -> None:
        for process, theta in drawn:
            process.refit(x, loss, theta, noise)
        self._mixture = mixture(self._used)

    def posterior(self, x: Floats) -> Posterior:
        return self._mixture.posterior(x)

    def mean(self, x: Floats) -> Floats:
        return self._mixture.mean(x)

    def _affordable_draws(self, n: int) -> int:
        return min(DRAW_ROWS // n, DRAW_CELLS // (n * n * len(self.embedding.roles)))

    def score(self) -> float:
        """As of the last refit."""
        return self._score

    def left_out(self, x: Floats, loss: Floats) -> Posterior:
        fitted = equal_mixture([process.leave_one_out() for process in self._used])
        rows = self._used[0].rows
        if len(rows) >= len(x) and np.array_equal(rows[: len(x)], x):
            return Posterior(fitted.mean[: len(x)], fitted.variance[: len(x)])
        return self.posterior(x)

    def _search(self, x: Floats, loss: Floats, most: int, noise: Floats | None = None) -> list[Floats]:
        """At most `most` draws of the hyperparameters, or the most probable ones; also sets the score."""
        first = self.processes[0]
        first.fit(x, loss, noise)
        draws = first.draws(noise)[:most] if most > 1 else []
        thetas = draws or [first.fitted.theta]
        left_out = []
        for process, theta in zip(self.processes, thetas):
            process.refit(x, loss, theta, noise)
            left_out.append(process.leave_one_out())
        self._score = held_out_score(equal_mixture(left_out), loss)
        return thetas


def equal_mixture(parts: Sequence[Posterior]) -> Posterior:
    """Mean and variance of an equal mixture."""
    if len(parts) == 1:
        return parts[0]
    means = np.array([part.mean for part in parts])
    return Posterior(means.mean(axis=0), np.mean([part.variance for part in parts], axis=0) + means.var(axis=0))


class ForestModel(Model):
    """A random forest; its held-out score is that of the out-of-bag predictions."""

    def __init__(self, encoding: Encoding, settings: ForestSettings, seed: int):
        self.encoding, self.settings, self.seed = encoding, settings, seed
        self.forest, self._score = Forest(settings), -np.inf
        self._left_out = Posterior(np.zeros(0), np.zeros(0))
        self._earlier: dict[bytes, float] = {}

    def rows(self, columns: Columns) -> Floats:
        return self.encoding.encode(columns)

    def learn(self, sample: TrainingSample) -> None:
        x, loss, fantasies, bounds = sample.x, sample.loss, sample.fantasies, sample.bounds
        trees = max(min(self.settings.trees, MIN_TREES), min(self.settings.trees, TREE_ROWS // len(x)))
        self.forest = Forest(replace(self.settings, trees=trees, seed=self.seed + len(x) + len(fantasies)))
        self.forest.fit(x, loss)
        self._left_out = left_out = out_of_bag(self.forest, loss)
        self._score = held_out_score(left_out, loss)
        if bounds is not None and bounds.any():
            loss = raised(loss, bounds, left_out.mean)
            self.forest.fit(x, loss)
        if len(fantasies):
            losses = np.concatenate([loss, self.forest.posterior(fantasies).mean])
            self.forest.fit(np.vstack([x, fantasies]), losses)

    def posterior(self, x: Floats) -> Posterior:
        return self.forest.posterior(x)

    def left_out(self, x: Floats, loss: Floats) -> Posterior:
        return self._left_out

    def score(self) -> float:
        return self._score

    def score_of(self, x: Floats, loss: Floats) -> float:
        """The score of a forest of its own of `loss` (n,) at rows `x`; the last one asked for is kept."""
        key = loss.tobytes()
        if key not in self._earlier:
            forest = Forest(replace(self.settings, seed=self.seed + len(x)))
            forest.fit(x, loss)
            self._earlier = {key: held_out_score(out_of_bag(forest, loss), loss)}
        return self._earlier[key]


def out_of_bag(forest: Forest, loss: Floats) -> Posterior:
    """What the trees that did not see a row predict there, with the mean squared error of all as variance."""
    left_out = forest.trees.out_of_bag
    mean = np.where(np.isnan(left_out), loss.mean(), left_out)
    return Posterior(mean, np.full(len(loss), ((mean - loss) ** 2).mean()))


def weighted_mixture(shares: Floats, parts: Sequence[Posterior]) -> Posterior:
    """Mean and variance of a mixture with these shares, which sum to 1."""
    means = np.array([part.mean for part in parts])
    mean = np.tensordot(shares, means, 1)
    within = np.tensordot(shares, np.array([part.variance for part in parts]), 1)
    return Posterior(mean, within + np.tensordot(shares, (means - mean) ** 2, 1))


def raised(loss: Floats, bounds: Mask, left_out: Floats) -> Floats:
    """Losses (n,), those of `bounds` raised to what the other rows predict there."""
    return np.where(bounds, np.maximum(loss, left_out), loss)


def held_out_score(predicted: Posterior, loss: Floats) -> float:
    """Mean log density of `loss` (n,) under its held-out predictions, free of the losses' unit."""
    unit = float(loss.std()) or 1.0
    variance = np.maximum(predicted.variance / unit**2, 1e-6)
    error = (predicted.mean - loss) / unit
    return float(-0.5 * (np.log(2 * np.pi * variance) + error**2 / variance).mean())


def model_weights(models: Sequence[Model], score_weight: float) -> Floats:
    """How much each model counts: a softmax of `score_weight` times its score; equal when that is 0. A score may cost a
    cross-validation, so one model alone is not asked for it."""
    if len(models) == 1:
        return np.ones(1)
    return softmax(score_weight * np.array([model.score() for model in models]))


def softmax(scores: Floats) -> Floats:
    """Weights that sum to 1, in proportion to exp(score); equal where no score is finite."""
    highest = scores.max()
    if not np.isfinite(highest):
        return np.full(scores.size, 1 / scores.size)
    odds = np.exp(scores - highest)
    return np.asarray(odds / odds.sum())


def last_refit(n: int) -> int:
    """The largest count <= n in 1, 2, ..., each next one larger by one, or by the share REFIT_GROWTH (later
    REFIT_GROWTH_LATER) of the one before."""
    count = 1
    while (following := max(count + 1, int(count * (1 + _growth(count))))) <= n:
        count = following
    return count


def _growth(count: int) -> float:
    return REFIT_GROWTH if count < FIT_ROWS else REFIT_GROWTH_LATER


def informative_rows(loss: Floats, limit: int) -> Indices:
    """Indices (sorted) of the `limit` rows to fit hyperparameters on: the best half, then the latest."""
    n = len(loss)
    if n <= limit:
        return np.arange(n)
    best = np.argsort(loss, kind="stable")[: limit // 2]
    rest = np.setdiff1d(np.arange(n), best)[-(limit - len(best)) :]
    return np.sort(np.concatenate([best, rest]))
