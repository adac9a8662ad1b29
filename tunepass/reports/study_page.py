"""A study made in Python as a page or a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tunepass.diagnostics import StudyError
from tunepass.files import printable, write_text
from tunepass.reports.axis import short
from tunepass.reports.convergence import convergence_svg
from tunepass.reports.front import front_svg
from tunepass.reports.page import page, section
from tunepass.reports.thinning import PAGE_BYTES
from tunepass.space.configuration import abbreviated
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.results.pareto import nondominated
from tunepass.study.study import Study
from tunepass.study.trial import Trial, comparable

MOST_NAMED = 20  # parameters whose importance is written out
SUFFIXES = (".html", ".svg")


def report(study: Study, path: str | Path, *, title: str | None = None) -> None:
    """Write a page about a study: pictures, the importance of parameters and the trials.

    Args:
        study: with trials or without.
        path: a self-contained page (`.html`), or the convergence picture of a single objective (`.svg`).
        title: of the page; None: the study's name.

    Raises:
        StudyError: another suffix, or a picture of several objectives.

    Example:
        >>> import tempfile, pathlib
        >>> study = tp.Study(space, [tp.Objective("time", unit="ms")])
        >>> study.optimize(lambda trial: float(trial["tile"]), n_trials=9)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tp.report(study, pathlib.Path(folder) / "page.html")
        ...     "importance" in (pathlib.Path(folder) / "page.html").read_text()
        True
    """
    if not isinstance(study, Study):
        raise StudyError(f"a report is about a Study, got {study!r}")
    target, heading = _target(path), title or study.name
    if target.suffix == ".svg":
        text = study_picture(study.trials, study.objectives, heading)
    else:
        facts = {**facts_of(study.trials, study.objectives), **_beliefs(study)}
        text = page(f"tunepass: {heading}", [study_section(heading, study.trials, study.objectives, facts)])
    write_text(target, printable(text))


def _target(path: object) -> Path:
    if not isinstance(path, (str, Path)) or Path(path).suffix not in SUFFIXES:
        raise StudyError(f"a report is written to FILE.html or FILE.svg, got {path!r}")
    return Path(path)


def study_picture(trials: Sequence[Trial], objectives: Sequence[Objective], title: str) -> str:
    """The convergence picture of a study with one objective."""
    if len(objectives) > 1:
        raise StudyError("a picture is of a single objective", hint="write a page, FILE.html")
    return convergence_svg(trials, objectives[0], title)


def study_section(
    title: str,
    trials: Sequence[Trial],
    objectives: Sequence[Objective],
    facts: Mapping[str, str],
    most_bytes: int = PAGE_BYTES,
) -> str:
    """The section of a page about a study; of several objectives with the picture of their front."""
    front = _front(trials, objectives)
    choice = front[0].configuration if len(objectives) == 1 and front else None
    pictures = [front_svg(trials, front, objectives, {}, f"{title}: front")] if len(objectives) > 1 else []
    return section(title, trials, objectives, choice, facts, pictures, most_bytes)


def facts_of(trials: Sequence[Trial], objectives: Sequence[Objective]) -> dict[str, str]:
    """Facts that trials alone tell: how many there are, the best or the front, the default, pruned and failed ones."""
    facts = {"trials": f"{len(trials):,}"}
    front = _front(trials, objectives)
    if front and len(objectives) == 1:
        facts["best"] = f"{_values(front[0], objectives)}: {abbreviated(front[0].configuration)}"
    elif front:
        facts["front"] = f"{len(front)} trials"
    if trials and trials[0].measured:
        facts["default"] = f"{_values(trials[0], objectives)}: {abbreviated(trials[0].configuration)}"
    if pruned := sum(trial.censored for trial in trials):
        facts["ended early"] = f"{pruned:,}"
    if failed := _failures(trials):
        facts["failures"] = ", ".join(f"{count:,} {kind}" for kind, count in failed.items())
    return facts


def _beliefs(study: Study) -> dict[str, str]:
    """Facts that need the space and the models: the recommended trial, importance, trust."""
    facts: dict[str, str] = {}
    if len(study.objectives) == 1 and (recommended := study.recommended) is not None:
        low, high = recommended.interval
        if low < high:
            facts["recommended"] = f"trial {recommended.trial.number + 1}, {short(low)} to {short(high)} with 95 %"
    for objective in study.objectives:
        facts |= importance_fact(objective, study.objectives, study.importance(objective.name))
    if (trust := study.trust) is not None:
        facts["prior mean"] = f"rank correlation {trust.rank_correlation:.2f} over {trust.trials} trials"
    return facts


def importance_fact(
    objective: Objective, objectives: Sequence[Objective], shares: Mapping[str, float]
) -> dict[str, str]:
    """A fact with the parameters that decide an objective, most first; none where that is not known."""
    if not shares:
        return {}
    name = "importance" if len(objectives) == 1 else f"importance for {objective.name}"
    return {name: ", ".join(f"{parameter} {share:.2f}" for parameter, share in list(shares.items())[:MOST_NAMED])}


def _front(trials: Sequence[Trial], objectives: Sequence[Objective]) -> list[Trial]:
    """The trials that no other dominates, best first; of a single objective the first of the best."""
    competing = [
        (tuple(o.loss(t.outcome.values[o.name]) for o in objectives), t.number, t)
        for t in comparable(trials)
        if isinstance(t.outcome, Measured)
    ]
    optimal = nondominated([losses for losses, *_ in competing])
    front = [entry for entry, on_front in zip(competing, optimal) if on_front]
    return [trial for *_, trial in sorted(front, key=lambda entry: entry[:2])]


def _values(trial: Trial, objectives: Sequence[Objective]) -> str:
    values = trial.outcome.values if isinstance(trial.outcome, Measured) else {}
    return ", ".join(f"{o.name} {short(values[o.name])} {o.unit}".rstrip() for o in objectives if o.name in values)


def _failures(trials: Sequence[Trial]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for trial in trials:
        if not trial.measured:
            kind = trial.outcome.stage if isinstance(trial.outcome, Failed) else "infeasible"
            counts[kind] = counts.get(kind, 0) + 1
    return counts
