"""Interface between a study and its strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from tunepass import registry
from tunepass.capabilities import capability
from tunepass.expr.numpy_eval import Columns
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study import validation
from tunepass.study.capabilities import Believes
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.results.recommendation import Beliefs
from tunepass.study.trial import Trial


class PriorMeanLike(Protocol):
    """Prior mean of the objective; see tunepass.strategies.prior_mean.sources."""

    def values(self, space: Space, columns: Columns, /) -> NDArray[np.float64]:
        """The prior mean (n,) of the objective's value, in some unit; NaN where it has none."""


Feasible = Callable[[Columns], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The problem that a study hands to its strategy.

    Args:
        space: the configurations to choose from.
        objectives: what is measured.
        seed: of every random choice.
        max_evals: the budget; None: no limit.
        prior_mean: what is known about the one objective beforehand.
        feasible: from columns to the Boolean (n,) of whether each configuration can be measured at all.

    Raises:
        StudyError: an argument breaks its rule.

    Example:
        >>> task = tp.Task(space=space, objectives=(tp.Objective("time"),), max_evals=10)
        >>> tp.Random(task).suggest(1)
        [Configuration(tile=8, unroll=1)]
    """

    space: Space
    objectives: tuple[Objective, ...]
    seed: int = 0
    max_evals: int | None = None
    prior_mean: PriorMeanLike | None = None
    feasible: Feasible | None = None

    def __post_init__(self) -> None:
        validation.valid_space(self.space)
        validation.check_prior_mean(self.prior_mean)
        validation.check_feasible(self.feasible)
        checked: dict[str, object] = {
            "objectives": validation.valid_objectives(self.objectives),
            "seed": validation.valid_seed(self.seed),
            "max_evals": validation.valid_budget(self.max_evals),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)


class Suggester(Protocol):
    """The study's view of a strategy; tunepass.strategies.base.Strategy says what it promises."""

    def suggest(self, n: int, /) -> list[Configuration]: ...

    def observe(self, trial: Trial, /) -> None: ...


Factory = Callable[[Task], Suggester]


def factory_of(strategy: str | Factory) -> Factory:
    """The strategy of that name, or at that path (`package.module:Class`), or the factory as it is."""
    return cast(Factory, registry.find("strategies", strategy, paths=True)) if isinstance(strategy, str) else strategy


def states_noise(trials: Sequence[Trial]) -> bool:
    """Does a trial state its deviation, or was one measured several times?"""
    return any(isinstance(t.outcome, Measured) and (t.outcome.deviation or t.outcome.repeats) for t in trials)


def never_differs(trials: Sequence[Trial]) -> bool:
    """Was a trial measured several times, all such measurements were equal, and no trial states a deviation?"""
    measured = [t.outcome for t in trials if isinstance(t.outcome, Measured)]
    if any(m.deviation for m in measured):
        return False
    repeated = [m.measurements for m in measured if m.repeats]
    return bool(repeated) and all(each == values[0] for values in repeated for each in values)


def beliefs_of(strategy: Suggester, task: Task, trials: Sequence[Trial]) -> Beliefs | None:
    """Beliefs of the strategy if it has any, else those of `auto` from these trials; None if no trial states the
    noise."""
    if not states_noise(trials):
        return None
    believes = capability(strategy, Believes)
    stated = believes.beliefs() if believes is not None else None
    if stated is not None:
        return stated
    judge = factory_of("auto")(replace(task, max_evals=None))
    for trial in trials:
        judge.observe(trial)
    believes = capability(judge, Believes)
    return believes.beliefs() if believes is not None else None
