"""A table of recorded outcomes that answers as the recorded machine did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome

NOT_RECORDED = Failed("run", "not recorded")


@dataclass(frozen=True, slots=True)
class RecordedSpace:
    """A table that answers as the recorded machine did; `deviation` is the recorded noise of each measured row."""

    name: str
    space: Space
    objectives: tuple[Objective, ...]
    outcomes: Mapping[Configuration, Outcome] = field(repr=False)
    deviation: Mapping[Configuration, Mapping[str, float]] = field(repr=False)
    complete: bool  # the space is the one the JSON states, not the rows

    def outcome(self, configuration: Configuration) -> Outcome:
        return self.outcomes.get(configuration, NOT_RECORDED)

    def optimum(self, objective: Objective) -> float:
        """The best recorded value in the space."""
        values = [o.values[objective.name] for o in self.outcomes.values() if isinstance(o, Measured)]
        if not values:
            raise StudyError(f"{self.name}: no row measured {objective.name}")
        return objective.value(min(objective.loss(v) for v in values))
