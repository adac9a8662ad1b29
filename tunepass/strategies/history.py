"""History of a strategy: its trials and pending suggestions, and arrays of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tunepass.space.columns import Columns, join, length
from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.study.outcome import FAILURE_STAGES, Failed, Infeasible, Measured, Outcome, bounds_only
from tunepass.study.trial import Trial
from tunepass.surrogates.base import Floats
from tunepass.surrogates.feasibility import FEASIBLE

LARGE = 1e100


class TrialHistory:
    """Trials in order of observation; `taken` is all that may not be suggested again."""

    def __init__(self, task: Task):
        self.task = task
        self.configurations: list[Configuration] = []
        self.taken: set[Configuration] = set()
        self.pending: dict[Configuration, None] = {}  # suggested, not observed; in order
        self._outcomes: list[Outcome] = []
        self._losses: list[tuple[float, ...] | None] = []  # None: failed
        self._extreme = False  # was any loss beyond LARGE or below 1 / LARGE?
        self._place: dict[Configuration, int] = {}
        self._columns: Columns | None = None  # of the first configurations; brought up to date when asked for

    def __len__(self) -> int:
        return len(self.configurations)

    def suggest(self, configuration: Configuration) -> None:
        self.taken.add(configuration)
        self.pending[configuration] = None

    def observe(self, trial: Trial) -> None:
        self.taken.add(trial.configuration)
        self.pending.pop(trial.configuration, None)
        self._place[trial.configuration] = len(self.configurations)
        self.configurations.append(trial.configuration)
        self._outcomes.append(trial.outcome)
        self._losses.append(self._losses_of(trial.outcome))

    def revise(self, trial: Trial) -> None:
        """A trial that was observed has another outcome now: it was measured again."""
        place = self._place[trial.configuration]
        self._outcomes[place], self._losses[place] = trial.outcome, self._losses_of(trial.outcome)

    def rng(self) -> np.random.Generator:
        """Fresh for every suggestion, and the same again when the trials are replayed after an interruption."""
        return np.random.default_rng([self.task.seed, len(self), len(self.pending)])

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Mask (n,) of measured trials."""
        return np.array([loss is not None for loss in self._losses], np.bool_)

    @property
    def measurements(self) -> list[Measured]:
        """The outcomes of the measured trials, in `units`."""
        measured = [outcome for outcome in self._outcomes if isinstance(outcome, Measured)]
        units = {o.name: float(unit) for o, unit in zip(self.task.objectives, self.units)}
        if all(unit == 1.0 for unit in units.values()):
            return measured
        return [_in_units(outcome, units) for outcome in measured]

    @property
    def units(self) -> Floats:
        """Powers of two (objectives,) in which losses are told, so that their squares are finite and not 0: 1, but for
        losses beyond LARGE or below 1 / LARGE."""
        if not self._extreme:
            return np.ones(len(self.task.objectives))
        losses = np.array([loss for loss in self._losses if loss is not None], np.float64)
        peak = np.abs(losses).max(axis=0, initial=0.0)
        exponent = np.frexp(peak)[1] - np.where(peak > LARGE, np.frexp(LARGE)[1], 0)
        extreme = (peak > LARGE) | ((peak > 0) & (peak < 1 / LARGE))
        return np.where(extreme, np.ldexp(1.0, np.maximum(exponent, -1021)), 1.0)

    @property
    def columns(self) -> Columns:
        """All trials' configurations as columns; each is converted once."""
        converted = 0 if self._columns is None else length(self._columns)
        if self._columns is None or converted < len(self):
            more = self.task.space.columns(self.configurations[converted:])
            self._columns = more if self._columns is None else join([self._columns, more])
        return self._columns

    @property
    def losses(self) -> Floats:
        """Losses of the measured trials, (measured, objectives), in `units`."""
        losses = np.array([loss for loss in self._losses if loss is not None], np.float64)
        return losses / self.units if self._extreme else losses

    @property
    def bounds(self) -> NDArray[np.bool_]:
        """Which of the measured trials' losses are only the least that they can be (measured,)."""
        return np.array([bounds_only(outcome) for outcome in self.measurements], np.bool_)

    @property
    def kinds(self) -> NDArray[np.int64]:
        """0 where a trial was measured, else the number of its failure stage (n,)."""
        return np.array([_kind(outcome) for outcome in self._outcomes], np.int64)

    def _losses_of(self, outcome: Outcome) -> tuple[float, ...] | None:
        if not isinstance(outcome, Measured):
            return None
        losses = tuple(o.loss(outcome.values[o.name]) for o in self.task.objectives)
        self._extreme = self._extreme or not all(loss == 0 or 1 / LARGE <= abs(loss) <= LARGE for loss in losses)
        return losses

    def free(self) -> int | None:
        """How many configurations are left to suggest; None when the space cannot be counted."""
        space = self.task.space
        return space.size - len(self.taken) if space.finite and space.complete else None


def _in_units(outcome: Measured, units: Mapping[str, float]) -> Measured:
    """The measurement with its values divided by their units."""
    values = [
        {name: value / units[name] for name, value in each.items()} for each in (outcome.values, *outcome.repeats)
    ]
    deviation = {name: value / units[name] for name, value in outcome.deviation.items()}
    return replace(outcome, values=values[0], deviation=deviation, repeats=tuple(values[1:]))


def _kind(outcome: Outcome) -> int:
    match outcome:
        case Measured():
            return FEASIBLE
        case Infeasible():
            return 1
        case Failed(stage):
            return 2 + FAILURE_STAGES.index(stage)
