"""Candidates bred from the front: a mix of two neighbours along it, then one to three random steps.

Where a front is made of relations (a tile must grow with the lanes that empty it), no single step from a member stays
on it, and uniform draws hardly ever meet it.
"""

from __future__ import annotations

import numpy as np

from tunepass.space.columns import Columns, take
from tunepass.space.neighbourhood import Neighbourhood

APART = 3  # places along the front between the two that are mixed, at most
STEPS = 3


def offspring(around: Neighbourhood, front: Columns, n: int, rng: np.random.Generator) -> Columns:
    """At most `n` feasible rows from `front`, whose rows are in order along it."""
    members = len(next(iter(front.values())))
    one = rng.integers(members, size=n)
    other = np.clip(one + rng.integers(-APART, APART + 1, size=n), 0, members - 1)
    rows: Columns = {
        name: np.where(_like(rng.random(n) < 0.5, column), column[one], column[other])
        for name, column in front.items()
    }  # fmt: skip
    steps = rng.integers(1, STEPS + 1, size=n)
    for step in range(STEPS):
        moving = steps > step
        moved = around.stepped(take(rows, moving), rng)
        rows = {name: _replaced(column, moving, moved[name]) for name, column in rows.items()}
    return take(rows, around.inside(rows))


def _like(mask: np.ndarray, column: np.ndarray) -> np.ndarray:
    return mask if column.ndim == 1 else mask[:, None]


def _replaced(column: np.ndarray, where: np.ndarray, by: np.ndarray) -> np.ndarray:
    column = column.copy()
    column[where] = by
    return column
