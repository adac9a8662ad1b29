"""A quantity of all trials at once: losses, kinds of failure, configurations.

A command about a long study asks these of all trials and looks at few of them. Trials that come from a store answer
without making an object of each (`TrialColumns`); of any other sequence the trials are looked at one by one.

    loss         (n,)  of an objective; NaN where it was not measured
    competing    (n,)  the trials that may be called best, as tunepass.study.trial.comparable has it
"""

from __future__ import annotations

import gc
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import overload

import numpy as np
from numpy.typing import NDArray

from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.trial import Trial

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class TrialColumns(Sequence[Trial]):
    """Trials that have their quantities in columns."""

    @overload
    def __getitem__(self, index: int) -> Trial: ...
    @overload
    def __getitem__(self, index: slice) -> list[Trial]: ...
    def __getitem__(self, index: int | slice) -> Trial | list[Trial]:
        places = range(len(self))[index]
        return self.at(places) if isinstance(places, int) else [self.at(place) for place in places]

    @abstractmethod
    def at(self, place: int) -> Trial:
        """The trial at a place from 0."""

    @abstractmethod
    def values(self, objective: str) -> Floats:
        """The objective's values (n,), NaN where there is none."""

    @abstractmethod
    def failure_kinds(self) -> Sequence[str | None]:
        """The stage at which each failed; None of a measured trial."""

    @abstractmethod
    def cut_short(self) -> Mask:
        """Mask (n,) of the censored measurements."""

    @abstractmethod
    def configurations(self) -> Sequence[Configuration]:
        """The configuration of each."""


def values(trials: Sequence[Trial], objective: str) -> Floats:
    """The values (n,) of the objective of that name, NaN where there is none."""
    if isinstance(trials, TrialColumns):
        return trials.values(objective)
    outcomes = (trial.outcome for trial in trials)
    return np.array([o.values.get(objective, np.nan) if isinstance(o, Measured) else np.nan for o in outcomes], float)


def losses(trials: Sequence[Trial], objective: Objective) -> Floats:
    """The losses (n,) of an objective: smaller is better, NaN where it was not measured."""
    return objective.loss(values(trials, objective.name))


def failure_kind(trial: Trial) -> str | None:
    """The stage that failed, or `infeasible`; None of a measured trial."""
    match trial.outcome:
        case Failed(stage):
            return stage
        case Infeasible():
            return "infeasible"
        case _:
            return None


def failure_kinds(trials: Sequence[Trial]) -> Sequence[str | None]:
    """The failure_kind of each trial."""
    if isinstance(trials, TrialColumns):
        return trials.failure_kinds()
    return [failure_kind(trial) for trial in trials]


def configurations(trials: Sequence[Trial]) -> Sequence[Configuration]:
    """The configuration of each trial."""
    if isinstance(trials, TrialColumns):
        return trials.configurations()
    return [trial.configuration for trial in trials]


def cut_short(trials: Sequence[Trial]) -> Mask:
    """Mask (n,) of the censored measurements."""
    if isinstance(trials, TrialColumns):
        return trials.cut_short()
    return np.array([trial.censored for trial in trials], np.bool_)


def competing(trials: Sequence[Trial]) -> Mask:
    """The measured trials (n,) that were not cut short; where there is none, all measured ones."""
    measured = np.array([kind is None for kind in failure_kinds(trials)], np.bool_)
    whole = measured & ~cut_short(trials)
    return whole if whole.any() else measured


def first_of(trials: Sequence[Trial], configuration: Configuration | None) -> Trial | None:
    """The first trial of a configuration."""
    return next((trials[i] for i, c in enumerate(configurations(trials)) if c == configuration), None)


@contextmanager
def collecting_later() -> Iterator[None]:
    """Python's collector looks through all objects again and again while many are made, and finds nothing: a fifth of
    the time that a command about a long study takes."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
