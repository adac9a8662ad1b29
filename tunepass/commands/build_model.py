"""`tunepass build` of programs that a model prices: the Pareto front, and the source of the points picked from it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.commands.answer import Answer, Json, Status, plain
from tunepass.commands.arguments import DEFAULT_BUDGET_S
from tunepass.commands.build_answer import Built, build_data
from tunepass.commands.estimate import number
from tunepass.commands.fronts import (
    certificate_data,
    certificate_lines,
    front_csv,
    front_data,
    front_table,
    front_watch,
)
from tunepass.diagnostics import TunepassError
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.ir.kernel import Kernel
from tunepass.jobs.identity import lock_path, store_path
from tunepass.jobs.job import Settings, entry_for, unfinished
from tunepass.jobs.model_job import (
    ModelJob,
    check_strategy,
    history,
    prepare_model,
    recall_model,
    search_model,
)
from tunepass.jobs.modelled import read_kernels
from tunepass.jobs.outputs import writable_folder, write_text
from tunepass.passes.apply_schedule import scheduled
from tunepass.passes.model_search import gains_of
from tunepass.registry import EXACT_SOLVERS
from tunepass.report.front import front_svg
from tunepass.report.progress import open_display
from tunepass.space.configuration import Configuration
from tunepass.study.lock import lock
from tunepass.study.trial import Trial
from tunepass.tuning.picks import objective_of, picked_of
from tunepass.tuning.result import Found, assignment


@dataclass(frozen=True, slots=True)
class Picked:
    """A point of the front: what it was picked for, and what it is."""

    name: str
    configuration: Configuration
    trial: Trial | None  # None where only the lock knows the choice


@dataclass(frozen=True, slots=True)
class ModelBuilt:
    built: Built
    picks: tuple[Picked, ...]


def run(options: argparse.Namespace) -> Answer:
    _check(options)
    parsed = read_kernels(options.source, options.app or options.kernel, restrict=not options.no_restrictions)
    names = _picks(options)
    locked = lock.Lock.read(lock_path(options.source))
    jobs = [_job(kernel, locked, options, names[0]) for kernel in parsed.kernels]
    for job in jobs:
        for name in names[1:]:
            objective_of(name, job.objectives)
    notes = tuple(d.render() for d in (*parsed.warnings, *(w for job in jobs for w in job.space.warnings)))
    if options.frozen and (misfits := [f"{job.key}: {reason}" for job in jobs for reason in job.misfits()]):
        lines = ["error: the lock does not fit, and --frozen forbids searching", *(f"  {line}" for line in misfits)]
        return Answer("", {"stale": misfits}, Status.STALE, (*notes, "\n".join(lines)))
    folder = writable_folder(Path(options.output))
    settings = _settings(options, names[0], len(jobs))
    found = [_found(job, settings, options, names) for job in jobs]
    built = _finish(jobs, found, names, folder, options)
    status = max(one.built.status for one in built)
    data: Json = _data(built[0]) if len(built) == 1 else [_data(one) for one in built]
    return Answer("\n\n".join(_text(one) for one in built), data, status, notes)


def _check(options: argparse.Namespace) -> None:
    if options.compiler:
        raise TunepassError(
            f"nothing follows -- here: {options.source} is priced by a model, not compiled",
            hint="leave out what follows --; the tuned source is for Spatial's own compiler",
        )
    compiled = {"--sanitize": options.sanitize, "--metric": options.metric, "--transfer-from": options.transfer_from}
    for word, given in compiled.items():
        if given:
            raise TunepassError(f"{word} is about compiled programs; {options.source} is priced by a model")
    check_strategy(options.strategy)


def _picks(options: argparse.Namespace) -> list[str | None]:
    if options.pick is None:
        return [None]
    names = [name.strip() for name in options.pick.split(",")]
    if len(set(names)) < len(names) or "" in names:
        raise TunepassError(f"--pick takes distinct names separated by commas, got {options.pick!r}")
    return [*names]


def _job(kernel: Kernel, locked: lock.Lock, options: argparse.Namespace, pick: str | None) -> ModelJob:
    return prepare_model(
        kernel, locked, options.objective or (), pick, options.device, restrict=not options.no_restrictions
    )


def _settings(options: argparse.Namespace, pick: str | None, jobs: int) -> Settings:
    """The time is divided evenly among the apps; exact searches end by themselves."""
    limited = options.budget is not None or options.max_evals is not None or options.strategy in EXACT_SOLVERS
    budget_s = options.budget if limited else DEFAULT_BUDGET_S
    return Settings(
        command=(),
        store=store_path(options.source, options.store),
        strategy=options.strategy,
        seed=options.seed,
        budget_s=budget_s / jobs if budget_s else None,
        max_evals=options.max_evals,
        jobs=options.jobs,
        pick=pick,
    )


def _found(job: ModelJob, settings: Settings, options: argparse.Namespace, names: Sequence[str | None]) -> Found:
    """From the lock if it fits, with the front that the store has, else by searching."""
    known = history(job, settings.store)
    enough = len(names) == 1 or (known is not None and known.pareto)
    finished = not unfinished(settings.store, job).exists()
    if options.frozen or (finished and enough and not options.search_on and not job.misfits()):
        return recall_model(job, settings.store)
    writable_folder(settings.store.parent)
    writable_folder(lock_path(options.source).parent)
    marker = unfinished(settings.store, job)
    with open_display(sys.stderr, job.kernel.name, terminal=sys.stderr.isatty()) as display:
        found = search_model(job, settings, display, front_watch(job.kernel.name, sys.stderr))
    if found.interrupted:
        marker.touch()
    else:
        marker.unlink(missing_ok=True)
    return found


def _finish(
    jobs: Sequence[ModelJob],
    found: Sequence[Found],
    names: Sequence[str | None],
    folder: Path,
    options: argparse.Namespace,
) -> list[ModelBuilt]:
    """Write the sources, the front and the lock: of the apps that have a choice, if any has."""
    picks = [_picked(job, one, names) for job, one in zip(jobs, found)]
    path = lock_path(options.source)
    sources = _write_sources(jobs, picks, folder)
    made = []
    for job, one, picked in zip(jobs, found, picks):
        if not picked:
            made.append(ModelBuilt(Built(job, one, (), None), ()))
            continue
        outputs = [*sources, *_write_front(job, one, picked, folder, alone=len(jobs) == 1)]
        entry = entry_for(job, one, job.pick)
        if entry is not None and entry != job.entry and not options.frozen:
            lock.update(path, job.key, entry)
        made.append(ModelBuilt(Built(job, one, tuple(outputs), path), picked))
    return made


def _picked(job: ModelJob, found: Found, names: Sequence[str | None]) -> tuple[Picked, ...]:
    """The points asked for; the first is the choice."""
    if not found.gains:
        return ()
    at = {t.configuration: t for t in found.pareto}
    first = Picked(names[0] or job.objective.name, found.choice, at.get(found.choice))
    others = [(name, picked_of(name, found.pareto, job.objectives)) for name in names[1:] if found.pareto]
    return (first, *(Picked(name or "", trial.configuration, trial) for name, trial in others))


def _write_sources(jobs: Sequence[ModelJob], picks: Sequence[tuple[Picked, ...]], folder: Path) -> list[Path]:
    """NAME.tuned.scala has the choice of every app, NAME.PICK.scala each further pick."""
    chosen = [(job, picked) for job, picked in zip(jobs, picks) if picked]
    written = []
    for i in range(max((len(picked) for _, picked in chosen), default=0)):
        kernels = [scheduled(job.kernel, picked[i].configuration) for job, picked in chosen if i < len(picked)]
        lines = [line for job, picked in chosen if i < len(picked) for line in _note(job, picked[i])]
        source = Path(jobs[0].kernel.source.name)
        word = "tuned" if i == 0 else next(picked[i].name for _, picked in chosen if i < len(picked))
        path = folder / f"{source.stem}.{word}{source.suffix}"
        write_text(path, SpatialFrontend().emit_file(kernels, "\n".join(lines)).text)
        written.append(path)
    return written


def _note(job: ModelJob, picked: Picked) -> list[str]:
    """The comment on top of a tuned source."""
    lines = [
        f"{job.kernel.name}: {picked.name} by the model of {job.model.device.name}: {assignment(picked.configuration)}"
    ]
    if picked.trial is not None:
        gains = gains_of(picked.trial, None, job.objectives)
        lines.append(", ".join(f"{g.objective.name} {number(g.chosen)}" for g in gains))
    return lines


def _write_front(job: ModelJob, found: Found, picked: Sequence[Picked], folder: Path, *, alone: bool) -> list[Path]:
    """NAME.pareto.csv and NAME.pareto.svg; the app's name too where the source has several."""
    if not found.pareto:
        return []
    stem = Path(job.kernel.source.name).stem + ("" if alone else f".{job.kernel.name}")
    csv, svg = folder / f"{stem}.pareto.csv", folder / f"{stem}.pareto.svg"
    write_text(csv, front_csv(found.pareto, job.objectives))
    title = f"{job.kernel.name} on {job.model.device.name}"
    picks = {one.name: one.configuration for one in picked}
    write_text(svg, front_svg(found.trials, found.pareto, job.objectives, picks, title))
    return [csv, svg]


def _text(one: ModelBuilt) -> str:
    job, found = one.built.job, one.built.found
    assert isinstance(job, ModelJob)
    lines = [f"{job.key} on {job.model.device.name}: {_headline(job, found)}"]
    if found.gains:
        lines.append(f"  choice    {assignment(found.choice)}")
        lines += [f"  {gain.objective.name:<9} {gain.sentence().partition(': ')[2]}" for gain in found.gains]
    if found.evaluations:
        seconds = f"{found.seconds.get('total', 0.0):.1f} s"
        unfit = found.failures.get("infeasible", 0)
        told = f", {unfit:,} of them do not fit" if unfit and found.certificate is None else ""
        lines.append(f"  evaluated {found.evaluations:,} configurations in {seconds}{told}")
    if found.certificate is not None:
        lines += certificate_lines(found.certificate, found.gap)
    if found.pareto:
        lines += [f"  the front has {len(found.pareto):,} points:", front_table(found.pareto, job.objectives)]
    lines += [f"  wrote     {path}" for path in one.built.outputs]
    if one.built.lock is not None:
        lines.append(f"  lock      {one.built.lock}")
    return "\n".join(lines)


def _headline(job: ModelJob, found: Found) -> str:
    if found.interrupted:
        return "interrupted; what was found so far is kept, and the same command goes on"
    if not found.gains:
        return f"nothing fits: {found.trial_count:,} configurations were evaluated"
    if not found.evaluations:
        return "the lock fits; nothing was evaluated"
    gain = next(g for g in found.gains if g.objective == job.objective)
    if found.kept_default:
        return f"the default is the best in {job.objective.name}"
    if gain.gain is None:
        return "chosen; the default does not fit"
    return f"{gain.gain:.2f}x the default in {job.objective.name}"


def _data(one: ModelBuilt) -> Json:
    job, found = one.built.job, one.built.found
    assert isinstance(job, ModelJob)
    return {
        **build_data(one.built),
        "pareto": front_data(found.pareto, job.objectives) if found.pareto else [],
        "picks": {
            picked.name: {name: plain(value) for name, value in picked.configuration.items()} for picked in one.picks
        },
        "certificate": certificate_data(found.certificate, found.gap) if found.certificate else None,
    }
