"""An evaluator that answers from a recorded table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.diagnostics import StudyError
from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.recorded.recorded_space import RecordedSpace
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Measured, Outcome


class ReplayEvaluator(Evaluator):
    """Looks outcomes up. With `noise`, a measurement is drawn anew from a normal distribution with the recorded mean
    and standard deviation."""

    def __init__(
        self, recorded: RecordedSpace, objectives: Sequence[Objective], noise: np.random.Generator | None = None
    ):
        if noise is not None and not any(recorded.deviation.values()):
            raise StudyError(f"{recorded.name} records no noise (columns <objective>_std)")
        self.recorded, self.objectives, self.noise = recorded, tuple(objectives), noise

    def evaluate(self, configuration: Configuration) -> Evaluation:
        return Evaluation(self._drawn(configuration, self.recorded.outcome(configuration)))

    def _drawn(self, configuration: Configuration, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Measured):
            return outcome
        values = {o.name: outcome.values[o.name] for o in self.objectives}
        if self.noise is not None:
            std = self.recorded.deviation.get(configuration, {})
            values = {name: float(self.noise.normal(v, std.get(name, 0.0))) for name, v in values.items()}
        return Measured(values)
