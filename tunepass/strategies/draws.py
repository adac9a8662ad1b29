"""Random configurations: those that a task knows can be measured, and those not suggested before."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.strategies.history import TrialHistory

ROUNDS, LEAST = 8, 256  # rounds of drawing until enough fit; configurations drawn in each round, at least
ATTEMPTS = 8  # batches of growing size before the remaining configurations are listed one by one


def draw_fitting(task: Task, n: int, rng: np.random.Generator, *, prior: bool = False) -> Columns:
    """At most `n` configurations that `task.feasible` admits; fewer where few of those drawn are admitted."""
    if task.feasible is None:
        return task.space.sample_columns(n, rng, prior=prior)
    parts: list[Columns] = []
    count = 0
    for _ in range(1 if prior else ROUNDS):  # few draws from a prior may ever fit
        drawn = task.space.sample_columns(max(n, LEAST), rng, prior=prior)
        parts.append(take(drawn, task.feasible(drawn)))
        count += length(parts[-1])
        if count >= n:
            break
    return take(join(parts), slice(0, n))


def draw_free(history: TrialHistory, *, prior: bool = False) -> Configuration | None:
    """A random configuration that is not taken; None when none is left."""
    space, taken, rng = history.task.space, history.taken, history.rng()
    left = history.free()
    if left is not None and left <= 0:
        return None
    tasks = [history.task]
    if history.task.feasible is not None:
        tasks.append(replace(history.task, feasible=None))  # what fits first, then anything
    for task, attempt in itertools.product(tasks, range(ATTEMPTS)):
        for candidate in space.configurations(draw_fitting(task, 1 << attempt, rng, prior=prior)):
            if candidate not in taken:
                return candidate
    if left is None:
        return None
    start = int(rng.integers(space.size))  # nearly everything is taken: walk the ranks from a random one
    return next(c for k in range(space.size) if (c := space.unrank((start + k) % space.size)) not in taken)
