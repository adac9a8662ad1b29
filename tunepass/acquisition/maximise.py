"""Maximise a utility over feasible configurations: multi-start local search on the neighbourhood (BaCO, §3.3).

Starts are priced together; the best of them climb to their best neighbour until none is better. All candidates priced
on the way are kept, so the answer is the best one that is not `taken`, and there is one as long as any is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

import numpy as np

from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats

Utility = Callable[[Columns], Floats]  # larger is better, (n,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClimbSettings:
    climbers: int = 5
    steps: int = 10
    local_search: bool = True


def maximise(
    utility: Utility, around: Neighbourhood, starts: Columns, taken: Set[Configuration], settings: ClimbSettings
) -> Configuration | None:
    """The best candidate found that is not in `taken`; None when every candidate is."""
    parts, values = [starts], [utility(starts)]
    if settings.local_search:
        order = np.argsort(-values[0], kind="stable")[: settings.climbers]
        for rows, priced in _climb(utility, around, take(starts, order), values[0][order], settings.steps):
            parts.append(rows)
            values.append(priced)
    return _best_free(around.space, parts, np.concatenate(values), taken)


def _climb(
    utility: Utility, around: Neighbourhood, heads: Columns, values: Floats, steps: int
) -> Iterator[tuple[Columns, Floats]]:
    """Each head moves to its best neighbour while that is better. Yields what was priced on the way.

    Heads that meet go on as one, and where one was before none goes again: the way from there is known.
    """
    reached: set[Configuration] = set()
    for _ in range(steps):
        found, owner = around.of(heads)
        if not length(found):
            return
        priced = utility(found)
        yield found, priced
        order = np.lexsort((-priced, owner))
        best = order[np.unique(owner[order], return_index=True)[1]]  # the best neighbour of each head
        best = best[priced[best] > values[owner[best]]]
        best = best[_fresh(around.space.configurations(take(found, best)), reached)]
        if not len(best):
            return
        heads, values = take(found, best), priced[best]


def _fresh(configurations: list[Configuration], reached: set[Configuration]) -> list[bool]:
    """Which of them are not in `reached`, nor again further up; adds them."""
    fresh = []
    for configuration in configurations:
        fresh.append(configuration not in reached)
        reached.add(configuration)
    return fresh


def _best_free(space: Space, parts: list[Columns], values: Floats, taken: Set[Configuration]) -> Configuration | None:
    everything = join(parts)
    order = np.argsort(-values, kind="stable")
    for at in range(0, len(order), 16):  # nearly always answered within the first few
        for candidate in space.configurations(take(everything, order[at : at + 16])):
            if candidate not in taken:
                return candidate
    return None
