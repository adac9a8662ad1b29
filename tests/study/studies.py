"""A small space, strategies that keep the contract, and studies of them: shared by the tests beside this file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.study import Study
from tunepass.study.task import Task
from tunepass.study.trial import Trial

TIME = Objective("time", unit="ms")
RATE = Objective("rate", unit="GB/s", maximise=True)


class Shuffled:
    """A strategy that keeps the contract: its choice depends on the seed and what was observed, nothing else."""

    def __init__(self, task: Task):
        self.task = task
        self.every = list(task.space.enumerate())
        self.suggested: set[Configuration] = set()
        self.observed: set[Configuration] = set()

    def suggest(self, n: int) -> list[Configuration]:
        order = np.random.default_rng((self.task.seed, len(self.observed))).permutation(len(self.every))
        known = self.suggested | self.observed
        chosen = [c for c in (self.every[i] for i in order) if c not in known][:n]
        self.suggested.update(chosen)
        return chosen

    def observe(self, trial: Trial) -> None:
        self.observed.add(trial.configuration)


class Silent:
    """A strategy with nothing to suggest."""

    def __init__(self, task: Task):
        pass

    def suggest(self, n: int) -> list[Configuration]:
        return []

    def observe(self, trial: Trial) -> None:
        pass


def space(constraints: tuple[str, ...] = ("tile % unroll == 0",), tiles: tuple[int, ...] = (4, 8, 16, 32)) -> Space:
    tile = Ordinal("tile", tiles, log=True, default=16)
    return Space([tile, Integer("unroll", 1, 4), Categorical("opt", ["-O2", "-O3"])], constraints)


def study(**options: object) -> Study:
    return Study(space(), [TIME], strategy=Shuffled, **options)  # type: ignore[arg-type]


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


def time_of(configuration: Configuration) -> Measured:
    tile, unroll = configuration["tile"], configuration["unroll"]
    assert isinstance(tile, int) and isinstance(unroll, int)
    return Measured({"time": abs(tile - 8) + 1.0 / unroll})


def drive(some: Study, most: int = 10**9) -> list[Configuration]:
    seen: list[Configuration] = []
    while not some.finished and len(seen) < most:
        for configuration in some.suggest(1):
            some.observe(configuration, time_of(configuration))
            seen.append(configuration)
    return seen
