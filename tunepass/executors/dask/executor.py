"""Processes of a Dask cluster: evaluations and computing go there, the study and its store stay here.

The cluster is the one of a scheduler, which `--scheduler` or the environment variable TUNEPASS_DASK names
(`tcp://host:8786`); each of its workers has tunepass installed. Without it, Dask's processes on this machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from tunepass.evaluators.elsewhere import EvaluatorSource, MeasuresElsewhere
from tunepass.executors.base import Executor
from tunepass.executors.dask.connection import check_workers, cluster_faults, connected, wait_for_result
from tunepass.executors.dask.evaluator import remote_evaluator
from tunepass.executors.dask.session import Limits, Session
from tunepass.executors.dask.transport import DaskTransport
from tunepass.executors.local import LocalExecutor
from tunepass.space.configuration import Configuration
from tunepass.spread import Spread, window
from tunepass.study.outcome import Evaluate, Evaluation
from tunepass.version import __version__

SCHEDULER = "TUNEPASS_DASK"


@dataclass(slots=True)
class DaskExecutor(Executor, MeasuresElsewhere):
    """Evaluations of kernels in the processes of a cluster, from `open` to `close`.

    Evaluators of a program's own, which no text describes, run here as those of LocalExecutor.

    Args:
        jobs: compilers at a time here, and processes where there is no cluster.
        scheduler: the address of a scheduler; None: that of TUNEPASS_DASK; empty, or where that is not set: processes
            on this machine.
        machine: of a cluster of several kinds of machines, a part of the host's name, the processor or the compiler of
            those to use.
        limits: when a worker counts as hung, and a configuration as fatal.
    """

    jobs: int = 1
    scheduler: str | None = None
    machine: str = ""
    limits: Limits = field(default_factory=Limits)
    _stack: ExitStack = field(default_factory=ExitStack)
    _client: Any = None
    _sessions: dict[str, Session] = field(default_factory=dict)

    def evaluate(
        self, evaluator: Evaluate, configurations: Sequence[Configuration]
    ) -> Iterator[tuple[Configuration, Evaluation]]:
        return LocalExecutor(self.jobs).evaluate(evaluator, configurations)

    @contextmanager
    def workers(self) -> Iterator[Spread]:
        with nullcontext(self._client) if self._client is not None else connected(self._address, self.jobs) as client:
            check_workers(client, __version__)
            cores = sum(client.nthreads().values())

            def submit(work: Any, task: Any) -> _Result:
                return _Result(client, client.submit(work, task, pure=False))

            yield window(submit, max(1, cores))

    # -- evaluations elsewhere

    def identity(self, source: EvaluatorSource) -> Mapping[str, str]:
        """See MeasuresElsewhere. Connects, if need be, and has all workers make the evaluator."""
        return self._session(source).identity

    def device(self, source: EvaluatorSource) -> str:
        """See MeasuresElsewhere."""
        return self._session(source).description

    @contextmanager
    def evaluator(self, source: EvaluatorSource) -> Iterator[Evaluate]:
        """See MeasuresElsewhere."""
        session = self._session(source)
        try:
            yield remote_evaluator(session)
        finally:
            self._sessions.pop(source.digest, None)
            session.close()

    def processes(self) -> list[int]:
        """Ids of the workers' processes that have made an evaluator, on their hosts."""
        workers = [worker for session in self._sessions.values() for worker in list(session.workers.values())]
        return [worker.machine.pid for worker in workers if worker.machine is not None]

    def close(self) -> None:
        """Leave the cluster; processes on this machine end."""
        self._sessions.clear()
        self._client = None
        self._stack.close()

    def __enter__(self) -> DaskExecutor:
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    @property
    def _address(self) -> str | None:
        return (os.environ.get(SCHEDULER) if self.scheduler is None else self.scheduler) or None

    def _session(self, source: EvaluatorSource) -> Session:
        if source.digest not in self._sessions:
            if self._client is None:
                self._client = self._stack.enter_context(connected(self._address, self.jobs))
            transport = DaskTransport(self._client)
            session = Session(transport, source, version=__version__, machine=self.machine, limits=self.limits)
            session.start()
            self._sessions[source.digest] = session
        return self._sessions[source.digest]


@dataclass(frozen=True, slots=True)
class _Result:
    client: Any
    future: Any

    def result(self) -> Any:
        """Result of the task. Raises the task's error, or EnvironmentFault where the cluster or its workers died."""
        with cluster_faults(self.client):
            return wait_for_result(self.client, self.future)

    def cancel(self) -> None:
        if self.client.status == "running":  # else its tasks are given up already
            self.future.cancel()
