from __future__ import annotations

import json

import pytest

from tunepass.cli import main
from tunepass.commands.doctor import version


def test_doctor_lists_what_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "native module" in out and "everything needed is here" in out


def test_doctor_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ready"] and {f["name"] for f in data["findings"]} >= {"python", "native module", "cc", "numpy"}
    assert {f["state"] for f in data["findings"]} <= {"ok", "absent"}


def test_without_a_compiler_something_needed_is_missing(monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["doctor"]) == 2
    out = capsys.readouterr().out
    assert "MISSING  cc" in out and "to get cc: apt install gcc" in out


def test_a_command_that_does_not_work_has_no_version(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    broken = tmp_path / "gcc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert version("gcc") == "" and version("nothing") == ""
