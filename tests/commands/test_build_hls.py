"""C for high-level synthesis from the command line, with a stub of a model and programs that act as tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.backends.hls_kernels import calls, scale_kernel, stub
from tunepass.cli import main

__all__ = ["calls", "stub"]
pytestmark = pytest.mark.usefixtures("stub")


@pytest.fixture(autouse=True)
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    scale_kernel(tmp_path)
    return "scale.cpp"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(words)
    return status, *capsys.readouterr()


def test_the_model_alone(capsys: pytest.CaptureFixture[str], source: str) -> None:
    status, out, _ = run(capsys, "space", source, "--format", "json")
    assert status == 0 and json.loads(out)["feasible"] == 48
    status, out, _ = run(capsys, "estimate", source, "--device", "vu9p", "--set", "U=8")
    assert status == 0 and "520 cycles" in out and "luts" in out
    status, out, _ = run(capsys, "pareto", source, "--device", "vu9p", "--exact")
    assert status == 0 and "18" in out
    status, out, _ = run(capsys, "build", source, "--device", "vu9p", "--strategy", "branch_and_bound")
    assert status == 0 and "estimated" in out and "measured" not in out.replace("measured:", "")
    assert "#define U 18" in Path("out/scale.tuned.cpp").read_text()
    assert run(capsys, "verify", source)[0] == 0


def test_a_build_with_a_tool(capsys: pytest.CaptureFixture[str], calls: Path, source: str) -> None:
    words = ("build", source, "--device", "vu9p", "--max-evals", "12", "--jobs", "1")
    tool = ("--", "vitis_hls", "--part", "xcu200-fsgd2104-2-e")
    status, out, err = run(capsys, *words, *tool)
    assert status == 0, err
    assert "estimated by vitis_hls 2024.2, for vu9p; nothing was run on a board" in out
    assert "model     a stub of a model: rank correlation" in out and "corrected by" in out
    status, out, _ = run(capsys, *words, "--format", "json", *tool)
    answer = json.loads(out)
    assert status == 0 and answer["evaluations"] == 0  # the lock has it
    assert answer["model"]["corrected"].startswith("corrected by") and answer["objectives"]["cycles"]["gain"] > 5
    before = calls.read_text()
    for command in (["explain", source], ["report", source, "-o", "page.html"]):
        assert run(capsys, *command)[0] == 0
    assert calls.read_text() == before


def test_a_lock_of_a_tool_is_verified(capsys: pytest.CaptureFixture[str], calls: Path, source: str) -> None:
    assert run(capsys, "build", source, "--device", "vu9p", "--max-evals", "3", "--", "vitis_hls")[0] == 0
    status, out, _ = run(capsys, "verify", source)
    assert status == 0, out
    status, out, _ = run(capsys, "verify", source, "--", "vitis_hls", "--clock", "2")
    assert status != 0 and "flags" in out


def test_a_tool_that_is_not_there(capsys: pytest.CaptureFixture[str], source: str) -> None:
    status, _, err = run(capsys, "build", source, "--device", "vu9p", "--", "vitis_hls")
    assert status in (2, 4) and "synthesis tool not found: vitis_hls" in err
    status, _, err = run(capsys, "build", source, "--device", "vu9p", "--", "gcc", "-O2")
    assert status in (2, 4) and "no synthesis tool" in err


def test_a_source_that_no_configuration_of_is_synthesised(
    capsys: pytest.CaptureFixture[str], calls: Path, source: str
) -> None:
    path = Path(source)
    path.write_text(
        path.read_text().replace("#define U 1", "#define U 31").replace("integer(1..24) = 1", "ordinal(31)")
    )
    status, out, err = run(capsys, "build", source, "--device", "vu9p", "--max-evals", "4", "--", "vitis_hls")
    assert status == 1 and "unlucky" in out + err
