"""Synthesis tools as programs: what they are called with, what they leave, how they fail, what is kept."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluators.toolchains.synthesis.fake_tools import install
from tunepass.diagnostics import ToolError
from tunepass.evaluators.toolchains.synthesis import tools
from tunepass.evaluators.toolchains.synthesis.report import SynthesisReport
from tunepass.evaluators.toolchains.synthesis.reports import SynthesisReports
from tunepass.study.outcome import Failed

SOURCE = """\
#include "size.h"
void scale(float a[N], float b[N]) {
    for (int i = 0; i < N; i++) {
#pragma HLS unroll factor=4
        b[i] = 2 * a[i];
    }
}
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs = tmp_path / "bin"
    programs.mkdir()
    (tmp_path / "size.h").write_text("#define N 2048\n")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return install(programs, "vitis_hls", "vitis-run", "vivado_hls", "v++", "merlincc", "aoc")


def reports(tmp_path: Path, program: str, *words: str) -> SynthesisReports:
    suffix = ".cl" if program == "aoc" else ".cpp"
    design = tools.Design(
        text=SOURCE,
        suffix=suffix,
        function="scale",
        part="xcu200-fsgd2104-2-e",
        clock_ns=4,
        folder=tmp_path,
        words=words,
    )
    return SynthesisReports(tools.find(program), design, folder=tmp_path / "kept")


def called(calls: Path) -> list[list[str]]:
    lines = [json.loads(line) for line in calls.read_text().splitlines()]
    return [words for words in lines if words[1].strip("-") != "version"]


@pytest.mark.parametrize("program", ["vitis_hls", "vitis-run", "vivado_hls", "v++", "merlincc"])
def test_a_tool_is_run_and_its_report_read(tmp_path: Path, calls: Path, program: str) -> None:
    outcome = reports(tmp_path, program).report(SOURCE).outcome
    assert isinstance(outcome, SynthesisReport), outcome
    assert (outcome.cycles, outcome.used["luts"], outcome.used["dsps"]) == (2040, 1740, 20)
    assert [words[0] for words in called(calls)] == [program] * (2 if program == "merlincc" else 1)


def test_intel_estimates_or_goes_the_whole_way(tmp_path: Path, calls: Path) -> None:
    estimate = reports(tmp_path, "aoc", "-board=a10gx").report(SOURCE).outcome
    assert isinstance(estimate, SynthesisReport) and estimate.clock_hz is None and not estimate.placed
    whole = reports(tmp_path, "aoc", "-board=a10gx", "-full").report(SOURCE).outcome
    assert isinstance(whole, SynthesisReport) and whole.clock_hz == 250e6 and whole.placed
    assert whole.used["alms"] == 82696 and whole.available["luts"] == 854400
    assert ["-rtl" in words for words in called(calls)] == [True, False]
    assert all("-board=a10gx" in words and "-full" not in words for words in called(calls))


def test_a_compile_error_is_a_failure_with_the_tools_words(tmp_path: Path, calls: Path) -> None:
    outcome = reports(tmp_path, "vitis_hls").report(SOURCE.replace("=4", "=31")).outcome
    assert isinstance(outcome, Failed) and outcome.stage == "compile" and "unlucky" in outcome.log


def test_a_synthesis_that_takes_too_long_is_stopped(tmp_path: Path, calls: Path) -> None:
    asked = replace_wall(reports(tmp_path, "v++"), 1.0)
    outcome = asked.report(SOURCE.replace("=4", "=37")).outcome
    assert isinstance(outcome, Failed) and outcome.stage == "timeout" and "did not end within 1 s" in outcome.log


def replace_wall(asked: SynthesisReports, wall_s: float) -> SynthesisReports:
    return replace(asked, wall_s=wall_s)


def test_no_report_is_a_failure(tmp_path: Path, calls: Path) -> None:
    (calls.parent / "v++").write_text("#!/bin/sh\nexit 0\n")
    outcome = reports(tmp_path, "v++").report(SOURCE).outcome
    assert isinstance(outcome, Failed) and "left no csynth.xml" in outcome.log


def test_the_same_text_is_not_synthesised_again(tmp_path: Path, calls: Path) -> None:
    first = reports(tmp_path, "vitis_hls").report(SOURCE)
    again = reports(tmp_path, "vitis_hls").report(SOURCE)
    assert again.known and again.outcome == first.outcome and len(called(calls)) == 1
    (tmp_path / "size.h").write_text("#define N 4096\n")
    assert reports(tmp_path, "vitis_hls").known(SOURCE) is None
    assert not reports(tmp_path, "vitis_hls").report(SOURCE).known and len(called(calls)) == 2


@pytest.mark.parametrize("damage", ["", "{}", '{"tool": "x", "loops": 3}', '{"loops": [], "tool": "x", "cycles": -3}'])
def test_a_damaged_kept_report_is_made_again(tmp_path: Path, calls: Path, damage: str) -> None:
    asked = reports(tmp_path, "vitis_hls")
    asked.report(SOURCE)
    kept = next(path for path in (tmp_path / "kept").rglob("*") if path.is_file())
    kept.write_text(damage)
    assert asked.known(SOURCE) is None
    assert isinstance(asked.report(SOURCE).outcome, SynthesisReport) and asked.known(SOURCE) is not None


def test_a_script_means_its_words_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "a [exec touch owned] $b"
    design = tools.Design(
        text=SOURCE, suffix=".cpp", function="f;g", part="p", clock_ns=3.5, folder=folder, words=('-DX="[y]"',)
    )
    written = tools.script(design, "candidate.cpp")
    assert "create_clock -period 3.5 -name default\n" in written and "set_top f\\;g\n" in written
    assert "\\[exec\\ touch\\ owned\\]\\ \\$b" in written and '-DX=\\"\\[y\\]\\"' in written
    with pytest.raises(ToolError):
        tools.tcl("a\nexec touch owned")


def test_only_known_tools_are_tools(tmp_path: Path, calls: Path) -> None:
    assert tools.tool_class("/opt/xilinx/bin/vitis_hls") is tools.VitisHls
    assert tools.tool_class("aoc-19.1") is tools.IntelOpenCl
    for program in ("gcc", "vitis"):
        with pytest.raises(ToolError, match="no synthesis tool"):
            tools.find(program)
    (calls.parent / "aoc").unlink()
    with pytest.raises(ToolError, match="not found"):
        tools.find("aoc")
    assert tools.find("vitis_hls").version == "vitis_hls 2024.2"
