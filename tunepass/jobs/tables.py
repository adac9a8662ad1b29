"""Configurations and their values as cells and tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tunepass.space.configuration import Configuration, Value
from tunepass.study.objective import Objective
from tunepass.study.trial import Trial
from tunepass.tuning.result import value_of

EXTRAPOLATED = "extrapolated"


def front_csv(front: Sequence[Trial], objectives: Sequence[Objective], beyond: Collection[Configuration] = ()) -> str:
    """Parameters, then objectives: `estimate --configs` reads it. Extrapolations (`beyond`) have a last column."""
    lines = [",".join([*front[0].configuration, *(o.name for o in objectives), *([EXTRAPOLATED] if beyond else [])])]
    for trial in front:
        values = (str(tidy(value_of(trial, o) or 0.0)) for o in objectives)
        flag = [str(int(trial.configuration in beyond))] if beyond else []
        lines.append(",".join([*map(format_cell, trial.configuration.values()), *values, *flag]))
    return "\n".join(lines) + "\n"


def format_cell(value: Value) -> str:
    """A value as a table's cell."""
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def tidy(value: float) -> int | float:
    """Whole numbers without a point."""
    return int(value) if isinstance(value, int) or value.is_integer() else value


def number(value: float) -> str:
    """As people read it: whole numbers with their thousands, others with four digits."""
    return f"{int(value):,}" if isinstance(value, int) or value.is_integer() else f"{value:.4g}"
