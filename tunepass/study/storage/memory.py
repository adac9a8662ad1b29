"""Studies and their trials in the memory of one process: what a study uses that has no store."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.study.comparison.final_round import Comparison
from tunepass.study.objective import Objective
from tunepass.study.prior_origin import Origin
from tunepass.study.storage import database
from tunepass.study.storage.claims import claimable
from tunepass.study.storage.store import PendingSuggestion, StudyRecord, now
from tunepass.study.trial import Trial, spent


@dataclass(slots=True)
class _Pending:
    """A suggestion without an outcome: whether its holder gave it back, and its intermediate values."""

    released: bool = False
    intermediate: dict[int, float] = field(default_factory=dict)


@dataclass(slots=True)
class _StudyData:
    """A study's trials in order, with what they cost, and its suggestions without an outcome."""

    record: StudyRecord
    trials: list[Trial] = field(default_factory=list)
    number_of: dict[Configuration, int] = field(default_factory=dict)
    pending: dict[Configuration, _Pending] = field(default_factory=dict)
    same: int = 0  # trials that took another's outcome
    measured_again: int = 0
    origin: Origin | None = None
    comparison: Comparison | None = None


class MemoryStore:
    """Studies and their trials in memory, with the methods of a Store that a study uses. No other process sees them.

    Example:
        >>> from tunepass.study.storage.memory import MemoryStore
        >>> [record.name for record in MemoryStore().studies()]
        []
    """

    url, path = database.MEMORY, None

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._studies: list[_StudyData] = []
        self._closed = False

    def __repr__(self) -> str:
        return f"<MemoryStore {self.url!r}>"

    # -- studies

    def studies(self) -> list[StudyRecord]:
        """All studies, oldest first."""
        with self._open():
            return [replace(data.record, trials=len(data.trials)) for data in self._studies]

    def study(self, name: str) -> StudyRecord | None:
        """The study of that name; None without one."""
        return next((record for record in self.studies() if record.name == name), None)

    def open_study(
        self, name: str, space: str, objectives: tuple[Objective, ...], identity: Mapping[str, str]
    ) -> tuple[StudyRecord, bool]:
        """The study called `name`, and whether this call created it."""
        with self._open():
            known = self.study(name)
            if known is not None:
                return known, False
            record = StudyRecord(
                id=len(self._studies) + 1,
                name=name,
                space=space,
                objectives=tuple(Objective(o.name, unit=o.unit, maximise=o.maximise) for o in objectives),
                identity=dict(identity),
                created=now(),
                trials=0,
            )
            self._studies.append(_StudyData(record))
            return record, True

    def origin(self, study: StudyRecord) -> Origin | None:
        """Origin of the study's prior mean, if it had one from an earlier study."""
        with self._data(study) as data:
            return data.origin

    def set_origin(self, study: StudyRecord, origin: Origin | None) -> None:
        """Store where the study's prior mean comes from."""
        with self._data(study) as data:
            data.origin = origin

    def comparison(self, study: StudyRecord) -> Comparison | None:
        """Comparison of the finalists of the latest search, if there were any."""
        with self._data(study) as data:
            return data.comparison

    def set_comparison(self, study: StudyRecord, comparison: Comparison | None) -> None:
        """Store the measurements of the study's finalists."""
        with self._data(study) as data:
            data.comparison = comparison

    # -- trials

    def trials(self, study: StudyRecord, after: int = -1) -> list[Trial]:
        """The study's trials in order, those numbered above `after`."""
        with self._data(study) as data:
            return data.trials[after + 1 :]

    def record(self, study: StudyRecord, trial: Trial) -> Trial:
        """Store a trial under the next number, which is returned in it. When the configuration has a trial already,
        nothing is stored and that trial is returned."""
        with self._data(study) as data:
            data.pending.pop(trial.configuration, None)
            number = data.number_of.get(trial.configuration)
            if number is not None:
                return data.trials[number]
            stored = replace(trial, number=len(data.trials))
            data.number_of[trial.configuration] = stored.number
            data.trials.append(stored)
            _count(data, stored, 1)
            return stored

    def replace(self, study: StudyRecord, trials: Iterable[Trial]) -> None:
        """Give the trials of those numbers new outcomes."""
        with self._data(study) as data:
            for trial in trials:
                _update(data, trial)

    def measure_again(self, study: StudyRecord, trial: Trial) -> Trial:
        """Take a further measurement into the trial of that number; what it is now."""
        with self._data(study) as data:
            changed = data.trials[trial.number].with_another(trial)
            _update(data, changed)
            return changed

    # -- suggestions under evaluation

    def pending(self, study: StudyRecord) -> list[PendingSuggestion]:
        """Pending suggestions, oldest first."""
        with self._data(study) as data:
            return [PendingSuggestion(c, "", pending.released) for c, pending in data.pending.items()]

    def claim(
        self,
        study: StudyRecord,
        configurations: Sequence[Configuration],
        limit: int | None = None,
        *,
        resumable: bool = False,
    ) -> list[Configuration]:
        """Mark configurations as under evaluation; see Store.claim."""
        claimed: list[Configuration] = []
        with self._data(study) as data:
            fresh = claimable(
                configurations,
                limit=limit,
                used=spent(len(data.trials), data.same, data.measured_again),
                busy={c for c, pending in data.pending.items() if not pending.released},
                has_trial=data.number_of.__contains__,
            )
            for configuration in fresh:
                pending = data.pending.get(configuration)
                values = pending.intermediate if pending is not None and resumable else {}
                data.pending[configuration] = _Pending(intermediate=values)
                claimed.append(configuration)
        return claimed

    def release(self, study: StudyRecord, configuration: Configuration, *, resumable: bool = False) -> None:
        """Make a suggestion abandoned, so that it is suggested again; see Store.claim."""
        with self._data(study) as data:
            pending = data.pending.get(configuration)
            if pending is not None and not pending.released:
                values = pending.intermediate if resumable else {}
                data.pending[configuration] = _Pending(released=True, intermediate=values)

    def report(self, study: StudyRecord, configuration: Configuration, values: Mapping[int, float]) -> None:
        """Store the intermediate values of a configuration under evaluation, by step."""
        with self._data(study) as data:
            if configuration in data.pending:
                data.pending[configuration].intermediate = dict(values)

    def reported(self, study: StudyRecord) -> dict[Configuration, dict[int, float]]:
        """Intermediate values by step of each suggestion under evaluation."""
        with self._data(study) as data:
            return {c: dict(pending.intermediate) for c, pending in data.pending.items() if not pending.released}

    def rescue(self) -> None:
        """None: there is no file that could be removed."""

    def close(self) -> None:
        """End the use of the store; later calls raise StudyError."""
        self._closed = True

    # -- plumbing

    @contextmanager
    def _open(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise StudyError(f"store {self.url}: it is closed", hint="close a study when nothing uses it any more")
            yield

    @contextmanager
    def _data(self, study: StudyRecord) -> Iterator[_StudyData]:
        with self._open():
            yield self._studies[study.id - 1]


def _update(data: _StudyData, trial: Trial) -> None:
    """Give the trial of that number a new outcome; its configuration and intermediate values as the trial has them."""
    before = data.trials[trial.number]
    _count(data, before, -1)
    data.trials[trial.number] = replace(trial, configuration=before.configuration)
    _count(data, trial, 1)


def _count(data: _StudyData, trial: Trial, sign: int) -> None:
    data.same += sign * (trial.same_as is not None)
    data.measured_again += sign * trial.measured_again
