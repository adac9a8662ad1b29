"""Pending seed configurations: first those without a predecessor, in order, then the successors of the best."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.search.result import value_of
from tunepass.space.configuration import Configuration
from tunepass.space.opening import Opening
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.trial import Trial

NEAR = 2.0  # times worse than the best: further behind, what follows an opening is not tried


def due_openings(
    openings: Sequence[Opening], trials: Sequence[Trial], objective: Objective, space: Space
) -> list[Configuration]:
    """Feasible configurations without a trial, the most promising first."""
    known = {trial.configuration: trial for trial in trials}
    values = [value for trial in trials if (value := value_of(trial, objective)) is not None]
    best = min(values, key=objective.loss, default=None)
    configurations = [space.completed({**space.default, **dict(opening.values)}) for opening in openings]
    due: dict[Configuration, float] = {}
    for opening, configuration in zip(openings, configurations):
        if configuration in known or configuration in due or not space.contains(configuration):
            continue
        before = None if opening.after is None else known.get(configurations[opening.after])
        rank = 0.0 if opening.after is None else _rank(opening, before, objective, best)
        if rank is not None:
            due[configuration] = rank
    return sorted(due, key=due.__getitem__)


def _rank(opening: Opening, before: Trial | None, objective: Objective, best: float | None) -> float | None:
    """How far behind the best the trial is that the opening waits for; None where it is not due."""
    if before is None:
        return None
    value = value_of(before, objective)
    if opening.when == "failed":
        return 0.0 if value is None else None
    behind = None if value is None or best is None else objective.gain(value, best)
    return behind if behind is not None and behind <= NEAR else None
