"""`tunepass characterize` with Yosys's recorded counts in place of Yosys."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tunepass.cli import main
from tunepass.evaluators.toolchains import yosys
from tunepass.hwmodels.fpga import device as devices

RECORDED = Path(__file__).parents[1] / "hwmodels" / "characterise" / "ecp5_counts.txt"
SAMPLE = Path(__file__).parents[2] / "samples" / "spatial" / "DotProduct.scala"


@pytest.fixture(autouse=True)
def recorded(monkeypatch):
    rows = (line.split() for line in RECORDED.read_text().splitlines()[1:])
    known = {name: dict(zip(("LUT", "Regs", "DSPs", "BRAM"), map(float, counts))) for name, *counts in rows}
    nothing = dict.fromkeys(("LUT", "Regs", "DSPs", "BRAM"), 1.0)

    def synthesise(verilog, top, target):
        assert target == "ecp5" and f"module {top}(" in verilog
        return {name: known.get(name, nothing) for name in re.findall(r"^module (\w+)\(", verilog, re.M)}

    monkeypatch.setattr(yosys, "synthesise", synthesise)
    monkeypatch.setattr(yosys, "find", lambda: ("yosys",))
    monkeypatch.setattr(yosys, "version", lambda command: "Yosys 0.70")


def test_a_device_is_written_as_it_ships(tmp_path, capsys):
    path = tmp_path / "ecp5.yaml"
    assert main(["characterize", "--device", "ecp5", "-o", str(path)]) == 0
    assert path.read_text() == devices.text_of("ecp5")
    out = capsys.readouterr().out
    assert re.search(r"all +112 +3\.8%", out) and f"wrote {path}" in out
    assert main(["characterize", "--device", "ecp5"]) == 0
    assert capsys.readouterr().out == devices.text_of("ecp5")


def test_it_is_told_how_far_it_is(capsys):
    assert main(["characterize", "--device", "ecp5"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("ecp5   0 of 366 templates synthesised")
    assert lines[-1].startswith("ecp5   366 of 366 templates synthesised")


def test_a_file_is_characterised_checked_and_asked_of_a_point(tmp_path, capsys):
    path = tmp_path / "board.yaml"
    path.write_text(devices.text_of("ecp5").replace("luts: 83640", "luts: 24000"))
    assert main(["characterize", "--device", str(path)]) == 0
    assert capsys.readouterr().out == path.read_text()
    assert main(["characterize", "--device", str(path), "--check", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) > 20
    assert main(["characterize", "--device", str(path), "--point", str(SAMPLE), "--format", "json"]) == 0


def test_the_device_that_ships_is_checked(capsys):
    assert main(["characterize", "--device", "ecp5", "--check", "--format", "json"]) == 0
    rows = {(row["template"], row["resource"]): row for row in json.loads(capsys.readouterr().out)}
    assert rows["all", "LUT"]["n"] == 112 and rows["all", "LUT"]["mean"] < 0.06
    assert rows["all", "BRAM"]["exact"] > 0.95


def test_a_point_is_synthesised(capsys):
    assert main(["characterize", "--device", "ecp5", "--point", str(SAMPLE), "--set", "P2=4"]) == 0
    out = capsys.readouterr().out
    assert "DotProduct on ecp5" in out and re.search(r"fix_mul_w32 +4 +28 +28", out)
    assert "without a template, and left out: " in out
    arguments = ["characterize", "--device", "ecp5", "--point", str(SAMPLE), "--format", "json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert {part["template"] for part in found["templates"]} >= {"fix_add_w32", "fix_mul_w32"}
    assert "load" in " ".join(found["left_out"])


def test_a_device_without_a_flow_is_refused(capsys):
    assert main(["characterize", "--device", "stratix-v", "--point", str(SAMPLE)]) == 2
    assert "not one that is characterised" in capsys.readouterr().err
