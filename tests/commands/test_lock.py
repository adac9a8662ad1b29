"""`tunepass lock sign|verify`, with ssh-keygen and with a stand-in for minisign."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tunepass import cli
from tunepass.space.configuration import Configuration
from tunepass.study.identity import Identity
from tunepass.study.ledger import Ledger, ran
from tunepass.study.lock.lock import Entry, Lock, LockedObjective

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
LEDGER = Ledger(ran("outputs"))


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    objective = LockedObjective(name="time", default=2.0, chosen=1.0, gain=2.0, interval=None, evaluations=40)
    identity = Identity(source="s", space="p", compiler="gcc 12", flags=("-O2",), device="AMD EPYC")
    path = tmp_path / "tunepass.lock"
    Lock().with_entry("a.c::f", Entry(Configuration({"A": 1}), objective, identity, {}, LEDGER)).write(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("TUNEPASS_SIGNERS", raising=False)
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    (tmp_path / "signers").write_text(f"alice@example.org {path.with_suffix('.pub').read_text()}")
    return path


@needs_ssh_keygen
def test_a_signed_lock_is_verified_with_what_its_signer_vouches_for(
    lock: Path, key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["lock", "sign", "--key", str(key), "."]) == 0
    assert capsys.readouterr().out.startswith("wrote ") and (lock.parent / "tunepass.lock.sig").is_file()
    assert cli.main(["lock", "verify", "--signers", "signers", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["good"] and data["signer"] == "alice@example.org" and data["key"].startswith("ED25519 key SHA256:")
    assert data["kernels"]["a.c::f"] == {
        "ledger": f"{LEDGER.digest}, 0 could not run",
        "compiler": "gcc 12 -O2",
        "machine": "AMD EPYC",
        "trials": "40",
    }
    assert cli.main(["lock", "verify", "--signers", "signers", "--signer", "alice@example.org"]) == 0
    assert "signed by alice@example.org" in capsys.readouterr().out
    assert cli.main(["lock", "verify", "--signers", "signers", "--signer", "bob@example.org"]) == 1


@needs_ssh_keygen
def test_a_changed_lock_and_another_signer_are_told(
    lock: Path, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["lock", "verify", "--signers", "signers"]) == 1
    assert "no signature" in capsys.readouterr().err
    assert cli.main(["lock", "sign", "--key", str(key)]) == 0
    text = lock.read_text()
    lock.write_text(text.replace("A: 1", "A: 2"))
    assert cli.main(["lock", "verify", "--signers", "signers"]) == 1
    assert "its signature is not good" in capsys.readouterr().err
    lock.write_text(text)
    other = tmp_path / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(other)], check=True)
    (tmp_path / "signers").write_text(f"alice@example.org {other.with_suffix('.pub').read_text()}")
    assert cli.main(["lock", "verify", "--signers", "signers"]) == 1
    assert "does not name who signed it" in capsys.readouterr().err


def test_what_is_missing_is_told(lock: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (["sign"], "there is no key to sign with"),
        (["sign", "--key", "none"], "cannot read the key"),
        (["sign", "other.lock"], "there is no"),
    ):
        assert cli.main(["lock", *words]) == 2
        assert message in capsys.readouterr().err
    (tmp_path / "tunepass.lock.sig").write_text("a signature")
    assert cli.main(["lock", "verify", "--signers", "none"]) == 2
    assert "no file none of allowed signers" in capsys.readouterr().err


MINISIGN = """#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in -S|-V) action=$1;; -m) message=$2; shift;; -x) signature=$2; shift;; -s|-p) shift;; esac; shift
done
if [ "$action" = -S ]; then cksum < "$message" > "$signature"; else cksum < "$message" | cmp -s - "$signature"; fi
"""


def test_keys_of_minisign_are_used_with_it(
    lock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mini.key").write_text("untrusted comment: minisign encrypted secret key\nx\n")
    (tmp_path / "mini.pub").write_text("untrusted comment: minisign public key\nx\n")
    monkeypatch.setattr("tunepass.jobs.locks.signing.which", lambda name: None)
    assert cli.main(["lock", "sign", "--key", "mini.key"]) == 2
    assert "there is no minisign" in capsys.readouterr().err
    script = tmp_path / "minisign"
    script.write_text(MINISIGN)
    script.chmod(0o755)
    monkeypatch.setattr("tunepass.jobs.locks.signing.which", lambda name: str(script) if name == "minisign" else None)
    assert cli.main(["lock", "sign", "--key", "mini.key"]) == 0
    assert cli.main(["lock", "verify", "--signers", "mini.pub"]) == 0
    assert "signed by mini.pub" in capsys.readouterr().out
    lock.write_text(lock.read_text().replace("A: 1", "A: 2"))
    assert cli.main(["lock", "verify", "--signers", "mini.pub"]) == 1
