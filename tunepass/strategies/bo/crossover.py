"""Candidates by crossover and mutation: a mix of two members near each other on the front, then one to three steps.

Where a front is made of relations (a tile must grow with the lanes that empty it), no single step from a member stays
on it, and uniform draws hardly ever meet it.
"""

from __future__ import annotations

import numpy as np

from tunepass.space.columns import Columns, length, take
from tunepass.space.neighbourhood import Neighbourhood

MAX_DISTANCE = 3  # places along the front between two parents, at most
MAX_STEPS = 3


def crossover(neighbourhood: Neighbourhood, front: Columns, n: int, rng: np.random.Generator) -> Columns:
    """At most `n` feasible rows from `front`, whose rows are in order along it."""
    members = length(front)
    first = rng.integers(members, size=n)
    second = np.clip(first + rng.integers(-MAX_DISTANCE, MAX_DISTANCE + 1, size=n), 0, members - 1)
    rows: Columns = {
        name: np.where(_broadcast(rng.random(n) < 0.5, column), column[first], column[second])
        for name, column in front.items()
    }  # fmt: skip
    rows = neighbourhood.space.activity.canonical(rows)
    steps = rng.integers(1, MAX_STEPS + 1, size=n)
    for step in range(MAX_STEPS):
        moving = steps > step
        moved = neighbourhood.stepped(take(rows, moving), rng)
        rows = {name: _replaced(column, moving, moved[name]) for name, column in rows.items()}
    return take(rows, neighbourhood.inside(rows))


def _broadcast(mask: np.ndarray, column: np.ndarray) -> np.ndarray:
    """`mask` (n,) in the number of dimensions of `column`: (n,), or (n, items) of a permutation."""
    return mask if column.ndim == 1 else mask[:, None]


def _replaced(column: np.ndarray, where: np.ndarray, by: np.ndarray) -> np.ndarray:
    column = column.copy()
    column[where] = by
    return column
