"""A finished search, for those who ask about it: the newest trials of a source's kernel as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import TunepassError
from tunepass.driver.history import History, history_of, newest_of
from tunepass.driver.identity import lock_path, store_path
from tunepass.driver.job import Job, prepare
from tunepass.driver.reading import parse, select
from tunepass.passes.settle import from_measured
from tunepass.space.configuration import Configuration
from tunepass.study.identity import Identity
from tunepass.study.lock import Lock


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A kernel, its trials, and the choice: the lock's, else the best measured."""

    job: Job
    history: History
    choice: Configuration | None


def look_back(source: str, kernel: str | None, store: str | None) -> list[Past]:
    """Every kernel of the source that the store knows as it is now."""
    path = store_path(source, store)
    lock = Lock.read(lock_path(source))
    found = []
    for chosen in select(parse(source).kernels, kernel, source):
        entry = lock.entries.get(f"{Path(source).name}::{chosen.name}")
        job = prepare(chosen, ("cc", "-O2"), lock, entry.objective.name if entry else None)
        history = _history(path, job, entry.identity if entry else None)
        if history is None:
            continue
        verdict = from_measured(history.trials, job.objective, job.space)
        locked = entry.choice if entry and job.choice_is_possible else None
        found.append(Past(job=job, history=history, choice=locked or (verdict.choice if verdict else None)))
    if not found:
        raise TunepassError(
            f"{path} has no trials of {source} as it is now", hint="run `tunepass build` first, or name its --store"
        )
    return found


def _history(path: Path, job: Job, locked: Identity | None) -> History | None:
    """Trials of this very source and space: those the lock was made from, else the newest under any compiler."""
    if locked is not None and (locked.source, locked.space) == (job.identity.source, job.identity.space):
        found = history_of(path, locked)
        if found is not None:
            return found
    return newest_of(path, job.identity)
