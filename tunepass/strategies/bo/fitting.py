"""Draws of what is worth an evaluation: a task may know at no cost that some configurations cannot be measured."""

from __future__ import annotations

import numpy as np

from tunepass.space.columns import Columns, join, length, take
from tunepass.strategies.base import Task

ROUNDS, LEAST = 8, 256  # of drawing until there are enough; configurations drawn in each, at least


def draw(task: Task, n: int, rng: np.random.Generator, *, prior: bool = False) -> Columns:
    """At most `n` configurations of those that fit, fewer where few are found that do."""
    if task.feasible is None:
        return task.space.sample_columns(n, rng, prior=prior)
    parts: list[Columns] = []
    found = 0
    for _ in range(1 if prior else ROUNDS):  # what priors favour may hardly ever fit
        drawn = task.space.sample_columns(max(n, LEAST), rng, prior=prior)
        parts.append(take(drawn, task.feasible(drawn)))
        found += length(parts[-1])
        if found >= n:
            break
    return take(join(parts), slice(0, n))
