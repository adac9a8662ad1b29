"""`--executor`, `--scheduler`, `--workers` and `--machine`: where a command's evaluations run."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager

from tunepass.diagnostics import TunepassError
from tunepass.executors.base import Executor, executor

OF_CLUSTERS = ("scheduler", "workers", "machine")


@contextmanager
def opened_cluster(options: argparse.Namespace, jobs: int | None = None) -> Iterator[Executor | None]:
    """The executor of a command that computes, its cluster open; None where this process does it alone.

    Args:
        options: those of the command line.
        jobs: processes on this machine where no cluster is named; None: one for each core.
    """
    with opened_executor(options, jobs) as chosen:
        yield None if chosen == "local" else executor(chosen, jobs or 1)


@contextmanager
def opened_executor(options: argparse.Namespace, jobs: int | None = None) -> Iterator[str | Executor]:
    """The executor of the command line, its cluster open; the name of one that needs none."""
    if options.executor != "dask":
        for name in OF_CLUSTERS:
            if getattr(options, name, None) is not None:
                raise TunepassError(f"--{name} is about a cluster; add --executor dask")
        yield options.executor
        return
    if options.scheduler is not None and options.workers is not None:
        raise TunepassError("--workers N starts processes here, --scheduler has its own; give one of them")
    if options.scheduler is not None and not options.scheduler.strip():
        raise TunepassError("--scheduler has no address", hint="leave it out for processes on this machine")
    from tunepass.executors.dask.executor import DaskExecutor

    scheduler = "" if options.workers is not None else options.scheduler
    processes = options.workers or jobs or len(os.sched_getaffinity(0))
    with DaskExecutor(processes, scheduler, getattr(options, "machine", None) or "") as opened:
        yield opened
