"""What an evaluation can end in. Failure is data: no sentinel value, no infinity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.space.plain_values import as_real, is_finite
from tunepass.study.ledger import EMPTY, Ledger

FailureStage = Literal[
    "compile",
    "not_applied",
    "crash",
    "timeout",
    "memory",
    "output",
    "wrong_result",
    "out_of_bounds",
    "cheated",
    "metric",
    "run",
]
LONGEST = 60  # characters of a constraint in a summary
FAILURE_STAGES: tuple[str, ...] = get_args(FailureStage)


@dataclass(frozen=True, slots=True)
class Measured:
    """The outcome of an evaluation that worked: a value for each objective.

    Args:
        values: by objective's name, each finite and in its objective's unit; NumPy's numbers become Python's own.
        samples: the repeats behind the values.
        censored: the measurement was stopped early because the configuration cannot beat the incumbent; the values are
            those of the few samples. Without samples, no run ended: the values are lower bounds, if minimised.
        deviation: by objective, the standard deviation of the value's error, where the caller knows it.
        repeats: the values of each of several measurements of the configuration, whose mean `values` are.

    Raises:
        StudyError: a value is no finite number, or a deviation is negative or of no value.

    Example:
        >>> tp.Measured({"time": 3.1}, deviation={"time": 0.2}).values["time"]
        3.1
    """

    values: Mapping[str, float]
    samples: tuple[float, ...] = ()
    censored: bool = False
    deviation: Mapping[str, float] = field(default_factory=dict)
    repeats: tuple[Mapping[str, float], ...] = ()

    def __post_init__(self) -> None:
        if self._is_plain():
            object.__setattr__(self, "values", dict(self.values))
            return
        _check_mapping("the values", self.values)
        _check_mapping("the deviation", self.deviation)
        values = dict(self.values)
        if not all(type(value) is float and math.isfinite(value) for value in values.values()):  # what a store has
            values = {name: _measured(name, value) for name, value in values.items()}
        object.__setattr__(self, "values", values)
        if self.deviation:
            object.__setattr__(self, "deviation", {n: _deviation(n, d, self.values) for n, d in self.deviation.items()})
        if not isinstance(self.censored, bool):
            raise StudyError(f"censored is True or False, got {self.censored!r}")
        if not _are_plain(self.samples):
            object.__setattr__(self, "samples", _samples(self.samples))
        if not isinstance(self.repeats, tuple) or self.repeats:
            _check_repeats(self.repeats, self.values)
            repeats = tuple({name: _measured(name, each[name]) for name in self.values} for each in self.repeats)
            object.__setattr__(self, "repeats", repeats)

    def _is_plain(self) -> bool:
        """Does nothing have to be converted or refused? So it is with nearly all that a store has: a long one has
        hundreds of thousands."""
        values = self.values
        if type(values) is not dict or type(self.deviation) is not dict or type(self.censored) is not bool:
            return False
        if self.deviation or self.repeats != ():
            return False
        for name, value in values.items():
            if type(name) is not str or type(value) is not float or not -math.inf < value < math.inf:
                return False
        return _are_plain(self.samples)

    @property
    def measurements(self) -> tuple[Mapping[str, float], ...]:
        """The values of each measurement behind the values."""
        return self.repeats or (self.values,)


def mean_of(measured: Sequence[Measured]) -> Measured:
    """Several measurements of one configuration as one: the mean of their values.

    Where each states its deviation the mean is weighted by their inverse squares, and so is its own deviation. One that
    was cut short is left out beside whole ones.
    """
    whole = [m for m in measured if not m.censored] or list(measured)
    if len(whole) == 1:
        return whole[0]
    values, deviation = {}, {}
    for name in whole[0].values:
        errors = [m.deviation.get(name) for m in whole]
        if all(errors):
            weights = [1 / error**2 for error in errors if error]
            deviation[name] = 1 / math.sqrt(sum(weights))
        else:
            weights = [float(len(m.measurements)) for m in whole]
        values[name] = sum(w * m.values[name] for w, m in zip(weights, whole)) / sum(weights)
    return Measured(
        values,
        tuple(sample for m in whole for sample in m.samples),
        whole[0].censored,
        deviation,
        tuple(each for m in whole for each in m.measurements),
    )


def _are_plain(samples: object) -> bool:
    """Are the samples a tuple of finite floats? Types and sum are compared without a loop in Python: a store has
    millions. (A sum that overflows is no answer: they are then looked at one by one.)"""
    if not isinstance(samples, tuple):
        return False
    return set(map(type, samples)) <= {float} and math.isfinite(sum(samples))


def _check_mapping(subject: str, values: object) -> None:
    if not isinstance(values, Mapping):
        raise StudyError(
            f"{subject} of a measurement: a number for each objective by name, got {values!r}",
            hint='write tunepass.Measured({"time": 3.1})',
        )
    for name in values:
        if not isinstance(name, str):
            raise StudyError(f"{subject} of a measurement: a number for each objective by name, got the name {name!r}")


def _check_repeats(repeats: object, values: Mapping[str, float]) -> None:
    sequence = isinstance(repeats, Iterable) and not isinstance(repeats, (str, Mapping))
    listed = list(repeats) if isinstance(repeats, Iterable) else []
    if not sequence or not all(isinstance(each, Mapping) and values.keys() <= each.keys() for each in listed):
        raise StudyError(f"repeats are measurements with a value for each of {', '.join(values)}, got {repeats!r}")


def _samples(samples: object) -> tuple[int | float, ...]:
    """The samples as a tuple of Python's numbers."""
    listed = list(samples) if isinstance(samples, Iterable) and not isinstance(samples, str) else [samples]
    plain = [as_real(sample) for sample in listed]
    if not isinstance(samples, Iterable) or any(sample is None or not is_finite(sample) for sample in plain):
        raise StudyError(f"the samples of a measurement are a sequence of finite numbers, got {samples!r}")
    return tuple(sample for sample in plain if sample is not None)


def _measured(name: str, value: object) -> float:
    number = as_real(value)
    if number is None or not is_finite(number):
        raise StudyError(
            f"objective {name}: a measured value must be a finite number, got {value!r}",
            hint="report what went wrong as tunepass.Failed(stage, log)",
        )
    return float(number)


def _deviation(name: str, value: object, values: Mapping[str, float]) -> float:
    if name not in values:
        raise StudyError(f"a deviation is of a measured value, and {name} is none; there are {', '.join(values)}")
    number = as_real(value)
    if number is None or not (is_finite(number) and number >= 0):
        raise StudyError(f"objective {name}: the deviation of a value is a finite number >= 0, got {value!r}")
    return float(number)


@dataclass(frozen=True, slots=True)
class Infeasible:
    """The outcome of a configuration that breaks a constraint known only at evaluation.

    Args:
        constraint: the name of the constraint, such as a device's limit or a model's `fits`.

    Raises:
        StudyError: the constraint is not text.

    Example:
        >>> trial = tp.Study(space, [tp.Objective("time")]).observe(space.default, tp.Infeasible("fits"))
        >>> trial.measured
        False
    """

    constraint: str

    def __post_init__(self) -> None:
        if not isinstance(self.constraint, str):
            raise StudyError(f"Infeasible names the constraint as text, got {self.constraint!r}")


@dataclass(frozen=True, slots=True)
class Failed:
    """The outcome of an evaluation that failed. Strategies learn from failures.

    Args:
        stage: `compile`, `not_applied`, `crash`, `timeout`, `memory`, `output`, `wrong_result`, `out_of_bounds`,
            `cheated`, `metric` or `run`.
        log: output of the failing tool; a study stores its end.

    Raises:
        StudyError: the stage is none of these, or the log is not text.

    Example:
        >>> tp.Failed("compile", "error: too many registers").stage
        'compile'
    """

    stage: str
    log: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.stage, str) or self.stage not in FAILURE_STAGES:
            raise StudyError(f"failure stage must be one of {', '.join(FAILURE_STAGES)}, got {self.stage!r}")
        if not isinstance(self.log, str):
            raise StudyError(f"the log of a failure is text, got {self.log!r}", hint="write str(log)")


Outcome = Measured | Infeasible | Failed


def summary(outcome: Outcome) -> str:
    """`time=3.1`, `failed at compile` or `infeasible: fits`."""
    match outcome:
        case Measured(values):
            text = ", ".join(f"{name}={value:.6g}" for name, value in values.items())
            return f"{text} (cut short)" if outcome.censored else text
        case Failed(stage):
            return f"failed at {stage}"
        case Infeasible(constraint):
            return f"infeasible: {constraint if len(constraint) <= LONGEST else constraint[:LONGEST] + '…'}"


def cut_short(outcome: Outcome) -> bool:
    """Is it a censored measurement?"""
    return isinstance(outcome, Measured) and outcome.censored


def bounds_only(outcome: Outcome) -> bool:
    """Are the values of a censored measurement only bounds of what it would have had?"""
    return isinstance(outcome, Measured) and outcome.censored and not outcome.samples


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluator's answer: an outcome and its cost.

    Args:
        outcome: Measured, Infeasible or Failed.
        seconds: the cost by stage (`compile`, `check`, `measure`, ...).
        log: output of the tools.
        calibration: the machine's speed during the measurement, in turns of a fixed loop a second.
        same_as: the configuration evaluated before whose outcome this one takes, because the code is the same.
        code: a digest of the code that ran; empty where none did.
        checks: what was checked of it, and what could not be.

    Raises:
        StudyError: the outcome is none of these.

    Example:
        >>> tp.Evaluation(tp.Measured({"time": 3.1}), {"measure": 0.4}).seconds
        {'measure': 0.4}
    """

    outcome: Outcome
    seconds: Mapping[str, float] = field(default_factory=dict)
    log: str = ""
    calibration: float | None = None
    same_as: Configuration | None = None
    code: str = ""
    checks: Ledger = EMPTY

    def __post_init__(self) -> None:
        if not isinstance(self.outcome, Outcome):
            raise StudyError(f"an outcome is Measured, Infeasible or Failed, got {self.outcome!r}")


class Evaluate(Protocol):
    """Anything that evaluates one configuration: an evaluator, or a plain function.

    Example:
        >>> def evaluate(configuration):
        ...     return tp.Evaluation(tp.Measured({"time": float(configuration["tile"])}))
        >>> evaluate(space.default).outcome.values["time"]
        8.0
    """

    def __call__(self, configuration: Configuration, /) -> Evaluation: ...
