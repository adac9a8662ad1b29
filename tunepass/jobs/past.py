"""A finished search, for those who ask about it: the newest trials of a source's kernel as it is now."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tunepass.backends.base import Starts
from tunepass.diagnostics import TunepassError
from tunepass.jobs.history import History, history_of, newest_of
from tunepass.jobs.job import Job, locked_job
from tunepass.jobs.places import lock_path, store_location
from tunepass.jobs.reading import parse
from tunepass.search.finalists.choice import verdict_of_trials
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Ledger
from tunepass.study.lock.lock import Lock
from tunepass.study.results.trial_columns import first_of
from tunepass.study.storage.location import StoreLocation


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A kernel, its trials, and the choice: the lock's, else the best measured."""

    job: Job
    history: History
    choice: Configuration | None

    @property
    def checks(self) -> Ledger:
        """The ledger of the choice: the lock's, else its trial's."""
        entry = self.job.entry
        if entry is not None and entry.checks and entry.choice == self.choice:
            return entry.checks
        trial = first_of(self.history.trials, self.choice)
        return Ledger() if trial is None else trial.checks


def past_searches(source: str, kernel: str | None, store: str | None) -> list[Past]:
    """Past searches of each kernel of the source with its current identity."""
    location = store_location(source, store)
    lock = Lock.read(lock_path(source))
    pasts = []
    for chosen in parse(source, kernel).kernels:
        job = locked_job(chosen, lock, Starts.NOTHING)
        entry = job.entry
        history = _history(location, job)
        if history is None:
            continue
        if entry is None:
            job = replace(job, objective=history.objectives[0])
        verdict = verdict_of_trials(history.trials, job.objective, job.space)
        locked = entry.choice if entry and job.choice_is_possible else None
        pasts.append(Past(job=job, history=history, choice=locked or (verdict.choice if verdict else None)))
    if not pasts:
        raise TunepassError(
            f"{location} has no trials of {source} as it is now", hint="run `tunepass build` first, or name its --store"
        )
    return pasts


def _history(location: StoreLocation, job: Job) -> History | None:
    """Trials of this very source and space: those the lock was made from, else the newest under any compiler."""
    locked, name = job.entry, job.objective.name if job.entry else None
    if locked is not None:
        now = (job.identity.source, job.identity.space)
        if (locked.identity.source, locked.identity.space) == now:
            history = history_of(location, locked.identity, name)
            if history is not None:
                return history
    return newest_of(location, job.identity, name)
