"""Tasks over a connection to a Dask scheduler, and their answers."""

from __future__ import annotations

import contextlib
import itertools
import queue
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from tunepass.executors.dask import worker
from tunepass.executors.dask.connection import connection_lost, uninstalled

RESULT_S = 60.0  # to fetch the answer of a task that has ended
FETCHERS = 4  # threads that do
REPLACED_S = 5.0  # between two looks whether processes of this machine have to be started anew


class DaskTransport:
    """Tasks over a Dask client, each pinned to one worker. See session.Transport."""

    def __init__(self, client: Any, clock: Callable[[], float] = time.monotonic):
        self.client, self.clock = client, clock
        self._tickets = itertools.count(1)
        self._futures: dict[int, Any] = {}
        self._answers: queue.SimpleQueue[tuple[int, str | None]] = queue.SimpleQueue()
        self._fetching = ThreadPoolExecutor(FETCHERS, thread_name_prefix="dask-answers")
        self._replaced_at = clock()

    def addresses(self) -> Collection[str]:
        self._check_connected()
        try:
            present = set(self.client.nthreads())
        except Exception as error:
            raise connection_lost(self.client, error) from None
        self._replace_lost(len(present))
        return present

    def _replace_lost(self, present: int) -> None:
        """Start processes of this machine anew whose nanny gave up: it does so if one dies while it starts."""
        cluster = self.client.cluster
        if cluster is None or self.clock() - self._replaced_at < REPLACED_S:
            return
        self._replaced_at = self.clock()
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
            raise connection_lost(self.client, error) from None
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
            raise connection_lost(self.client, None)


def _text_of(future: Any) -> str | None:
    """The answer of a task that has ended; None where it was lost. What Dask raises of a worker without tunepass, or
    with another version of it, is an answer."""
    if future.status == "cancelled" or future.status == "lost":
        return None
    try:
        text = future.result(timeout=RESULT_S)
    except (ImportError, AttributeError, TypeError) as error:
        return uninstalled(error)
    except Exception:
        return None
    return text if isinstance(text, str) else uninstalled(TypeError(type(text).__name__))
