"""Computing over Dask's processes on this machine, where Dask is installed."""

from __future__ import annotations

import sys

import pytest

from tunepass import registry
from tunepass.diagnostics import TunepassError
from tunepass.executors.dask import SCHEDULER, DaskExecutor
from tunepass.testing.executor import ExecutorContract


class TestDaskExecutor(ExecutorContract):
    @pytest.fixture
    def executor(self) -> DaskExecutor:
        pytest.importorskip("distributed")
        return DaskExecutor(jobs=2)


def test_a_scheduler_that_is_there_already_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        monkeypatch.setenv(SCHEDULER, cluster.scheduler_address)
        with DaskExecutor().workers() as spread:
            assert list(spread(len, [(1, 2), ()])) == [2, 0]
        assert cluster.status.name == "running"


def test_without_dask_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TunepassError, match="Dask is not installed"), registry.find("executors", "dask")(2).workers():  # type: ignore[attr-defined]
        pass
