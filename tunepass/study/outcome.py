"""What an evaluation can end in. Failure is data: no sentinel value, no infinity."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration

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
FAILURE_STAGES: tuple[str, ...] = get_args(FailureStage)


@dataclass(frozen=True, slots=True)
class Measured:
    """Objective values by name, each finite and in its objective's unit; `samples` are the repeats behind them.
    `censored`: measuring was cut short because it could not win; the values are what the few samples say. Without
    samples not even one run was let end: the values are the least (of what is minimised) that it would have had."""

    values: Mapping[str, float]
    samples: tuple[float, ...] = ()
    censored: bool = False

    def __post_init__(self) -> None:
        for name, value in self.values.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise StudyError(
                    f"objective {name}: a measured value must be a finite number, got {value!r}",
                    hint="report what went wrong as tunepass.Failed(stage, log)",
                )
        object.__setattr__(self, "values", {name: float(value) for name, value in self.values.items()})


@dataclass(frozen=True, slots=True)
class Infeasible:
    """The configuration breaks a constraint known only at evaluation (a device limit, a model's `fits`)."""

    constraint: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The evaluation failed at `stage`; `log` is the tail of what the failing tool printed."""

    stage: str
    log: str = ""

    def __post_init__(self) -> None:
        if self.stage not in FAILURE_STAGES:
            raise StudyError(f"failure stage must be one of {', '.join(FAILURE_STAGES)}, got {self.stage!r}")


Outcome = Measured | Infeasible | Failed


def cut_short(outcome: Outcome) -> bool:
    """Is it a censored measurement?"""
    return isinstance(outcome, Measured) and outcome.censored


def bounds_only(outcome: Outcome) -> bool:
    """Are the values of a censored measurement only bounds of what it would have had?"""
    return isinstance(outcome, Measured) and outcome.censored and not outcome.samples


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An outcome with what it cost: seconds by stage (`compile`, `check`, `measure`, ...) and the tail of the log.
    `calibration` is the machine's speed while it was timed, in turns of a fixed loop a second; `code` a digest of what
    ran, "" where nothing did; `same_as` the configuration evaluated before whose outcome was taken, because the code is
    the same."""

    outcome: Outcome
    seconds: Mapping[str, float] = field(default_factory=dict)
    log: str = ""
    calibration: float | None = None
    same_as: Configuration | None = None
    code: str = ""


class Evaluate(Protocol):
    """Anything that prices one configuration: an evaluator, or a plain function."""

    def __call__(self, configuration: Configuration, /) -> Evaluation: ...
