"""Bayesian optimisation: one surrogate or two, log EI times P(feasible), local search over the space's neighbours.

HyperMapper 2.0 and BaCO are settings of it (BaCO, §3.3 and §4.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from tunepass.acquisition.expected_improvement import ExpectedImprovement
from tunepass.space.columns import Columns, length, take
from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.strategies.bo.loop import Guided, GuidedSettings, Utility
from tunepass.strategies.bo.models import ForestModel, GpModel, Model, weights
from tunepass.strategies.bo.one_at_a_time import probe
from tunepass.strategies.bo.residual import Prior, ResidualModel, interleaved
from tunepass.strategies.bo.transforms import log_scale, scalarised
from tunepass.surrogates.base import Floats
from tunepass.surrogates.residual import ResidualSettings

LIKED = 1e-3  # share of the space among which a prior mean's ranks say little
LEAST_PRIOR = 1e-12  # probability of what a prior rules out: not likely for long, never excluded
BELIEVED = 100  # latest failures at most, so that a suggestion's cost stays bounded


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesianSettings(GuidedSettings):
    """The defaults are what `bayesian` is."""

    surrogate: Literal["gp", "forest", "mixed"] = "forest"
    believe: bool = False  # a surrogate believes its own mean where trials failed: else it is for ever unsure there
    probe: int = 0  # every so many suggestions, change what was never changed alone in the best trial; 0: never
    influence: float = 3.0  # beta of the parameters' priors: they weigh in as prior^(beta / n) after n trials
    residual: ResidualSettings = field(default_factory=ResidualSettings)  # where there is a prior mean


class Bayesian(Guided):
    """`Bayesian(task, BayesianSettings(surrogate="gp"))`."""

    def __init__(self, task: Task, settings: BayesianSettings | None = None):
        self.settings = settings or BayesianSettings()
        super().__init__(task, self.settings)
        self.prior = Prior(task, log=self.settings.log_output) if task.prior_mean is not None else None
        self.models = self._models()

    @property
    def prior_weight(self) -> float | None:
        """How much of the prediction rests on the prior mean, 0 to 1; None without one."""
        models = self.asked
        informed = [model.reliance for model in models if isinstance(model, ResidualModel)]
        if not informed or not all(np.isfinite(model.score()) for model in models):  # nothing was fitted yet
            return informed[0] if informed else None
        return float(np.dot(weights(models, self.settings.trust), informed))

    def _models(self) -> tuple[Model, ...]:
        s, prior = self.settings, self.prior

        def gp() -> Model:
            return GpModel(self.embedding, replace(s.gp, seed=self.task.seed))

        def rough() -> Model:
            own = replace(s.gp, lengthscale=s.residual.lengthscale, amplitude=s.residual.amplitude, seed=self.task.seed)
            return GpModel(self.embedding, own)

        def forest() -> Model:
            return ForestModel(self.encoding, s.forest, self.task.seed)

        bases = {"gp": (gp,), "forest": (forest,), "mixed": (gp, forest)}[s.surrogate]
        if prior is None:
            return tuple(base() for base in bases)
        return tuple(ResidualModel(base, prior, s.residual, rough if base is gp else None) for base in bases)

    def _probe(self, utility: Utility, rng: np.random.Generator) -> Configuration | None:
        s = self.settings
        due = s.probe > 0 and (len(self.record) + len(self.record.pending)) % s.probe == 0
        if not due or len(self.task.objectives) > 1 or (self._few and self._conviction > s.residual.convinced):
            return None
        best = self._elite(rng)[:1]
        return probe(best[0], self.record.taken, self.around, utility) if best else None

    def _warm_up(self) -> list[Configuration]:
        plan = super()._warm_up()
        if self.prior is None or self._design is None:
            return plan
        plan = self._informed(self.prior, self._design)
        return plan if len(self.record) < len(plan) else []

    def _informed(self, prior: Prior, design: list[Configuration]) -> list[Configuration]:
        """The default, some that the prior likes and some of the design; all of it once they refute the prior."""
        s = self.settings.residual
        favourites = prior.spread(self.embedding, s.best) if s.best > 1 else np.zeros(s.best, np.int64)
        best = self.task.space.configurations(take(prior.best, favourites))
        plan = interleaved(design[0], best, design[1 : 1 + s.design])
        return list(dict.fromkeys([*plan, *design])) if self._refuted(prior, len(plan)) else plan

    def _refuted(self, prior: Prior, first: int) -> bool:
        """Do the `first` trials rank against the prior?"""
        measured = self.record.measured[:first]
        if len(self.record) < first or not measured.any():
            return False
        losses = self.record.losses[: int(measured.sum())]
        losses = log_scale(losses) if self.settings.log_output else losses
        seen = [c for c, ok in zip(self.record.configurations, measured) if ok]
        return prior.refuted(self.task.space.columns(seen), losses[:, 0], self.settings.residual)

    def _gain(self, rng: np.random.Generator) -> Utility:
        """log of the models' EI, geometrically averaged by how well they predict: what both believe in is rated."""
        record, s = self.record, self.settings
        losses = scalarised(log_scale(record.losses) if s.log_output else record.losses, rng)
        models = self.asked
        improvements = [self._improvement(model, losses) for model in models]
        shares, beta = weights(models, s.trust), self._conviction * s.residual.influence / max(1, len(record))

        def gain(columns: Columns) -> Floats:
            blended = sum(share * improvement(columns) for share, improvement in zip(shares, improvements))
            return np.asarray(blended) + self._belief(columns) + self._ranked(columns, beta)

        return gain

    @property
    def asked(self) -> tuple[Model, ...]:
        """The models that a suggestion rests on: with a prior mean, the process alone while trials are few."""
        return self.models[:1] if self._few else self.models

    @property
    def _few(self) -> bool:
        """Is it the prior mean's turn still?"""
        return self.prior is not None and int(self.record.measured.sum()) < self.settings.residual.process

    def _belief(self, columns: Columns) -> Floats:
        """log prior^(beta / n) (Hvarfner et al. 2022, "πBO", Eq. 6): what the user believes, fading with evidence."""
        beta = self.settings.influence / max(1, len(self.record))
        return beta * self.task.space.log_prior(columns, LEAST_PRIOR) if beta > 0 else np.zeros(length(columns))

    def _ranked(self, columns: Columns, beta: float) -> Floats:
        """log q^-beta, q the share of the space that the prior mean likes better."""
        if self.prior is None or beta == 0:
            return np.zeros(length(columns))
        return np.asarray(-beta * np.log(self.prior.rank(columns) + LIKED))

    @property
    def _conviction(self) -> float:
        """How literally the trials let the prior mean be taken, 0 to 1, as the first model found; 0 without one."""
        first = self.models[0]
        return first.conviction if isinstance(first, ResidualModel) else 0.0

    def _improvement(self, model: Model, losses: Floats) -> Utility:
        """log EI under one model, the pending suggestions believed to come out as it predicts."""
        record, space = self.record, self.task.space
        x = model.rows(take(record.columns, record.measured))
        believed = model.rows(space.columns(list(record.pending))) if record.pending else x[:0]
        if self.settings.believe and not record.measured.all():
            failed = np.flatnonzero(~record.measured)[-BELIEVED:]
            believed = np.vstack([model.rows(take(record.columns, failed)), believed])
        model.fit(x, losses, believed)
        acquisition = ExpectedImprovement(float(losses.min()))
        return lambda columns: acquisition.utility(model.posterior(model.rows(columns)))

    def _promising(self, rng: np.random.Generator) -> list[Columns]:
        return [self.prior.best] if self.prior is not None and self.prior_weight else []

    def _elite(self, rng: np.random.Generator) -> list[Configuration]:
        record = self.record
        seen = [c for c, ok in zip(record.configurations, record.measured) if ok]
        if not seen or len(self.task.objectives) > 1:
            return seen[-self.settings.elite :]
        order = np.argsort(record.losses[:, 0], kind="stable")[: self.settings.elite]
        return [seen[i] for i in order]
