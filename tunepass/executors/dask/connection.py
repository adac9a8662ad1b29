"""The connection to a Dask scheduler, or to processes of Dask's on this machine, and what may be wrong with it.

TLS and authentication are Dask's own: its configuration files and DASK_... variables hold certificates and keys.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

from tunepass.diagnostics import EnvironmentFault, TunepassError
from tunepass.executors.dask import worker
from tunepass.executors.dask.exchange import RemoteError, answer, read_answer
from tunepass.executors.dask.machines import other_version, version_of

ADDRESS = re.compile(r"(?:tcp|tls|ws|wss|ucx)://(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+):(\d{1,5})(?:/\S*)?")
EXCERPT = 100  # characters of what is no address
CONNECT_S = 10.0
GREETING_S = 5.0  # for the first messages
WORKERS_S = 60.0  # until a cluster has its first worker, or has one again
LOOK_S = 5.0  # between two looks whether workers are there
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
    _check_address(scheduler)
    if scheduler.startswith("tls://"):
        _check_certificates(dask, scheduler)
    try:
        with ThreadPoolExecutor(1) as thread:  # the caller may have an event loop of its own
            thread.submit(asyncio.run, _greet(dask, scheduler)).result()
        client = dask.Client(scheduler, timeout=CONNECT_S)
    except Exception as error:  # also MemoryError: Dask takes any bytes for lengths
        raise EnvironmentFault(
            f"no Dask scheduler answers at {scheduler}: {_first_line(error)}",
            hint="docs/dask.md says how Dask finds certificates"
            if scheduler.startswith("tls://")
            else "start it with `dask scheduler`, or leave --scheduler out for processes on this machine",
        ) from None
    with _closing(client):
        yield client


def _check_address(scheduler: str) -> None:
    match = ADDRESS.fullmatch(scheduler)
    if match is None or not 0 < int(match[1]) < 1 << 16:
        excerpt = scheduler if len(scheduler) <= EXCERPT else f"{scheduler[:EXCERPT]}..."
        raise TunepassError(
            f"a scheduler's address is tcp://HOST:PORT or tls://HOST:PORT, got {excerpt!r}",
            hint="`dask scheduler` prints its address",
        )


async def _greet(dask: Any, scheduler: str) -> None:
    """Exchange Dask's first messages. Dask itself waits for ever where another program listens and does not answer."""
    arguments = dask.Security().get_connection_args("client")
    connecting = importlib.import_module("distributed.comm").connect(scheduler, timeout=CONNECT_S, **arguments)
    try:
        (await asyncio.wait_for(connecting, CONNECT_S + GREETING_S)).abort()
    except (TimeoutError, asyncio.TimeoutError):
        raise OSError(f"a program listens there, and does not answer as one within {GREETING_S:g} s") from None


def _check_certificates(dask: Any, scheduler: str) -> None:
    """Raises TunepassError where Dask's settings name no certificate for this client, or none that can be used."""
    hint = "docs/dask.md has a file of settings for certificates"
    get = importlib.import_module("dask").config.get
    for name in ("ca-file", "client.cert", "client.key"):
        setting = f"distributed.comm.tls.{name}"
        value = get(setting, None)
        if value is None and name != "client.key":  # the certificate's file may have the key
            raise TunepassError(f"{scheduler} needs certificates, and {setting} is not set", hint=hint)
        if isinstance(value, str) and "\n" not in value and not os.path.isfile(value):  # else the text itself
            raise TunepassError(f"{setting}: no such file, {value}", hint=hint)
    try:
        dask.Security().get_connection_args("client")
    except (OSError, ValueError) as error:  # an error of ssl is one of these
        raise TunepassError(
            f"a certificate that Dask's settings name cannot be used: {_first_line(error)}", hint=hint
        ) from None


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


def check_workers(client: Any, version: str) -> None:
    """Raises TunepassError for a worker with another version of tunepass, or none; EnvironmentFault where no worker
    is there."""
    with cluster_faults(client):
        try:
            client.wait_for_workers(1, timeout=WORKERS_S)
        except (TimeoutError, asyncio.TimeoutError):
            raise EnvironmentFault(
                f"the Dask scheduler at {_address(client)} has no worker", hint="start some: `dask worker ADDRESS`"
            ) from None
        answers = client.run(worker.version, on_error="return")
    for address, text in sorted(answers.items()):
        value = read_answer(uninstalled(text) if isinstance(text, Exception) else text)
        if isinstance(value, RemoteError):
            raise value.as_error(address)
        theirs, host = version_of(value)
        if theirs != version:
            raise other_version(address, host, theirs, version)


def wait_for_result(client: Any, future: Any) -> Any:
    """The result of a task. Raises EnvironmentFault where the cluster has no worker any more for a minute; processes
    of this machine are started anew."""
    empty_since: float | None = None
    while True:
        try:
            return future.result(timeout=LOOK_S)
        except (TimeoutError, asyncio.TimeoutError):
            if future.done():  # the error is the task's
                raise
        present = len(client.nthreads())
        if client.cluster is not None and present < len(client.cluster.worker_spec):
            client.cluster.scale(len(client.cluster.worker_spec))
        now = time.monotonic()
        empty_since = None if present else now if empty_since is None else empty_since
        if empty_since is not None and now - empty_since >= WORKERS_S:
            raise EnvironmentFault("no worker of the cluster is left", hint="start some: `dask worker ADDRESS`")


@contextmanager
def cluster_faults(client: Any) -> Iterator[None]:
    """Raises EnvironmentFault in place of Dask's errors for a scheduler that is gone, or workers that die in a task."""
    killed = distributed().scheduler.KilledWorker
    try:
        yield
    except TunepassError:
        raise
    except killed as error:
        raise EnvironmentFault(f"workers of the cluster died: {_first_line(error)}") from None
    except Exception as error:
        if client.status == "running":
            raise
        raise connection_lost(client, error) from None


def connection_lost(client: Any, error: Exception | None) -> EnvironmentFault:
    reason = f": {_first_line(error)}" if error is not None else ""
    return EnvironmentFault(f"the Dask scheduler at {_address(client)} no longer answers{reason}", hint=LOST)


def _address(client: Any) -> str:
    return getattr(client.scheduler, "address", None) or "its address"


def uninstalled(error: Exception) -> str:
    return answer(partial(_raise_uninstalled, error))


def _raise_uninstalled(error: Exception) -> None:
    raise TunepassError(
        f"this process has no tunepass, or another version: {_first_line(error)}",
        hint="install the same version of tunepass where the workers run as here",
    )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
