"""Several objectives: a surrogate each (or two), the hypervolume expected to be gained times P(feasible), local search.

    acquisition   utility of a candidate                                         objectives
    ehvi          expected hypervolume improvement, exact                        2, 3
    smsego        hypervolume that the optimistic losses add, ε-dominance        2, 3
    chebyshev     ParEGO's function of the optimistic losses, random weights     any

With more than three objectives, or before anything was measured to compare with, `chebyshev` stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from tunepass.space.derived import derived_features
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
from tunepass.surrogates.base import Floats
from tunepass.surrogates.feasibility import FEASIBLE, Feasibility, FeasibilitySettings
from tunepass.surrogates.forest import ForestSettings
from tunepass.surrogates.gp import GpSettings

KINDS = {"gp": ("gp",), "forest": ("forest",), "mixed": ("gp", "forest")}
EXACT = (2, 3)  # objectives that hypervolumes are exact for


@dataclass(frozen=True, slots=True, kw_only=True)
class HypervolumeSettings:
    """Every choice is one switch; the defaults are what `hypervolume` is."""

    acquisition: Literal["ehvi", "smsego", "chebyshev"] = "ehvi"
    surrogate: Literal["gp", "forest", "mixed"] = "mixed"
    trust: float = 4.0  # mixed: how fast the better predictor of held-out trials outweighs the other
    gp: GpSettings = field(default_factory=GpSettings)
    forest: ForestSettings = field(default_factory=ForestSettings)
    permutation: PermutationDistance = "spearman"
    log_input: bool = True  # False: the Gaussian process sees every number on its plain scale
    derived: bool = False  # ... and beside the values what compilers make of them: odd parts, products in constraints
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
        s, parameters = self.settings, task.space.parameters
        metric: PermutationDistance = "spearman" if s.permutation == "positions" else s.permutation
        self.plain = Embedding(parameters, permutation=metric, log=s.log_input)  # the design's distance
        derived = derived_features(task.space) if s.derived else ()
        self.embedding = Embedding(parameters, permutation=s.permutation, log=s.log_input, derived=derived)
        self.encoding, self.around = Encoding(task.space), Neighbourhood(task.space)
        self.feasibility = Feasibility(self.settings.feasibility)
        self.kinds = [self._models(kind) for kind in KINDS[self.settings.surrogate]]
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

    def _models(self, kind: str) -> tuple[Model, ...]:
        """One model an objective."""
        s, seeds = self.settings, [self.task.seed + 7919 * number for number in range(len(self.task.objectives))]
        if kind == "gp":
            return tuple(GpModel(self.embedding, replace(s.gp, seed=seed)) for seed in seeds)
        return tuple(ForestModel(self.encoding, s.forest, seed) for seed in seeds)

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
            self._design = warm_up(self.task, self.plain, self.settings.design)
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
        direction = draw_weights(losses.shape[1], rng)
        priced = [self._priced(models, losses, direction) for models in self.kinds]
        shares = self._shares()

        def utility(columns: Columns) -> Floats:
            """log of the models' mean utility, weighted by how well they predict: one that sees a gain is enough."""
            p = probability(columns)
            kept = p >= limit
            if not kept.any():
                return feasible_utility(np.zeros(len(p)), p, limit)
            blended, few = np.full(len(p), -np.inf), take(columns, kept)  # models are asked only where it matters
            parts = [np.log(share) + price(few) for share, price in zip(shares, priced) if share > 0]
            blended[kept] = np.logaddexp.reduce(parts, axis=0)
            return feasible_utility(blended, p, limit)

        return utility

    def _priced(self, models: Sequence[Model], losses: Floats, direction: Floats) -> Callable[[Columns], Floats]:
        """The utility under one kind of model; `losses` (n, k) are scaled to [0, 1].

        Pending configurations are believed to come out as predicted, for the surrogates and for the front.
        """
        space, record = self.task.space, self.record
        x = models[0].rows(take(record.columns, record.measured))
        pending = models[0].rows(space.columns(list(record.pending))) if record.pending else x[:0]
        for model, loss in zip(models, losses.T):
            model.fit(x, np.ascontiguousarray(loss), pending)
        if len(pending):
            losses = np.vstack([losses, np.column_stack([model.posterior(pending).mean for model in models])])
        acquisition = self._acquisition(losses, direction)

        def price(columns: Columns) -> Floats:
            rows = models[0].rows(columns)
            return acquisition.utility([model.posterior(rows) for model in models])

        return price

    def _shares(self) -> Floats:
        """How much each kind of model counts: a softmax of its mean held-out score."""
        scores = self.settings.trust * np.array([np.mean([m.score() for m in models]) for models in self.kinds])
        odds = np.exp(scores - scores.max())
        return np.asarray(odds / odds.sum())

    def _acquisition(self, losses: Floats, direction: Floats) -> JointAcquisition:
        k, kind = losses.shape[1], self.settings.acquisition
        if k not in EXACT or kind == "chebyshev":
            return ChebyshevBound(Scale.of(losses), direction)
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
        feasibility.fit(encoding.encode(self.record.columns), kinds)
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
