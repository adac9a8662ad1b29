"""Bayesian optimisation: one surrogate or two, log EI times P(feasible), local search over the space's neighbours.

HyperMapper 2.0 and BaCO are settings of it (BaCO, §3.3 and §4.2). A suggestion depends on the seed, the trials and the
pending suggestions only, so an interrupted study goes on as an undisturbed one. One thread computes everything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from tunepass.acquisition.expected_improvement import ExpectedImprovement
from tunepass.acquisition.feasible import draw_limit, feasible_utility
from tunepass.acquisition.maximise import ClimbSettings, maximise
from tunepass.space.belief import log_prior
from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.derived import derived_features
from tunepass.space.embedding import Embedding, PermutationDistance
from tunepass.space.encoding import Encoding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.design import DesignSettings, warm_up
from tunepass.strategies.losses import log_scale, scalarised
from tunepass.strategies.models import ForestModel, GpModel, Model, weights
from tunepass.strategies.probe import probe
from tunepass.strategies.random import draw_free
from tunepass.strategies.record import Record
from tunepass.strategies.residual import Prior, ResidualModel, interleaved
from tunepass.study.trial import Trial
from tunepass.surrogates.base import Floats
from tunepass.surrogates.feasibility import FEASIBLE, Feasibility, FeasibilitySettings
from tunepass.surrogates.forest import ForestSettings
from tunepass.surrogates.gp import GpSettings
from tunepass.surrogates.residual import ResidualSettings

BELIEVED = 100  # latest failures at most, so that a suggestion's cost stays bounded


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesianSettings:
    """Every choice is one switch; the defaults are what `bayesian` is."""

    surrogate: Literal["gp", "forest", "mixed"] = "forest"
    trust: float = 4.0  # mixed: how fast the better predictor of held-out trials outweighs the other
    gp: GpSettings = field(default_factory=GpSettings)
    forest: ForestSettings = field(default_factory=ForestSettings)
    permutation: PermutationDistance = "spearman"
    log_input: bool = True  # False: the Gaussian process sees every number on its plain scale
    derived: bool = False  # the process and P(feasible) also see odd parts, and what constraints multiply and divide
    log_output: bool = True
    feasibility: FeasibilitySettings | None = field(default_factory=FeasibilitySettings)
    believe: bool = False  # a surrogate believes its own mean where trials failed: else it is for ever unsure there
    limit: float = 0.7  # upper end of the random minimum probability of feasibility; 0 turns it off
    design: DesignSettings = field(default_factory=DesignSettings)
    climb: ClimbSettings = field(default_factory=ClimbSettings)
    pool: int = 1000  # uniform feasible candidates a suggestion
    probe: int = 0  # every so many suggestions, change what was never changed alone in the best trial; 0: never
    elite: int = 3  # measured configurations whose neighbours are candidates too
    influence: float = 3.0  # beta of the parameters' priors: they weigh in as prior^(beta / n) after n trials
    residual: ResidualSettings = field(default_factory=ResidualSettings)  # where there is a prior mean


class Bayesian(Strategy):
    """`Bayesian(task, BayesianSettings(surrogate="gp"))`."""

    def __init__(self, task: Task, settings: BayesianSettings | None = None):
        super().__init__(task)
        self.settings, self.record = settings or BayesianSettings(), Record(task)
        self.prior = Prior(task, log=self.settings.log_output) if task.prior_mean is not None else None
        s, parameters = self.settings, task.space.parameters
        metric: PermutationDistance = "spearman" if s.permutation == "positions" else s.permutation
        self.plain = Embedding(parameters, permutation=metric, log=s.log_input)  # the design's distance
        derived = derived_features(task.space) if s.derived else ()
        self.embedding = Embedding(parameters, permutation=s.permutation, log=s.log_input, derived=derived)
        self.encoding, self.around = Encoding(task.space), Neighbourhood(task.space)
        self.causes = Encoding(task.space, derived)  # what failures are explained by
        self.feasibility = Feasibility(self.settings.feasibility)
        self.models = self._models()
        self._design: list[Configuration] | None = None

    def suggest(self, n: int) -> list[Configuration]:
        found: list[Configuration] = []
        while len(found) < n and (one := self._one()) is not None:
            self.record.suggest(one)
            found.append(one)
        return found

    def observe(self, trial: Trial) -> None:
        self.record.observe(trial)

    @property
    def feasible_recall(self) -> float | None:
        return self.feasibility.recall

    @property
    def prior_weight(self) -> float | None:
        """How much of the prediction rests on the prior mean, 0 to 1; None without one."""
        informed = [model.reliance for model in self.models if isinstance(model, ResidualModel)]
        if not informed or not all(np.isfinite(model.score()) for model in self.models):  # nothing was fitted yet
            return informed[0] if informed else None
        return float(np.dot(weights(self.models, self.settings.trust), informed))

    def _models(self) -> tuple[Model, ...]:
        s, prior = self.settings, self.prior

        def gp() -> Model:
            return GpModel(self.embedding, replace(s.gp, seed=self.task.seed))

        def forest() -> Model:
            return ForestModel(self.encoding, s.forest, self.task.seed)

        bases = {"gp": (gp,), "forest": (forest,), "mixed": (gp, forest)}[s.surrogate]
        return tuple(base() if prior is None else ResidualModel(base, prior, s.residual) for base in bases)

    def _one(self) -> Configuration | None:
        left = self.record.free()
        if left is not None and left <= 0:
            return None
        for configuration in self._warm_up():
            if configuration not in self.record.taken:
                return configuration
        rng = self.record.rng()
        utility = self._utility(rng)
        if utility is None:
            return draw_free(self.record)
        if (single := self._probe(utility)) is not None:
            return single
        starts = self._starts(rng)
        best = maximise(utility, self.around, starts, self.record.taken, self.settings.climb)
        return best if best is not None else draw_free(self.record)

    def _probe(self, utility: Callable[[Columns], Floats]) -> Configuration | None:
        every, best = self.settings.probe, self._elite()[:1]
        if not every or not best or len(self.task.objectives) > 1:
            return None
        due = (len(self.record) + len(self.record.pending)) % every == 0
        return probe(best[0], self.record.taken, self.around, utility) if due else None

    def _warm_up(self) -> list[Configuration]:
        """The design; the same whether it is made now or was made before an interruption."""
        if self._design is None:
            self._design = warm_up(self.task, self.plain, self.settings.design)
        plan = self._design if self.prior is None else self._informed(self.prior, self._design)
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

    def _utility(self, rng: np.random.Generator) -> Callable[[Columns], Floats] | None:
        """Utility of candidates; None while nothing was tried. With nothing measured, P(feasible) alone."""
        record, s = self.record, self.settings
        if not len(record):
            return None
        probability = self._probability()
        measured = record.measured
        limit = draw_limit(rng, s.limit)
        if not measured.any():
            return lambda columns: np.log(probability(columns))
        losses = scalarised(log_scale(record.losses) if s.log_output else record.losses, rng)
        improvements = [self._improvement(model, losses) for model in self.models]
        shares = weights(self.models, s.trust)

        def utility(columns: Columns) -> Floats:
            """log of the models' EI, geometrically averaged by how well they predict: what both believe in."""
            blended = sum(share * improvement(columns) for share, improvement in zip(shares, improvements))
            believed = np.asarray(blended) + self._belief(columns)
            return feasible_utility(believed, probability(columns), limit)

        return utility

    def _belief(self, columns: Columns) -> Floats:
        """log prior^(beta / n) (Hvarfner et al. 2022, "πBO", Eq. 6): what the user believes, fading with evidence."""
        beta = self.settings.influence / max(1, len(self.record))
        return beta * log_prior(self.task.space, columns) if beta > 0 else np.zeros(length(columns))

    def _improvement(self, model: Model, losses: Floats) -> Callable[[Columns], Floats]:
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

    def _probability(self) -> Callable[[Columns], Floats]:
        kinds = self.record.kinds
        if self.settings.feasibility is None or (kinds == FEASIBLE).all():
            return lambda columns: np.ones(length(columns))
        encoding, feasibility = self.causes, self.feasibility
        feasibility.fit(encoding.encode(self.record.columns), kinds)
        return lambda columns: feasibility.probability(encoding.encode(columns))

    def _starts(self, rng: np.random.Generator) -> Columns:
        """Uniform candidates, draws from the priors where there are any, and the neighbours of the best trials."""
        space, s = self.task.space, self.settings
        parts = [space.sample_columns(s.pool, rng)]
        if any(parameter.prior is not None for parameter in space.parameters):
            parts.append(space.sample_columns(s.pool // 4, rng, prior=True))
        if self.prior is not None and self.prior_weight:
            parts.append(self.prior.best)
        if elite := self._elite():
            parts.append(self.around.of(space.columns(elite))[0])
        return join([part for part in parts if length(part)])

    def _elite(self) -> list[Configuration]:
        record = self.record
        seen = [c for c, ok in zip(record.configurations, record.measured) if ok]
        if not seen or len(self.task.objectives) > 1:
            return seen[-self.settings.elite :]
        order = np.argsort(record.losses[:, 0], kind="stable")[: self.settings.elite]
        return [seen[i] for i in order]
