"""Outcomes of Optuna's trials in tunepass's terms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from optuna.study import Study as OptunaStudy
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from tunepass.diagnostics import StudyError
from tunepass.study.objective import Objective, objectives_text
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome

CONSTRAINTS = "constraints"  # system attribute, alone (Optuna before 5) or before `:` and a constraint's name


def objectives_of(study: OptunaStudy, stated: Sequence[Objective] | None) -> tuple[Objective, ...]:
    """The objectives of a study, as stated or by its metric names and directions.

    Raises:
        StudyError: the stated ones are of another number or of other directions.
    """
    maximise = [direction == StudyDirection.MAXIMIZE for direction in study.directions]
    if stated is not None:
        if [o.maximise for o in stated] != maximise:
            words = ", ".join("maximize" if each else "minimize" for each in maximise)
            raise StudyError(
                f"the sampler's objectives are {objectives_text(stated)}, the study's directions {words}",
                hint="state an objective for each direction, with maximise=True where it is `maximize`",
            )
        return tuple(stated)
    if len(maximise) == 1:
        return (Objective("value", maximise=maximise[0]),)
    return tuple(Objective(f"value_{place}", maximise=each) for place, each in enumerate(maximise))


def violated(system_attrs: Mapping[str, object]) -> str | None:
    """The first constraint that a trial violates: a value above 0, or none that is a number; None if it meets all."""
    stated: dict[str, object] = {}
    for key, value in system_attrs.items():
        if key == CONSTRAINTS and isinstance(value, list | tuple):
            stated |= {f"constraint {place}": each for place, each in enumerate(value)}
        elif key.startswith(f"{CONSTRAINTS}:"):
            stated[key.partition(":")[2]] = value
    return next((name for name, v in stated.items() if not (isinstance(v, int | float) and v <= 0)), None)


@dataclass(slots=True)
class OutcomeReader:
    """Outcomes of finished trials, read in their order; a pruned one depends on the incumbent at that time."""

    objectives: tuple[Objective, ...]
    _best: float = math.inf  # loss of the incumbent

    def read(self, trial: FrozenTrial) -> Outcome:
        """The outcome of a finished trial.

        A pruned trial is censored, at the incumbent's value as `Study.prune` has it, or else at its last intermediate
        value; without one it is infeasible, like a trial that violates a constraint.
        """
        if trial.state == TrialState.FAIL:
            return Failed("run", str(trial.system_attrs.get("fail_reason", "")))
        broken = violated(trial.system_attrs)
        if broken is not None:
            return Infeasible(broken)
        if trial.state == TrialState.PRUNED:
            return self._pruned(trial)
        values = [float(value) for value in trial.values]
        if not all(map(math.isfinite, values)):
            return Failed("run", f"the values are {values}")
        if len(self.objectives) == 1:
            self._best = min(self._best, self.objectives[0].loss(values[0]))
        return Measured({o.name: value for o, value in zip(self.objectives, values)})

    def _pruned(self, trial: FrozenTrial) -> Outcome:
        steps = [step for step, value in trial.intermediate_values.items() if math.isfinite(value)]
        if not steps or len(self.objectives) > 1:
            return Infeasible("pruned")
        objective, last = self.objectives[0], float(trial.intermediate_values[max(steps)])
        value = last if self._best == math.inf else objective.value(self._best)
        return Measured({objective.name: value}, censored=True)
