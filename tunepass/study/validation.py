"""Arguments of a study, checked and brought into its own form: objectives, budget, configurations, outcomes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import StudyError, spelling_hint
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.columns import Columns, length
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.plain_values import as_real, as_scalar, as_whole, is_finite
from tunepass.space.space import Space
from tunepass.study.comparison.instances import Instances
from tunepass.study.objective import Objective
from tunepass.study.optimize.pruner import Pruner
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome
from tunepass.study.storage import json_text

Feasible = Callable[[Columns], NDArray[np.bool_]]
OBJECTIVES_HINT = 'write objectives=[tunepass.Objective("time", unit="ms")]'


def valid_space(space: object) -> Space:
    if not isinstance(space, Space):
        hint = "wrap the parameters in tunepass.Space([...])"
        raise StudyError(f"a study searches a Space, got {space!r}", hint=hint)
    return space


def valid_objectives(objectives: object) -> tuple[Objective, ...]:
    """The objectives as a tuple: at least one, with distinct names."""
    if not isinstance(objectives, Iterable) or isinstance(objectives, (str, Mapping)):
        raise StudyError(f"objectives is a list of Objective, got {objectives!r}", hint=OBJECTIVES_HINT)
    listed = tuple(objectives)
    for objective in listed:
        if not isinstance(objective, Objective):
            raise StudyError(f"objectives is a list of Objective, got {objective!r} in it", hint=OBJECTIVES_HINT)
    names = [o.name for o in listed]
    if not names or len(set(names)) < len(names):
        raise StudyError(f"a study has objectives with distinct names, got {', '.join(names) or 'none'}")
    if len(listed) == 1 and (listed[0].reference is not None or listed[0].limit is not None):
        raise StudyError(
            f"a reference and a limit say what counts among several objectives, got one: {names[0]}",
            hint="leave them out, or give the study another objective",
        )
    return listed


def valid_budget(value: object, name: str = "max_evals") -> int | None:
    if value is None:
        return None
    whole = as_whole(value)
    if whole is None:
        raise StudyError(f"{name} is a whole number, or None for no limit, got {value!r}")
    if whole < 1:
        raise StudyError(f"{name} is at least 1, or None for no limit, got {whole}")
    return whole


def valid_seed(seed: object) -> int:
    whole = as_whole(seed)
    if whole is None or whole < 0:
        raise StudyError(f"a seed is a whole number >= 0, got {seed!r}")
    return whole


def valid_count(n: object, method: str) -> int:
    """How many configurations `method` is asked for."""
    whole = as_whole(n)
    if whole is None or whole < 1:
        raise StudyError(f"{method} asks for at least one configuration, got {n!r}")
    return whole


def valid_name(name: object) -> str | None:
    if name is not None and not isinstance(name, str):
        raise StudyError(f"a study's name is text, or None for one of its own, got {name!r}")
    if name == "":
        raise StudyError("a study's name is not empty, or None for one of its own, got ''")
    if name is not None and any("\ud800" <= c <= "\udfff" for c in name):
        raise StudyError(f"a study's name is text that UTF-8 has, got {name!r}")
    return name


def valid_identity(identity: object) -> dict[str, str]:
    """The identity as a dictionary of its own."""
    if identity is None:
        return {}
    if not isinstance(identity, Mapping):
        raise StudyError(f"an identity is a mapping of names to texts, got {identity!r}")
    for name, text in identity.items():
        if not (isinstance(name, str) and isinstance(text, str)):
            raise StudyError(f"an identity is a mapping of names to texts, got {name!r}: {text!r} in it")
    return dict(identity)


def identity_on(instances: Instances | None, identity: object) -> dict[str, str]:
    """The identity with the instances in it."""
    return valid_identity(identity) | ({} if instances is None else instances.identity())


def check_strategy(strategy: object) -> None:
    if not isinstance(strategy, str) and not callable(strategy):
        hint = "pass the class itself, not an object of it" if hasattr(strategy, "suggest") else None
        text = f"a strategy is a name, or a class or function that makes one for a Task, got {strategy!r}"
        raise StudyError(text, hint=hint)


def check_prior_mean(prior_mean: object) -> None:
    is_one = callable(getattr(prior_mean, "values", None)) and not isinstance(prior_mean, Mapping)
    if prior_mean is not None and not is_one:
        hint = "write tunepass.PriorMean.from_expression(...) or .from_observations(...)"
        raise StudyError(f"a prior mean is a PriorMean, got {prior_mean!r}", hint=hint)


def check_feasible(feasible: object) -> None:
    if feasible is not None and not callable(feasible):
        raise StudyError(f"feasible is a function of columns that returns a Boolean for each row, got {feasible!r}")


def checked_feasible(feasible: Feasible | None) -> Feasible | None:
    """The function, whose answers are checked: a Boolean for each row."""
    check_feasible(feasible)
    if feasible is None:
        return None

    def checked(columns: Columns) -> NDArray[np.bool_]:
        answer, n = np.asarray(feasible(columns)), length(columns)
        if answer.shape != (n,) or answer.dtype != np.bool_:
            raise StudyError(
                f"feasible returns a Boolean for each of {n} rows, got an array of {answer.dtype} with {answer.shape=}"
            )
        return answer

    return checked


def valid_pruner(pruner: Pruner | None, instances: Instances | None = None) -> Pruner | None:
    if pruner is not None and instances is not None:
        hint = "leave out pruner=, or the instances"
        raise StudyError("a study with instances ends evaluations by its races, and takes no pruner", hint=hint)
    if pruner is not None and (isinstance(pruner, type) or not callable(getattr(pruner, "bound", None))):
        hint = "write tunepass.SuccessiveHalving() or tunepass.CurveModel()"
        raise StudyError(f"a pruner has the method bound, got {pruner!r}", hint=hint)
    return pruner


def valid_step(step: object) -> int:
    whole = as_whole(step)
    if whole is None or whole < 0:
        raise StudyError(f"a step is a whole number >= 0, got {step!r}")
    return whole


def valid_intermediate(value: object) -> float:
    number = as_real(value)
    if number is None or not is_finite(number):
        hint = 'where the computation diverges, return tunepass.Failed("run", log)'
        raise StudyError(f"an intermediate value is a finite number, got {value!r}", hint=hint)
    return float(number)


def valid_jobs(n_jobs: object) -> int:
    """The number of threads; -1 is one a core."""
    whole = as_whole(n_jobs)
    if whole == -1:
        return os.cpu_count() or 1
    if whole is None or whole < 1:
        raise StudyError(f"n_jobs is a number of threads >= 1, or -1 for one a core, got {n_jobs!r}")
    return whole


def valid_timeout(timeout: object) -> float | None:
    number = None if timeout is None else as_real(timeout)
    if timeout is not None and (number is None or not (is_finite(number) and number > 0)):
        raise StudyError(f"timeout is a finite number of seconds > 0, or None for no limit, got {timeout!r}")
    return None if number is None else float(number)


def valid_suggester(strategy: object) -> None:
    if not all(callable(getattr(strategy, method, None)) for method in ("suggest", "observe")):
        raise StudyError(f"a strategy has the methods suggest and observe, got {strategy!r}")


def valid_seconds(seconds: object) -> dict[str, float]:
    if seconds is None:
        return {}
    if not isinstance(seconds, Mapping):
        raise StudyError(f"seconds is a mapping of stages to numbers, got {seconds!r}")
    for stage in seconds:
        if not isinstance(stage, str):
            raise StudyError(f"seconds is a mapping of stages to numbers, got {stage!r} in it")
    return {stage: _seconds(stage, value) for stage, value in seconds.items()}


def _seconds(stage: str, value: object) -> float:
    number = as_real(value)
    if number is None or not (is_finite(number) and number >= 0):
        raise StudyError(f"seconds of stage {stage} must be a finite number >= 0, got {value!r}")
    return float(number)


def valid_log(log: object) -> str:
    """The end of the log, as it is stored."""
    if not isinstance(log, str):
        raise StudyError(f"a log is text, got {log!r}", hint="write str(log)")
    return json_text.log_tail(log)


def valid_calibration(calibration: object) -> float | None:
    if calibration is None:
        return None
    number = as_real(calibration)
    if number is None or not (is_finite(number) and number >= 0):
        raise StudyError(f"a calibration is a finite number >= 0, or None, got {calibration!r}")
    return float(number)


def valid_code(code: object) -> str:
    if not isinstance(code, str):
        raise StudyError(f"code is the digest of the code that ran, as text, got {code!r}")
    return code


def check_flags(**flags: object) -> None:
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise StudyError(f"{name} is True or False, got {value!r}")


def check_absent(**arguments: object) -> None:
    """Arguments that an Evaluation has itself."""
    given = [name for name, value in arguments.items() if value is not None and value != ""]
    if given:
        raise StudyError(f"an Evaluation has its own {given[0]}", hint=f"leave out {', '.join(f'{n}=' for n in given)}")


def valid_first(space: Space, first: object, argument: str = "first") -> list[Configuration]:
    """The configurations that come before a strategy's."""
    if not isinstance(first, Iterable) or isinstance(first, (str, Mapping)):
        raise StudyError(f"{argument} is a list of configurations, got {first!r}", hint=f"write {argument}=[...]")
    return [c if isinstance(c, Configuration) else valid_configuration(space, c) for c in first]


def valid_outcome(outcome: Outcome, objectives: Sequence[Objective]) -> Outcome:
    """As it is kept: logs cut to their ends, and a value for every objective and nothing else."""
    match outcome:
        case Measured(values, deviation=deviation):
            names = [o.name for o in objectives]
            for name in values:
                if name not in names:
                    hint = spelling_hint(name, names, quote=repr)
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
    if not isinstance(values, Mapping):
        raise StudyError(f"a configuration is a mapping of parameters to values, got {values!r}")
    names = [p.name for p in space.parameters]
    for name in values:
        if name not in names:
            hint = spelling_hint(name, names, f"known: {', '.join(names)}", quote=repr)
            raise StudyError(f"the space has no parameter {name!r}", hint=hint)
    optional = space.activity.conditions
    if missing := [name for name in names if name not in values and name not in optional]:
        raise StudyError(f"a configuration has a value for every parameter; missing: {', '.join(missing)}")
    spelled = {p.name: _spelled(p, values[p.name]) for p in space.parameters if p.name in values}
    configuration = space.completed(spelled) if optional else Configuration(spelled)
    if missing := [name for name in configuration if name not in values]:
        message = f"missing: {missing[0]}, which is active when {optional[missing[0]]}"
        raise StudyError(f"a configuration has a value for every active parameter; {message}")
    if not space.contains(configuration):
        raise StudyError(f"the space does not contain {configuration!r}", hint=_reason(space, configuration))
    return configuration


def fitting(space: Space, configuration: Configuration, defaults: Mapping[str, Value]) -> Configuration | None:
    """The configuration of another space, whose parameters have these defaults, in this one; None if it does not fit.

    Parameters without a value get their default; those that only the other space has must have had theirs.
    """
    names = [p.name for p in space.parameters]
    if any(value != defaults[name] for name, value in configuration.items() if name not in names):
        return None
    try:
        return valid_configuration(space, {p.name: configuration.get(p.name, p.default) for p in space.parameters})
    except StudyError:
        return None


def _spelled(parameter: Parameter, value: object) -> Value:
    plain = as_scalar(value)
    if isinstance(plain, np.ndarray):
        plain = plain.tolist()
    if isinstance(plain, list):
        plain = tuple(plain)
    canonical = parameter.canonical(plain)
    if canonical is None and not (plain is None and parameter.admits(None)):
        raise StudyError(f"{parameter.name}: {value!r} is not one of its values ({parameter})")
    return cast(Value, canonical)


def _reason(space: Space, configuration: Configuration) -> str | None:
    columns = space.columns([configuration])
    broken = [c.text for c in space.constraints if not satisfied(c.expression, columns, 1)[0]]
    return f"it breaks {'; '.join(broken[:3])}" if broken else None
