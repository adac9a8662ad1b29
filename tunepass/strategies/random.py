"""Uniform feasible configurations without replacement, or draws from the parameters' priors."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.strategies.bo.fitting import draw
from tunepass.strategies.history import Record
from tunepass.strategies.one_by_one import OneByOne

ATTEMPTS = 8  # batches of growing size before the remaining configurations are listed one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomSettings:
    prior: bool = False


class Random(OneByOne):
    """The default first, then draws."""

    def __init__(self, task: Task, settings: RandomSettings | None = None):
        super().__init__(task)
        self.settings = settings or RandomSettings()

    def _one(self) -> Configuration | None:
        space, taken = self.task.space, self.record.taken
        if space.default not in taken:
            return space.default
        return draw_free(self.record, prior=self.settings.prior)


def draw_free(record: Record, *, prior: bool = False) -> Configuration | None:
    """A random configuration that is not taken; None when none is left."""
    space, taken, rng = record.task.space, record.taken, record.rng()
    left = record.free()
    if left is not None and left <= 0:
        return None
    tasks = dict.fromkeys([record.task, replace(record.task, feasible=None)])  # what fits first, then anything
    for task, attempt in itertools.product(tasks, range(ATTEMPTS)):
        for candidate in space.configurations(draw(task, 1 << attempt, rng, prior=prior)):
            if candidate not in taken:
                return candidate
    if left is None:
        return None
    start = int(rng.integers(space.size))  # nearly everything is taken: walk the ranks from a random one
    return next(c for k in range(space.size) if (c := space.unrank((start + k) % space.size)) not in taken)
