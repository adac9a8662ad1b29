"""History of a kernel in the store, read without a strategy: it is the same whoever searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress

from tunepass.study.comparison.final_round import Comparison
from tunepass.study.identity import Identity
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.prior_origin import Origin
from tunepass.study.results.pareto import nondominated
from tunepass.study.storage.location import StoreLocation
from tunepass.study.storage.store import Store, StudyRecord
from tunepass.study.trial import Trial, comparable


@dataclass(frozen=True, slots=True)
class History:
    """The trials of the newest study with this identity, and what they were judged by."""

    objectives: tuple[Objective, ...]
    trials: Sequence[Trial]
    origin: Origin | None = None  # what the search started from
    comparison: Comparison | None = None  # what the finalists measured in turns

    @property
    def pareto(self) -> tuple[Trial, ...]:
        """The measured trials that no other dominates, sorted by their losses."""
        rows = [
            (tuple(o.loss(t.outcome.values[o.name]) for o in self.objectives), t)
            for t in comparable(self.trials)
            if isinstance(t.outcome, Measured)
        ]
        front = compress(rows, nondominated([losses for losses, _ in rows]))
        return tuple(t for _, t in sorted(front, key=lambda row: row[0]))


def history_of(store: StoreLocation, identity: Identity, objective: str | None = None) -> History | None:
    """None when there is no store, or nothing in it about this identity (and objective). Never makes a store."""
    return _newest(store, lambda opened: opened.with_identity(identity.texts()), objective)


def newest_of(store: StoreLocation, identity: Identity, objective: str | None = None) -> History | None:
    """The newest study of this source and space, whatever the compiler and its flags."""
    identity_texts = {"source": identity.source, "space": identity.space}
    return _newest(
        store, lambda opened: [r for r in opened.studies() if identity_texts.items() <= r.identity.items()], objective
    )


def began_without_prior(store: StoreLocation, name: str) -> bool:
    """Does the study of that name have trials and no prior mean? It continues as it began."""
    with store.existing() as opened:
        record = opened.study(name) if opened else None
        return opened is not None and record is not None and record.trials > 0 and opened.origin(record) is None


def history_named(store: StoreLocation, name: str) -> History | None:
    """The study of that name, if it has trials."""
    with store.existing() as opened:
        if opened is None:
            return None
        record = opened.study(name)
        trials = opened.trial_columns(record) if record is not None else ()
        return History(record.objectives, trials, opened.origin(record)) if record is not None and trials else None


def _newest(store: StoreLocation, find: Callable[[Store], list[StudyRecord]], objective: str | None) -> History | None:
    with store.existing() as opened:
        if opened is None:
            return None
        records = [r for r in find(opened) if r.trials and objective in (None, *(o.name for o in r.objectives))]
        if not records:
            return None
        newest = max(records, key=lambda record: record.id)
        return History(
            newest.objectives, opened.trial_columns(newest), opened.origin(newest), opened.comparison(newest)
        )
