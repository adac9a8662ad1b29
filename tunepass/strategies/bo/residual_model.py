"""A model of what a prior mean leaves: residual and plain model side by side, weighted by how well they predict.

The last column of a row is the prior mean there, on the scale of the losses. The equations are those of
tunepass.surrogates.residual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tunepass.space.columns import Columns
from tunepass.strategies.bo.models import Model, TrainingSample, last_refit
from tunepass.strategies.prior_mean.scaled import ScaledPriorMean
from tunepass.study.trust import rank_correlation
from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.residual import (
    AffineMap,
    ResidualSettings,
    fit_affine_map,
    rank_agreement,
    residual_weight,
    two_part_mixture,
    value_agreement,
)


class ResidualModel(Model):
    """`ResidualModel(lambda: GpModel(embedding, settings), prior)`.

    `rough`, where given, makes the residual's model once the prior's value agreement is trusted: what is left then
    varies over short distances.
    """

    def __init__(
        self,
        base: Callable[[], Model],
        prior: ScaledPriorMean,
        settings: ResidualSettings | None = None,
        rough: Callable[[], Model] | None = None,
    ):
        self.settings, self.prior = settings or ResidualSettings(), prior
        self.plain, self._smooth = base(), base()
        self._rough = rough() if rough is not None else self._smooth
        self.residual = self._smooth
        self.map, self._expected_scale = AffineMap(1.0, 0.0), 1.0
        self.weight, self._residual_score = self.settings.residual_probability, -np.inf
        self.value_agreement = 0.0

    def rows(self, columns: Columns) -> Floats:
        return np.column_stack([self.plain.rows(columns), self.prior.losses(columns)])

    def learn(self, sample: TrainingSample) -> None:
        x, loss, fantasies = sample.x, sample.loss, sample.fantasies
        s, m, n = self.settings, np.ascontiguousarray(x[:, -1]), last_refit(len(x))
        self._expected_scale = self.prior.expected_scale(loss[:n])
        self.map = fit_affine_map(m[:n], loss[:n], self.prior.variance, s.kappa, self._expected_scale)
        residual = loss - self.map.apply(m)
        on_log_scale = self.prior.sign != 0  # off it the prior's unit is unknown, and its differences say nothing
        self.value_agreement = value_agreement(m, loss, s.misfit_penalty) if on_log_scale else 0.0
        self.residual = self._rough if self.value_agreement > s.trusted_agreement else self._smooth
        base, more = np.ascontiguousarray(x[:, :-1]), np.ascontiguousarray(fantasies[:, : x.shape[1] - 1])
        self.plain.learn(replace(sample, x=base, fantasies=more))
        self.residual.learn(replace(sample, x=base, loss=residual, fantasies=more))
        unit = (float(residual.std()) or 1.0) / (float(loss.std()) or 1.0)  # the unit of the residual's score
        self._residual_score = self.residual.score() - float(np.log(unit))
        probability = residual_weight(self._residual_score, self.plain.score(), len(loss), s)
        self.weight = probability * rank_agreement(rank_correlation(x[:, -1], loss), len(loss), s)

    def posterior(self, x: Floats) -> Posterior:
        base = np.ascontiguousarray(x[:, :-1])
        residual = self.residual.posterior(base)
        informed = Posterior(residual.mean + self.map.apply(x[:, -1]), residual.variance)
        return two_part_mixture(self.weight, informed, self.plain.posterior(base)) if self.weight < 1 else informed

    def left_out(self, x: Floats, loss: Floats) -> Posterior:
        base, expected = np.ascontiguousarray(x[:, :-1]), self.map.apply(x[:, -1])
        residual = self.residual.left_out(base, loss - expected)
        informed = Posterior(residual.mean + expected, residual.variance)
        return two_part_mixture(self.weight, informed, self.plain.left_out(base, loss))

    def score(self) -> float:
        return max(self._residual_score, self.plain.score())

    @property
    def reliance(self) -> float:
        """The weight, less where the map has flattened the prior: nothing where it has dropped it."""
        return self.weight * min(1.0, self.map.scale / self._expected_scale) if self._expected_scale > 0 else 0.0
