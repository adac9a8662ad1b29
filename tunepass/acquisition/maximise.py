"""Maximise a utility over feasible configurations: multi-start local search on the neighbourhood (BaCO, §3.3).

Starts are priced together; the best of them climb to their best neighbour until none is better. All candidates priced
on the way are kept, so the answer is the best one that is not `taken`, and there is one as long as any is free.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass

import numpy as np

from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Real
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats

REAL_STEPS = np.array([sign * size for size in (0.2, 0.05, 0.01, 0.002) for sign in (-1, 1)])
Utility = Callable[[Columns], Floats]  # larger is better, (n,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClimbSettings:
    climbers: int = 5
    steps: int = 10
    local_search: bool = True


def maximise(
    utility: Utility, space: Space, starts: Columns, taken: Set[Configuration], settings: ClimbSettings
) -> Configuration | None:
    """The best candidate found that is not in `taken`; None when every candidate is."""
    parts, values = [starts], [utility(starts)]
    if settings.local_search:
        order = np.argsort(-values[0], kind="stable")[: settings.climbers]
        climbers = space.configurations(take(starts, order))
        heads = list(zip(climbers, values[0][order].tolist()))
        _climb(utility, space, heads, parts, values, settings.steps)
    return _best_free(space, parts, np.concatenate(values), taken)


def _climb(
    utility: Utility,
    space: Space,
    heads: list[tuple[Configuration, float]],
    parts: list[Columns],
    values: list[Floats],
    steps: int,
) -> None:
    """Each head moves to its best neighbour while that is better; a configuration is expanded once."""
    expanded: set[Configuration] = set()
    for _ in range(steps):
        heads = [head for i, head in enumerate(heads) if head[0] not in expanded and head not in heads[:i]]
        around = [(value, around_one(space, head)) for head, value in heads]
        expanded.update(head for head, _ in heads)
        around = [(value, columns) for value, columns in around if length(columns)]
        if not around:
            return
        batch = join([columns for _, columns in around])
        priced = utility(batch)
        parts.append(batch)
        values.append(priced)
        heads, at = [], 0
        for value, columns in around:
            best = at + int(np.argmax(priced[at : at + length(columns)]))
            at += length(columns)
            if priced[best] > value:
                heads.append((space.configurations(take(batch, slice(best, best + 1)))[0], float(priced[best])))


def around_one(space: Space, configuration: Configuration) -> Columns:
    """Feasible one-parameter neighbours; a Real moves by REAL_STEPS of its (log-)scaled range."""
    parts = [space.neighbour_columns(configuration)]
    here = space.columns([configuration])
    for parameter in space.parameters:
        if isinstance(parameter, Real):
            unit = np.clip(parameter.unit(here[parameter.name]) + REAL_STEPS, 0.0, 1.0)
            moved = {name: np.repeat(column, len(unit), axis=0) for name, column in here.items()}
            moved[parameter.name] = parameter.from_unit(unit)
            parts.append(take(moved, space.contains_columns(moved)))
    return join(parts)


def _best_free(space: Space, parts: list[Columns], values: Floats, taken: Set[Configuration]) -> Configuration | None:
    everything = join(parts)
    order = np.argsort(-values, kind="stable")
    for at in range(0, len(order), 16):  # nearly always answered within the first few
        for candidate in space.configurations(take(everything, order[at : at + 16])):
            if candidate not in taken:
                return candidate
    return None
