"""`tunepass pareto`: the exact front of a model's objectives, or the front that a study has so far."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tunepass.commands.answers import fronts
from tunepass.commands.executors import opened_cluster
from tunepass.commands.targets import kernel_name, target_of, words_of
from tunepass.diagnostics import TunepassError
from tunepass.exact.base import Front
from tunepass.files import write_text
from tunepass.jobs.estimates import estimator_of, extrapolated
from tunepass.jobs.history import history_named
from tunepass.jobs.job import Job, prepare
from tunepass.jobs.places import lock_path, store_location
from tunepass.jobs.spreading.exact import fronts_elsewhere
from tunepass.jobs.tables import front_csv
from tunepass.passes.search import problem_of
from tunepass.reports.answer import Answer, Json, Status
from tunepass.reports.front import front_svg
from tunepass.search.exact import exact_front
from tunepass.search.options import SearchOptions
from tunepass.search.picks import picked_of, possible
from tunepass.search.stop import stoppable
from tunepass.study.lock import lock
from tunepass.study.outcome import Measured
from tunepass.study.trial import Trial


def run(options: argparse.Namespace) -> Answer:
    output = _output(options)
    model, parsed = estimator_of(options.source, kernel_name(options), target_of(options), words_of(options))
    job = prepare(model.kernel, model.backend.target, lock.Lock.read(lock_path(options.source)))
    answer = _exact(job, options, output) if options.exact else _known(job, options, output)
    return Answer(answer.text, answer.data, answer.status, tuple(w.render() for w in parsed.warnings))


def _output(options: argparse.Namespace) -> Path | None:
    if not options.exact and (options.budget or options.max_evals):
        raise TunepassError("--budget and --max-evals stop an exact search", hint="add --exact")
    if not options.exact and options.executor != "local":
        raise TunepassError("--executor is about an exact search", hint="add --exact --strategy exhaustive")
    path = Path(options.output) if options.output else None
    if path is not None and path.suffix not in (".csv", ".svg"):
        raise TunepassError(f"-o takes FILE.csv or FILE.svg here, got {options.output!r}")
    return path


def _exact(job: Job, options: argparse.Namespace, output: Path | None) -> Answer:
    costs = job.backend.costs()
    assert costs is not None  # estimator_of has asked
    problem = problem_of(costs, job.objectives, extrapolate=options.extrapolate)
    search = SearchOptions(strategy=options.strategy, max_evals=options.max_evals)
    with opened_cluster(options) as executor, stoppable(options.budget) as stop:
        elsewhere = None
        if executor is not None:
            elsewhere = fronts_elsewhere(
                job, executor, words_of(options), options.strategy, limited=False, extrapolate=options.extrapolate
            )
        watch = fronts.front_watch(job.kernel.name, sys.stderr)
        front = exact_front(problem, job.space, search, stop, watch, elsewhere)
    trials = _trials(job, front)
    lines = [
        _head(job, len(trials)),
        *fronts.certificate_lines(front.certificate, front.gap, within_fit=len(problem.constraints) > 1),
    ]
    data = {**_data(job, trials), "certificate": fronts.certificate_data(front.certificate, front.gap)}
    status = Status.INTERRUPTED if stop.stop_signal else Status.DONE if trials else Status.ALL_FAILED
    return _answer(job, lines, data, trials, trials, output, status, front.certificate.caption)


def _known(job: Job, options: argparse.Namespace, output: Path | None) -> Answer:
    """The front of the study that `build` left."""
    location = store_location(options.source, options.store)
    known = history_named(location, job.study)
    names = ",".join(o.name for o in job.objectives)
    if known is None:
        raise TunepassError(
            f"{location} has no trials of {job.key} on {job.backend.device} for {names}",
            hint="--exact searches now; `tunepass build` keeps its trials",
        )
    lines = [f"{_head(job, len(known.pareto))}, of {len(known.trials):,} evaluated; it may not be exact"]
    data = {**_data(job, known.pareto), "certificate": None}
    status = Status.DONE if known.pareto else Status.ALL_FAILED
    return _answer(job, lines, data, known.pareto, known.trials, output, status)


def _trials(job: Job, front: Front) -> tuple[Trial, ...]:
    """The front's points as trials, numbered by their order; the default's number stays free."""
    return tuple(
        Trial(number, configuration, Measured({o.name: o.value(loss) for o, loss in zip(job.objectives, losses)}))
        for number, (configuration, losses) in enumerate(zip(front.configurations, front.values.tolist()), 1)
    )


def _head(job: Job, points: int) -> str:
    names = ", ".join(o.name for o in job.objectives)
    return f"{job.key} on {job.backend.device}: a front of {points:,} points in {names}"


def _data(job: Job, front: Sequence[Trial]) -> dict[str, Json]:
    return {
        "source": job.kernel.source.name,
        "kernel": job.kernel.name,
        "device": job.backend.device,
        "objectives": {o.name: fronts.unit_of(o, job.backend.costs()) for o in job.objectives},
        "pareto": fronts.front_data(front, job.objectives, extrapolated(job, front)),
    }


def _answer(
    job: Job,
    lines: Sequence[str],
    data: Json,
    front: Sequence[Trial],
    trials: Sequence[Trial],
    output: Path | None,
    status: Status,
    caption: str = "",
) -> Answer:
    text = [*lines]
    beyond = extrapolated(job, front)
    if front:
        text.append(fronts.front_table(front, job.objectives, beyond))
    if front and output is not None:
        csv = front_csv(front, job.objectives, beyond)
        write_text(output, _drawn(job, front, trials, caption) if output.suffix == ".svg" else csv)
        text.append(f"  wrote     {output}")
    return Answer("\n".join(text), data, status)


def _drawn(job: Job, front: Sequence[Trial], trials: Sequence[Trial], caption: str) -> str:
    picks = {pick: picked_of(pick, front, job.objectives).configuration for pick in possible(job.objectives)}
    return front_svg(trials, front, job.objectives, picks, f"{job.kernel.name} on {job.backend.device}", caption)
