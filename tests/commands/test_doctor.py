from __future__ import annotations

import json
import os

import pytest

from tests.evaluators.toolchains.synthesis.fake_tools import install
from tunepass.cli import main
from tunepass.commands.doctor import version
from tunepass.commands.shielding import WORDS, Shielding
from tunepass.evaluators.process.protection import Kind, available


def test_doctor_lists_what_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "native module" in out and "everything needed is here" in out


def test_doctor_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ready"] and {f["name"] for f in data["findings"]} >= {"python", "native module", "cc", "numpy"}
    assert {f["state"] for f in data["findings"]} <= {"ok", "absent"}


def test_doctor_says_how_candidates_are_kept_apart(capsys: pytest.CaptureFixture[str]) -> None:
    strongest, _ = available()
    assert main(["doctor", "--format", "json"]) == 0
    protection = json.loads(capsys.readouterr().out)["protection"]
    assert protection["processes"] == strongest.kind and protection["landlock"] == strongest.landlock
    assert protection["system_calls_filtered"] == strongest.filter
    assert not protection["core_dumps"] and not protection["gains_privileges"]
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "isolation" in out and WORDS[strongest.kind] in out


@pytest.mark.parametrize("kind,words", [("broker", "user namespaces"), ("supervisor", "user namespaces")])
def test_doctor_says_how_to_get_more_protection(kind: Kind, words: str) -> None:
    weak = Shielding(kind, filtered=False, landlock=0, core_dumps=False, gains_privileges=False)
    assert words in weak.lines[0][3] and [found for _, _, found, _ in weak.lines[1:]] == ["", "", "off"]


def test_without_a_compiler_something_needed_is_missing(monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["doctor"]) == 2
    out = capsys.readouterr().out
    assert "MISSING  cc" in out and "to get cc: apt install gcc" in out


def test_synthesis_tools_are_found(tmp_path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    install(tmp_path, "vitis_hls", "aoc")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert main(["doctor", "--format", "json"]) == 0
    found = {f["name"]: f["found"] for f in json.loads(capsys.readouterr().out)["findings"]}
    assert found["synthesis"] == "vitis_hls 2024.2; aoc 2024.2"


def test_compilers_that_are_called_by_their_version(tmp_path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    for name in ("gcc-13", "clang++-19.1", "gcc-ar-13", "gcc-"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho this is {name}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["doctor", "--format", "json"]) == 0  # with gcc-13 there is a compiler to name
    found = {f["name"]: f["found"] for f in json.loads(capsys.readouterr().out)["findings"]}
    assert (found["gcc-13"], found["clang++-19.1"]) == ("this is gcc-13", "this is clang++-19.1")
    assert "gcc-ar-13" not in found and "gcc-" not in found


def test_a_command_that_does_not_work_has_no_version(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    broken = tmp_path / "gcc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert version("gcc") == "" and version("nothing") == ""
