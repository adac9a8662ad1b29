"""Configurations and their values as cells and tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tunepass.search.result import value_of
from tunepass.space.configuration import Configuration, Value
from tunepass.study.objective import Objective
from tunepass.study.trial import Trial

EXTRAPOLATED = "extrapolated"


def front_csv(front: Sequence[Trial], objectives: Sequence[Objective], beyond: Collection[Configuration] = ()) -> str:
    """Parameters, then objectives: `estimate --configs` reads it. Extrapolations (`beyond`) have a last column."""
    names = parameter_names([trial.configuration for trial in front])
    lines = [",".join([*names, *(o.name for o in objectives), *([EXTRAPOLATED] if beyond else [])])]
    for trial in front:
        values = (str(tidy(value_of(trial, o) or 0.0)) for o in objectives)
        flag = [str(int(trial.configuration in beyond))] if beyond else []
        lines.append(",".join([*configuration_cells(trial.configuration, names), *values, *flag]))
    return "\n".join(lines) + "\n"


def parameter_names(configurations: Iterable[Configuration]) -> list[str]:
    """The parameters that have a value in any of them."""
    return list(dict.fromkeys(name for configuration in configurations for name in configuration))


def configuration_cells(configuration: Configuration, names: Sequence[str]) -> list[str]:
    """A cell for each parameter; that of an inactive one is empty."""
    return [format_cell(configuration[name]) if name in configuration else "" for name in names]


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
