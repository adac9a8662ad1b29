"""Processes of this machine that Dask's nannies gave up are started anew; those of a cluster elsewhere are not."""

from __future__ import annotations

import logging
import time

import pytest

from tunepass.diagnostics import EnvironmentFault
from tunepass.executors.dask import connection
from tunepass.executors.dask.connection import connected, wait_for_result
from tunepass.executors.dask.transport import REPLACED_S, DaskTransport
from tunepass.executors.dask.worker import version


class Cluster:
    """As Dask's LocalCluster: so many workers are wanted, and `scale` starts those that are missing."""

    def __init__(self, wanted: int):
        self.worker_spec = {place: object() for place in range(wanted)}
        self.present = {f"tcp://h:{place}" for place in range(wanted)}
        self.started = wanted
        self.scaled: list[int] = []

    def scale(self, count: int) -> None:
        self.scaled.append(count)
        while len(self.present) < count:
            self.present.add(f"tcp://h:{self.started}")
            self.started += 1


class Client:
    """As Dask's Client, connected to a cluster of this process or (None) to a scheduler elsewhere."""

    status = "running"
    scheduler = None

    def __init__(self, cluster: Cluster | None, present: set[str] | None = None):
        self.cluster, self.present = cluster, cluster.present if cluster is not None else present or set()

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(self.present, 1)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_process_that_is_missing_for_a_while_is_started_anew(clock: Clock) -> None:
    cluster = Cluster(3)
    transport = DaskTransport(Client(cluster), clock)
    cluster.present.remove("tcp://h:1")
    clock.now = REPLACED_S - 0.1
    assert len(transport.addresses()) == 2 and cluster.scaled == [], "its nanny may start it yet"
    clock.now = REPLACED_S
    transport.addresses()
    assert cluster.scaled == [3] and transport.addresses() == {"tcp://h:0", "tcp://h:2", "tcp://h:3"}
    transport.close()


def test_a_cluster_is_asked_once_in_a_while_and_again_while_processes_are_missing(clock: Clock) -> None:
    cluster = Cluster(2)
    cluster.scale = cluster.scaled.append  # type: ignore[method-assign]  # it starts none
    transport = DaskTransport(Client(cluster), clock)
    cluster.present.clear()
    for tenth in range(round(30 * REPLACED_S)):  # three times as long
        clock.now = tenth / 10
        transport.addresses()
    assert cluster.scaled == [2, 2]
    transport.close()


def test_all_processes_present_need_nothing_and_more_of_them_neither(clock: Clock) -> None:
    cluster = Cluster(2)
    transport = DaskTransport(Client(cluster), clock)
    cluster.present.add("tcp://h:9")
    for clock.now in (REPLACED_S, 3 * REPLACED_S):
        assert len(transport.addresses()) == 3
    assert cluster.scaled == []
    transport.close()


def test_a_scheduler_elsewhere_has_its_own_way_to_replace_workers(clock: Clock) -> None:
    transport = DaskTransport(Client(None, {"tcp://h:1"}), clock)
    clock.now = 10 * REPLACED_S
    assert transport.addresses() == {"tcp://h:1"}
    transport.close()


def test_a_connection_that_is_closed_replaces_nothing(clock: Clock) -> None:
    cluster = Cluster(2)
    client = Client(cluster)
    transport = DaskTransport(client, clock)
    cluster.present.clear()
    client.status, clock.now = "closed", REPLACED_S
    with pytest.raises(EnvironmentFault, match="no longer answers"):
        transport.addresses()
    assert cluster.scaled == []
    transport.close()


class Future:
    """Of a task that ends after so many looks; never where that is None."""

    def __init__(self, looks: int | None):
        self.looks = looks

    def result(self, timeout: float) -> str:
        if self.looks is None or self.looks > 0:
            self.looks = None if self.looks is None else self.looks - 1
            raise TimeoutError
        return "done"

    def done(self) -> bool:
        return False


def test_a_task_waits_for_processes_that_are_started_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(2)
    cluster.present.remove("tcp://h:0")
    assert wait_for_result(Client(cluster), Future(3)) == "done" and cluster.scaled == [2]
    monkeypatch.setattr(connection, "WORKERS_S", 0.0)
    with pytest.raises(EnvironmentFault, match="no worker of the cluster is left"):
        wait_for_result(Client(None), Future(None))


def test_a_timeout_of_the_task_itself_is_its_error() -> None:
    future = Future(None)
    future.done = lambda: True  # type: ignore[method-assign]
    with pytest.raises(TimeoutError):
        wait_for_result(Client(Cluster(1)), future)


@pytest.mark.slow
def test_dask_starts_a_process_whose_nanny_is_gone() -> None:
    pytest.importorskip("distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with connected(None, 2) as client:
        clock = Clock()
        transport = DaskTransport(client, clock)
        first = set(transport.addresses())
        nanny = next(iter(client.cluster.workers.values()))
        lost = nanny.worker_address
        client.sync(nanny.close)
        for _ in range(600):
            clock.now += REPLACED_S
            present = set(transport.addresses())
            if lost not in present and len(present) == 2:
                break
            time.sleep(0.1)
        assert len(present) == 2 and lost not in present and present != first
        (address,) = present - first
        transport.submit(address, version.__name__)
        ((_, text),) = next(filter(None, (transport.wait(0.2) for _ in range(300))))
        assert text is not None and '"version"' in text
        transport.close()
