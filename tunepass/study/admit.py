"""Is this a configuration of the space? If so in the space's own order and types; if not, why."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tunepass.diagnostics import StudyError, nearest
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space


def admit(space: Space, values: Mapping[str, Value]) -> Configuration:
    """The configuration with its parameters in order and its values as the space spells them (16 for 16.0)."""
    names = [p.name for p in space.parameters]
    for name in values:
        if name not in names:
            close = nearest(name, names)
            hint = f"did you mean {close!r}?" if close else f"known: {', '.join(names)}"
            raise StudyError(f"the space has no parameter {name!r}", hint=hint)
    if missing := [name for name in names if name not in values]:
        raise StudyError(f"a configuration has a value for every parameter; missing: {', '.join(missing)}")
    configuration = Configuration({p.name: _spelled(p, values[p.name]) for p in space.parameters})
    if not space.contains(configuration):
        raise StudyError(f"the space does not contain {configuration!r}", hint=_reason(space, configuration))
    return configuration


def _spelled(parameter: Parameter, value: object) -> Value:
    plain: object = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, list):
        plain = tuple(plain)
    canonical = parameter.canonical(plain)
    if canonical is None:
        raise StudyError(f"{parameter.name}: {value!r} is not one of its values ({parameter})")
    return canonical


def _reason(space: Space, configuration: Configuration) -> str | None:
    columns = space.columns([configuration])
    broken = [c.text for c in space.constraints if not satisfied(c.expression, columns, 1)[0]]
    return f"it breaks {'; '.join(broken[:3])}" if broken else None
