"""What a study hands to its strategy, and what it needs of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunepass import registry
from tunepass.expr.numpy_eval import Columns
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.recommendation import Beliefs
from tunepass.study.trial import Trial


class PriorMeanLike(Protocol):
    """What is known about the objective before it is measured; see tunepass.strategies.prior_mean.sources."""

    def values(self, space: Space, columns: Columns, /) -> NDArray[np.float64]:
        """The prior mean (n,) of the objective's value, in some unit; NaN where it has none."""


@runtime_checkable
class HasSources(Protocol):
    """A prior mean of several sources that says how much each of them weighs, as of the last suggestion."""

    @property
    def weights(self) -> NDArray[np.float64]: ...


Feasible = Callable[[Columns], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a strategy is asked to search: the space, the objectives, the seed and the budget (None: unlimited).

    `feasible`, where there is one, says at no cost which configurations (n,) can be measured at all.
    """

    space: Space
    objectives: tuple[Objective, ...]
    seed: int = 0
    max_evals: int | None = None
    prior_mean: PriorMeanLike | None = None
    feasible: Feasible | None = None


class Suggester(Protocol):
    """The study's view of a strategy; tunepass.strategies.base.Strategy says what it promises."""

    def suggest(self, n: int, /) -> list[Configuration]: ...

    def observe(self, trial: Trial, /) -> None: ...


@runtime_checkable
class ReportsPriorWeight(Protocol):
    """A strategy that says how much it relies on the prior mean."""

    @property
    def prior_weight(self) -> float | None: ...


@runtime_checkable
class ReportsFeasibleRecall(Protocol):
    """A strategy that says how many of the feasible trials it would have predicted to be feasible."""

    @property
    def feasible_recall(self) -> float | None: ...


@runtime_checkable
class Revises(Protocol):
    """A strategy that takes in a trial that was measured again; another one is made anew from all trials."""

    def revise(self, trial: Trial, /) -> None: ...


@runtime_checkable
class Believes(Protocol):
    """A strategy that says what is to be believed of the measured trials (those it observed, in order) of one
    objective; None where no trial says what the noise is."""

    def beliefs(self) -> Beliefs | None: ...


Factory = Callable[[Task], Suggester]


def factory_of(strategy: str | Factory) -> Factory:
    """The strategy of that name, or at that path (`package.module:Class`), or the factory as it is."""
    return cast(Factory, registry.find("strategies", strategy, paths=True)) if isinstance(strategy, str) else strategy


def beliefs_of(strategy: Suggester, task: Task, trials: Sequence[Trial]) -> Beliefs | None:
    """Those of the strategy where it has any, else those that `auto` has of these trials; None where no trial says what
    the noise is."""
    if not any(isinstance(t.outcome, Measured) and (t.outcome.deviation or t.outcome.repeats) for t in trials):
        return None
    own = strategy.beliefs() if isinstance(strategy, Believes) else None
    if own is not None:
        return own
    judge = factory_of("auto")(replace(task, max_evals=None))
    for trial in trials:
        judge.observe(trial)
    assert isinstance(judge, Believes)
    return judge.beliefs()
