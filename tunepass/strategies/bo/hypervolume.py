"""Several objectives: a surrogate each (or two), the hypervolume expected to be gained times P(feasible), local search.

    acquisition   utility of a candidate                                         objectives
    ehvi          expected hypervolume improvement, exact                        2, 3
    smsego        hypervolume that the optimistic losses add, ε-dominance        2, 3
    chebyshev     ParEGO's function of the optimistic losses, random weights     any

With more than three objectives, or before anything was measured to compare with, `chebyshev` stands in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tunepass.acquisition.base import JointAcquisition
from tunepass.acquisition.feasible import draw_limit
from tunepass.acquisition.hypervolume import ExpectedHypervolumeImprovement, SMSego, reference_point
from tunepass.acquisition.scalarise import ChebyshevBound, Scale, draw_weights
from tunepass.space.columns import Columns, length, take
from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.strategies.bo.crossover import offspring
from tunepass.strategies.bo.loop import Guided, GuidedSettings, Utility
from tunepass.strategies.bo.models import ForestModel, GpModel, Model
from tunepass.strategies.bo.transforms import log_scale
from tunepass.study.pareto import nondominated
from tunepass.surrogates.base import Floats, Posterior

KINDS = {"gp": ("gp",), "forest": ("forest",), "mixed": ("gp", "forest")}
EXACT = (2, 3)  # objectives that hypervolumes are exact for
ROWS = 800  # that a process is conditioned on: those near the front and the latest
SHORTLIST = 64  # candidates of a batch that are priced again once one is chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class HypervolumeSettings(GuidedSettings):
    """The defaults are what `hypervolume` is."""

    acquisition: Literal["ehvi", "smsego", "chebyshev"] = "ehvi"
    surrogate: Literal["gp", "forest", "mixed"] = "mixed"
    magnitudes: bool = True
    pool: int = 2000
    elite: int = 4  # members of the front
    bred: int = 500  # candidates that are mixtures and mutants of the front's members
    batch: int = 8  # suggestions asked for at once from which on one fit serves them all


class Hypervolume(Guided):
    """`Hypervolume(task, HypervolumeSettings(surrogate="forest"))`."""

    def __init__(self, task: Task, settings: HypervolumeSettings | None = None):
        self.settings = settings or HypervolumeSettings()
        super().__init__(task, self.settings)
        self.kinds = [self._models(kind) for kind in KINDS[self.settings.surrogate]]

    def _models(self, kind: str) -> tuple[Model, ...]:
        """One model an objective."""
        s, seeds = self.settings, [self.task.seed + 7919 * number for number in range(len(self.task.objectives))]
        if kind == "gp":
            return tuple(GpModel(self.embedding, replace(s.gp, seed=seed)) for seed in seeds)
        return tuple(ForestModel(self.encoding, s.forest, seed) for seed in seeds)

    def suggest(self, n: int) -> list[Configuration]:
        """One after the other, each believed before the next; `batch` or more from one fit and set of candidates."""
        if n < self.settings.batch or self._warm_up() or not self.record.measured.any():
            return super().suggest(n)
        left = self.record.free()
        found = self._batch(n if left is None else min(n, left))
        for configuration in found:
            self.record.suggest(configuration)
        return [*found, *super().suggest(n - len(found))]

    def _batch(self, n: int) -> list[Configuration]:
        """At most `n` of one set of candidates, greedily: each is believed to come out as predicted."""
        rng = self.record.rng()
        probability, limit = self._probability(), draw_limit(rng, self.settings.limit)
        candidates = self._starts(rng)
        p = probability(candidates)
        kept = p >= min(limit, float(p.max()))
        candidates, p = take(candidates, kept), p[kept]
        losses, scale = self._losses()
        fronts = self._fit(losses, scale)
        predicted = [self._posteriors(models, candidates, scale) for models in self.kinds]
        places, chosen = np.arange(len(p)), list[Configuration]()
        while len(chosen) < n and len(places):
            direction = draw_weights(losses.shape[1], rng)
            value = np.log(p[places]) + self._blended(
                [
                    self._acquisition(front, direction).utility([at(q, places) for q in kind])
                    for front, kind in zip(fronts, predicted)
                ]
            )
            best, *rest = places[np.argsort(-value, kind="stable")[: SHORTLIST + n]]
            places = np.array(rest, np.int64)
            one = self.task.space.configurations(take(candidates, slice(best, best + 1)))[0]
            if one in self.record.taken or one in chosen:
                continue
            chosen.append(one)
            fronts = [np.vstack([f, [q.mean[best] for q in kind]]) for f, kind in zip(fronts, predicted)]
        return chosen

    def _gain(self, rng: np.random.Generator) -> Utility:
        """log of the models' mean utility, weighted by how well they predict: one that sees a gain is enough."""
        losses, scale = self._losses()
        direction = draw_weights(losses.shape[1], rng)
        acquisitions = [self._acquisition(front, direction) for front in self._fit(losses, scale)]

        def gain(columns: Columns) -> Floats:
            predicted = [self._posteriors(models, columns, scale) for models in self.kinds]
            return self._blended([a.utility(kind) for a, kind in zip(acquisitions, predicted)])

        return gain

    def _losses(self) -> tuple[Floats, Scale]:
        """Measured losses (n, k), and what scales them to [0, 1]."""
        losses = log_scale(self.record.losses) if self.settings.log_output else self.record.losses
        return losses, Scale.of(losses)

    def _fit(self, losses: Floats, scale: Scale) -> list[Floats]:
        """Fit all models. For each kind the scaled losses (n + pending, k): what is pending is as it predicts."""
        space, record, fronts = self.task.space, self.record, []
        keep = near_front(scale.apply(losses), ROWS)
        for models in self.kinds:
            x = models[0].rows(take(record.columns, record.measured))
            pending = models[0].rows(space.columns(list(record.pending))) if record.pending else x[:0]
            for model, loss in zip(models, losses.T):
                model.fit(x, np.ascontiguousarray(loss), pending, keep)
            means = [model.posterior(pending).mean if len(pending) else np.empty(0) for model in models]
            fronts.append(scale.apply(np.vstack([losses, np.column_stack(means)])))
        return fronts

    def _posteriors(self, models: Sequence[Model], columns: Columns, scale: Scale) -> list[Posterior]:
        """One a scaled objective."""
        rows, units = models[0].rows(columns), zip(scale.low, scale.spread)
        found = [model.posterior(rows) for model in models]
        return [Posterior((q.mean - low) / spread, q.variance / spread**2) for q, (low, spread) in zip(found, units)]

    def _blended(self, utilities: Sequence[Floats]) -> Floats:
        parts = [np.log(share) + utility for share, utility in zip(self._shares(), utilities) if share > 0]
        return np.asarray(np.logaddexp.reduce(parts, axis=0))

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

    def _promising(self, rng: np.random.Generator) -> list[Columns]:
        front = self._front()
        return [offspring(self.around, front, self.settings.bred, rng)] if front and self.settings.bred else []

    def _elite(self, rng: np.random.Generator) -> list[Configuration]:
        front = self._front()
        if not front:
            return []
        return self.task.space.configurations(take(front, rng.permutation(length(front))[: self.settings.elite]))

    def _front(self) -> Columns:
        """Those measured that none dominates, by their first loss; no columns while nothing is measured."""
        record = self.record
        if not record.measured.any():
            return {}
        losses = record.losses
        on_front = np.flatnonzero(nondominated(losses))
        ordered = on_front[np.argsort(losses[on_front, 0], kind="stable")]
        return take(take(record.columns, record.measured), ordered)


def near_front(losses: Floats, limit: int) -> NDArray[np.int64] | None:
    """At most `limit` rows (sorted): half of them those nearest to being undominated, by how far all objectives would
    have to fall, then the latest. None if there are no more."""
    if len(losses) <= limit:
        return None
    front = losses[nondominated(losses)]
    behind = np.max([np.min(losses - member, axis=1) for member in front], axis=0)
    near = np.argsort(behind, kind="stable")[: limit // 2]
    rest = np.setdiff1d(np.arange(len(losses)), near)[-(limit - len(near)) :]
    return np.sort(np.concatenate([near, rest]))


def at(posterior: Posterior, places: NDArray[np.int64]) -> Posterior:
    return Posterior(posterior.mean[places], posterior.variance[places])
