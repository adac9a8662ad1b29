"""What a study is given, checked: objectives, a budget, outcomes and seconds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tunepass.diagnostics import StudyError, nearest
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome
from tunepass.study.storage import codec


def checked_objectives(objectives: Sequence[Objective]) -> tuple[Objective, ...]:
    names = [o.name for o in objectives]
    if not names or len(set(names)) < len(names):
        raise StudyError(f"a study has objectives with distinct names, got {', '.join(names) or 'none'}")
    return tuple(objectives)


def checked_budget(max_evals: int | None) -> int | None:
    if max_evals is not None and max_evals < 1:
        raise StudyError(f"max_evals is at least 1, or None for no limit, got {max_evals}")
    return max_evals


def checked_seconds(seconds: Mapping[str, float] | None) -> dict[str, float]:
    checked = {stage: float(value) for stage, value in (seconds or {}).items()}
    for stage, value in checked.items():
        if not (math.isfinite(value) and value >= 0):
            raise StudyError(f"seconds of stage {stage} must be a finite number >= 0, got {value}")
    return checked


def listed(objectives: Sequence[Objective]) -> str:
    return ", ".join(f"{'max' if o.maximise else 'min'} {o.name}{f' ({o.unit})' if o.unit else ''}" for o in objectives)


def checked_outcome(outcome: Outcome, objectives: Sequence[Objective]) -> Outcome:
    """As it is kept: logs cut to their ends, and a value for every objective and nothing else."""
    match outcome:
        case Measured(values):
            names = [o.name for o in objectives]
            for name in values:
                if name not in names:
                    close = nearest(name, names)
                    hint = f"did you mean {close!r}?" if close else None
                    raise StudyError(f"no objective {name!r} in this study of {', '.join(names)}", hint=hint)
            if missing := [name for name in names if name not in values]:
                raise StudyError(f"a measurement has a value for every objective; missing: {', '.join(missing)}")
            return outcome
        case Failed(stage, log):
            return Failed(stage, codec.tail(log))
        case Infeasible(constraint):
            return Infeasible(codec.tail(constraint))
    raise StudyError(f"an outcome is Measured, Infeasible or Failed, got {outcome!r}")
