"""Building a source: every kernel's choice from the lock or by a search, then its files and its entry in the lock."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from tunepass.backends.base import Starts, Target
from tunepass.diagnostics import EnvironmentFault, ToolError, TunepassError
from tunepass.files import printable, shown, writable_folder, write_text
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import size_text
from tunepass.jobs.elsewhere import resized_elsewhere, target_elsewhere
from tunepass.jobs.estimates import extrapolated
from tunepass.jobs.history import history_named
from tunepass.jobs.job import (
    Job,
    check_options,
    entry_for,
    has_doubtful_trials,
    mark_finished,
    mark_unfinished,
    prepare,
    recall,
    search,
)
from tunepass.jobs.locks.choices_file import refresh_choices
from tunepass.jobs.places import lock_path, prepare_folder
from tunepass.jobs.sizes import (
    SizedChoices,
    choose,
    dispatcher,
    locked_sizes,
    most_variants,
    resized,
    sizes_to_tune,
)
from tunepass.jobs.spreading.exact import placed_elsewhere
from tunepass.jobs.tables import front_csv, number
from tunepass.jobs.transfer import transfer_to
from tunepass.machine_faults import is_machines, of_the_machine
from tunepass.passes.apply_schedule import scheduled
from tunepass.passes.defect import check_probes
from tunepass.passes.emit import note
from tunepass.passes.search import Watch
from tunepass.reports.front import front_svg
from tunepass.search.exact import WatchCertificate
from tunepass.search.faults import environment_fault
from tunepass.search.options import SearchOptions
from tunepass.search.picks import picked_of
from tunepass.search.result import SearchResult, assignment, value_of
from tunepass.signals import held_back
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check, unrecorded
from tunepass.study.lock import lock
from tunepass.study.storage.location import StoreLocation
from tunepass.study.trial import Trial


class Shows(Protocol):
    """How running searches are shown, each under its kernel's name."""

    def progress(self, title: str, opening: str, /) -> AbstractContextManager[Watch]:
        """`opening` is said once, before the first evaluation."""

    def certificates(self, title: str, /) -> WatchCertificate: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRequest:
    """`frozen` never searches; `search_on` searches although the lock fits. `strict` refuses a choice of which a check
    could not run that is not `waived`."""

    source: str
    folder: Path
    store: StoreLocation
    target: Target
    options: SearchOptions
    frozen: bool = False
    search_on: bool = False
    strict: bool = False
    waived: frozenset[str] = frozenset()
    words: tuple[str, ...] | None = None  # those that the source was parsed with


@dataclass(frozen=True, slots=True)
class Picked:
    """A point of the front: what it was picked for, and what it is."""

    name: str
    configuration: Configuration
    trial: Trial | None  # None where only the lock knows the choice


@dataclass(frozen=True, slots=True)
class BuildResult:
    """A kernel's job, the result of its search, the points picked from its front, the files written and the lock; or
    the checks for whose lack the choice was `refused`."""

    job: Job
    search_result: SearchResult
    picked: tuple[Picked, ...] = ()
    outputs: tuple[Path, ...] = ()
    lock: Path | None = None
    sized: SizedChoices | None = None  # the choices for several sizes
    refused: tuple[Check, ...] = ()


def prepare_all(kernels: Sequence[Kernel], request: BuildRequest) -> list[Job]:
    """The jobs of a source's kernels; TunepassError for what cannot be asked of one of them."""
    locked = lock.Lock.read(lock_path(request.source))
    target = replace(request.target, starts=Starts.COMPILER) if request.frozen else request.target
    options = request.options
    targets = [target_elsewhere(kernel, target, locked, options.executor, request.words) for kernel in kernels]
    jobs = [prepare(kernel, target, locked, options.pick) for kernel, target in zip(kernels, targets)]
    for job in jobs:
        check_options(job, request.options)
    jobs = [placed_elsewhere(job, request.options, request.words) for job in jobs]
    for job in jobs:
        if request.strict and job.only_priced:
            raise TunepassError(f"--strict is about programs that run; {job.kernel.source.name} is priced by a model")
    return jobs


def build(jobs: Sequence[Job], request: BuildRequest, shows: Shows) -> list[BuildResult]:
    """Find every kernel's choice, then write. The time is divided evenly among the kernels of a source. Raises
    StoreFault where the server that has the store is not reached."""
    writable_folder(request.folder)
    if request.store.path is None and not request.frozen:  # the lock is not to stand for a server that is not reached
        with request.store.existing():
            pass
    budget_s = request.options.budget_s
    share = replace(request.options, budget_s=budget_s / len(jobs) if budget_s else None)
    results, sized = [], []
    for job in jobs[1:]:  # the first job's search begins with its own
        if _is_searched(job, share, request):
            prepare_folder(request.store.folder)
            check_probes(job.backend, job.space, request.store.folder)
    for job in jobs:
        result, chosen = _results_of(job, share, request, shows)
        results.append(result)
        sized.append(chosen)
    refused = [_refused(result, request) for result in results]
    if any(refused):
        return [BuildResult(job, result, refused=checks) for job, result, checks in zip(jobs, results, refused)]
    interrupted = any(result.interrupted for result in results)
    with _finishing(request), held_back(for_good=interrupted):
        built = _finish(jobs, results, sized, request)
        for job, result in zip(jobs, results):
            if not (request.frozen or result.interrupted):
                mark_finished(job, request.store)
    return built


def _refused(result: SearchResult, request: BuildRequest) -> tuple[Check, ...]:
    """The checks for whose lack the choice is not written."""
    if not request.strict or not result.gains:
        return ()
    return (result.checks or unrecorded()).refused(request.waived)


@contextlib.contextmanager
def _finishing(request: BuildRequest) -> Iterator[None]:
    """Inputs were validated before this block; a failure inside is an environment error."""
    try:
        yield
    except Exception as error:
        known = isinstance(error, OSError) or (isinstance(error, ToolError) and of_the_machine(str(error)))
        if isinstance(error, EnvironmentFault) or not (known or is_machines(error)):
            raise
        raise environment_fault(error, f"cannot write the results to {shown(request.folder)}") from None


def _results_of(
    job: Job, options: SearchOptions, request: BuildRequest, shows: Shows
) -> tuple[SearchResult, SizedChoices | None]:
    """For the kernel's own size, and for the sizes that it lists: time and evaluations are divided among them."""
    sizes = sizes_to_tune(job, options.variants)
    if not sizes:
        return _result_of(job, options, request, shows), None
    most = most_variants(job, options.variants)
    locked = locked_sizes(job, sizes, most)
    share = replace(
        options,
        budget_s=options.budget_s / len(sizes) if options.budget_s else None,
        max_evals=-(-options.max_evals // len(sizes)) if options.max_evals else None,
    )
    base_result = _result_of(job, share, request, shows, search_on=locked is None)
    if locked is not None and not base_result.evaluations:
        return base_result, locked
    if request.frozen or base_result.interrupted or not base_result.gains:
        return base_result, None
    jobs, results = [job], [base_result]
    for size in sizes[1:]:
        jobs.append(resized_elsewhere(resized(job, size), job, size, request.options.executor))
        size_result = _result_of(jobs[-1], share, request, shows, title=f"{job.kernel.name}, {size_text(size)}")
        if size_result.interrupted:
            mark_unfinished(job, request.store)
            return replace(base_result, interrupted=size_result.interrupted), None
        results.append(size_result)
    chosen = choose(jobs, results, sizes, most)
    for other in jobs[1:]:
        mark_finished(other, request.store)
    evaluations = sum(result.evaluations for result in results)
    checks = base_result.checks.updated(check for result in results[1:] for check in result.checks.missed)
    return replace(base_result, evaluations=evaluations, seconds=_sum_of(results), checks=checks), chosen


def _sum_of(results: Sequence[SearchResult]) -> dict[str, float]:
    names = dict.fromkeys(name for result in results for name in result.seconds)
    return {name: sum(result.seconds.get(name, 0.0) for result in results) for name in names}


def _result_of(
    job: Job,
    options: SearchOptions,
    request: BuildRequest,
    shows: Shows,
    *,
    search_on: bool = False,
    title: str = "",
) -> SearchResult:
    """From the lock if it fits, with the front that the store has, else by searching."""
    store = request.store
    if request.frozen or not (search_on or _is_searched(job, options, request)):
        return recall(job, store)
    stale_reasons = job.stale_reasons(store)
    prior = None if job.only_priced else transfer_to(job, store, options.transfer_from)
    prepare_folder(store.folder)
    writable_folder(lock_path(request.source).parent)
    stale = f"the lock is stale: {'; '.join(stale_reasons)}" if job.entry and stale_reasons else ""
    opening = ". ".join(sentence for sentence in (stale, prior.sentence() if prior else "") if sentence)
    with shows.progress(title or job.kernel.name, opening) as watch:
        return search(job, options, store, prior, watch, shows.certificates(job.kernel.name))


def _is_searched(job: Job, options: SearchOptions, request: BuildRequest) -> bool:
    """Does the kernel's choice need a search, because the lock does not have it?"""
    store = request.store
    finished = not job.unfinished(store).exists() and not has_doubtful_trials(job, store)
    fits = finished and _has_picks(job, options, store) and not request.search_on and not job.stale_reasons(store)
    return not (request.frozen or (fits and not _lacks_checks(job, request)))


def _lacks_checks(job: Job, request: BuildRequest) -> bool:
    """Is a check to be made that the lock's choice lacks?"""
    known = unrecorded() if job.entry is None else job.entry.checks or unrecorded()
    return request.strict and bool(known.refused(request.waived))


def _has_picks(job: Job, options: SearchOptions, store: StoreLocation) -> bool:
    """Further picks need the front, which the lock does not have."""
    if len(options.picks) < 2:
        return True
    known = history_named(store, job.study)
    return known is not None and bool(known.pareto)


def _finish(
    jobs: Sequence[Job], results: Sequence[SearchResult], sized: Sequence[SizedChoices | None], request: BuildRequest
) -> list[BuildResult]:
    """Write the sources, what is built of them, the fronts and the lock: for the kernels that have a choice."""
    picks = [_picked(job, result, request.options.picks) for job, result in zip(jobs, results)]
    path = lock_path(request.source)
    sources = _write_sources(jobs, results, picks, request)
    built = []
    changed = False
    for job, result, picked, chosen in zip(jobs, results, picks, sized):
        if not picked:
            built.append(BuildResult(job, result))
            continue
        fronts = _write_front(job, result, picked, request.folder, alone=len(jobs) == 1)
        headers = _write_dispatcher(job, chosen, request.folder, alone=len(jobs) == 1) if chosen else ()
        entry = entry_for(job, result, chosen.by_size() if chosen else None)
        if entry is not None and entry != job.entry and not request.frozen:
            lock.update(path, job.key, entry)
            changed = True
        built.append(BuildResult(job, result, picked, (*sources, *headers, *fronts), path, chosen))
    if changed:
        refresh_choices(path.parent)
    return built


def _picked(job: Job, result: SearchResult, names: Sequence[str]) -> tuple[Picked, ...]:
    """The points asked for; the first is the choice."""
    if not result.gains:
        return ()
    trials = {t.configuration: t for t in result.pareto}
    first = Picked(names[0] if names else job.objective.name, result.choice, trials.get(result.choice))
    others = [(name, picked_of(name, result.pareto, job.objectives)) for name in names[1:] if result.pareto]
    return (first, *(Picked(name, trial.configuration, trial) for name, trial in others))


def _write_sources(
    jobs: Sequence[Job], results: Sequence[SearchResult], picks: Sequence[tuple[Picked, ...]], request: BuildRequest
) -> list[Path]:
    """NAME.tuned has the choice of every kernel, NAME.PICK each further pick."""
    written: list[Path] = []
    for i in range(max((len(picked) for picked in picks), default=0)):
        group = [(job, result, picked[i]) for job, result, picked in zip(jobs, results, picks) if i < len(picked)]
        kernels = [scheduled(job.kernel, point.configuration) for job, _, point in group]
        lines = [line for job, result, point in group for line in _note(job, result, point)]
        word = "tuned" if i == 0 else group[0][2].name
        written += group[0][0].backend.write(kernels, "\n".join(lines), request.folder, word)
    return written


def _note(job: Job, result: SearchResult, point: Picked) -> list[str]:
    """The comment on top of a tuned source: what was chosen, and what it gained or was priced at."""
    if not job.only_priced:
        return [f"{job.kernel.name}: {line}" for line in note(result).splitlines()]
    headline = f"{point.name} by the model of {job.backend.device}: {assignment(point.configuration)}"
    lines = [f"{job.kernel.name}: {headline}"]
    if point.trial is not None:
        priced = ((o.name, value_of(point.trial, o)) for o in job.objectives)
        lines.append(", ".join(f"{name} {number(value)}" for name, value in priced if value is not None))
    return lines


def _write_dispatcher(job: Job, chosen: SizedChoices, folder: Path, *, alone: bool) -> tuple[Path, ...]:
    """NAME.dispatch.h, and an object where it needs one; the kernel's name is part of theirs where the source has
    several."""
    stem = Path(job.kernel.source.name).stem + ("" if alone else f".{job.kernel.name}")
    return job.backend.write_dispatcher(dispatcher(job, chosen), folder, stem)


def _write_front(job: Job, result: SearchResult, picked: Sequence[Picked], folder: Path, *, alone: bool) -> list[Path]:
    """NAME.pareto.csv and NAME.pareto.svg; the kernel's name is part of theirs where the source has several. What is
    measured has a front where no configuration is the best in all."""
    if len(job.objectives) < 2 or len(result.pareto) < (1 if job.only_priced else 2):
        return []
    stem = Path(job.kernel.source.name).stem + ("" if alone else f".{job.kernel.name}")
    csv, svg = folder / f"{stem}.pareto.csv", folder / f"{stem}.pareto.svg"
    write_text(csv, front_csv(result.pareto, job.objectives, extrapolated(job, result.pareto)))
    points = {point.name: point.configuration for point in picked}
    title = f"{job.kernel.name} on {job.backend.device}"
    caption = result.certificate.caption if result.certificate is not None else ""
    write_text(svg, printable(front_svg(result.trials, result.pareto, job.objectives, points, title, caption)))
    return [csv, svg]
