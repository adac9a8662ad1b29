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

from tunepass.acquisition.base import JointAcquisition
from tunepass.acquisition.hypervolume import ExpectedHypervolumeImprovement, SMSego, reference_point
from tunepass.acquisition.scalarise import ChebyshevBound, Scale, draw_weights
from tunepass.space.columns import Columns, take
from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.strategies.guided import Guided, GuidedSettings, Utility
from tunepass.strategies.losses import log_scale
from tunepass.strategies.models import ForestModel, GpModel, Model
from tunepass.study.pareto import nondominated
from tunepass.surrogates.base import Floats

KINDS = {"gp": ("gp",), "forest": ("forest",), "mixed": ("gp", "forest")}
EXACT = (2, 3)  # objectives that hypervolumes are exact for


@dataclass(frozen=True, slots=True, kw_only=True)
class HypervolumeSettings(GuidedSettings):
    """The defaults are what `hypervolume` is."""

    acquisition: Literal["ehvi", "smsego", "chebyshev"] = "ehvi"
    surrogate: Literal["gp", "forest", "mixed"] = "mixed"
    pool: int = 2000
    elite: int = 4  # members of the front


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

    def _gain(self, rng: np.random.Generator) -> Utility:
        """log of the models' mean utility, weighted by how well they predict: one that sees a gain is enough."""
        losses = log_scale(self.record.losses) if self.settings.log_output else self.record.losses
        losses = Scale.of(losses).apply(losses)
        direction = draw_weights(losses.shape[1], rng)
        priced = [self._priced(models, losses, direction) for models in self.kinds]
        shares = self._shares()

        def gain(columns: Columns) -> Floats:
            parts = [np.log(share) + price(columns) for share, price in zip(shares, priced) if share > 0]
            return np.asarray(np.logaddexp.reduce(parts, axis=0))

        return gain

    def _priced(self, models: Sequence[Model], losses: Floats, direction: Floats) -> Utility:
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

    def _elite(self, rng: np.random.Generator) -> list[Configuration]:
        record = self.record
        if not record.measured.any():
            return []
        seen = [c for c, ok in zip(record.configurations, record.measured) if ok]
        front = [c for c, kept in zip(seen, nondominated(record.losses)) if kept]
        return [front[i] for i in rng.permutation(len(front))[: self.settings.elite]]
