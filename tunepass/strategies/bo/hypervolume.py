"""Several objectives: a surrogate each (or two), the hypervolume expected to be gained times P(feasible), local search.

    acquisition   utility of a candidate                                         objectives
    ehvi          expected hypervolume improvement: exact, or by sample points   2, 3; more
    smsego        hypervolume that the optimistic losses add, ε-dominance        2, 3
    chebyshev     ParEGO's function of the optimistic losses, random weights     any

With more than three objectives `chebyshev` stands in for `smsego`; gains are those of the losses as they are, whatever
scale they are fitted on, and the reference lies behind the front that an evolution on predicted losses arrives at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tunepass.acquisition.base import JointAcquisition
from tunepass.acquisition.correlated import CorrelatedImprovement
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
from tunepass.strategies.bo.evolution import evolved
from tunepass.strategies.bo.loop import BayesianLoop, LoopSettings, Utility
from tunepass.strategies.bo.loss_scales import LossScales
from tunepass.strategies.bo.models import ForestModel, GpModel, Model
from tunepass.strategies.bo.near_front import near_front
from tunepass.strategies.bo.objective_models import JointDeepModels, JointModels, ObjectiveModels, SeparateModels
from tunepass.strategies.bo.output import MARGIN, OutputChoice
from tunepass.strategies.bo.region import FrontBounds, LossRegion
from tunepass.strategies.bo.sampled_model import SampledModels
from tunepass.strategies.bo.sparse_model import SparseModel
from tunepass.strategies.bo.surrogate_models import SurrogateFactory, SurrogateModel, surrogate_factories
from tunepass.strategies.bo.thresholds import Thresholds
from tunepass.strategies.draws import draw_fitting
from tunepass.strategies.transforms import PLAIN, OutputScale, log_scale_of
from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.base import Floats, JointPosterior, JointSurrogate, Posterior
from tunepass.surrogates.deep_gp import DeepProcess
from tunepass.surrogates.forest import Forest
from tunepass.surrogates.gp import GaussianProcess
from tunepass.surrogates.joint_deep_gp import JointDeepProcess
from tunepass.surrogates.sampled_deep_gp import SampledDeepProcess
from tunepass.surrogates.sparse_gp import SparseProcess

EXACT_OBJECTIVES = (2, 3)  # numbers of objectives that hypervolume acquisitions are exact for
ROWS = 800  # rows that a process is conditioned on, at most: those near the front and the latest
STARTS = 256  # uniform draws in the first generation of an evolution
LEAST_RANGE = 1e-9  # of fitted losses that are all the same
POINTS_KEY = 0x706F696E7473
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
        surrogate: a name, or a class or function that makes a Surrogate; a class of JointSurrogate has all objectives
            in one.
        crossovers: candidates by crossover and mutation of the front's members.
        batch: number of suggestions in one request from which one fit serves them all.
        samples: of four and more objectives, points that EHVI is estimated by.
        deviations: what EHVI by points multiplies the models' deviations by.
        generations: of the evolution on predicted losses, with four and more objectives.
        trade_off: of four and more objectives, what the other losses must fall by for a rise of 1 in one; ends of
            the front that gain less are not looked for.
        plain_margin: by which an objective must be predicted better as it is to be fitted so (`output="chosen"`).

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
    samples: int = 256
    deviations: float = 1.0
    generations: int = 8
    trade_off: float = 0.1
    plain_margin: float = MARGIN


def hypervolume_with(surrogate: str) -> Callable[[Task], Hypervolume]:
    """The strategy `hypervolume` with the surrogate of that name; TunepassError for an unknown name."""
    surrogate_factories(surrogate)
    settings = HypervolumeSettings(surrogate=surrogate)
    return lambda task: Hypervolume(task, settings)


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
        self.model_sets: list[ObjectiveModels] = [self._joint_models(kind) or self._models(kind) for kind in kinds]
        scale_models = SparseProcess if self._is_joint else kinds[0]  # cheap, where no objective has a model of its own
        self.outputs = [
            OutputChoice(log, plain, self.settings.plain_margin)
            for log, plain in zip(self._models(scale_models).models, self._models(scale_models).models)
        ]
        self._evolved: Columns = {}  # of the latest fit

    @property
    def _is_joint(self) -> bool:
        return isinstance(self.model_sets[0], JointModels)

    def _joint_models(self, make: SurrogateFactory) -> JointModels | None:
        """One model of all objectives; None: the surrogate has one for each."""
        if not (isinstance(make, type) and issubclass(make, JointSurrogate)):
            return None
        if make is JointDeepProcess:
            settings = replace(self.settings.deep, seed=self.task.seed)
            return JointDeepModels(self.encoding, lambda: JointDeepProcess(settings))
        if make is SampledDeepProcess:
            return SampledModels(self.embedding, replace(self.sampled_settings, seed=self.task.seed))
        return JointModels(self.encoding, make)

    def _models(self, make: SurrogateFactory) -> SeparateModels:
        s = self.settings

        def model(seed: int) -> Model:
            if make is GaussianProcess:
                return GpModel(self.embedding, replace(self.process_settings, seed=seed))
            if make is DeepProcess:
                return DeepModel(self.encoding, replace(s.deep, seed=seed))
            if make is SparseProcess:
                return SparseModel(self.embedding, replace(self.sparse_settings, seed=seed))
            return ForestModel(self.encoding, s.forest, seed) if make is Forest else SurrogateModel(self.encoding, make)

        return SeparateModels([model(self.task.seed + 7919 * number) for number in range(len(self.task.objectives))])

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
        self._evolved = {}  # so that a suggestion depends on the trials alone
        candidates = self._candidates(rng)
        p = probability(candidates)
        likely = p >= min(limit, float(p.max()))
        candidates, p = take(candidates, likely), p[likely]
        losses, scales = self._losses()
        fronts = self._fit(losses, scales.unit)
        bounds = self._bounds(fronts, losses, scales, rng, near=True)
        predicted = [models.scaled(candidates, scales.unit) for models in self.model_sets]
        rows, chosen, turn = np.arange(len(p)), list[Configuration](), self._turn
        while len(chosen) < n and len(rows):
            weights = draw_weights(losses.shape[1], rng)
            utilities = [
                self._acquisition(front, weights, turn + len(chosen), bound).utility(posteriors_at(posteriors, rows))
                for front, posteriors, bound in zip(fronts, predicted, bounds)
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
        losses, scales = self._losses()
        weights, scale = draw_weights(losses.shape[1], rng), scales.unit
        fronts, turn = self._fit(losses, scale), self._turn
        bounds = self._bounds(fronts, losses, scales, rng, near=self._reach(turn) < 1)
        acquisitions = [self._acquisition(front, weights, turn, bound) for front, bound in zip(fronts, bounds)]

        def utility(columns: Columns) -> Floats:
            predicted = [models.scaled(columns, scale) for models in self.model_sets]
            return self._weighted([a.utility(posteriors) for a, posteriors in zip(acquisitions, predicted)])

        return utility

    @property
    def _turn(self) -> int:
        return len(self.history) + len(self.history.pending)

    def _losses(self) -> tuple[Floats, LossScales]:
        """Measured losses (n, k) on their log scales or as they are, and these scales."""
        losses = self.history.losses
        if not self.settings.log_output:
            outputs = [PLAIN] * losses.shape[1]
        elif self.settings.output == "log":
            outputs = [log_scale_of(column) for column in losses.T]
        else:
            outputs = self._chosen_scales(losses)
        scaled = np.column_stack([output.apply(column) for output, column in zip(outputs, losses.T)])
        return scaled, LossScales(outputs, Scale.of(scaled))

    def _least(self, losses: Floats, scale: Scale) -> Floats | None:
        """What no scaled loss is below (k,), where signs count: 0 of an objective that is fitted as it is."""
        if not self.settings.signs:
            return None
        measured = self.history.losses
        known = (measured >= 0).all(axis=0) & (losses == measured).all(axis=0)
        return np.where(known, scale.apply(np.zeros(losses.shape[1])), -np.inf)

    def _chosen_scales(self, losses: Floats) -> list[OutputScale]:
        """For each objective the scale that the first kind of models predicts better on; those models are used then."""
        record = self.history
        rows = self.outputs[0].on_log_scale.rows(take(record.columns, record.measured))
        scales = [output.choose(rows, np.ascontiguousarray(column)) for output, column in zip(self.outputs, losses.T)]
        if not self._is_joint:
            self.model_sets[0] = SeparateModels([output.model for output in self.outputs])
        return scales

    def _fit(self, losses: Floats, scale: Scale) -> list[Floats]:
        """Fit all models. For each kind the scaled losses (n + pending, k), the pending ones as predicted."""
        space, record, fronts = self.task.space, self.history, []
        keep = near_front(scale.apply(losses), ROWS)
        for models in self.model_sets:
            x = models.rows(take(record.columns, record.measured))
            pending = models.rows(space.columns(list(record.pending))) if record.pending else x[:0]
            models.fit(x, losses, pending, keep)
            means = [q.mean for q in models.posteriors(pending)] if len(pending) else []
            fronts.append(scale.apply(np.vstack([losses, np.column_stack(means)]) if means else losses))
        return fronts

    def _reach(self, turn: int) -> float:
        return self.settings.reach[turn % len(self.settings.reach)]

    def _bounds(
        self, fronts: Sequence[Floats], losses: Floats, scales: LossScales, rng: np.random.Generator, *, near: bool
    ) -> list[FrontBounds]:
        """For each kind of model, what is expected of the front; `near`: for references that may be near ones."""
        if self._is_sampled:
            return [FrontBounds(region=self._region(scales, rng))] * len(fronts)
        least, thresholds = self._least(losses, scales.unit), self._thresholds
        fitted = thresholds.fitted(scales) if thresholds.stated else None
        foreseen = self._foreseen(fronts, scales.unit, rng) if near else [None] * len(fronts)
        return [FrontBounds(least, corner, fitted) for corner in foreseen]

    @property
    def _thresholds(self) -> Thresholds:
        return Thresholds.of(self.task.objectives, self.history.units)

    @property
    def _is_sampled(self) -> bool:
        return self.settings.acquisition == "ehvi" and len(self.task.objectives) > max(EXACT_OBJECTIVES)

    def _region(self, scales: LossScales, rng: np.random.Generator) -> LossRegion:
        """The region of the front that an evolution on the models' mean predictions arrives at."""
        s, measured, shares = self.settings, self.history.losses, self._shares()
        least = np.where((measured >= 0).all(axis=0) & s.signs, 0.0, -np.inf)

        def predict(columns: Columns) -> Floats:
            means = [scales.plain(scales.unit.apply(models.means(columns))) for models in self.model_sets]
            return np.maximum(np.tensordot(shares, np.array(means), 1), least)

        start = join([self._front(), draw_fitting(self.task, STARTS, rng)])
        self._evolved, predicted = evolved(self.neighbourhood, predict, start, s.trade_off, s.generations, rng)
        return LossRegion.of(np.vstack([measured, predicted]), s.trade_off, least, scales, self._thresholds)

    def _foreseen(self, fronts: Sequence[Floats], scale: Scale, rng: np.random.Generator) -> list[Floats | None]:
        """For each kind of model, behind the ends of the front that it predicts."""
        n, front = self.settings.foreseen // 2, self._front()
        if not n:
            return [None] * len(fronts)
        columns = join([front, draw_fitting(self.task, n, rng), crossover(self.neighbourhood, front, n, rng)])
        predicted = [models.scaled(columns, scale) for models in self.model_sets]
        means = [np.column_stack([q.mean for q in posteriors]) for posteriors in predicted]
        return [foreseen_reference(np.vstack([losses, mean])) for losses, mean in zip(fronts, means)]

    def _weighted(self, utilities: Sequence[Floats]) -> Floats:
        """log of the mean utility (m,), from log utilities (m,) for each kind of model."""
        parts = [np.log(share) + utility for share, utility in zip(self._shares(), utilities) if share > 0]
        return np.asarray(np.logaddexp.reduce(parts, axis=0))

    def _shares(self) -> Floats:
        """How much each kind of model counts: a softmax of its mean held-out score."""
        if len(self.model_sets) == 1:  # a score may cost a cross-validation
            return np.ones(1)
        scores = self.settings.score_weight * np.array([models.score() for models in self.model_sets])
        odds = np.exp(scores - scores.max())
        return np.asarray(odds / odds.sum())

    def _acquisition(self, losses: Floats, weights: Floats, turn: int, bounds: FrontBounds) -> JointAcquisition:
        """For the suggestion number `turn`, given the losses (n, k) of trials and of what is under evaluation."""
        s, k = self.settings, losses.shape[1]
        exact = k in EXACT_OBJECTIVES
        if k == 1 or s.acquisition == "chebyshev" or (s.acquisition == "smsego" and not exact):
            return ChebyshevBound(Scale.of(losses), weights)
        if bounds.region is not None:
            rng = np.random.default_rng([self.task.seed, turn, POINTS_KEY])
            return bounds.region.improvement(losses, s.least_gain, s.samples, s.deviations, rng)
        if s.acquisition == "ehvi":
            reference = self._reference(losses, bounds, self._reach(turn))
            gain = ExpectedHypervolumeImprovement.of(ahead(losses, s.least_gain), reference, bounds.least)
            return CorrelatedImprovement.of(gain) if self._is_joint else gain
        budget = self.task.max_evals
        left = max(0, budget - len(self.history)) if budget is not None else 0
        return SMSego.of(losses, reference_point(losses), left=left)

    def _reference(self, losses: Floats, bounds: FrontBounds, reach: float) -> Floats:
        """Behind the front of fitted losses (n, k), and within the user's thresholds."""
        reference = reference_point(losses, reach, bounds.foreseen)
        if bounds.thresholds is None:
            return reference
        size = np.maximum(np.ptp(losses, axis=0), LEAST_RANGE)
        return bounds.thresholds.corner(reference, losses.min(axis=0), size)

    def _extra_candidates(self, rng: np.random.Generator) -> Sequence[Columns]:
        front, n = self._front(), self.settings.crossovers
        parts = [self._evolved] if self._evolved else []
        return [*parts, crossover(self.neighbourhood, front, n, rng)] if front and n else parts

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


def posteriors_at(posteriors: Sequence[Posterior], rows: NDArray[np.int64]) -> Sequence[Posterior]:
    """The posteriors of some of the candidates."""
    if isinstance(posteriors, JointPosterior):
        return posteriors.at(rows)
    return [Posterior(q.mean[rows], q.variance[rows]) for q in posteriors]
