"""The best trial with less: what a schedule holds by chance goes, and what only works together is found.

A search leaves behind values that it needed on its way and values that hardly matter. Where few parameters differ from
the default, each is put back alone, then those that hardly mattered together, cheapest first: two tile loops may each
be worth keeping only because the other one is there. Where many differ, as of a compiler's hundreds of flags, all those
are put back together that by all trials seem to bring least (tunepass.strategies.bo.trimming), half as many where that
was too many, until nothing more seems idle: from the simplest trial that is hardly worse than the best, and in turns
from the simplest that is a little worse, since of some programs every other layout of the code is. What is measured so
is a trial like any other, so that the winner's contract decides; of equals it takes the one closest to the default.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tunepass.search.finalists.choice import MANY, simplest
from tunepass.search.result import value_of
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.trial import Trial, comparable

LITTLE = 1.15  # times worse than the best is what hardly mattered
DRAWS = 4  # times that trials are asked what seems idle, where all that it gave is known
HALVINGS = 5  # after so many that were worse all that seems idle is put back again: trials know more by then


def simpler(
    best: Trial, trials: Sequence[Trial], objective: Objective, space: Space, n: int = 1
) -> list[Configuration]:
    """Configurations to evaluate next, closer to the default than `best`: feasible and without a trial. At most `n` if
    many parameters differ; empty when no parameter is left to put back."""
    changed = _changed(best.configuration, space)
    if len(changed) <= MANY:
        return _one_by_one(best, changed, trials, objective, space)
    valued = [(value, t) for t in comparable(trials) if (value := value_of(t, objective)) is not None]
    in_order = sorted(valued, key=lambda pair: objective.loss(pair[0]))
    simple = simplest({t.configuration: value for value, t in in_order}, objective, space)
    start = next(t for _, t in in_order if t.configuration == simple[len(trials) % len(simple)])
    if idle := _without_idle(start, trials, objective, space, n):
        return idle
    return _alone(start.configuration, _changed(start.configuration, space), trials, space)


def _changed(configuration: Configuration, space: Space) -> list[str]:
    """The active parameters away from their defaults."""
    return [name for name, value in space.defaults.items() if configuration.get(name, value) != value]


def _one_by_one(
    best: Trial, changed: Sequence[str], trials: Sequence[Trial], objective: Objective, space: Space
) -> list[Configuration]:
    """Configurations with one parameter of `best` back at its default; after them one with several."""
    start, known = best.configuration, {t.configuration: t for t in trials}
    alone = {name: simple for name in changed if space.contains(simple := _put_back(start, space, [name]))}
    if fresh := [c for c in alone.values() if c not in known]:
        return fresh
    cost = {name: _cost(best, known[c], objective) for name, c in alone.items()}
    little = sorted((name for name in cost if cost[name] <= LITTLE), key=cost.__getitem__)
    for several in range(2, len(little) + 1):
        together = _put_back(start, space, little[:several])
        if together not in known:
            if space.contains(together):
                return [together]
        elif _cost(best, known[together], objective) > LITTLE:
            break
    return []


def _without_idle(
    start: Trial, trials: Sequence[Trial], objective: Objective, space: Space, n: int
) -> list[Configuration]:
    """`start` without what seems idle; after each that was tried since, without half as much."""
    from tunepass.strategies.bo.trimming import Trimming  # brings a strategy, which a build from the lock does without

    rows = [(t.configuration, value) for t in trials if (value := value_of(t, objective)) is not None]
    trimming = Trimming(space, [c for c, _ in rows], [objective.loss(value) for _, value in rows])
    known, suggestions = {t.configuration for t in trials}, list[Configuration]()
    tried = sum(t.number > start.number and _is_between(t.configuration, start, space) for t in trials)
    for draw in range(DRAWS + n - 1):
        idle = trimming.idle(start.configuration, draw)
        share = 2 ** ((tried + len(suggestions)) % HALVINGS)
        for several in range(math.ceil(len(idle) / share), 0, -1):
            less = _put_back(start.configuration, space, idle[:several])
            if less not in known and space.contains(less):
                suggestions.append(less)
                known.add(less)
                break
        if len(suggestions) == n:
            break
    return suggestions


def _is_between(configuration: Configuration, start: Trial, space: Space) -> bool:
    """Is it that of `start` with some parameters put back?"""
    return all(
        value in (start.configuration.get(name, space.defaults[name]), space.defaults[name])
        for name, value in configuration.items()
    )


def _alone(start: Configuration, changed: Iterable[str], trials: Sequence[Trial], space: Space) -> list[Configuration]:
    """`start` with each of `changed` put back by itself, where that is feasible and has no trial."""
    known = {t.configuration for t in trials}
    less = [_put_back(start, space, [name]) for name in changed]
    return [c for c in less if c not in known and space.contains(c)]


def _put_back(start: Configuration, space: Space, names: Iterable[str]) -> Configuration:
    return space.completed({**start, **{name: space.defaults[name] for name in names}})


def _cost(best: Trial, other: Trial, objective: Objective) -> float:
    """How many times worse than the best; infinite for a failure and where the two have no ratio."""
    value, least = value_of(other, objective), value_of(best, objective)
    if value is None or least is None or value * least <= 0:
        return float("inf")
    return 1 / objective.gain(least, value)
