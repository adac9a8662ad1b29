"""Sizes that a Spatial source leaves open: assumed in times, given by `--size`, kept by the lock."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tunepass.cli import main

SOURCE = """object Fill extends SpatialApp {
  def main() {
    val tile = 64 (64 -> 64 -> 960)
    val n = args(0).to[Int]
    val N = ArgIn[Int]; setArg(N, n)
    val d = DRAM[Int](N)
    Accel {
      Foreach(N by tile) { i =>
        val x = SRAM[Int](tile)
        Foreach(tile by 1) { j => x(j) = i + j }
        d(i::i+tile) store x
      }
    }
  }
}
"""
ON = ("--device", "stratix-v")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Fill.scala").write_text(SOURCE)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def space(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[dict[str, int], list[str], int]:
    """What is assumed, the constraints and the feasible configurations."""
    _, out, _ = run(capsys, "space", "Fill.scala", "--format", "json", *words)
    data = json.loads(out)
    return data.get("assumed", {}), data["constraints"], data["feasible"]


def cycles(capsys: pytest.CaptureFixture[str], *words: str) -> float:
    _, out, _ = run(capsys, "estimate", "Fill.scala", *ON, "--format", "json", *words)
    value = json.loads(out)["values"]["cycles"]
    assert isinstance(value, (int, float))
    return value


def test_what_is_assumed_is_told_and_constrains_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert space(capsys) == ({"n": 1024}, [], 30)
    status, out, err = run(capsys, "estimate", "Fill.scala", *ON)
    assert status == 0 and "\n  assumed n=1024" in out
    assert "Fill.scala:6:23: warning: `n` is not known here; times assume 1024\n" in err
    assert err.endswith("= help: say `bound(n) = n`, or give --size n=N\n")


def test_a_given_size_scales_times_and_constrains(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("n", "N"):
        assert space(capsys, "--size", f"{name}=1920") == ({}, ["tile <= 1920", "1920 % tile == 0"], 14)
    assert cycles(capsys, "--size", "n=1024") == cycles(capsys)
    startup = cycles(capsys, "--size", "n=64")
    ten, hundred = (cycles(capsys, "--size", f"n={n}") - startup for n in (640, 6400))
    assert ten > 0 and 9.9 < hundred / ten < 11.1


def test_the_lock_keeps_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "build", "Fill.scala", *ON, "--size", "n=1920", "--strategy", "exhaustive")[0] == 0
    assert "--size=n=1920" in Path("tunepass.lock").read_text()
    assert run(capsys, "verify")[:2] == (0, "Fill.scala::Fill: fits\n")
    assert space(capsys)[0] == {}
    assert run(capsys, "build", "Fill.scala", "--frozen")[0] == 0
    assert run(capsys, "build", "Fill.scala", "--frozen", "--size", "n=960")[0] == 3
    Path("Fill.scala").write_text(SOURCE.replace("args(0).to[Int]", "960"))
    assert space(capsys)[:2] == ({}, ["tile <= 960", "960 % tile == 0"])


@pytest.mark.parametrize(
    "words,says",
    [
        (("Fill.scala", "--size", "m=4"), "error: Fill.scala leaves no size `m` open\n  = help: open are N, n\n"),
        (("Fill.scala", "--size", "n"), "a size is written like N=4096, got 'n'"),
        (("Fill.scala", "--size", "n=0"), "a size is written like N=4096, got 'n=0'"),
        (("sum.c", "--size", "n=4"), "error: --size n=N says what a size of a Spatial program is, sum.c is none\n"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str) -> None:
    Path("sum.c").write_text("int main(void) { return 0; }\n")
    try:
        status = main(["space", *words])
    except SystemExit as stopped:  # argparse
        status = int(stopped.code or 0)
    assert status == 2 and says in capsys.readouterr().err
