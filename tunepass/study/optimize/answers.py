"""Answers of a caller's function, and the evaluations that they stand for."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping, Sequence

from tunepass.diagnostics import StudyError
from tunepass.space.plain_values import as_real, is_finite
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Failed, Infeasible, Measured, Outcome

Answer = float | Mapping[str, float] | Sequence[float] | Outcome | Evaluation


def evaluation_of(answer: object, objectives: Sequence[Objective], seconds: float) -> Evaluation:
    """The evaluation that a function's answer stands for; of a value that is not finite, a failure."""
    if isinstance(answer, Evaluation):
        return answer
    if isinstance(answer, (Measured, Infeasible, Failed)):
        return Evaluation(answer, {"measure": seconds})
    names = [objective.name for objective in objectives]
    values: Mapping[str, object] | None = None
    if isinstance(answer, Mapping):
        values = answer
    elif as_real(answer) is not None and len(names) == 1:
        values = {names[0]: answer}
    elif isinstance(answer, Sequence) and not isinstance(answer, str) and len(answer) == len(names):
        values = dict(zip(names, answer))
    if values is None:
        raise StudyError(
            f"the function returns a number for each of {', '.join(names)}, a mapping, an outcome or an Evaluation, "
            f"got {answer!r}",
            hint="return tunepass.Failed(stage, log) where there is no value",
        )
    undefined = [
        f"{name} is {number}"
        for name, value in values.items()
        if (number := as_real(value)) is not None and not is_finite(number)
    ]
    outcome = Failed("metric", ", ".join(undefined)) if undefined else Measured(_numbers(values))
    return Evaluation(outcome, {"measure": seconds})


def valid_exceptions(catch: object) -> tuple[type[Exception], ...]:
    """Classes of the exceptions that become failed trials."""
    listed = (catch,) if isinstance(catch, type) else tuple(catch) if isinstance(catch, Iterable) else (catch,)
    if not all(isinstance(each, type) and issubclass(each, Exception) for each in listed):
        raise StudyError(f"catch is an exception's class or several, got {catch!r}", hint="write catch=ValueError")
    return listed


def caught_failure() -> Failed:
    """The failure that the exception being handled stands for, with its traceback."""
    return Failed("run", traceback.format_exc())


def _numbers(values: Mapping[str, object]) -> dict[str, float]:
    """The values with the numbers among them as floats; Measured says what is wrong with any other."""
    return {name: value if (real := as_real(value)) is None else real for name, value in values.items()}  # type: ignore[misc]
