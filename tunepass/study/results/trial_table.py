"""Trials as columns of a table."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.trial import Trial


def trial_columns(
    trials: Sequence[Trial], objectives: Sequence[Objective], parameters: Sequence[str]
) -> dict[str, list[object]]:
    """A list for each column, one entry a trial; None where a trial has no value."""
    columns: dict[str, list[object]] = {"number": [trial.number for trial in trials]}
    for objective in objectives:
        columns[f"values_{objective.name}"] = [
            t.outcome.values[objective.name] if isinstance(t.outcome, Measured) else None for t in trials
        ]
    for name in parameters:
        columns[f"params_{name}"] = [trial.configuration.get(name) for trial in trials]
    columns["state"] = [state(trial) for trial in trials]
    columns["reason"] = [_reason(trial) for trial in trials]
    columns["seconds"] = [sum(trial.seconds.values()) for trial in trials]
    return columns


def state(trial: Trial) -> str:
    """`measured`, `censored`, `failed` or `infeasible`."""
    match trial.outcome:
        case Measured():
            return "censored" if trial.censored else "measured"
        case Failed():
            return "failed"
        case Infeasible():
            return "infeasible"


def _reason(trial: Trial) -> str | None:
    """The stage that failed, or the constraint."""
    match trial.outcome:
        case Failed(stage):
            return stage
        case Infeasible(constraint):
            return constraint
    return None
