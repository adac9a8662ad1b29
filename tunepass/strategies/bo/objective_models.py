"""The models of several objectives: one for each, or one of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np

from tunepass.acquisition.scalarise import Scale
from tunepass.space.columns import Columns
from tunepass.space.features.encoding import Encoding
from tunepass.strategies.bo.deep_model import WarmStarts
from tunepass.strategies.bo.models import Indices, Model, held_out_score, last_refit
from tunepass.strategies.bo.surrogate_models import FOLDS, RowEncoder
from tunepass.surrogates.base import Floats, JointPosterior, JointSurrogate, Posterior
from tunepass.surrogates.joint_deep_gp import JointDeepProcess


class ObjectiveModels(ABC):
    """`rows(columns)` once per batch of candidates; `fit` on the measured rows; `posteriors` at candidates' rows."""

    @abstractmethod
    def rows(self, columns: Columns) -> Floats:
        """Rows (n, f) of the models' features."""

    @abstractmethod
    def fit(self, x: Floats, losses: Floats, pending: Floats, keep: Indices | None = None) -> None:
        """Learn rows `x` (n, f) and losses (n, k), those of `keep` where all are too many, then rows `pending` (p, f)
        with their posterior means as losses."""

    @abstractmethod
    def posteriors(self, x: Floats) -> Sequence[Posterior]:
        """Posteriors of the latent losses at rows `x` (m, f), one an objective."""

    def means(self, columns: Columns) -> Floats:
        """The posteriors' means at candidates (m, k)."""
        return np.column_stack([q.mean for q in self.posteriors(self.rows(columns))])

    @abstractmethod
    def score(self) -> float:
        """Mean log predictive density of measured rows that were held out, in units of the losses' deviation."""

    def scaled(self, columns: Columns, scale: Scale) -> Sequence[Posterior]:
        """Posteriors of the scaled losses at candidates, one an objective."""
        posteriors = self.posteriors(self.rows(columns))
        if isinstance(posteriors, JointPosterior):
            return posteriors.scaled(scale.low, scale.spread)
        parts = zip(posteriors, scale.low, scale.spread)
        return [Posterior((q.mean - low) / spread, q.variance / spread**2) for q, low, spread in parts]


class SeparateModels(ObjectiveModels):
    """One model an objective, in `models`; all have the same features."""

    def __init__(self, models: Sequence[Model]):
        self.models = tuple(models)

    def rows(self, columns: Columns) -> Floats:
        return self.models[0].rows(columns)

    def fit(self, x: Floats, losses: Floats, pending: Floats, keep: Indices | None = None) -> None:
        for model, loss in zip(self.models, losses.T):
            model.fit(x, np.ascontiguousarray(loss), pending, keep)

    def posteriors(self, x: Floats) -> Sequence[Posterior]:
        return [model.posterior(x) for model in self.models]

    def means(self, columns: Columns) -> Floats:
        x = self.rows(columns)
        return np.column_stack([model.mean(x) for model in self.models])

    def score(self) -> float:
        return float(np.mean([model.score() for model in self.models]))


class JointModels(ObjectiveModels):
    """`JointModels(encoding, Toy)`: a new `Toy()`, which is a JointSurrogate, for each fit of encoded rows."""

    def __init__(self, encoding: RowEncoder, make: Callable[[], JointSurrogate]):
        self.encoding, self.make = encoding, make
        self._surrogate: JointSurrogate | None = None
        self._x, self._losses = np.zeros((0, 0)), np.zeros((0, 0))
        self._scores: dict[bytes, float] = {}

    def rows(self, columns: Columns) -> Floats:
        return self.encoding.encode(columns)

    def fit(self, x: Floats, losses: Floats, pending: Floats, keep: Indices | None = None) -> None:
        if keep is not None:
            x, losses = x[keep], losses[keep]
        self._x, self._losses = x, losses
        self._surrogate = fitted = self._fitted(x, losses)
        if len(pending):
            predicted = fitted.joint_posterior(pending).mean
            self._surrogate = self._fitted(np.vstack([x, pending]), np.vstack([losses, predicted]))

    def posteriors(self, x: Floats) -> JointPosterior:
        assert self._surrogate is not None
        return self._surrogate.joint_posterior(x)

    def score(self) -> float:
        """As of the last refit, by a cross-validation: of marginals, so that it compares with separate models."""
        if not len(self._losses):
            return -np.inf
        n = last_refit(len(self._losses))
        x, losses = self._x[:n], self._losses[:n]
        if (key := losses.tobytes()) not in self._scores:
            self._scores = {key: self._cross_validation_score(x, losses)}
        return self._scores[key]

    def _cross_validation_score(self, x: Floats, losses: Floats) -> float:
        n = len(losses)
        if n < 2:
            return -np.inf
        mean, variance, fold = np.zeros_like(losses), np.zeros_like(losses), np.arange(n) % min(FOLDS, n)
        for number in range(min(FOLDS, n)):
            left = fold == number
            posterior = self._fitted(x[~left], losses[~left]).joint_posterior(x[left])
            mean[left] = posterior.mean
            variance[left] = np.diagonal(posterior.covariance, axis1=1, axis2=2)
        variance += ((mean - losses) ** 2).mean(axis=0)
        parts = zip(mean.T, variance.T, losses.T)
        return float(np.mean([held_out_score(Posterior(m, v), loss) for m, v, loss in parts]))

    def _fitted(self, x: Floats, losses: Floats) -> JointSurrogate:
        surrogate = self.make()
        surrogate.fit_joint(np.ascontiguousarray(x), np.ascontiguousarray(losses))
        return surrogate


class JointDeepModels(JointModels):
    """A joint deep process, trained as WarmStarts says."""

    def __init__(self, encoding: Encoding, make: Callable[[], JointDeepProcess]):
        super().__init__(encoding, make)
        self._processes = WarmStarts(make)

    def _fitted(self, x: Floats, losses: Floats) -> JointSurrogate:
        return self._processes.trained(x, losses)
