"""The sparse Gaussian process as a model of the Bayesian loop: conditioned on every trial, however many there are."""

from __future__ import annotations

import numpy as np

from tunepass.space.columns import Columns
from tunepass.space.features.embedding import Embedding
from tunepass.strategies.bo.models import Model, TrainingSample, held_out_score, informative_rows, last_refit, raised
from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.kernels import Features
from tunepass.surrogates.sparse_gp import SparseProcess, SparseSettings, Trained


class SparseModel(Model):
    """Hyperparameters and inducing inputs at n rows depend on the rows at the last refit only, never on the path taken
    there; in between new rows are conditioned on, k^2 n a suggestion."""

    def __init__(self, embedding: Embedding, settings: SparseSettings):
        self.embedding, self.settings = embedding, settings
        self.process = SparseProcess(Features.of(embedding.group, embedding.nominal), settings)
        self._trained: dict[bytes, Trained] = {}
        self._rows, self._score = np.zeros((0, 0)), -np.inf

    def rows(self, columns: Columns) -> Floats:
        return self.embedding.rows(columns)

    def learn(self, sample: TrainingSample) -> None:
        x, loss, fantasies, bounds, noise = sample.x, sample.loss, sample.fantasies, sample.bounds, sample.noise
        trained = self._at_last_refit(x, loss, noise)
        self._condition(x, loss, trained, noise)
        if bounds is not None and bounds.any():
            loss = raised(loss, bounds, self.process.leave_one_out().mean)
            self._condition(x, loss, trained, noise)
        if len(fantasies):
            losses = np.concatenate([loss, self.posterior(fantasies).mean])
            noise = None if noise is None else np.concatenate([noise, np.zeros(len(fantasies))])
            self._condition(np.vstack([x, fantasies]), losses, trained, noise)

    def posterior(self, x: Floats) -> Posterior:
        return self.process.posterior(x)

    def left_out(self, x: Floats, loss: Floats) -> Posterior:
        if len(self._rows) >= len(x) and np.array_equal(self._rows[: len(x)], x):
            left_out = self.process.leave_one_out()
            return Posterior(left_out.mean[: len(x)], left_out.variance[: len(x)])
        return self.posterior(x)

    def score(self) -> float:
        """As of the last refit."""
        return self._score

    def _condition(self, x: Floats, loss: Floats, trained: Trained, noise: Floats | None) -> None:
        self.process.condition(x, loss, trained, noise)
        self._rows = x

    def _at_last_refit(self, x: Floats, loss: Floats, noise: Floats | None) -> Trained:
        """Trained on the most informative rows of the last refit; also sets the score."""
        n = last_refit(len(x))
        key = loss[:n].tobytes() + (b"" if noise is None else noise[:n].tobytes())
        if key not in self._trained:
            x, loss, noise = x[:n], loss[:n], None if noise is None else noise[:n]
            trained = self.process.train(x, loss, noise, informative_rows(loss, self.settings.training_rows))
            self.process.condition(x, loss, trained, noise)
            self._score = held_out_score(self.process.leave_one_out(), loss)
            self._trained = {key: trained}
        return self._trained[key]
