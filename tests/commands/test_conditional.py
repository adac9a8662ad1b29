"""Commands on a source whose parameters have conditions: space, prune, estimate, pareto."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.test_estimate import run
from tunepass.diagnostics import Source
from tunepass.interchange.space_file import read_space

SOURCE = """\
#pragma tunepass param USE: categorical(false, true) = false
#pragma tunepass param X: integer(1..4) = 1 when(USE == true)
#pragma tunepass param Y: ordinal(8, 16) = 8 when(X > 2)
#pragma tunepass constraint not (USE == true) or X != 2
#pragma tunepass model time = 10 - 2 * X + Y / 8
#pragma tunepass model instructions = X * Y
#pragma tunepass kernel f(y: inout int[1])
void f(int *y) { *y += USE ? X * Y : 1; }
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "f.c").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_space_says_when_a_parameter_is_active(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "space", "f.c")
    lines = [line.split() for line in out.splitlines()]
    assert status == 0 and lines[1] == ["parameter", "kind", "values", "default", "active"]
    assert lines[2][-1] == "False" and lines[4][-5:] == ["only", "when", "X", ">", "2"]
    assert "16 configurations, feasible: 6 " in out
    _, out, _ = run(capsys, "space", "f.c", "--format", "json")
    used, x, _ = json.loads(out)["parameters"]
    assert "when" not in used and x["when"] == "USE == true"


def test_what_prune_leaves(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limit = ("--limit", "instructions<=24")
    for suffix in (".csv", ".space.json", ".nni.json", ".configspace.json", ".optuna.py", ".smt2"):
        assert run(capsys, "prune", "f.c", *limit, "-o", f"left{suffix}")[0] == 0
    assert Path("left.csv").read_text() == "USE,X,Y\nfalse,,\ntrue,1,\ntrue,3,8\n"
    space = read_space(Source("left.space.json", Path("left.space.json").read_text()))
    assert [dict(c) for c in space.enumerate()] == [
        {"USE": False},
        {"USE": True, "X": 1},
        {"USE": True, "X": 3, "Y": 8},
    ]
    status, _, err = run(capsys, "prune", "f.c", *limit, "-o", "left.optuna.json")
    assert status == 2 and "Optuna's distributions have no conditions: X is active only when USE == true" in err


def test_estimate_reads_the_default_of_an_inactive_parameter(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("points.csv").write_text("X,Y,USE\n3,16,true\n,,false\n")
    assert run(capsys, "estimate", "f.c", "--configs", "points.csv", "-o", "out.csv")[0] == 0
    assert Path("out.csv").read_text().splitlines() == [
        "USE,X,Y,time,instructions,fits,extrapolated",
        "true,3,16,6,48,1,0",
        "false,,,9,8,1,0",
    ]
    assert run(capsys, "estimate", "f.c", "--configs", "out.csv")[0] == 0
    assert "USE=True, X=3, Y=8\n" in run(capsys, "estimate", "f.c", "--set", "USE=true,X=3")[1]


def test_an_exact_front_has_programs(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "pareto", "f.c", "--exact")
    assert status == 0 and "the front is exact" in out
    assert out.splitlines()[-1].split() == ["3", "true", "4", "8"]


HLS = """\
#pragma tunepass param WIDE: categorical(false, true) = false
#pragma tunepass param LANES: ordinal(1, 4) = 1 when(WIDE == true)
#pragma tunepass hls scale
#define WIDE 0
#define LANES 1
void scale(float x[64]) {
  for (int i = 0; i < 64; i++) {
#if WIDE
#pragma HLS unroll factor=LANES
#endif
    x[i] *= 3.0f;
  }
}
"""


def test_a_lock_whose_choice_lacks_inactive_parameters_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scale.cpp").write_text(HLS)
    monkeypatch.chdir(tmp_path)
    status, out, _ = run(capsys, "build", "scale.cpp", "--device", "zcu102", "--objective", "luts")
    assert status == 0 and "WIDE=True" not in out
    assert "choice: {WIDE: false}" in Path("tunepass.lock").read_text()
    status, out, _ = run(capsys, "verify", "scale.cpp")
    assert (status, out.strip()) == (0, "scale.cpp::scale: fits")
    status, out, _ = run(capsys, "explain", "scale.cpp")
    assert status == 0 and "the choice: WIDE=False" in out and "  WIDE=True, LANES=4  " in out
