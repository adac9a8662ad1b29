"""`tunepass build`: tune every kernel of a source, write what was chosen and what is built of it, record the choice."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from tunepass.commands.answers.build import answer
from tunepass.commands.answers.fronts import front_watch
from tunepass.commands.executors import opened_executor
from tunepass.commands.targets import check_tuner, kernel_name, search_options, source_of, target_of, words_of
from tunepass.interchange.hypermapper.foreign_tuner import SILENCE_S, foreign_tuner
from tunepass.jobs.build import BuildRequest, build, prepare_all
from tunepass.jobs.places import store_location
from tunepass.jobs.reading import parse
from tunepass.passes.search import Watch
from tunepass.reports.answer import Answer, Status
from tunepass.reports.progress import open_display
from tunepass.search.exact import WatchCertificate
from tunepass.search.options import SearchOptions

LEAST_SILENCE_S = 60.0  # of a foreign tuner in a short build: it may load its libraries


class OnStderr:
    """Running searches are shown on stderr."""

    def progress(self, title: str, opening: str) -> AbstractContextManager[Watch]:
        return open_display(sys.stderr, title, opening, terminal=sys.stderr.isatty())

    def certificates(self, title: str) -> WatchCertificate:
        return front_watch(title, sys.stderr)


def run(options: argparse.Namespace) -> Answer:
    with opened_executor(options) as executor:
        return _searched(options, replace(search_options(options), executor=executor))


def _searched(options: argparse.Namespace, search: SearchOptions) -> Answer:
    """With a strategy of tunepass, or with another tuner as the strategy."""
    if options.tuner is None:
        return _build(options, search)
    check_tuner(options)
    silence_s = min(SILENCE_S, max(LEAST_SILENCE_S, search.budget_s or SILENCE_S))
    with foreign_tuner(options.tuner, silence_s) as strategy:
        return _build(options, replace(search, strategy=strategy))


def _build(options: argparse.Namespace, search: SearchOptions) -> Answer:
    source = source_of(options)
    request = BuildRequest(
        source=options.source,
        folder=Path(options.output),
        store=store_location(options.source, options.store),
        target=target_of(options),
        options=search,
        frozen=options.frozen,
        search_on=options.search_on,
        strict=options.strict,
        waived=frozenset(options.waive),
        words=words_of(options),
    )
    parsed = parse(source, kernel_name(options), words=words_of(options))
    jobs = prepare_all(parsed.kernels, request)
    warnings = tuple(d.render() for d in (*parsed.warnings, *(w for job in jobs for w in job.space.warnings)))
    if options.frozen and (
        stale_reasons := [f"{job.key}: {reason}" for job in jobs for reason in job.stale_reasons(request.store)]
    ):
        return _stale(stale_reasons, warnings)
    built = build(jobs, request, OnStderr())
    warnings += tuple(
        f"warning: {result.job.key}: {text}" for result in built for text in result.search_result.warnings
    )
    warnings += tuple(f"note: {result.job.key}: {text}" for result in built if (text := result.job.backend.unbuilt()))
    return replace(answer(built), notes=warnings)


def _stale(reasons: Sequence[str], warnings: tuple[str, ...]) -> Answer:
    lines = ["error: the lock does not fit, and --frozen forbids searching", *(f"  {reason}" for reason in reasons)]
    lines.append("  = help: run `tunepass build` without --frozen, and commit the lock")
    return Answer("", {"stale": list(reasons)}, Status.STALE, (*warnings, "\n".join(lines)))
