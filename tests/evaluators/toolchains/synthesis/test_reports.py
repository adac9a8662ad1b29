"""Reports of synthesis tools, in the forms that the tools document and write."""

from __future__ import annotations

import json

import pytest

from tests.evaluators.toolchains.synthesis.fake_tools import CSYNTH, MERLIN, QUARTUS, SUMMARY
from tunepass.evaluators.toolchains.synthesis.intel_report import parse_loops, parse_quartus, parse_summary
from tunepass.evaluators.toolchains.synthesis.merlin_report import parse_merlin
from tunepass.evaluators.toolchains.synthesis.report import ReportedLoop, ReportError
from tunepass.evaluators.toolchains.synthesis.vitis_report import parse_csynth


def filled(text: str, cycles: object = 2540) -> str:
    return text.replace("CYCLES", str(cycles)).replace("LUTS", "1740").replace("DSPS", "20").replace("TOP", "scale")


def test_vitis_hls_reports_cycles_clock_resources_and_loops() -> None:
    report = parse_csynth(filled(CSYNTH))
    assert report.tool == "Vitis HLS 2024.2"
    assert (report.cycles, report.interval, report.clock_hz) == (2540, 2540, 250e6)
    assert report.used == {"brams": 30, "dsps": 20, "ffs": 4100, "luts": 1740, "urams": 0}
    assert report.available["luts"] == 1_182_240
    assert report.amounts["seconds"] == pytest.approx(2540 / 250e6)
    outer, inner = report.loops
    assert outer == ReportedLoop(name="VITIS_LOOP_7_1", trip=32, latency=2540)
    assert inner == ReportedLoop(name="VITIS_LOOP_8_2", depth=1, trip=64, interval=2, iteration=9, latency=70)


def test_a_clock_that_is_missed_counts() -> None:
    text = filled(CSYNTH).replace("2.920", "5.000")
    assert parse_csynth(text).clock_hz == 200e6


@pytest.mark.parametrize("word", ["undef", "?", "-"])
def test_cycles_that_data_decide_are_unknown(word: str) -> None:
    report = parse_csynth(filled(CSYNTH, word))
    assert report.cycles is None and "seconds" not in report.amounts


def test_older_names_of_resources() -> None:
    text = filled(CSYNTH).replace("DSP>", "DSP48E>").replace("<URAM>0</URAM>", "")
    assert parse_csynth(text).used["dsps"] == 20


@pytest.mark.parametrize(
    "text", ["", "<profile>", "<profile/>", '<!DOCTYPE a [<!ENTITY b "c">]>' + CSYNTH, "not a report", "\0"]
)
def test_what_is_no_report_of_vitis_is_refused(text: str) -> None:
    with pytest.raises(ReportError):
        parse_csynth(text)


def test_merlin_sums_a_kernel_up() -> None:
    report = parse_merlin(filled(MERLIN), "scale")
    assert (report.cycles, report.clock_hz) == (2540, 200e6)
    assert report.used == {"luts": 1740, "ffs": 4100, "brams": 30, "dsps": 20, "urams": 0}
    assert report.excess() is None
    assert report.loops == (
        ReportedLoop(name="i (scale.cpp:7)", depth=1, trip=32, latency=2240),
        ReportedLoop(name="j (scale.cpp:8)", depth=2, trip=64, interval=2, latency=70),
    )


def test_merlin_says_by_its_shares_that_a_design_is_too_large() -> None:
    assert parse_merlin(filled(MERLIN).replace("20 (~0%)", "20 (250%)")).excess() == "dsps <= 8"


def test_merlin_with_unknown_cycles_and_other_kernels() -> None:
    report = parse_merlin(filled(MERLIN).replace("2540 (0.031ms)", "?"), "scale")
    assert report.cycles is None
    for text in ("", filled(MERLIN).replace("Kernel ", "Nothing")):
        with pytest.raises(ReportError):
            parse_merlin(text, "scale")


def test_intel_reports_what_was_fitted() -> None:
    report = parse_quartus(filled(QUARTUS))
    assert report.placed and report.clock_hz == 250e6
    assert report.used == {"luts": 1740, "ffs": 124820, "alms": 82696, "dsps": 20, "brams": 343}
    assert report.available == {"alms": 427200, "dsps": 1518, "brams": 2713}
    with pytest.raises(ReportError):
        parse_quartus("Error (170011): Design contains too many blocks")


@pytest.mark.parametrize("form", ["{}", "var x={{}};\nvar summaryJSON={};\n", '"summary":{},'])
def test_intel_reports_estimates_in_json_and_in_a_script(form: str) -> None:
    report = parse_summary(form.format(filled(SUMMARY)))
    assert report.used == {"luts": 1740, "ffs": 9000, "brams": 70, "dsps": 20} and report.cycles is None
    assert report.available == {"luts": 854400, "ffs": 1708800, "brams": 2713, "dsps": 1518}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"estimatedResources": {"columns": 3}}', "[" * 100_000, '{"estimatedResources": {}}']
)
def test_what_is_no_report_of_intel_is_refused(text: str) -> None:
    with pytest.raises(ReportError):
        parse_summary(text)


def test_intel_reports_initiation_intervals() -> None:
    inner = {"name": "scale.B2", "data": ["Yes", "~2", "Memory dependency"], "children": []}
    kernel = {
        "name": "Kernel: scale",
        "data": ["", "", ""],
        "children": [
            {"name": "scale.B1", "data": ["Yes", ">=1", "n/a"], "children": [inner]},
            {"name": "Fully unrolled loop", "data": ["n/a", "n/a", "n/a"], "children": []},
        ],
    }
    text = json.dumps({"columns": ["", "Pipelined", "II", "Bottleneck", "Details"], "children": [kernel]})
    assert parse_loops(text) == (
        ReportedLoop(name="scale.B1", depth=1, interval=1),
        ReportedLoop(name="scale.B2", depth=2, interval=2),
        ReportedLoop(name="Fully unrolled loop", depth=1),
    )
