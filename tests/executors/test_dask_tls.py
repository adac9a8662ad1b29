"""A scheduler with TLS takes our client with a certificate of its authority, and none without."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.executors.made_from_text import source_of, value_of
from tunepass.diagnostics import EnvironmentFault, TunepassError
from tunepass.executors.dask import connection
from tunepass.executors.dask.executor import DaskExecutor
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured

CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")


@dataclass(frozen=True)
class Authority:
    """A self-signed authority, and a certificate that it signed."""

    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self._openssl("req", "-x509", *CURVE, "-subj", "/CN=authority", "-keyout", "ca-key.pem", "-out", "ca.pem")
        self._openssl("req", *CURVE[:-2], "-subj", "/CN=node", "-keyout", "node-key.pem", "-out", "node.csr")
        signed = ("-CA", "ca.pem", "-CAkey", "ca-key.pem", "-set_serial", "1", "-days", "2")
        self._openssl("x509", "-req", "-in", "node.csr", *signed, "-out", "node.pem")

    def _openssl(self, *words: str) -> None:
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

    def settings(self, *roles: str) -> dict[str, object]:
        """As docs/dask.md has them in Dask's file, of these roles (all)."""
        tls = "distributed.comm.tls"
        settings: dict[str, object] = {
            "distributed.comm.require-encryption": True,
            f"{tls}.ca-file": str(self.folder / "ca.pem"),
        }
        for role in roles or ("scheduler", "worker", "client"):
            settings[f"{tls}.{role}.cert"] = str(self.folder / "node.pem")
            settings[f"{tls}.{role}.key"] = str(self.folder / "node-key.pem")
        return settings


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: no certificate can be made")
    return Authority(tmp_path_factory.mktemp("tls") / "ours")


@pytest.fixture(scope="module")
def scheduler(authority: Authority) -> Iterator[str]:
    """The address of a scheduler with TLS and one worker, a thread here; the settings are theirs alone."""
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with dask.config.set(authority.settings()):
        security = distributed.Security()
        options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
        cluster = distributed.LocalCluster(n_workers=1, processes=False, protocol="tls", security=security, **options)
    with cluster:
        assert cluster.scheduler_address.startswith("tls://")
        yield cluster.scheduler_address


def test_a_client_with_a_certificate_evaluates(
    scheduler: str, authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import dask

    monkeypatch.chdir(tmp_path)  # the worker changes the folder, and is of this process
    with (
        dask.config.set(authority.settings("client")),
        DaskExecutor(1, scheduler) as executor,
        executor.evaluator(source_of()) as evaluate,
    ):
        assert evaluate(Configuration({"x": 5})).outcome == Measured({"time": value_of(5)})


def refusal(scheduler: str, monkeypatch: pytest.MonkeyPatch, settings: dict[str, object]) -> TunepassError:
    """The one error of a client with these settings."""
    import dask

    monkeypatch.setattr(connection, "CONNECT_S", 2.0)
    with (
        dask.config.set(settings),
        DaskExecutor(1, scheduler) as executor,
        pytest.raises(TunepassError) as raised,
    ):
        executor.identity(source_of())
    assert len(raised.value.diagnostics) == 1
    return raised.value


def test_a_client_without_a_certificate_is_refused(
    scheduler: str, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = refusal(scheduler, monkeypatch, {})
    assert f"{scheduler} needs certificates, and distributed.comm.tls.ca-file is not set" in str(error)
    assert error.exit_status == 2 and "docs/dask.md" in str(error)
    settings = {**authority.settings("client"), "distributed.comm.tls.client.cert": None}
    assert "distributed.comm.tls.client.cert is not set" in str(refusal(scheduler, monkeypatch, settings))
    settings = {**authority.settings("client"), "distributed.comm.tls.client.key": "no/such.pem"}
    assert "distributed.comm.tls.client.key: no such file, no/such.pem" in str(
        refusal(scheduler, monkeypatch, settings)
    )


def test_a_certificate_of_another_authority_is_refused(
    scheduler: str, authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = Authority(tmp_path / "theirs")
    error = refusal(scheduler, monkeypatch, other.settings("client"))
    assert isinstance(error, EnvironmentFault) and f"no Dask scheduler answers at {scheduler}: " in str(error)
    assert "ertificate" in str(error).splitlines()[0], "the client knows no authority of the scheduler's certificate"
    theirs = {**other.settings("client"), "distributed.comm.tls.ca-file": str(authority.folder / "ca.pem")}
    error = refusal(scheduler, monkeypatch, theirs)  # the scheduler knows no authority of the client's certificate
    assert isinstance(error, EnvironmentFault) and f"no Dask scheduler answers at {scheduler}: " in str(error)


def test_a_file_that_is_no_certificate_is_told(
    scheduler: str, authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    settings = {**authority.settings("client"), "distributed.comm.tls.ca-file": str(tmp_path / "ca.pem")}
    error = refusal(scheduler, monkeypatch, settings)
    assert "a certificate that Dask's settings name cannot be used" in str(error) and error.exit_status == 2


def test_plain_tcp_to_a_scheduler_with_tls_is_refused(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = scheduler.replace("tls://", "tcp://")
    assert "no Dask scheduler answers at tcp:" in str(refusal(plain, monkeypatch, {}))
