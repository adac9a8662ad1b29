"""What a study is given, checked and brought into its own form: objectives, budget, configurations, outcomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tunepass.diagnostics import StudyError, nearest
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome
from tunepass.study.storage import json_text


def valid_objectives(objectives: Sequence[Objective]) -> tuple[Objective, ...]:
    names = [o.name for o in objectives]
    if not names or len(set(names)) < len(names):
        raise StudyError(f"a study has objectives with distinct names, got {', '.join(names) or 'none'}")
    return tuple(objectives)


def valid_budget(max_evals: int | None) -> int | None:
    if max_evals is not None and max_evals < 1:
        raise StudyError(f"max_evals is at least 1, or None for no limit, got {max_evals}")
    return max_evals


def valid_seconds(seconds: Mapping[str, float] | None) -> dict[str, float]:
    checked = {stage: float(value) for stage, value in (seconds or {}).items()}
    for stage, value in checked.items():
        if not (math.isfinite(value) and value >= 0):
            raise StudyError(f"seconds of stage {stage} must be a finite number >= 0, got {value}")
    return checked


def valid_outcome(outcome: Outcome, objectives: Sequence[Objective]) -> Outcome:
    """As it is kept: logs cut to their ends, and a value for every objective and nothing else."""
    match outcome:
        case Measured(values, deviation=deviation):
            names = [o.name for o in objectives]
            for name in values:
                if name not in names:
                    close = nearest(name, names)
                    hint = f"did you mean {close!r}?" if close else None
                    raise StudyError(f"no objective {name!r} in this study of {', '.join(names)}", hint=hint)
            if missing := [name for name in names if name not in values]:
                raise StudyError(f"a measurement has a value for every objective; missing: {', '.join(missing)}")
            if any(deviation.values()) and outcome.censored:
                raise StudyError("a measurement that was cut short has no deviation: what it lacks is not noise")
            return outcome
        case Failed(stage, log):
            return Failed(stage, json_text.log_tail(log))
        case Infeasible(constraint):
            return Infeasible(json_text.log_tail(constraint))
    raise StudyError(f"an outcome is Measured, Infeasible or Failed, got {outcome!r}")


def valid_configuration(space: Space, values: Mapping[str, Value]) -> Configuration:
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
