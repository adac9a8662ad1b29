"""Several objectives: a surrogate each, the hypervolume expected to be gained times P(feasible), local search.

    acquisition   utility of a candidate                                         objectives
    ehvi          expected hypervolume improvement, exact                        2, 3
    smsego        hypervolume that the optimistic losses add, ε-dominance        2, 3
    chebyshev     ParEGO's function of the optimistic losses, random weights     any

With more than three objectives, or before anything was measured to compare with, `chebyshev` stands in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from tunepass.acquisition.base import JointAcquisition
from tunepass.acquisition.feasible import draw_limit, feasible_utility
from tunepass.acquisition.hypervolume import ExpectedHypervolumeImprovement, SMSego, reference_point
from tunepass.acquisition.maximise import ClimbSettings, maximise
from tunepass.acquisition.scalarise import ChebyshevBound, Scale, draw_weights
from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.embedding import Embedding, PermutationDistance
from tunepass.space.encoding import Encoding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.design import DesignSettings, warm_up
from tunepass.strategies.losses import log_scale
from tunepass.strategies.models import ForestModel, GpModel, Model
from tunepass.strategies.random import draw_free
from tunepass.strategies.record import Record
from tunepass.study.pareto import nondominated
from tunepass.study.trial import Trial
from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.feasibility import FEASIBLE, Feasibility, FeasibilitySettings
from tunepass.surrogates.forest import ForestSettings
from tunepass.surrogates.gp import GpSettings

EXACT = (2, 3)  # objectives that hypervolumes are exact for


@dataclass(frozen=True, slots=True, kw_only=True)
class HypervolumeSettings:
    """Every choice is one switch; the defaults are what `hypervolume` is."""

    acquisition: Literal["ehvi", "smsego", "chebyshev"] = "ehvi"
    surrogate: Literal["gp", "forest"] = "gp"
    gp: GpSettings = field(default_factory=GpSettings)
    forest: ForestSettings = field(default_factory=ForestSettings)
    permutation: PermutationDistance = "spearman"
    log_output: bool = True
    feasibility: FeasibilitySettings | None = field(default_factory=FeasibilitySettings)
    limit: float = 0.7  # upper end of the random minimum probability of feasibility; 0 turns it off
    design: DesignSettings = field(default_factory=DesignSettings)
    climb: ClimbSettings = field(default_factory=ClimbSettings)
    pool: int = 2000  # uniform feasible candidates a suggestion
    elite: int = 4  # configurations of the front whose neighbours are candidates too


class Hypervolume(Strategy):
    """`Hypervolume(task, HypervolumeSettings(surrogate="forest"))`."""

    def __init__(self, task: Task, settings: HypervolumeSettings | None = None):
        super().__init__(task)
        self.settings, self.record = settings or HypervolumeSettings(), Record(task)
        self.embedding = Embedding(task.space.parameters, permutation=self.settings.permutation)
        self.encoding, self.around = Encoding(task.space), Neighbourhood(task.space)
        self.feasibility = Feasibility(self.settings.feasibility)
        self.models = [self._model(number) for number in range(len(task.objectives))]
        self._design: list[Configuration] | None = None

    def suggest(self, n: int) -> list[Configuration]:
        found: list[Configuration] = []
        while len(found) < n and (one := self._one()) is not None:
            self.record.suggest(one)
            found.append(one)
        return found

    def observe(self, trial: Trial) -> None:
        self.record.observe(trial)

    def _model(self, number: int) -> Model:
        s, seed = self.settings, self.task.seed + 7919 * number
        if s.surrogate == "gp":
            return GpModel(self.embedding, replace(s.gp, seed=seed))
        return ForestModel(self.encoding, s.forest, seed)

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
        starts = self._starts(rng)
        best = maximise(utility, self.around, starts, self.record.taken, self.settings.climb)
        return best if best is not None else draw_free(self.record)

    def _warm_up(self) -> list[Configuration]:
        if self._design is None:
            self._design = warm_up(self.task, self.embedding, self.settings.design)
        return self._design if len(self.record) < len(self._design) else []

    def _utility(self, rng: np.random.Generator) -> Callable[[Columns], Floats] | None:
        """Utility of candidates; None while nothing was tried. With nothing measured, P(feasible) alone."""
        if not len(self.record):
            return None
        probability = self._probability()
        limit = draw_limit(rng, self.settings.limit)
        if not self.record.measured.any():
            return lambda columns: np.log(probability(columns))
        losses = log_scale(self.record.losses) if self.settings.log_output else self.record.losses
        losses = Scale.of(losses).apply(losses)
        self._fit(losses)
        acquisition = self._acquisition(losses, rng)

        def utility(columns: Columns) -> Floats:
            p = probability(columns)
            kept = p >= limit
            if not kept.any():
                return feasible_utility(np.zeros(len(p)), p, limit)
            priced = np.full(len(p), -np.inf)  # surrogates are asked only where it matters
            priced[kept] = acquisition.utility(self._posteriors(take(columns, kept)))
            return feasible_utility(priced, p, limit)

        return utility

    def _fit(self, losses: Floats) -> None:
        space, record = self.task.space, self.record
        seen = space.columns([c for c, ok in zip(record.configurations, record.measured) if ok])
        pending = list(record.pending)
        for model, loss in zip(self.models, losses.T):
            fantasies = model.rows(space.columns(pending)) if pending else np.empty((0, 0))
            model.fit(model.rows(seen), np.ascontiguousarray(loss), fantasies)

    def _posteriors(self, columns: Columns) -> list[Posterior]:
        rows = self.models[0].rows(columns)
        return [model.posterior(rows) for model in self.models]

    def _acquisition(self, losses: Floats, rng: np.random.Generator) -> JointAcquisition:
        """`losses` (n, k) are scaled to [0, 1]. Believed losses of pending configurations count as seen."""
        pending = list(self.record.pending)
        if pending:
            believed = self._posteriors(self.task.space.columns(pending))
            losses = np.vstack([losses, np.column_stack([p.mean for p in believed])])
        k, kind = losses.shape[1], self.settings.acquisition
        if k not in EXACT or kind == "chebyshev":
            return ChebyshevBound(Scale.of(losses), draw_weights(k, rng))
        reference = reference_point(losses)
        if kind == "ehvi":
            return ExpectedHypervolumeImprovement.of(losses, reference)
        budget = self.task.max_evals
        left = max(0, budget - len(self.record)) if budget is not None else 0
        return SMSego.of(losses, reference, left=left)

    def _probability(self) -> Callable[[Columns], Floats]:
        kinds = self.record.kinds
        if self.settings.feasibility is None or (kinds == FEASIBLE).all():
            return lambda columns: np.ones(length(columns))
        encoding, feasibility = self.encoding, self.feasibility
        feasibility.fit(encoding.encode(self.task.space.columns(self.record.configurations)), kinds)
        return lambda columns: feasibility.probability(encoding.encode(columns))

    def _starts(self, rng: np.random.Generator) -> Columns:
        """Uniform candidates, draws from the priors where there are any, and neighbours of members of the front."""
        space, s = self.task.space, self.settings
        parts = [space.sample_columns(s.pool, rng)]
        if any(parameter.prior is not None for parameter in space.parameters):
            parts.append(space.sample_columns(s.pool // 4, rng, prior=True))
        if elite := self._elite(rng):
            parts.append(self.around.of(space.columns(elite))[0])
        return join([part for part in parts if length(part)])

    def _elite(self, rng: np.random.Generator) -> list[Configuration]:
        record = self.record
        if not record.measured.any():
            return []
        seen = [c for c, ok in zip(record.configurations, record.measured) if ok]
        front = [c for c, kept in zip(seen, nondominated(record.losses)) if kept]
        return [front[i] for i in rng.permutation(len(front))[: self.settings.elite]]
