"""Importance of parameters: how much each decides between good and bad trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from tunepass.capabilities import capability
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Categorical, Ordinal, Parameter, Permutation, Real
from tunepass.space.space import Space
from tunepass.study.capabilities import RatesParameters
from tunepass.study.objective import Objective
from tunepass.study.task import Task, factory_of
from tunepass.study.trial import Trial

FEWEST_RATED = 5  # measured trials that say something about parameters
MOST_VALUES = 32  # distinct numbers that count as the values of an ordinal parameter


def importance_in(space: Space, objective: Objective, trials: Sequence[Trial]) -> dict[str, float]:
    """The share by parameter, most first, from 0 to 1; `{}` of fewer than FEWEST_RATED measured trials."""
    if sum(trial.measured for trial in trials) < FEWEST_RATED:
        return {}
    judge = factory_of("density_ratio")(Task(space=space, objectives=(objective,)))
    for trial in trials:
        judge.observe(trial)
    rating = capability(judge, RatesParameters)
    return rating.importance() if rating is not None else {}


def importance_of_values(objective: Objective, trials: Sequence[Trial]) -> dict[str, float]:
    """The same where the space is not known: of the parameters that are active in all trials, with several values."""
    names = [name for name in trials[0].configuration if all(name in t.configuration for t in trials)] if trials else []
    parameters = {name: _parameter(name, [t.configuration[name] for t in trials]) for name in names}
    varied = {name: parameter for name, parameter in parameters.items() if parameter is not None}
    if not varied:
        return {}
    restricted = [
        replace(t, configuration=Configuration({name: t.configuration[name] for name in varied})) for t in trials
    ]
    return importance_in(Space(list(varied.values())), objective, restricted)


def _parameter(name: str, values: Sequence[Value]) -> Parameter | None:
    """A parameter with the values that occur; None where they are all the same."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) < 2:
        return None
    numbers = sorted(v for v in distinct if isinstance(v, (int, float)) and not isinstance(v, bool))
    if len(numbers) == len(distinct):
        return Ordinal(name, numbers) if len(numbers) <= MOST_VALUES else Real(name, numbers[0], numbers[-1])
    first = distinct[0]
    if isinstance(first, tuple):
        words = [str(item) for item in first if isinstance(item, str)]
        return Permutation(name, words or len(first))
    return Categorical(name, cast(list[str | None], distinct))  # texts, numbers or Booleans, and None
