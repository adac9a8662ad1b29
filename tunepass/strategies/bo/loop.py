"""The loop of every search that asks models: a design first, then the candidate of most utility, by local search.

A suggestion depends on the seed, the trials and the pending suggestions only, so an interrupted study goes on as an
undisturbed one. One thread computes everything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tunepass.acquisition.feasible import draw_limit, feasible_utility
from tunepass.acquisition.maximise import ClimbSettings, maximise
from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.features.derived import derived_features, magnitudes
from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import Encoding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameters.order_features import PermutationDistance
from tunepass.strategies.base import Task
from tunepass.strategies.bo.design import DesignSettings, warm_up
from tunepass.strategies.bo.fitting import draw
from tunepass.strategies.one_by_one import OneByOne
from tunepass.strategies.random import draw_free
from tunepass.surrogates.base import Floats
from tunepass.surrogates.feasibility import FEASIBLE, Feasibility, FeasibilitySettings
from tunepass.surrogates.forest import ForestSettings
from tunepass.surrogates.gp import GpSettings

Utility = Callable[[Columns], Floats]  # of candidates, larger is better (n,)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidedSettings:
    """What the loop and its models have in common; every choice is one switch."""

    trust: float = 4.0  # two surrogates: how fast the better predictor of held-out trials outweighs the other
    gp: GpSettings = field(default_factory=GpSettings)
    forest: ForestSettings = field(default_factory=ForestSettings)
    permutation: PermutationDistance = "spearman"
    log_input: bool = True  # False: the Gaussian process sees every number on its plain scale
    derived: bool = False  # the process and P(feasible) also see odd parts, and what constraints multiply and divide
    magnitudes: bool = False  # the process also sees the logarithms of numbers that range far on a plain scale
    log_output: bool = True
    feasibility: FeasibilitySettings | None = field(default_factory=FeasibilitySettings)
    limit: float = 0.7  # upper end of the random minimum probability of feasibility; 0 turns it off
    design: DesignSettings = field(default_factory=DesignSettings)
    climb: ClimbSettings = field(default_factory=ClimbSettings)
    pool: int = 1000  # uniform feasible candidates a suggestion
    elite: int = 3  # measured configurations whose neighbours are candidates too


class Guided(OneByOne):
    """A subclass says what a measured candidate's utility is, and which trials to search around."""

    def __init__(self, task: Task, settings: GuidedSettings):
        super().__init__(task)
        self.loop = settings
        s, parameters = settings, task.space.parameters
        metric: PermutationDistance = "spearman" if s.permutation == "positions" else s.permutation
        self.plain = Embedding(parameters, permutation=metric, log=s.log_input)  # the design's distance
        derived = derived_features(task.space) if s.derived else ()
        more = (*derived, *magnitudes(task.space)) if s.magnitudes else derived
        self.embedding = Embedding(parameters, permutation=s.permutation, log=s.log_input, derived=more)
        self.encoding, self.around = Encoding(task.space), Neighbourhood(task.space, task.feasible)
        self.causes = Encoding(task.space, derived)  # what failures are explained by
        self.feasibility = Feasibility(s.feasibility)
        self._design: list[Configuration] | None = None

    @abstractmethod
    def _gain(self, rng: np.random.Generator) -> Utility:
        """The log utility of candidates if they can be measured; asked for once something was."""

    @abstractmethod
    def _elite(self, rng: np.random.Generator) -> list[Configuration]:
        """The trials whose neighbours are candidates too."""

    @property
    def feasible_recall(self) -> float | None:
        return self.feasibility.recall

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
        if (single := self._probe(utility, rng)) is not None:
            return single
        starts = self._starts(rng)
        best = maximise(utility, self.around, starts, self.record.taken, self.loop.climb)
        return best if best is not None else draw_free(self.record)

    def _probe(self, utility: Utility, rng: np.random.Generator) -> Configuration | None:
        """A suggestion that is made before any search, if one is due."""
        return None

    def _warm_up(self) -> list[Configuration]:
        """The design; the same whether it is made now or was made before an interruption."""
        if self._design is None:
            self._design = warm_up(self.task, self.plain, self.loop.design)
        return self._design if len(self.record) < len(self._design) else []

    def _utility(self, rng: np.random.Generator) -> Utility | None:
        """Utility of candidates; None while nothing was tried. With nothing measured, P(feasible) alone."""
        if not len(self.record):
            return None
        probability = self._probability()
        limit = draw_limit(rng, self.loop.limit)
        if not self.record.measured.any():
            return lambda columns: np.log(probability(columns))
        gain = self._gain(rng)

        def utility(columns: Columns) -> Floats:
            p = probability(columns)
            kept = p >= limit
            gained = np.full(len(p), -np.inf)
            if kept.any():
                gained[kept] = gain(take(columns, kept))  # models are asked only where it matters
            return feasible_utility(gained, p, limit)

        return utility

    def _probability(self) -> Utility:
        kinds = self.record.kinds
        if self.loop.feasibility is None or (kinds == FEASIBLE).all():
            return lambda columns: np.ones(length(columns))
        encoding, feasibility = self.causes, self.feasibility
        feasibility.fit(encoding.encode(self.record.columns), kinds)
        return lambda columns: feasibility.probability(encoding.encode(columns))

    def _starts(self, rng: np.random.Generator) -> Columns:
        """Uniform candidates, draws from the priors where there are any, what else is promising, and the neighbours of
        the best trials."""
        space, s = self.task.space, self.loop
        parts = [draw(self.task, s.pool, rng)]
        if any(parameter.prior is not None for parameter in space.parameters):
            parts.append(draw(self.task, s.pool // 4, rng, prior=True))
        parts += self._promising(rng)
        if elite := self._elite(rng):
            parts.append(self.around.of(space.columns(elite))[0])
        found = [part for part in parts if length(part)]
        return join(found) if found else space.sample_columns(s.pool, rng)

    def _promising(self, rng: np.random.Generator) -> list[Columns]:
        return []
