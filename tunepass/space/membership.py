"""Is an assignment from elsewhere a configuration? Asked of parameters and constraints, without building a space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from tunepass.diagnostics import SpaceError
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.activity import Activity
from tunepass.space.configuration import Configuration, Value
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter


def checked_configuration(
    parameters: Sequence[Parameter], constraints: Sequence[Constraint], values: Mapping[str, Value]
) -> Configuration:
    """`values` as the parameters themselves have them (16 for 16.0). Raises SpaceError with the first thing that is
    not as the space wants it."""
    names, activity = [p.name for p in parameters], Activity(parameters)
    if missing := [p.name for p in parameters if p.when is None and p.name not in values]:
        raise SpaceError(f"{', '.join(missing)}: no value is given")
    if unknown := [name for name in values if name not in names]:
        raise SpaceError(f"{', '.join(unknown)}: there is no such parameter")
    canonical: dict[str, Value] = {}
    for p in parameters:
        if p.name not in values:
            canonical[p.name] = p.default
            continue
        value = p.canonical(values[p.name])
        if value is None and not (values[p.name] is None and p.admits(None)):
            raise SpaceError(f"{p.name}: {values[p.name]!r} is not one of its values ({p.summary()})")
        canonical[p.name] = cast(Value, value)
    columns = activity.canonical({p.name: p.column([canonical[p.name]]) for p in parameters})
    inactive = {name for name, active in activity.masks(columns).items() if not active[0]}
    if missing := [name for name in names if name not in values and name not in inactive]:
        raise SpaceError(f"{', '.join(missing)}: no value is given")
    for constraint in constraints:
        if not satisfied(constraint.expression, columns, 1)[0]:
            raise SpaceError(f"the constraint `{constraint}` does not hold")
    return Configuration({name: value for name, value in canonical.items() if name not in inactive})
