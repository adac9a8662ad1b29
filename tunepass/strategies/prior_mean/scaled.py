"""A task's prior mean as losses: where it is best, how it ranks the space, whether trials refute it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunepass.capabilities import capability
from tunepass.space.columns import Columns, join, length, take
from tunepass.space.features.embedding import Embedding
from tunepass.strategies.base import Task
from tunepass.strategies.history import TrialHistory
from tunepass.study.capabilities import KnowsConfigurations, Renews, WeighsSources
from tunepass.surrogates.base import Floats
from tunepass.surrogates.kernels import Features, distances
from tunepass.surrogates.residual import ResidualSettings, fit_affine_map

SAMPLE_SIZE = 20_000  # configurations that say how much the prior varies over the space and where it is best
BEST_SIZE = 200
SAMPLE_KEY = 0x7072696F72  # keeps the sample's random stream apart from the suggestions'


class ScaledPriorMean:
    """Losses by the prior mean, on the log scale if `log` and the sampled ones have one sign.

    Where the prior mean has no value, its loss is the worst of the sampled ones.
    """

    def __init__(self, task: Task, *, log: bool):
        assert task.prior_mean is not None
        self.task, self.mean, self._log = task, task.prior_mean, log
        self._sample = task.space.sample_columns(SAMPLE_SIZE, np.random.default_rng([task.seed, SAMPLE_KEY]))
        self._rank_sample()

    def renew(self, history: TrialHistory) -> bool:
        """Take in what a prior mean that learns was taught since, and say whether it was; asked before suggestions."""
        learning, several = capability(self.mean, Renews), capability(self.mean, WeighsSources)
        renewed = learning is not None and learning.renew()
        if several is not None and history.measured.any():
            objective = self.task.objectives[0]
            values = history.losses[:, 0] * (-1.0 if objective.maximise else 1.0)
            renewed |= several.weigh(self.task.space, take(history.columns, history.measured), values)
        if renewed:
            self._rank_sample()
        return renewed

    def _rank_sample(self) -> None:
        sample = self._sample
        losses = self._losses(sample)
        finite = losses[np.isfinite(losses)]
        self.worst = float(finite.max()) if len(finite) else 0.0
        self.sign = _common_sign(finite) if self._log else 0.0
        self.variance = float(self.scaled(finite).var()) if len(finite) else 0.0
        self.best = self._best(sample, losses)  # BEST_SIZE configurations, best first
        self._sorted = np.sort(self.scaled(finite))

    def losses(self, columns: Columns) -> Floats:
        """The prior mean (n,) as scaled losses."""
        losses = self._losses(columns)
        return self.scaled(np.where(np.isfinite(losses), losses, self.worst))

    def rank(self, columns: Columns) -> Floats:
        """The share (n,) of the space that has smaller losses by the prior mean."""
        return np.asarray(np.searchsorted(self._sorted, self.losses(columns)) / max(1, len(self._sorted)))

    def spread_best(self, embedding: Embedding, n: int) -> NDArray[np.int64]:
        """Indices of `n` rows of `best`: the first, then each the farthest from those before (maximin)."""
        features = Features.of(embedding.group, embedding.nominal)
        rows = embedding.rows(self.best)
        chosen, nearest = [0], np.full(len(rows), np.inf)
        while len(chosen) < min(n, len(rows)):
            last = rows[chosen[-1] :][:1]
            nearest = np.minimum(nearest, distances(rows, last, features).sum(axis=0)[:, 0])
            chosen.append(int(np.argmax(nearest)))
        return np.array(chosen, np.int64)

    def scaled(self, losses: Floats) -> Floats:
        """On the log scale; a value of the other sign than the sampled ones counts as the smallest magnitude known."""
        if self.sign == 0.0:
            return losses
        return self.sign * np.log(np.maximum(self.sign * losses, 1e-300))

    def expected_scale(self, losses: Floats) -> float:
        """The scale expected of the affine map: 1 on the log scale; off it the ratio of the standard deviations,
        because units are unknown."""
        if self.sign:
            return 1.0
        return float(losses.std()) / self.variance**0.5 if self.variance > 0 else 0.0

    def is_refuted(self, columns: Columns, losses: Floats, settings: ResidualSettings) -> bool:
        """Do the losses (n,) measured at `columns` rank against the prior, so that the affine map drops it?"""
        expected = self.expected_scale(losses)
        return fit_affine_map(self.losses(columns), losses, self.variance, settings.kappa, expected).scale == 0

    def _best(self, sample: Columns, losses: Floats) -> Columns:
        """The best of the sample, and of what the prior was made from: a sample of a large space misses that."""
        space, parts = self.task.space, [sample]
        table = capability(self.mean, KnowsConfigurations)
        if table is not None and length(sample) == SAMPLE_SIZE:
            known = table.known(space, BEST_SIZE, largest=self.task.objectives[0].maximise)
            if known:
                parts.append(space.columns(known))
                losses = np.append(losses, self._losses(parts[-1]))
        order = np.argsort(np.where(np.isfinite(losses), losses, np.inf), kind="stable")[:BEST_SIZE]
        return take(join(parts), order)

    def _losses(self, columns: Columns) -> Floats:
        values = self.mean.values(self.task.space, columns)
        return -values if self.task.objectives[0].maximise else values


def _common_sign(losses: Floats) -> float:
    """1 or -1 where all losses are of that sign, else 0."""
    signs = np.unique(np.sign(losses))
    return float(signs[0]) if len(signs) == 1 else 0.0
