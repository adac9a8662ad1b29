"""Trials of a client, and what they are to the search."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from tunepass.diagnostics import StudyError
from tunepass.integrations.ax.goals import Goals
from tunepass.integrations.parameters import Foreign
from tunepass.space.configuration import Configuration
from tunepass.space.plain_values import as_real
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome

Reading = tuple[float, float | None]  # mean, and the standard error of the mean


class TrialStatus(str, Enum):
    """Status of a trial, by the names that Ax has.

    Example:
        >>> TrialStatus("COMPLETED").name
        'COMPLETED'
    """

    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    ABANDONED = "ABANDONED"
    EARLY_STOPPED = "EARLY_STOPPED"


@dataclass(slots=True)
class ClientTrial:
    """A trial under its index: its parameters as the user has them, its metrics, and how it ended."""

    index: int
    configuration: Configuration
    parameters: dict[str, Foreign]
    arm_name: str
    status: TrialStatus = TrialStatus.RUNNING
    data: dict[str, Reading] = field(default_factory=dict)
    reason: str = ""

    def means(self) -> dict[str, float]:
        return {name: mean for name, (mean, _) in self.data.items()}

    def readings(self) -> dict[str, tuple[float, float]]:
        """Mean and standard error of each metric; NaN for an error that nobody stated."""
        return {name: (mean, math.nan if error is None else error) for name, (mean, error) in self.data.items()}

    def take(self, raw_data: Mapping[str, object]) -> None:
        """Take in metrics: a number each, or a number and its standard error. Raises StudyError for others."""
        if not isinstance(raw_data, Mapping):
            raise StudyError(f"raw_data maps metrics to numbers, got {raw_data!r}", hint='such as {"loss": 0.5}')
        self.data |= {str(name): _reading(name, value) for name, value in raw_data.items()}

    def values(self, goals: Goals) -> dict[str, float] | None:
        """Values of the objectives; None where one is missing."""
        means = self.means()
        values = {goal.objective.name: goal.value(means) for goal in goals.goals}
        known = {name: value for name, value in values.items() if value is not None}
        return known if len(known) == len(values) else None

    def violated(self, goals: Goals, baseline: Mapping[str, float] | None) -> str | None:
        """The first outcome constraint that the metrics do not satisfy, or lack; None if they satisfy all."""
        means = self.means()
        return next((c.text for c in goals.constraints if not c.holds(means, baseline)), None)

    def outcome(self, goals: Goals, baseline: Mapping[str, float] | None, best: float) -> Outcome | None:
        """Outcome of a trial that has ended; None where it says nothing. `best` is the incumbent's loss."""
        if self.status in (TrialStatus.RUNNING, TrialStatus.ABANDONED):
            return None
        if self.status == TrialStatus.FAILED:
            return Failed("run", self.reason)
        values = self.values(goals)
        if values is None:
            missing = [name for goal in goals.goals for name in goal.formula.names if name not in self.data]
            return Failed("metric", f"no finite value of {', '.join(missing) or 'the objective'}")
        broken = self.violated(goals, baseline)
        if broken is not None:
            return Infeasible(broken)
        if self.status == TrialStatus.EARLY_STOPPED:
            if len(goals.goals) > 1:
                return Infeasible("stopped early")
            (objective,) = goals.objectives
            last = values[objective.name]
            return Measured({objective.name: last if best == math.inf else objective.value(best)}, censored=True)
        return Measured(values)


def _reading(name: object, value: object) -> Reading:
    mean, error = value if isinstance(value, tuple | list) and len(value) == 2 else (value, None)
    number, deviation = as_real(mean), None if error is None else as_real(error)
    if number is None or (error is not None and deviation is None):
        raise StudyError(f"metric {name} is a number, or a number and its standard error, got {value!r}")
    return float(number), None if deviation is None else float(deviation)
