"""Several objectives: a surrogate each (or two), the hypervolume expected to be gained times P(feasible), local search.

    acquisition   utility of a candidate                                         objectives
    ehvi          expected hypervolume improvement: exact, or by directions      2, 3; more
    smsego        hypervolume that the optimistic losses add, ε-dominance        2, 3
    chebyshev     ParEGO's function of the optimistic losses, random weights     any

With more than three objectives `chebyshev` stands in for `smsego`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tunepass.acquisition.base import JointAcquisition
from tunepass.acquisition.directions import DirectionalImprovement
from tunepass.acquisition.feasible import draw_limit
from tunepass.acquisition.hypervolume import (
    ExpectedHypervolumeImprovement,
    SMSego,
    ahead,
    foreseen_reference,
    reference_point,
)
from tunepass.acquisition.scalarise import ChebyshevBound, Scale, draw_weights
from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.strategies.bo.crossover import crossover
from tunepass.strategies.bo.deep_model import DeepModel
from tunepass.strategies.bo.loop import BayesianLoop, LoopSettings, Utility
from tunepass.strategies.bo.models import ForestModel, GpModel, Model
from tunepass.strategies.bo.near_front import near_front
from tunepass.strategies.bo.output import OutputChoice
from tunepass.strategies.bo.sparse_model import SparseModel
from tunepass.strategies.bo.surrogate_models import SurrogateFactory, SurrogateModel, surrogate_factories
from tunepass.strategies.draws import draw_fitting
from tunepass.strategies.transforms import log_scale
from tunepass.study.pareto import nondominated
from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.deep_gp import DeepProcess
from tunepass.surrogates.forest import Forest
from tunepass.surrogates.gp import GaussianProcess
from tunepass.surrogates.sparse_gp import SparseProcess

EXACT_OBJECTIVES = (2, 3)  # numbers of objectives that hypervolume acquisitions are exact for
ROWS = 800  # rows that a process is conditioned on, at most: those near the front and the latest
SHORTLIST = 64  # candidates of a batch whose utility is computed again once one is chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class HypervolumeSettings(LoopSettings):
    """Settings of the strategy `hypervolume`, with its defaults; those of the loop are further arguments.

    Args:
        acquisition: `ehvi`, `smsego` or `chebyshev`.
        output: `log`, or `chosen`: an objective stays as it is where it is predicted better so.
        reach: of the reference (`reference_point`), in turn from suggestion to suggestion.
        foreseen: candidates whose predicted losses bound the distance of the near reference; 0: no bound.
        signs: EHVI expects no loss below 0 of an objective whose losses are all positive.
        least_gain: share of the front's range that EHVI counts for nothing.
        surrogate: a name, or a class or function that makes a Surrogate.
        crossovers: candidates by crossover and mutation of the front's members.
        batch: number of suggestions in one request from which one fit serves them all.

    Example:
        >>> tp.HypervolumeSettings(acquisition="smsego").surrogate
        'mixed'
    """

    acquisition: Literal["ehvi", "smsego", "chebyshev"] = "ehvi"
    output: Literal["log", "chosen"] = "chosen"
    reach: tuple[float, ...] = (0.0, 1.0)
    foreseen: int = 0
    signs: bool = False
    least_gain: float = 0.0
    surrogate: str | SurrogateFactory = "mixed"
    magnitudes: bool = True
    pool: int = 2000
    elite: int = 4  # members of the front
    crossovers: int = 500
    batch: int = 8


class Hypervolume(BayesianLoop):
    """Bayesian optimisation of several objectives by the hypervolume that a candidate is expected to add.

    Args:
        settings: None: those of the strategy `hypervolume`.

    Example:
        >>> both = tp.Task(space=space, objectives=(tp.Objective("time"), tp.Objective("area")))
        >>> tp.Hypervolume(both, tp.HypervolumeSettings(surrogate="forest")).suggest(1)
        [Configuration(tile=8, unroll=1)]
    """

    def __init__(self, task: Task, settings: HypervolumeSettings | None = None):
        self.settings = settings or HypervolumeSettings()
        super().__init__(task, self.settings)
        kinds = surrogate_factories(self.settings.surrogate)
        self.model_sets = [self._models(kind) for kind in kinds]
        alternatives = self._models(kinds[0])
        self.outputs = [OutputChoice(log, plain) for log, plain in zip(self.model_sets[0], alternatives)]

    def _models(self, make: SurrogateFactory) -> tuple[Model, ...]:
        """One model an objective."""
        s, seeds = self.settings, [self.task.seed + 7919 * number for number in range(len(self.task.objectives))]
        if make is GaussianProcess:
            return tuple(GpModel(self.embedding, replace(self.process_settings, seed=seed)) for seed in seeds)
        if make is DeepProcess:
            return tuple(DeepModel(self.encoding, replace(s.deep, seed=seed)) for seed in seeds)
        if make is SparseProcess:
            return tuple(SparseModel(self.embedding, replace(self.sparse_settings, seed=seed)) for seed in seeds)
        if make is Forest:
            return tuple(ForestModel(self.encoding, s.forest, seed) for seed in seeds)
        return tuple(SurrogateModel(self.encoding, make) for _ in seeds)

    def suggest(self, n: int) -> list[Configuration]:
        """One after the other, each a fantasy for the next; `batch` or more from one fit and set of candidates."""
        if n < self.settings.batch or self._warm_up() or not self.history.measured.any():
            return super().suggest(n)
        left = self.history.free()
        batch = self._batch(n if left is None else min(n, left))
        for configuration in batch:
            self.history.suggest(configuration)
        return [*batch, *super().suggest(n - len(batch))]

    def _batch(self, n: int) -> list[Configuration]:
        """At most `n` of one set of candidates, greedily: each chosen one joins the front as predicted."""
        rng = self.history.rng()
        probability, limit = self._probability(), draw_limit(rng, self.settings.limit)
        candidates = self._candidates(rng)
        p = probability(candidates)
        likely = p >= min(limit, float(p.max()))
        candidates, p = take(candidates, likely), p[likely]
        losses, scale = self._losses()
        least = self._least(losses, scale)
        fronts = self._fit(losses, scale)
        foreseen = self._foreseen(fronts, scale, rng)
        predicted = [self._posteriors(models, candidates, scale) for models in self.model_sets]
        rows, chosen, turn = np.arange(len(p)), list[Configuration](), self._turn
        while len(chosen) < n and len(rows):
            weights = draw_weights(losses.shape[1], rng)
            utilities = [
                self._acquisition(front, weights, turn + len(chosen), least, at).utility(
                    [posterior_at(q, rows) for q in posteriors]
                )
                for front, posteriors, at in zip(fronts, predicted, foreseen)
            ]
            value = np.log(p[rows]) + self._weighted(utilities)
            best, *rest = rows[np.argsort(-value, kind="stable")[: SHORTLIST + n]]
            rows = np.array(rest, np.int64)
            configuration = self.task.space.configurations(take(candidates, slice(best, best + 1)))[0]
            if configuration in self.history.taken or configuration in chosen:
                continue
            chosen.append(configuration)
            fronts = [np.vstack([f, [q.mean[best] for q in posteriors]]) for f, posteriors in zip(fronts, predicted)]
        return chosen

    def _objective_utility(self, rng: np.random.Generator) -> Utility:
        """log of the models' mean utility, weighted by how well they predict: one that sees a gain is enough."""
        losses, scale = self._losses()
        weights, least = draw_weights(losses.shape[1], rng), self._least(losses, scale)
        fronts, turn = self._fit(losses, scale), self._turn
        foreseen = self._foreseen(fronts, scale, rng) if self._reach(turn) < 1 else [None] * len(fronts)
        acquisitions = [self._acquisition(f, weights, turn, least, at) for f, at in zip(fronts, foreseen)]

        def utility(columns: Columns) -> Floats:
            predicted = [self._posteriors(models, columns, scale) for models in self.model_sets]
            return self._weighted([a.utility(posteriors) for a, posteriors in zip(acquisitions, predicted)])

        return utility

    @property
    def _turn(self) -> int:
        return len(self.history) + len(self.history.pending)

    def _losses(self) -> tuple[Floats, Scale]:
        """Measured losses (n, k), and what scales them to [0, 1]."""
        losses = self.history.losses
        if self.settings.log_output:
            losses = log_scale(losses) if self.settings.output == "log" else self._on_chosen_scales(losses)
        return losses, Scale.of(losses)

    def _least(self, losses: Floats, scale: Scale) -> Floats | None:
        """What no scaled loss is below (k,), where signs count: 0 of an objective that is fitted as it is."""
        if not self.settings.signs:
            return None
        measured = self.history.losses
        known = (measured >= 0).all(axis=0) & (losses == measured).all(axis=0)
        return np.where(known, scale.apply(np.zeros(losses.shape[1])), -np.inf)

    def _on_chosen_scales(self, losses: Floats) -> Floats:
        """Each objective on the scale that the first kind of models predicts better on; those models are used then."""
        record = self.history
        rows = self.model_sets[0][0].rows(take(record.columns, record.measured))
        scales = [output.choose(rows, np.ascontiguousarray(column)) for output, column in zip(self.outputs, losses.T)]
        self.model_sets[0] = tuple(output.model for output in self.outputs)
        return np.column_stack([scale.apply(column) for scale, column in zip(scales, losses.T)])

    def _fit(self, losses: Floats, scale: Scale) -> list[Floats]:
        """Fit all models. For each kind the scaled losses (n + pending, k), the pending ones as predicted."""
        space, record, fronts = self.task.space, self.history, []
        keep = near_front(scale.apply(losses), ROWS)
        for models in self.model_sets:
            x = models[0].rows(take(record.columns, record.measured))
            pending = models[0].rows(space.columns(list(record.pending))) if record.pending else x[:0]
            for model, loss in zip(models, losses.T):
                model.fit(x, np.ascontiguousarray(loss), pending, keep)
            means = [model.posterior(pending).mean if len(pending) else np.empty(0) for model in models]
            fronts.append(scale.apply(np.vstack([losses, np.column_stack(means)])))
        return fronts

    def _posteriors(self, models: Sequence[Model], columns: Columns, scale: Scale) -> list[Posterior]:
        """Posteriors of the scaled losses, one an objective."""
        rows, units = models[0].rows(columns), zip(scale.low, scale.spread)
        posteriors = [model.posterior(rows) for model in models]
        return [
            Posterior((q.mean - low) / spread, q.variance / spread**2) for q, (low, spread) in zip(posteriors, units)
        ]

    def _reach(self, turn: int) -> float:
        return self.settings.reach[turn % len(self.settings.reach)]

    def _foreseen(self, fronts: Sequence[Floats], scale: Scale, rng: np.random.Generator) -> list[Floats | None]:
        """For each kind of model, behind the ends of the front that it predicts."""
        n, front = self.settings.foreseen // 2, self._front()
        if not n:
            return [None] * len(fronts)
        columns = join([front, draw_fitting(self.task, n, rng), crossover(self.neighbourhood, front, n, rng)])
        predicted = [self._posteriors(models, columns, scale) for models in self.model_sets]
        means = [np.column_stack([q.mean for q in posteriors]) for posteriors in predicted]
        return [foreseen_reference(np.vstack([losses, mean])) for losses, mean in zip(fronts, means)]

    def _weighted(self, utilities: Sequence[Floats]) -> Floats:
        """log of the mean utility (m,), from log utilities (m,) for each kind of model."""
        parts = [np.log(share) + utility for share, utility in zip(self._shares(), utilities) if share > 0]
        return np.asarray(np.logaddexp.reduce(parts, axis=0))

    def _shares(self) -> Floats:
        """How much each kind of model counts: a softmax of its mean held-out score."""
        scores = self.settings.score_weight * np.array(
            [np.mean([m.score() for m in models]) for models in self.model_sets]
        )
        odds = np.exp(scores - scores.max())
        return np.asarray(odds / odds.sum())

    def _acquisition(
        self, losses: Floats, weights: Floats, turn: int, least: Floats | None, foreseen: Floats | None = None
    ) -> JointAcquisition:
        """For the suggestion number `turn`, given the losses (n, k) of trials and of what is under evaluation."""
        k, kind = losses.shape[1], self.settings.acquisition
        exact = k in EXACT_OBJECTIVES
        if k == 1 or kind == "chebyshev" or (kind == "smsego" and not exact):
            return ChebyshevBound(Scale.of(losses), weights)
        if kind == "ehvi":
            reference = reference_point(losses, self._reach(turn), foreseen)
            front = ahead(losses, self.settings.least_gain)
            if exact:
                return ExpectedHypervolumeImprovement.of(front, reference, least)
            return DirectionalImprovement.of(front, reference)
        budget = self.task.max_evals
        left = max(0, budget - len(self.history)) if budget is not None else 0
        return SMSego.of(losses, reference_point(losses), left=left)

    def _extra_candidates(self, rng: np.random.Generator) -> Sequence[Columns]:
        front, n = self._front(), self.settings.crossovers
        return [crossover(self.neighbourhood, front, n, rng)] if front and n else []

    def _elite(self, rng: np.random.Generator) -> list[Configuration]:
        front = self._front()
        if not front:
            return []
        return self.task.space.configurations(take(front, rng.permutation(length(front))[: self.settings.elite]))

    def _front(self) -> Columns:
        """Those measured that none dominates, by their first loss; no columns while nothing is measured."""
        record = self.history
        if not record.measured.any():
            return {}
        losses = record.losses
        on_front = np.flatnonzero(nondominated(losses))
        ordered = on_front[np.argsort(losses[on_front, 0], kind="stable")]
        return take(take(record.columns, record.measured), ordered)


def posterior_at(posterior: Posterior, rows: NDArray[np.int64]) -> Posterior:
    return Posterior(posterior.mean[rows], posterior.variance[rows])
