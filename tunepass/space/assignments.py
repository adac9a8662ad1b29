"""Configurations as columns and back: the one place where an inactive parameter's default appears and disappears."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.space.activity import Activity
from tunepass.space.columns import Column, Columns, length
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter

MANY = 1_000  # values, of which each distinct one is checked once


def to_columns(parameters: Sequence[Parameter], activity: Activity, configurations: Sequence[Configuration]) -> Columns:
    """A missing parameter that is active, or a value outside its domain, raises SpaceError."""
    columns: dict[str, Column] = {}
    if isinstance(configurations, (str, Mapping)) or not isinstance(configurations, Iterable):
        raise SpaceError(f"configurations are a list, got {configurations!r}", hint="write [configuration]")
    for c in configurations:
        if type(c) is not Configuration and not isinstance(c, Mapping):
            raise SpaceError(f"a configuration is a mapping of parameters to values, got {c!r}")
    for p in parameters:
        try:
            values = [c[p.name] if p.when is None else c.get(p.name, p.default) for c in configurations]
        except KeyError:
            raise SpaceError(f"{p.name}: a configuration must give it a value") from None
        for v in _distinct(values):
            p.check(v)
        columns[p.name] = p.column(values)
    for name, active in activity.masks(columns).items() if configurations else ():
        if any(required and name not in c for required, c in zip(active, configurations)):
            raise SpaceError(f"{name}: a configuration must give it a value when {activity.conditions[name]}")
    return activity.canonical(columns)


def _distinct(values: Sequence[Value]) -> Iterable[Value]:
    """The values, each once; of a few, and of values other than numbers and texts, all of them."""
    if len(values) < MANY or not set(map(type, values)) <= {bool, int, float, str}:
        return values
    return [value for _, value in dict.fromkeys((type(value), value) for value in values)]  # True is not 1


def to_configurations(parameters: Sequence[Parameter], activity: Activity, columns: Columns) -> list[Configuration]:
    """The inverse of `to_columns`."""
    names = [p.name for p in parameters]
    rows = zip(*(p.values(columns[p.name]) for p in parameters))
    if not activity or not length(columns):
        return [Configuration(dict(zip(names, row))) for row in rows]
    masks, everywhere = activity.masks(columns), np.ones(length(columns), dtype=bool)
    flags = zip(*(masks.get(name, everywhere).tolist() for name in names))
    return [
        Configuration({name: value for name, value, active in zip(names, row, actives) if active})
        for row, actives in zip(rows, flags)
    ]


def exact_columns(
    parameters: Sequence[Parameter], activity: Activity, configuration: Mapping[str, Value]
) -> Columns | None:
    """The columns of a configuration that has values for the active parameters and no others; None for any other."""
    if any(p.when is None and p.name not in configuration for p in parameters):
        return None
    full = with_defaults(parameters, configuration)
    if not all(p.admits(full[p.name]) for p in parameters):
        return None
    columns = {p.name: p.column([full[p.name]]) for p in parameters}
    inactive = {name for name, active in activity.masks(columns).items() if not active[0]}
    return columns if set(configuration) == {p.name for p in parameters} - inactive else None


def completed(parameters: Sequence[Parameter], activity: Activity, values: Mapping[str, Value]) -> Configuration:
    """The configuration of these values, feasible or not: without inactive ones, and with the default of a missing
    parameter."""
    if not isinstance(values, Mapping):
        raise SpaceError(f"values are a mapping of parameters to values, got {values!r}")
    full = Configuration({p.name: values.get(p.name, p.default) for p in parameters})
    return to_configurations(parameters, activity, to_columns(parameters, activity, [full]))[0] if activity else full


def with_defaults(parameters: Sequence[Parameter], values: Mapping[str, Value]) -> Configuration:
    """A value for every parameter: an inactive one, which `values` lacks, has its default."""
    return Configuration(
        {p.name: values[p.name] if p.when is None or p.name in values else p.default for p in parameters}
    )
