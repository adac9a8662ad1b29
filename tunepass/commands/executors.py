"""`--executor`, `--scheduler`, `--workers` and `--machine`: where a command's evaluations run."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager

from tunepass.diagnostics import TunepassError
from tunepass.executors.base import Executor

OF_CLUSTERS = ("scheduler", "workers", "machine")


@contextmanager
def opened_executor(options: argparse.Namespace) -> Iterator[str | Executor]:
    """The executor of the command line, its cluster open; the name of one that needs none."""
    if options.executor != "dask":
        for name in OF_CLUSTERS:
            if getattr(options, name) is not None:
                raise TunepassError(f"--{name} is about a cluster; add --executor dask")
        yield options.executor
        return
    if options.scheduler is not None and options.workers is not None:
        raise TunepassError("--workers N starts processes here, --scheduler has its own; give one of them")
    from tunepass.executors.dask.executor import DaskExecutor

    scheduler = "" if options.workers is not None else options.scheduler
    jobs = options.workers or len(os.sched_getaffinity(0))
    with DaskExecutor(jobs, scheduler, options.machine or "") as executor:
        yield executor
