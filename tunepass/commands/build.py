"""`tunepass build`: tune every kernel of a source, write the tuned source and its object, record the choice."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from tunepass.commands.answer import Answer, Status
from tunepass.commands.arguments import DEFAULT_BUDGET_S
from tunepass.commands.build_answer import Built, answer
from tunepass.diagnostics import TunepassError
from tunepass.ir.application import Application
from tunepass.ir.kernel import Kernel
from tunepass.jobs.identity import lock_path, store_path
from tunepass.jobs.job import Job, Settings, entry_for, prepare, recall, search, transfer_to, unfinished
from tunepass.jobs.outputs import writable_folder, write_outputs
from tunepass.jobs.pipeline import check_device
from tunepass.jobs.reading import parse, select
from tunepass.passes.apply_schedule import scheduled
from tunepass.passes.emit import note
from tunepass.report.progress import open_display
from tunepass.study.lock import lock
from tunepass.tuning.result import Found

DEFAULT_COMPILER = ("cc", "-O2")


def run(options: argparse.Namespace) -> Answer:
    if Path(options.source).suffix == ".scala":
        from tunepass.commands import build_model

        return build_model.run(options)
    if options.app or options.no_restrictions:
        raise TunepassError("--app and --no-restrictions are about Spatial programs (.scala)")
    check_device(options.device)
    parsed = parse(options.source)
    warnings = tuple(d.render() for d in parsed.warnings)
    kernels = select(parsed.kernels, options.kernel, options.source)
    if options.compiler and any(isinstance(kernel.body, Application) for kernel in kernels):
        raise TunepassError(f"{options.source} names its own build commands; nothing follows -- here")
    settings = _settings(options)
    jobs = _jobs(kernels, settings, options.source)
    warnings += tuple(d.render() for job in jobs for d in job.space.warnings)
    if options.frozen:
        misfits = [f"{job.key}: {reason}" for job in jobs for reason in job.misfits()]
        if misfits:
            return _stale(misfits, warnings)
    outputs = writable_folder(Path(options.output))
    # The time is divided evenly among the kernels of a source.
    share = replace(settings, budget_s=settings.budget_s / len(jobs) if settings.budget_s else None)
    with _interruptible():
        found = [_found(job, share, options) for job in jobs]
    warnings += tuple(f"warning: {job.key}: {text}" for job, one in zip(jobs, found) for text in one.warnings)
    built = _finish(jobs, found, outputs, settings, frozen=options.frozen)
    return replace(answer(built), notes=warnings)


def _settings(options: argparse.Namespace) -> Settings:
    if options.metric and options.objective:
        raise TunepassError("--metric names what a kernel is judged by, --objective too; give one of them")
    limited = options.budget is not None or options.max_evals is not None
    return Settings(
        command=tuple(options.compiler) or DEFAULT_COMPILER,
        store=store_path(options.source, options.store),
        strategy=options.strategy,
        seed=options.seed,
        budget_s=options.budget if limited else DEFAULT_BUDGET_S,
        max_evals=options.max_evals,
        jobs=options.jobs,
        sanitize=options.sanitize,
        objectives=options.objective or ((options.metric,) if options.metric else ()),
        pick=options.pick,
        transfer_from=options.transfer_from,
    )


def _jobs(kernels: Sequence[Kernel], settings: Settings, source: str) -> list[Job]:
    locked = lock.Lock.read(lock_path(source))
    return [prepare(kernel, settings.command, locked, settings.objectives, settings.pick) for kernel in kernels]


def _found(job: Job, settings: Settings, options: argparse.Namespace) -> Found:
    """From the lock if it fits, else by searching."""
    finished = not unfinished(settings.store, job).exists()
    if options.frozen or (finished and not options.search_on and not job.misfits()):
        return recall(job, settings.store)
    source = transfer_to(job, settings)
    writable_folder(settings.store.parent)
    writable_folder(lock_path(options.source).parent)
    opening = source.sentence() if source else ""
    with open_display(sys.stderr, job.kernel.name, opening, terminal=sys.stderr.isatty()) as display:
        return search(job, settings, display, source)


def _finish(
    jobs: Sequence[Job], found: Sequence[Found], folder: Path, settings: Settings, *, frozen: bool
) -> list[Built]:
    """Write the sources, the object and the lock: for the kernels that have a choice, if any has."""
    chosen = [(job, one) for job, one in zip(jobs, found) if one.gains]
    if not chosen:
        return [Built(job, one, (), None) for job, one in zip(jobs, found)]
    kernels = [scheduled(job.kernel, one.choice) for job, one in chosen]
    notes = [f"{job.kernel.name}: {line}" for job, one in chosen for line in note(one).splitlines()]
    outputs = write_outputs(folder, kernels, "\n".join(notes), settings.command)
    path = lock_path(jobs[0].kernel.source.name)
    for job, one in chosen:
        entry = entry_for(job, one)
        if entry is not None and entry != job.entry and not frozen:
            lock.update(path, job.key, entry)
    return [Built(job, one, outputs if one.gains else (), path) for job, one in zip(jobs, found)]


def _stale(reasons: Sequence[str], warnings: tuple[str, ...]) -> Answer:
    lines = ["error: the lock does not fit, and --frozen forbids searching", *(f"  {reason}" for reason in reasons)]
    lines.append("  = help: run `tunepass build` without --frozen, and commit the lock")
    return Answer("", {"stale": list(reasons)}, Status.STALE, (*warnings, "\n".join(lines)))


@contextmanager
def _interruptible() -> Iterator[None]:
    """A polite kill is handled like Ctrl-C: what was measured is kept, the best so far is written."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # not the main thread: somebody else owns the signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
