"""This machine is measured in a few seconds, and its device is kept outside the sources."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tunepass.cli import main
from tunepass.evaluators.process.cores import processor_name
from tunepass.hwmodels.cpu.device import read
from tunepass.hwmodels.cpu.host import cache_file, host

needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@needs_cc
def test_the_host(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNEPASS_CACHE", str(tmp_path / "cache"))
    assert main(["characterize", "--device", "host", "--format", "json"]) == 0
    path = Path(json.loads(capsys.readouterr().out)["path"])
    assert path == cache_file(processor_name()) and path.parent == tmp_path / "cache"
    device = host(processor_name())
    assert device.name == "host" and device == read(path.read_text(), "again")
    sizes = [level.size_byte for level in device.levels]
    assert sizes == sorted(sizes) and sizes[0] >= 8192
    assert device.core.operation_ns < device.core.chain_ns < device.core.division_ns * 10
    assert sum(level.scattered_ns for level in device.levels) > device.core.load_ns  # memory is slower than a load


@needs_cc
@pytest.mark.slow
def test_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNEPASS_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "mine.yaml"
    assert main(["characterize", "--device", "host", "-o", str(out)]) == 0
    printed = capsys.readouterr().out
    assert f"wrote {out}" in printed and "scattered miss" in printed
    assert read(out.read_text(), "mine").name == "host" and not (tmp_path / "cache").exists()


def test_what_is_for_synthesis_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["characterize", "--device", "host", "--check"]) == 2
    assert "hold a device against synthesis" in capsys.readouterr().err


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["characterize", "--device", "host"]) == 2
    assert "compiler not found: cc" in capsys.readouterr().err


@needs_cc
@pytest.mark.slow
def test_a_folder_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TUNEPASS_CACHE", str(tmp_path / "file"))
    assert main(["characterize", "--device", "host"]) == 2
    assert "TUNEPASS_CACHE names another folder" in capsys.readouterr().err
