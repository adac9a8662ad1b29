"""A model of what a prior mean leaves: residual and plain model side by side, weighted by how well they predict.

The last column of a row is the prior mean there, on the scale of the losses.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.features.embedding import Embedding
from tunepass.strategies.base import Task
from tunepass.strategies.bo.models import Indices, Model, last_refit
from tunepass.strategies.bo.prior_mean import PriorMean
from tunepass.study.trust import rank_correlation
from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.kernels import Features, distances
from tunepass.surrogates.residual import (
    AffineMap,
    ResidualSettings,
    agreement,
    conviction,
    fit_map,
    mixture,
    weight,
)

REFERENCE = 20_000  # configurations that say how much the prior varies over the space and where it is best
FAVOURITES = 200
REFERENCE_KEY = 0x7072696F72


class Prior:
    """A task's prior mean as losses, on the log scale if `log` and they have one sign; where it has none, its worst."""

    def __init__(self, task: Task, *, log: bool):
        assert task.prior_mean is not None
        self.task, self.mean = task, task.prior_mean
        sample = task.space.sample_columns(REFERENCE, np.random.default_rng([task.seed, REFERENCE_KEY]))
        losses = self._losses(sample)
        known = losses[np.isfinite(losses)]
        self.worst = float(known.max()) if len(known) else 0.0
        self.sign = _sign(known) if log else 0.0
        self.variance = float(self.scaled(known).var()) if len(known) else 0.0
        self.best = self._favourites(sample, losses)  # best first
        self._sorted = np.sort(self.scaled(known))

    def at(self, columns: Columns) -> Floats:
        """The prior mean (n,) as losses."""
        losses = self._losses(columns)
        return self.scaled(np.where(np.isfinite(losses), losses, self.worst))

    def rank(self, columns: Columns) -> Floats:
        """The share (n,) of the space that it likes better."""
        return np.asarray(np.searchsorted(self._sorted, self.at(columns)) / max(1, len(self._sorted)))

    def spread(self, embedding: Embedding, n: int) -> NDArray[np.int64]:
        """Places of `n` of its favourites: the best, then each the farthest from those before (maximin)."""
        features = Features.of(embedding.group, embedding.nominal)
        rows = embedding.rows(self.best)
        chosen, nearest = [0], np.full(len(rows), np.inf)
        while len(chosen) < min(n, len(rows)):
            last = rows[chosen[-1] :][:1]
            nearest = np.minimum(nearest, distances(rows, last, features).sum(axis=0)[:, 0])
            chosen.append(int(np.argmax(nearest)))
        return np.array(chosen, np.int64)

    def _favourites(self, sample: Columns, losses: Floats) -> Columns:
        """The best of the sample, and of what the prior was made from: a sample of a large space misses that."""
        space, parts = self.task.space, [sample]
        if isinstance(self.mean, PriorMean) and length(sample) == REFERENCE:
            known = self.mean.known(space, FAVOURITES, largest=self.task.objectives[0].maximise)
            if known:
                parts.append(space.columns(known))
                losses = np.append(losses, self._losses(parts[-1]))
        order = np.argsort(np.where(np.isfinite(losses), losses, np.inf), kind="stable")[:FAVOURITES]
        return take(join(parts), order)

    def scaled(self, losses: Floats) -> Floats:
        """On the log scale; a value of the other sign than the sampled ones counts as the smallest magnitude known."""
        if self.sign == 0.0:
            return losses
        return self.sign * np.log(np.maximum(self.sign * losses, 1e-300))

    def unit(self, losses: Floats) -> float:
        """The scale expected of the map: 1 on the log scale; off it units are unknown, and deviations made equal."""
        if self.sign:
            return 1.0
        return float(losses.std()) / self.variance**0.5 if self.variance > 0 else 0.0

    def refuted(self, columns: Columns, losses: Floats, settings: ResidualSettings) -> bool:
        """Do the losses (n,) measured at `columns` rank against the prior, so that the map drops it?"""
        return fit_map(self.at(columns), losses, self.variance, settings.kappa, self.unit(losses)).scale == 0

    def _losses(self, columns: Columns) -> Floats:
        values = self.mean.values(self.task.space, columns)
        return -values if self.task.objectives[0].maximise else values


def _sign(losses: Floats) -> float:
    """1 or -1 where all losses are of that sign, else 0."""
    signs = np.unique(np.sign(losses))
    return float(signs[0]) if len(signs) == 1 else 0.0


class ResidualModel(Model):
    """`ResidualModel(lambda: GpModel(embedding, settings), prior)`; `rough` is for what a convincing prior leaves."""

    def __init__(
        self,
        base: Callable[[], Model],
        prior: Prior,
        settings: ResidualSettings | None = None,
        rough: Callable[[], Model] | None = None,
    ):
        self.settings, self.prior = settings or ResidualSettings(), prior
        self.plain, self._smooth = base(), base()
        self._rough = rough() if rough is not None else self._smooth
        self.residual = self._smooth
        self.map, self._expected = AffineMap(1.0, 0.0), 1.0
        self.weight, self._residual_score = self.settings.belief, -np.inf
        self.conviction = 0.0

    def rows(self, columns: Columns) -> Floats:
        return np.column_stack([self.plain.rows(columns), self.prior.at(columns)])

    def fit(self, x: Floats, loss: Floats, fantasies: Floats, keep: Indices | None = None) -> None:
        m, at = np.ascontiguousarray(x[:, -1]), last_refit(len(x))  # hyperparameters and map are searched together
        self._expected = self.prior.unit(loss[:at])
        self.map = fit_map(m[:at], loss[:at], self.prior.variance, self.settings.kappa, self._expected)
        left = loss - self.map.apply(m)
        self.conviction = conviction(m, loss, self.settings.doubt) if self.prior.sign else 0.0  # 0: its unit is free
        self.residual = self._rough if self.conviction > self.settings.convinced else self._smooth
        base, more = np.ascontiguousarray(x[:, :-1]), np.ascontiguousarray(fantasies[:, : x.shape[1] - 1])
        self.plain.fit(base, loss, more, keep)
        self.residual.fit(base, left, more, keep)
        shrunk = (float(left.std()) or 1.0) / (float(loss.std()) or 1.0)  # the unit of the residual's score
        self._residual_score = self.residual.score() - float(np.log(shrunk))
        likely = weight(self._residual_score, self.plain.score(), len(loss), self.settings)
        ranked = rank_correlation(x[:, -1], loss)
        self.weight = likely * agreement(ranked, len(loss), self.settings)

    def posterior(self, x: Floats) -> Posterior:
        base = np.ascontiguousarray(x[:, :-1])
        left = self.residual.posterior(base)
        informed = Posterior(left.mean + self.map.apply(x[:, -1]), left.variance)
        return mixture(self.weight, informed, self.plain.posterior(base)) if self.weight < 1 else informed

    def score(self) -> float:
        return max(self._residual_score, self.plain.score())

    @property
    def reliance(self) -> float:
        """The weight, less where the map has flattened the prior: nothing where it has dropped it."""
        return self.weight * min(1.0, self.map.scale / self._expected) if self._expected > 0 else 0.0


def interleaved(
    default: Configuration, best: Sequence[Configuration], design: Sequence[Configuration]
) -> list[Configuration]:
    """The warm-up: the default, then in turn one that the prior likes and one that fills space."""
    pairs = itertools.zip_longest(best, design)
    return list(dict.fromkeys([default, *(c for pair in pairs for c in pair if c is not None)]))
