"""The best trial with less: what a schedule holds by chance goes, and what only works together is found.

A search leaves behind values that it needed on its way and values that hardly matter. Where few parameters differ from
the default, each is put back alone, then those that hardly mattered together, cheapest first: two tile loops may each
be worth keeping only because the other one is there. Where many differ, as of a compiler's hundreds of flags, they are
put back by groups, those first that other trials make seem least worth: a group that costs something is split, until
what is left are those that matter; then each of them is put back alone, which tells what it brings. What is measured
so is a trial like any other, so that the winner's contract decides; of equals it takes the one closest to the default.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.trial import Trial
from tunepass.tuning.finalists import SLIGHT
from tunepass.tuning.result import value_of

LITTLE = 1.15  # times worse than the best is what hardly mattered
MANY = 16  # parameters that differ: more are put back by groups


def simpler(best: Trial, trials: Sequence[Trial], objective: Objective, space: Space) -> list[Configuration]:
    """What to evaluate next: feasible configurations without a trial, nearer to the default than `best`. Empty when
    there is nothing left to put back."""
    changed = [name for name, value in space.default.items() if best.configuration[name] != value]
    if len(changed) > MANY:
        return _by_groups(best, changed, trials, objective, space)
    return _one_by_one(best, changed, trials, objective, space)


def _one_by_one(
    best: Trial, changed: Sequence[str], trials: Sequence[Trial], objective: Objective, space: Space
) -> list[Configuration]:
    """Those with one parameter of `best` back at its default; after them one with several."""
    start, known = best.configuration, {t.configuration: t for t in trials}
    alone = {name: simple for name in changed if space.contains(simple := _put_back(start, space.default, [name]))}
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


def _by_groups(
    best: Trial, changed: Sequence[str], trials: Sequence[Trial], objective: Objective, space: Space
) -> list[Configuration]:
    """The next group that is not known; then each that is left, put back alone."""
    start, known = best.configuration, {t.configuration: t for t in trials}
    others = [t for t in trials if not _is_between(t.configuration, start, space.default)]  # so that the order stays
    worth = seeming_worth(others, changed, objective, space.default)
    groups = [sorted(changed, key=worth.__getitem__)]
    back: list[str] = []
    while groups:
        group = groups.pop()
        without = _put_back(start, space.default, [*back, *group])
        if space.contains(without):
            if without not in known:
                return [without]
            if _cost(best, known[without], objective) <= SLIGHT:
                back += group
                continue
        if len(group) > 1:
            middle = 2 * len(group) // 3  # most of them do nothing, and those that seem worth least are first
            groups += [group[middle:], group[:middle]]
    left = _put_back(start, space.default, back)
    alone = [_put_back(left, space.default, [name]) for name in changed if name not in back]
    return [c for c in alone if c not in known and space.contains(c)]


def seeming_worth(
    trials: Sequence[Trial], names: Sequence[str], objective: Objective, default: Configuration
) -> Mapping[str, float]:
    """By name the difference in the mean logarithm of the loss between the trials that have a parameter at its default
    and those that do not, in standard errors: what it seems to bring. Nothing is known of one that never differs."""
    rows = [(t.configuration, value) for t in trials if (value := value_of(t, objective)) is not None]
    values = [value for _, value in rows]
    scaled = [math.log(value) if min(values) > 0 else value for value in values]
    losses = [-value if objective.maximise else value for value in scaled]
    worth: dict[str, float] = {}
    for name in names:
        sides: tuple[list[float], list[float]] = ([], [])
        for (configuration, _), loss in zip(rows, losses):
            sides[configuration[name] == default[name]].append(loss)
        changed, kept = sides
        worth[name] = _difference(kept, changed) if changed and kept else 0.0
    return worth


def _difference(first: Sequence[float], second: Sequence[float]) -> float:
    """Of the means, in standard errors; a single loss has the spread of all."""
    means = [sum(side) / len(side) for side in (first, second)]
    both = [loss - mean for side, mean in zip((first, second), means) for loss in side]
    spread = math.sqrt(sum(r * r for r in both) / max(1, len(both) - 2)) or 1.0
    return (means[0] - means[1]) / (spread * math.sqrt(1 / len(first) + 1 / len(second)))


def _is_between(configuration: Configuration, start: Configuration, default: Configuration) -> bool:
    """Could it be `start` with some parameters put back?"""
    return all(configuration[name] in (start[name], value) for name, value in default.items())


def _put_back(start: Configuration, default: Configuration, names: Iterable[str]) -> Configuration:
    return Configuration({**start, **{name: default[name] for name in names}})


def _cost(best: Trial, other: Trial, objective: Objective) -> float:
    """How many times worse than the best; infinite for a failure and where the two have no ratio."""
    value, least = value_of(other, objective), value_of(best, objective)
    if value is None or least is None or value * least <= 0:
        return float("inf")
    return 1 / objective.gain(least, value)
