"""How good a replayed search is after each evaluation, by the recorded values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.diagnostics import StudyError
from tunepass.evaluators.recorded.recorded_space import RecordedSpace
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.results.pareto import hypervolume, nondominated
from tunepass.study.trial import Trial


class BestValue:
    """One objective: the recorded value of the incumbent."""

    def __init__(self, recorded: RecordedSpace, objective: Objective):
        self.recorded, self.objective = recorded, objective
        self.optimum = recorded.optimum(objective)

    def series(self, trials: Sequence[Trial]) -> tuple[float | None, ...]:
        name, best, value = self.objective.name, float("inf"), None
        series: list[float | None] = []
        for trial in trials:
            truth = self.recorded.outcome(trial.configuration)
            if isinstance(trial.outcome, Measured) and isinstance(truth, Measured):
                loss = self.objective.loss(trial.outcome.values[name])
                if loss < best:
                    best, value = loss, truth.values[name]
            series.append(value)
        return tuple(series)


class HypervolumeShare:
    """Several objectives: the share of the table's hypervolume, in losses scaled to the range of the measured rows."""

    def __init__(self, recorded: RecordedSpace, objectives: Sequence[Objective]):
        self.recorded, self.objectives, self.optimum = recorded, objectives, 1.0
        measured = [o for o in recorded.outcomes.values() if isinstance(o, Measured)]
        if not measured:
            raise StudyError(f"{recorded.name}: no row measured anything")
        losses = np.array([self._losses(o) for o in measured])
        self.lo, self.span = losses.min(axis=0), np.maximum(np.ptp(losses, axis=0), 1e-300)
        self.reference = [1.0 + 1e-9] * len(objectives)
        self.whole = self._volume(losses[nondominated(losses)])

    def series(self, trials: Sequence[Trial]) -> tuple[float | None, ...]:
        losses: list[tuple[float, ...]] = []
        series: list[float | None] = []
        for trial in trials:
            truth = self.recorded.outcome(trial.configuration)
            if isinstance(truth, Measured):
                losses.append(self._losses(truth))
                share = self._volume(np.array(losses)) / self.whole
                series.append(share)
            else:
                series.append(series[-1] if series else None)
        return tuple(series)

    def _losses(self, outcome: Measured) -> tuple[float, ...]:
        return tuple(o.loss(outcome.values[o.name]) for o in self.objectives)

    def _volume(self, losses: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float:
        return hypervolume((losses - self.lo) / self.span, self.reference)
