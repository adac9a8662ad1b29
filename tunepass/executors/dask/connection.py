"""The connection to a Dask scheduler, or to processes of Dask's on this machine, and tasks over it.

TLS and authentication are Dask's own: its configuration files and DASK_... variables hold certificates and keys.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import logging
import queue
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

from tunepass.diagnostics import EnvironmentFault, TunepassError
from tunepass.executors.dask import worker
from tunepass.executors.dask.exchange import answer

ADDRESS = ("tcp://", "tls://", "ws://", "wss://", "ucx://")
CONNECT_S = 10.0
RESULT_S = 60.0  # to fetch the answer of a task that has ended
FETCHERS = 4  # threads that do
REPLACED_S = 5.0  # between two looks whether processes of this machine have to be started anew
LOST = "everything measured is kept, and the same command goes on"


def distributed() -> Any:
    """Dask's package. Raises TunepassError where it is not installed."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise TunepassError("Dask is not installed", hint="pip install 'tunepass[dask]'") from None


@contextmanager
def connected(scheduler: str | None, processes: int) -> Iterator[Any]:
    """A client of the scheduler, or of so many processes on this machine. Raises TunepassError for an address that is
    none, EnvironmentFault where no scheduler answers."""
    dask = distributed()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # lost workers are told of by the session
    if scheduler is None:
        with _local_cluster(dask, processes) as cluster, _closing(dask.Client(cluster)) as client:
            yield client
        return
    if not scheduler.startswith(ADDRESS):
        raise TunepassError(
            f"a scheduler's address is tcp://HOST:PORT or tls://HOST:PORT, got {scheduler!r}",
            hint="`dask scheduler` prints its address",
        )
    try:
        client = dask.Client(scheduler, timeout=CONNECT_S)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise EnvironmentFault(
            f"no Dask scheduler answers at {scheduler}: {reason}",
            hint="docs/dask.md says how Dask finds certificates"
            if scheduler.startswith("tls://")
            else "start it with `dask scheduler`, or leave --scheduler out for processes on this machine",
        ) from None
    with _closing(client):
        yield client


@contextmanager
def _local_cluster(dask: Any, processes: int) -> Iterator[Any]:
    importlib.import_module("dask").config.set({"distributed.deploy.lost-worker-timeout": "2s"})
    cluster = dask.LocalCluster(
        n_workers=processes,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def _closing(client: Any) -> Iterator[Any]:
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):  # of a scheduler that is gone
            client.close(timeout=2)


class DaskTransport:
    """Tasks over a Dask client, each pinned to one worker. See session.Transport."""

    def __init__(self, client: Any):
        self.client = client
        self._tickets = itertools.count(1)
        self._futures: dict[int, Any] = {}
        self._answers: queue.SimpleQueue[tuple[int, str | None]] = queue.SimpleQueue()
        self._fetching = ThreadPoolExecutor(FETCHERS, thread_name_prefix="dask-answers")
        self._replaced_at = time.monotonic()

    def addresses(self) -> Collection[str]:
        self._check_connected()
        try:
            present = set(self.client.nthreads())
        except Exception as error:
            raise self._connection_lost(error) from None
        self._replace_lost(len(present))
        return present

    def _replace_lost(self, present: int) -> None:
        """Start processes of this machine anew whose nanny gave up: it does so if one dies while it starts."""
        cluster = self.client.cluster
        if cluster is None or time.monotonic() - self._replaced_at < REPLACED_S:
            return
        self._replaced_at = time.monotonic()
        if present < len(cluster.worker_spec):
            cluster.scale(len(cluster.worker_spec))

    def submit(self, address: str, function: str, *arguments: object) -> int:
        self._check_connected()
        ticket = next(self._tickets)
        try:
            future = self.client.submit(
                getattr(worker, function),
                *arguments,
                key=f"tunepass-{function}-{id(self):x}-{time.time_ns():x}-{ticket}",
                workers=[address],
                allow_other_workers=False,
                pure=False,
            )
        except Exception as error:
            raise self._connection_lost(error) from None
        self._futures[ticket] = future
        future.add_done_callback(partial(self._done, ticket))
        return ticket

    def _done(self, ticket: int, future: Any) -> None:
        """Fetch the answer in a thread of its own: where its worker died just now, that takes long."""
        with contextlib.suppress(RuntimeError):  # the transport was closed
            self._fetching.submit(lambda: self._answers.put((ticket, _text_of(future))))

    def close(self) -> None:
        self._fetching.shutdown(wait=False, cancel_futures=True)

    def cancel(self, ticket: int) -> None:
        future = self._futures.pop(ticket, None)
        if future is not None and self.client.status == "running":
            with contextlib.suppress(Exception):
                future.cancel(force=True)

    def wait(self, seconds: float) -> list[tuple[int, str | None]]:
        answers = []
        with contextlib.suppress(queue.Empty):
            answers.append(self._answers.get(timeout=seconds))
            while True:
                answers.append(self._answers.get_nowait())
        self._check_connected()
        for ticket, _ in answers:
            self._futures.pop(ticket, None)
        return answers

    def restart(self, address: str) -> None:
        with contextlib.suppress(Exception):  # it has no nanny, or is gone
            self.client.restart_workers([address], timeout=1, raise_for_error=False)

    def _check_connected(self) -> None:
        if self.client.status != "running":
            raise self._connection_lost(None)

    def _connection_lost(self, error: Exception | None) -> EnvironmentFault:
        scheduler = self.client.scheduler
        address = getattr(scheduler, "address", None) or "its address"
        reason = f": {(str(error).splitlines() or [type(error).__name__])[0]}" if error is not None else ""
        return EnvironmentFault(f"the Dask scheduler at {address} no longer answers{reason}", hint=LOST)


def _text_of(future: Any) -> str | None:
    """The answer of a task that has ended; None where it was lost. What Dask raises of a worker without tunepass, or
    with another version of it, is an answer."""
    if future.status == "cancelled" or future.status == "lost":
        return None
    try:
        text = future.result(timeout=RESULT_S)
    except (ImportError, AttributeError, TypeError) as error:
        return answer(partial(_raise_uninstalled, error))
    except Exception:
        return None
    return text if isinstance(text, str) else answer(partial(_raise_uninstalled, TypeError(type(text).__name__)))


def _raise_uninstalled(error: Exception) -> None:
    raise TunepassError(
        f"this process has no tunepass, or another version: {(str(error).splitlines() or [type(error).__name__])[0]}",
        hint="install the same version of tunepass where the workers run as here",
    )
