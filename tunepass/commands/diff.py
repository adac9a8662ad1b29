"""`tunepass diff`: what changed between the lock and what is here now: identity, choice, default."""

from __future__ import annotations

import argparse

from tunepass.commands.answer import Answer, Json, plain
from tunepass.jobs.history import history_of
from tunepass.jobs.places import store_path
from tunepass.jobs.verify import Checked, check
from tunepass.space.configuration import Configuration, shown
from tunepass.tuning.finalists import from_measured


def run(options: argparse.Namespace) -> Answer:
    lines: list[str] = []
    data: dict[str, Json] = {}
    for one in check(options.paths, tuple(options.compiler)):
        best = _best(one, options.store)
        changes = _choices(one, best)
        lines.append(f"{one.key}: {'unchanged' if not (one.reasons or changes) else 'changed'}")
        lines += [f"  {line}" for line in (*one.reasons, *changes)]
        data[one.key] = {
            "identity": one.reasons,
            "locked": _values(one.entry.choice) if one.entry else None,
            "best": _values(best) if best else None,
        }
    return Answer("\n".join(lines), {"kernels": data})


def _best(one: Checked, store: str | None) -> Configuration | None:
    """The best configuration that the store has for the kernel as it is now."""
    if one.job is None:
        return None
    history = history_of(store_path(one.job.kernel.source.name, store), one.job.identity, one.job.objective.name)
    verdict = from_measured(history.trials, one.job.objective, one.job.space) if history else None
    return verdict.choice if verdict else None


def _choices(one: Checked, best: Configuration | None) -> list[str]:
    """Parameters whose locked value is not the best measured for the kernel as it is now. Under an unchanged identity
    the lock's choice stands: it was settled by measuring the finalists again, which single trials cannot overrule."""
    if one.entry is None or best is None or not one.reasons:
        return []
    locked = one.entry.choice
    return [
        f"{name}: {shown(locked[name]) if name in locked else '(none)'} -> {shown(value)}"
        for name, value in best.items()
        if locked.get(name) != value
    ]


def _values(configuration: Configuration) -> Json:
    return {name: plain(value) for name, value in configuration.items()}
