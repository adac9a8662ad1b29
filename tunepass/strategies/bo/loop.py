"""The Bayesian loop: a design first, then the candidate of most utility under the models, found by local search.

A suggestion depends on the seed, the trials and the pending suggestions only, so an interrupted study goes on as an
undisturbed one. One thread computes everything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tunepass.acquisition.feasible import draw_limit, feasible_utility
from tunepass.acquisition.maximise import LocalSearchSettings, maximise
from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.features.derived import derived_features, magnitudes
from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import Encoding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameters.order_features import PermutationDistance
from tunepass.strategies.base import Task
from tunepass.strategies.bo.design import DesignSettings, farthest, has_good_defaults, nearer, warm_up
from tunepass.strategies.bo.lengthscales import RoleLengthscales
from tunepass.strategies.draws import draw_fitting, draw_free
from tunepass.strategies.sequential import SequentialStrategy
from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.feasibility import FEASIBLE, Feasibility, FeasibilitySettings
from tunepass.surrogates.forest import ForestSettings
from tunepass.surrogates.gp import GpSettings
from tunepass.surrogates.sampled_training import SampledSettings
from tunepass.surrogates.sparse_gp import SparseSettings

MANY = 20  # parameters beyond which a design says too little of where configurations fail
CHANCE = 1  # failures of a design that say nothing yet of how many configurations fail
FEW = 30  # parameters up to which a suggestion looks at as many candidates as the settings say
Utility = Callable[[Columns], Floats]  # of candidates, larger is better (n,)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSettings:
    """Settings of the Bayesian loop and its models; every choice is one switch.

    Args:
        score_weight: of the held-out score in the softmax that weighs two surrogates; 0: equal weights.
        gp: of the Gaussian process.
        sparse: of the sparse Gaussian process.
        deep: of the deep Gaussian process.
        sampled: of the sampled deep Gaussian process.
        lengthscales: priors by role, instead of one prior for all.
        forest: of the random forest.
        permutation: the distance of two orders.
        log_input: False: the Gaussian process sees every number on its plain scale.
        derived: the process and P(feasible) also see odd parts, and products and quotients of constraints.
        magnitudes: the process also sees the logarithms of numbers that range far on a plain scale.
        log_output: whether losses are fitted on the log scale.
        feasibility: of the model of P(feasible); None: no model.
        limit: upper end of the random minimum probability of feasibility; 0: no minimum.
        design: of the configurations before the first fit.
        local_search: of the maximisation of the utility.
        pool: uniform feasible candidates a suggestion.
        elite: measured configurations whose neighbours are candidates too.
    """

    score_weight: float = 4.0
    gp: GpSettings = field(default_factory=GpSettings)
    sparse: SparseSettings = field(default_factory=SparseSettings)
    deep: DeepSettings = field(default_factory=DeepSettings)
    sampled: SampledSettings = field(default_factory=SampledSettings)
    lengthscales: RoleLengthscales | None = None
    forest: ForestSettings = field(default_factory=ForestSettings)
    permutation: PermutationDistance = "spearman"
    log_input: bool = True
    derived: bool = False
    magnitudes: bool = False
    log_output: bool = True
    feasibility: FeasibilitySettings | None = field(default_factory=FeasibilitySettings)
    limit: float = 0.7
    design: DesignSettings = field(default_factory=DesignSettings)
    local_search: LocalSearchSettings = field(default_factory=LocalSearchSettings)
    pool: int = 1000
    elite: int = 3


def affordable(settings: LoopSettings, parameters: int) -> LoopSettings:
    """The settings with fewer candidates where there are more than FEW parameters: a candidate's cost grows with them,
    and so do its neighbours."""
    if parameters <= FEW:
        return settings
    search, share = settings.local_search, FEW / parameters
    fewer = replace(
        search,
        climbers=min(search.climbers, max(2, int(search.climbers * share))),
        steps=max(1, min(search.steps, 600 // parameters)),
    )
    pool, elite = max(min(200, settings.pool), int(settings.pool * share)), max(1, 180 // parameters)
    return replace(settings, pool=pool, elite=min(settings.elite, elite), local_search=fewer)


class BayesianLoop(SequentialStrategy):
    """A subclass says what a measured candidate's utility is, and which trials to search around."""

    def __init__(self, task: Task, settings: LoopSettings):
        super().__init__(task)
        parameters = task.space.parameters
        self.loop_settings = s = affordable(settings, len(parameters))
        metric: PermutationDistance = "spearman" if s.permutation == "positions" else s.permutation
        self.design_embedding = Embedding(parameters, permutation=metric, log=s.log_input, activity=task.space.activity)
        derived = derived_features(task.space) if s.derived else ()
        extra = (*derived, *magnitudes(task.space)) if s.magnitudes else derived
        self.embedding = Embedding(
            parameters, permutation=s.permutation, log=s.log_input, derived=extra, activity=task.space.activity
        )
        by_role = None if s.lengthscales is None else s.lengthscales.priors(self.embedding.roles)
        self.process_settings = s.gp if by_role is None else replace(s.gp, lengthscale=by_role)
        self.sparse_settings = s.sparse if by_role is None else replace(s.sparse, lengthscale=by_role)
        self.sampled_settings = s.sampled if by_role is None else replace(s.sampled, lengthscale=by_role)
        self.encoding, self.neighbourhood = Encoding(task.space), Neighbourhood(task.space, task.feasible)
        self.failure_encoding = Encoding(task.space, derived)
        self.feasibility = Feasibility(s.feasibility)
        self.good_defaults = has_good_defaults(task)  # uniform draws are far from anything good
        self._design: list[Configuration] | None = None

    @abstractmethod
    def _objective_utility(self, rng: np.random.Generator) -> Utility:
        """The log utility of candidates if they can be measured; asked for once something was measured."""

    @abstractmethod
    def _elite(self, rng: np.random.Generator) -> list[Configuration]:
        """The trials whose neighbours are candidates too."""

    @property
    def feasible_recall(self) -> float | None:
        return self.feasibility.recall

    def _next(self) -> Configuration | None:
        left = self.history.free()
        if left is not None and left <= 0:
            return None
        for configuration in self._warm_up():
            if configuration not in self.history.taken:
                return configuration
        rng = self.history.rng()
        utility = self._utility(rng)
        if utility is None:
            return self._beyond_design(rng)
        if (early := self._early_suggestion(utility, rng)) is not None:
            return early
        candidates, local_search = self._candidates(rng), self.loop_settings.local_search
        best = maximise(utility, self.neighbourhood, candidates, self.history.taken, local_search, rng)
        return best if best is not None else draw_free(self.history)

    def _early_suggestion(self, utility: Utility, rng: np.random.Generator) -> Configuration | None:
        """A suggestion that is made without maximising the utility over the space, if one is due."""
        return None

    def _warm_up(self) -> list[Configuration]:
        """The design; the same whether it is made now or was made before an interruption."""
        if self._design is None:
            self._design = warm_up(self.task, self.design_embedding, self.loop_settings.design)
        return self._drawn_nearer(self._design) if len(self.history) < len(self._design) else []

    def _drawn_nearer(self, design: list[Configuration]) -> list[Configuration]:
        """The rest of the design, the next point as near to the best trial as trials have failed. A random design, and
        one of few parameters, stays as it is."""
        history, kind = self.history, self.loop_settings.design.kind
        if kind == "random" or self.good_defaults or len(self.task.space.parameters) <= MANY:
            return design
        measured = history.measured
        failing = max(0, int((~measured).sum()) - CHANCE) / len(measured) if measured.any() else 0.0
        if not failing or design[0] not in history.taken:
            return design
        ranks = history.losses.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable").sum(axis=1)
        best = history.configurations[int(np.flatnonzero(measured)[ranks.argmin()])]
        left = design[len(history) + len(history.pending) :]  # those before were suggested, or others in their place
        return [nearer(self.neighbourhood, left[0], best, failing, history.rng()), *left] if left else []

    def _beyond_design(self, rng: np.random.Generator) -> Configuration | None:
        """The rest of a first batch that is larger than the design: far from all that is under evaluation; every other
        one a draw from the priors where there are any, all of them where these say that the default is good."""
        task, design, pending = self.task, self.loop_settings.design, list(self.history.pending)
        believed = any(parameter.prior is not None for parameter in task.space.parameters) and len(pending) % 2 > 0
        if design.kind == "random" or self.good_defaults or believed:
            return draw_free(self.history, prior=design.kind != "random")
        pool = draw_fitting(task, design.pool, rng)
        if length(pool):
            best = farthest(task.space, self.design_embedding, pool, pending, len(pending) + 1)[-1]
            if best not in self.history.taken:
                return best
        return draw_free(self.history)

    def _utility(self, rng: np.random.Generator) -> Utility | None:
        """Utility of candidates; None while nothing was tried. With nothing measured, P(feasible) alone."""
        if not len(self.history):
            return None
        probability = self._probability()
        limit = draw_limit(rng, self.loop_settings.limit)
        if not self.history.measured.any():
            return lambda columns: np.log(probability(columns))
        objective_utility = self._objective_utility(rng)

        def utility(columns: Columns) -> Floats:
            p = probability(columns)
            likely = p >= limit
            values = np.full(len(p), -np.inf)
            if likely.all():
                values = objective_utility(columns)
            elif likely.any():
                values[likely] = objective_utility(take(columns, likely))  # models are asked only where it matters
            return feasible_utility(values, p, limit)

        return utility

    def _probability(self) -> Utility:
        """P(feasible) of candidates, by a model fitted to all trials."""
        kinds = self.history.kinds
        if self.loop_settings.feasibility is None or (kinds == FEASIBLE).all():
            return lambda columns: np.ones(length(columns))
        encoding, feasibility = self.failure_encoding, self.feasibility
        feasibility.fit(encoding.encode(self.history.columns), kinds)
        return lambda columns: feasibility.probability(encoding.encode(columns))

    def _candidates(self, rng: np.random.Generator) -> Columns:
        """Where local search starts: uniform draws, draws from the priors where there are any, the subclass's extra
        candidates, and the neighbours of the best trials."""
        space, s = self.task.space, self.loop_settings
        parts = [draw_fitting(self.task, s.pool, rng, prior=self.good_defaults)]
        if not self.good_defaults and any(parameter.prior is not None for parameter in space.parameters):
            parts.append(draw_fitting(self.task, s.pool // 4, rng, prior=True))
        parts += self._extra_candidates(rng)
        if elite := self._elite(rng):
            parts.append(self.neighbourhood.of(space.columns(elite))[0])
        nonempty = [part for part in parts if length(part)]
        return join(nonempty) if nonempty else space.sample_columns(s.pool, rng)

    def _extra_candidates(self, rng: np.random.Generator) -> Sequence[Columns]:
        return ()
