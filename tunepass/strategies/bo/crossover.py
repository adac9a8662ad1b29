"""Candidates by crossover and mutation: a mix of two members near each other on the front, then one to three steps.

Where a front is made of relations (a tile must grow with the lanes that empty it), no single step from a member stays
on it, and uniform draws hardly ever meet it.
"""

from __future__ import annotations

import numpy as np

from tunepass.space.columns import Columns, Indices, length, take
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.surrogates.base import Floats

MAX_DISTANCE = 3  # places along the front between two parents, at most
MAX_STEPS = 3


def crossover(neighbourhood: Neighbourhood, front: Columns, n: int, rng: np.random.Generator) -> Columns:
    """At most `n` feasible rows from `front`, whose rows are in order along it."""
    members = length(front)
    first = rng.integers(members, size=n)
    second = np.clip(first + rng.integers(-MAX_DISTANCE, MAX_DISTANCE + 1, size=n), 0, members - 1)
    rows = mutated(neighbourhood, mixed(neighbourhood, front, first, second, rng), rng)
    return take(rows, neighbourhood.inside(rows))


def mixed(
    neighbourhood: Neighbourhood,
    parents: Columns,
    first: Indices,
    second: Indices,
    rng: np.random.Generator,
    share: Floats | float = 0.5,
) -> Columns:
    """Rows (n,), each value from one of two parents, whose places in `parents` are `first` and `second` (n,): from the
    first with the probability `share` (n,)."""
    n = len(first)
    rows: Columns = {
        name: np.where(_broadcast(rng.random(n) < share, column), column[first], column[second])
        for name, column in parents.items()
    }  # fmt: skip
    return neighbourhood.space.activity.canonical(rows)


def mutated(neighbourhood: Neighbourhood, rows: Columns, rng: np.random.Generator) -> Columns:
    """Every row with one to three steps; what comes out need not be feasible."""
    steps = rng.integers(1, MAX_STEPS + 1, size=length(rows))
    for step in range(MAX_STEPS):
        moving = steps > step
        moved = neighbourhood.stepped(take(rows, moving), rng)
        rows = {name: _replaced(column, moving, moved[name]) for name, column in rows.items()}
    return rows


def _broadcast(mask: np.ndarray, column: np.ndarray) -> np.ndarray:
    """`mask` (n,) in the number of dimensions of `column`: (n,), or (n, items) of a permutation."""
    return mask if column.ndim == 1 else mask[:, None]


def _replaced(column: np.ndarray, where: np.ndarray, by: np.ndarray) -> np.ndarray:
    column = column.copy()
    column[where] = by
    return column
