"""A few configurations for many sizes: those that leave no size far from its own best.

| symbol | shape | meaning |
|---|---|---|
| slowdown | (candidates, sizes) | times the best value known of that size; inf: it fails there |
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NEAR = 1.05  # times the best: no further variant is added for less
MOST_SUBSETS = 200_000  # that are all looked at; above it, variants are added one at a time


@dataclass(frozen=True, slots=True)
class Portfolio:
    """`members` are the candidates kept; `numbers` which of them each size has, `slowdowns` what that costs it."""

    members: tuple[int, ...]
    numbers: tuple[int, ...]
    slowdowns: tuple[float, ...]

    @property
    def worst(self) -> float:
        return max(self.slowdowns)


def portfolio(slowdown: Floats, most: int, near: float = NEAR) -> Portfolio:
    """At most `most` candidates: as few as keep every size within `near` of its best, else those whose worst size is
    the least bad. Of equals the earlier candidates."""
    if most < 1 or not slowdown.size:
        raise ValueError(f"a portfolio has at least one variant of some candidate, got {most=}, {slowdown.shape=}")
    candidates = undominated(slowdown)
    best = _cover(slowdown, candidates, 1)
    for count in range(2, min(most, len(candidates)) + 1):
        if best.worst <= near:
            break
        more = _cover(slowdown, candidates, count)
        best = more if _cost(more.slowdowns) < _cost(best.slowdowns) else best
    return best


def undominated(slowdown: Floats) -> list[int]:
    """Candidates that are better somewhere than each other one; the first of equals."""
    candidates: list[int] = []
    for row, values in enumerate(slowdown):
        others = np.delete(slowdown, row, axis=0)
        before = np.arange(len(others)) < row
        no_worse = (others <= values).all(axis=1)
        if not (no_worse & ((others < values).any(axis=1) | before)).any():
            candidates.append(row)
    return candidates


def _cover(slowdown: Floats, candidates: Sequence[int], count: int) -> Portfolio:
    """The best `count` of the `candidates`."""
    if math.comb(len(candidates), count) <= MOST_SUBSETS:
        subsets = combinations(candidates, count)
        return min((_portfolio(slowdown, subset) for subset in subsets), key=lambda p: _cost(p.slowdowns))
    chosen: tuple[int, ...] = ()
    for _ in range(count):
        grown = (_portfolio(slowdown, (*chosen, row)) for row in candidates if row not in chosen)
        chosen = min(grown, key=lambda p: _cost(p.slowdowns)).members
    return _portfolio(slowdown, chosen)


def _portfolio(slowdown: Floats, members: tuple[int, ...]) -> Portfolio:
    part = slowdown[list(members)]  # (members, sizes)
    numbers = part.argmin(axis=0)
    return Portfolio(members, tuple(map(int, numbers)), tuple(map(float, part.min(axis=0))))


def _cost(slowdowns: Sequence[float]) -> tuple[float, float]:
    """The worst size, then all of them."""
    return max(slowdowns), sum(math.log(value) if value < math.inf else math.inf for value in slowdowns)
