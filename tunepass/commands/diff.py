"""`tunepass diff`: what changed between the lock and what is here now: identity, choice, default."""

from __future__ import annotations

import argparse
from dataclasses import replace

from tunepass.jobs.history import history_of
from tunepass.jobs.locks.verify import LockCheck, check
from tunepass.jobs.places import store_location
from tunepass.reports.answer import Answer, Json, plain
from tunepass.search.finalists.choice import verdict_of_trials
from tunepass.space.configuration import Configuration, shown
from tunepass.study.results.trial_columns import collecting_later


@collecting_later()
def run(options: argparse.Namespace) -> Answer:
    lines: list[str] = []
    data: dict[str, Json] = {}
    notes: list[str] = []
    for compared in check(options.paths, tuple(options.compiler)):
        checked = _with_store(compared, options.store)
        notes += [f"note: {note}" for note in checked.notes]
        best = _best(checked)
        changes = _choices(checked, best)
        lines.append(f"{checked.key}: {'unchanged' if not (checked.reasons or changes) else 'changed'}")
        lines += [f"  {line}" for line in (*checked.reasons, *changes)]
        data[checked.key] = {
            "identity": checked.reasons,
            "locked": _values(checked.entry.choice) if checked.entry else None,
            "best": _values(best) if best else None,
        }
    return Answer("\n".join(lines), {"kernels": data}, notes=tuple(notes))


def _with_store(checked: LockCheck, store: str | None) -> LockCheck:
    """With the store that names what changed, and has the trials."""
    if checked.job is None:
        return checked
    return replace(checked, store=store_location(checked.job.kernel.source.name, store))


def _best(checked: LockCheck) -> Configuration | None:
    """The best configuration that the store has for the kernel as it is now."""
    if checked.job is None or checked.store is None:
        return None
    identity = checked.job.identity if checked.reasons or checked.entry is None else checked.entry.identity
    history = history_of(checked.store, identity, checked.job.objective.name)
    verdict = verdict_of_trials(history.trials, checked.job.objective, checked.job.space) if history else None
    return verdict.choice if verdict else None


def _choices(checked: LockCheck, best: Configuration | None) -> list[str]:
    """Parameters whose locked value is not the best measured for the kernel as it is now. Under an unchanged identity
    the lock's choice stands: it was made by measuring the finalists again, which single trials cannot overrule."""
    if checked.entry is None or best is None or not checked.reasons:
        return []
    locked = checked.entry.choice
    return [
        f"{name}: {shown(locked[name]) if name in locked else '(none)'} -> {shown(value)}"
        for name, value in best.items()
        if locked.get(name) != value
    ]


def _values(configuration: Configuration) -> Json:
    return {name: plain(value) for name, value in configuration.items()}
