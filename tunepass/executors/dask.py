"""Machines of a Dask cluster: computing goes there, evaluations stay here, where what is timed is to run.

The cluster is the one whose scheduler the environment variable TUNEPASS_DASK names (`tcp://host:8786`); each of its
workers has tunepass installed. Without it, Dask's processes on this machine.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tunepass.diagnostics import TunepassError
from tunepass.executors.base import Executor
from tunepass.executors.local import LocalExecutor
from tunepass.space.configuration import Configuration
from tunepass.spread import Spread, window
from tunepass.study.outcome import Evaluate, Evaluation

SCHEDULER = "TUNEPASS_DASK"


@dataclass(frozen=True, slots=True)
class DaskExecutor(Executor):
    """`jobs`: compilers at a time here, and processes where there is no cluster."""

    jobs: int = 1

    def evaluate(
        self, evaluator: Evaluate, configurations: Sequence[Configuration]
    ) -> Iterator[tuple[Configuration, Evaluation]]:
        return LocalExecutor(self.jobs).evaluate(evaluator, configurations)

    @contextmanager
    def workers(self) -> Iterator[Spread]:
        distributed = _distributed()
        address = os.environ.get(SCHEDULER)
        try:
            client = distributed.Client(address) if address else self._own(distributed)
        except (OSError, ValueError) as error:
            raise TunepassError(f"{SCHEDULER}: no scheduler answers at {address!r}: {error}") from None
        try:
            cores = sum(client.nthreads().values())

            def submit(work: Any, task: Any) -> _Result:
                return _Result(client, client.submit(work, task, pure=False))

            yield window(submit, max(1, cores))
        finally:
            client.close()
            if not address:
                client.cluster.close()

    def _own(self, distributed: Any) -> Any:
        cluster = distributed.LocalCluster(
            n_workers=self.jobs, threads_per_worker=1, processes=True, dashboard_address=None
        )
        return distributed.Client(cluster)


@dataclass(frozen=True, slots=True)
class _Result:
    client: Any
    future: Any

    def result(self) -> Any:
        return self.future.result()

    def cancel(self) -> None:
        if self.client.status == "running":  # else its tasks are given up already
            self.future.cancel()


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise TunepassError("Dask is not installed", hint="pip install 'tunepass[dask]'") from None
