"""Maximise a utility over feasible configurations: multi-start local search on the neighbourhood (BaCO, §3.3).

The utility of all starts is computed together; the best of them climb to their best neighbour until none is better.
All candidates met on the way are kept, so the answer is the best one that is not `taken`; there is one as long as any
candidate is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

import numpy as np

from tunepass.acquisition.polish import polish
from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats

Utility = Callable[[Columns], Floats]  # larger is better, (n,)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSearchSettings:
    """Settings of the search for the candidate of most utility.

    Args:
        climbers: the best candidates, from which it climbs to neighbours.
        steps: of a climb, at most.
        rounds: of normal steps from the best candidates, where some values are a continuum.
        enabled: False: the best candidate is the answer.

    Example:
        >>> tp.BayesianSettings(local_search=tp.LocalSearchSettings(climbers=10)).local_search.steps
        10
    """

    climbers: int = 5
    steps: int = 10
    rounds: int = 0
    enabled: bool = True


def maximise(
    utility: Utility,
    neighbourhood: Neighbourhood,
    starts: Columns,
    taken: Set[Configuration],
    settings: LocalSearchSettings,
    rng: np.random.Generator | None = None,
) -> Configuration | None:
    """The best candidate found that is not in `taken`; None when every candidate is."""
    parts, values = [starts], [utility(starts)]
    if settings.enabled:
        order = np.argsort(-values[0], kind="stable")[: settings.climbers]
        for rows, climbed in _climb(utility, neighbourhood, take(starts, order), values[0][order], settings.steps):
            parts.append(rows)
            values.append(climbed)
        if settings.rounds and rng is not None and neighbourhood.continuous:
            met, theirs = join(parts), np.concatenate(values)
            order = np.argsort(-theirs, kind="stable")[: settings.climbers]
            for rows, climbed in polish(utility, neighbourhood, take(met, order), theirs[order], settings.rounds, rng):
                parts.append(rows)
                values.append(climbed)
    return _best_free(neighbourhood.space, parts, np.concatenate(values), taken)


def _climb(
    utility: Utility, neighbourhood: Neighbourhood, heads: Columns, values: Floats, steps: int
) -> Iterator[tuple[Columns, Floats]]:
    """Each head moves to its best neighbour while that is better. Yields all neighbours with their utility.

    Heads that meet go on as one, and none goes where one was before: the climb from there is known.
    """
    reached: set[Configuration] = set()
    for _ in range(steps):
        neighbours, owner = neighbourhood.of(heads)
        if not length(neighbours):
            return
        utilities = utility(neighbours)
        yield neighbours, utilities
        order = np.lexsort((-utilities, owner))
        best = order[np.unique(owner[order], return_index=True)[1]]  # the best neighbour of each head
        best = best[utilities[best] > values[owner[best]]]
        best = best[_first_visits(neighbourhood.space.configurations(take(neighbours, best)), reached)]
        if not len(best):
            return
        heads, values = take(neighbours, best), utilities[best]


def _first_visits(configurations: list[Configuration], reached: set[Configuration]) -> list[bool]:
    """Which of them are neither in `reached` nor earlier in the list; adds them to `reached`."""
    first_visits = []
    for configuration in configurations:
        first_visits.append(configuration not in reached)
        reached.add(configuration)
    return first_visits


def _best_free(space: Space, parts: list[Columns], values: Floats, taken: Set[Configuration]) -> Configuration | None:
    candidates = join(parts)
    order = np.argsort(-values, kind="stable")
    for first in range(0, len(order), 16):  # nearly always answered within the first few
        for candidate in space.configurations(take(candidates, order[first : first + 16])):
            if candidate not in taken:
                return candidate
    return None
