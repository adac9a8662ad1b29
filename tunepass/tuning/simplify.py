"""The best trial with less: what a schedule holds by chance goes, and what only works together is found.

A search leaves behind values that it needed on its way and values that hardly matter. Each parameter is put back to its
default alone, then those that hardly mattered together, cheapest first: two tile loops may each be worth keeping only
because the other one is there. What is measured so is a trial like any other, so that the winner's contract decides;
of equals it takes the one closest to the default.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.trial import Trial
from tunepass.tuning.result import value_of

LITTLE = 1.15  # times worse than the best is what hardly mattered


def simpler(best: Trial, trials: Sequence[Trial], objective: Objective, space: Space) -> list[Configuration]:
    """What to evaluate next: the feasible configurations with one parameter of `best` back at its default that have no
    trial; after them one with several. Empty when there is nothing left to put back."""
    start, known = best.configuration, {t.configuration: t for t in trials}
    alone = {
        name: simple
        for name, value in space.default.items()
        if start[name] != value and space.contains(simple := _put_back(start, space.default, [name]))
    }
    if fresh := [c for c in alone.values() if c not in known]:
        return fresh
    cost = {name: _cost(best, known[c], objective) for name, c in alone.items()}
    little = sorted((name for name in cost if cost[name] <= LITTLE), key=cost.__getitem__)
    for several in range(2, len(little) + 1):
        together = _put_back(start, space.default, little[:several])
        if together not in known:
            if space.contains(together):
                return [together]
        elif _cost(best, known[together], objective) > LITTLE:
            break
    return []


def _put_back(start: Configuration, default: Configuration, names: Iterable[str]) -> Configuration:
    return Configuration({**start, **{name: default[name] for name in names}})


def _cost(best: Trial, other: Trial, objective: Objective) -> float:
    """How many times worse than the best; infinite for a failure and where the two have no ratio."""
    value, least = value_of(other, objective), value_of(best, objective)
    if value is None or least is None or value * least <= 0:
        return float("inf")
    return 1 / objective.gain(least, value)
