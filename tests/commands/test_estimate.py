"""`tunepass estimate` and `tunepass devices`, from their words to what they print."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tunepass.backends.base import Target
from tunepass.cli import main
from tunepass.jobs.estimates import estimator_of

SAMPLES = Path(__file__).parents[2] / "samples" / "spatial"
ON = ("--device", "stratix-v")


def cycles_of_the_default() -> int:
    """As the library says it."""
    model, _ = estimator_of(str(SAMPLES / "BlackScholes.scala"), None, Target(device="stratix-v"))
    return int(model.prices([model.default])["cycles"][0])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(SAMPLES / "BlackScholes.scala", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_every_named_expression_has_its_unit(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "estimate", "BlackScholes.scala", *ON)
    assert status == 0
    for line in (f"cycles    {cycles_of_the_default():,} cycles", "54 DSP blocks", "of 262,400", "fits      yes"):
        assert line in out


def test_values_can_be_set(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(
        capsys, "estimate", "BlackScholes.scala", *ON, "--set", "IP=8,pipeline_73=false", "--format", "json"
    )
    found = json.loads(out)
    assert status == 0 and found["choice"] == {"B": 1920, "OP": 1, "IP": 8, "pipeline_73": False}
    assert found["values"]["dsps"] == 8 * 54 and found["fits"] is True and found["units"]["alms"] == "ALMs"
    assert found["breaks"] == ["9995328 % B == 0"]


def test_what_breaks_a_restriction_is_priced_and_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "estimate", "BlackScholes.scala", *ON, "--set", "IP=7")
    assert "breaks  B % IP == 0" in out


def test_a_table_is_priced_row_by_row_and_read_back(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "some.csv").write_text("IP,B\n1,1920\n8,96\n")
    words = ("estimate", "BlackScholes.scala", *ON, "--configs")
    status, out, _ = run(capsys, *words, "some.csv", "-o", "priced.csv")
    assert (status, out) == (0, "wrote priced.csv\n")
    head, first, second = (here / "priced.csv").read_text().splitlines()
    assert head == "B,OP,IP,pipeline_73,cycles,seconds,alms,luts,ffs,dsps,brams,channels,energy,fits,extrapolated"
    assert (
        first.startswith(f"1920,1,1,true,{cycles_of_the_default()},")
        and second.startswith("96,1,8,true,")
        and second.endswith(",1,0")
    )
    status, again, _ = run(capsys, *words, "priced.csv", "--format", "json")
    assert status == 0 and json.loads(again)["points"][0]["values"]["cycles"] == cycles_of_the_default()


@pytest.mark.parametrize(
    "words,says",
    [
        (("--configs", "bad.csv"), "bad.csv:2:4: error: B does not take '95'"),
        (("--configs", "none.csv"), "cannot read none.csv"),
        (("--set", "X=1"), "--set:1:1: error: there is no parameter 'X'"),
        (("--explain", "--configs", "bad.csv"), "--configs names many"),
        (("-o", "x.svg"), "with --explain"),
        (("-o", "x"), "-o takes FILE.csv"),
        (("--app", "BlackSchole"), "did you mean `BlackScholes`?"),
    ],
)
def test_mistakes(here: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str) -> None:
    (here / "bad.csv").write_text("IP,B\n1, 95\n")
    status, out, err = run(capsys, "estimate", "BlackScholes.scala", *ON, *words)
    assert status == 2 and out == "" and says in err
    assert "Traceback" not in err


def test_a_device_is_needed_and_must_exist(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--device: " in run(capsys, "estimate", "BlackScholes.scala")[2]
    assert "did you mean stratix-v?" in run(capsys, "estimate", "BlackScholes.scala", "--device", "stratix5")[2]
    (here / "x.c").write_text("#pragma tunepass param N: ordinal(1, 2) = 1 flag\n#pragma tunepass run(./x)\n")
    assert main(["estimate", "x.c", *ON]) == 2


def test_explain_tells_where_it_goes_and_draws_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "estimate", "BlackScholes.scala", *ON, "--explain", "-o", "parts.svg")
    assert status == 0 and "cycles on the critical path" in out and "fringe" in out
    assert "cycles on the critical path" in (here / "parts.svg").read_text()
    ElementTree.parse(here / "parts.svg")
    run(capsys, "estimate", "BlackScholes.scala", *ON, "--explain", "-o", "parts.html")
    assert (here / "parts.html").read_text().startswith("<!doctype html>")
    found = json.loads(run(capsys, "estimate", "BlackScholes.scala", *ON, "--explain", "--format", "json")[1])
    whole = sum(part["values"]["cycles"] for part in found["parts"]["cycles"])
    assert whole == pytest.approx(found["values"]["cycles"])


def test_devices_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "devices")
    assert status == 0 and "stratix-v" in out and "262,400 alms" in out
    assert json.loads(run(capsys, "devices", "--format", "json")[1])[0]["capacity"]


def test_the_space_with_and_without_restrictions(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = []
    for words in ((), ("--no-restrictions", "--app", "BlackScholes")):
        status, out, _ = run(capsys, "space", "BlackScholes.scala", *words, "--format", "json")
        found = json.loads(out)
        counts.append((status, found["dense"], found["feasible"]))
    assert counts == [(0, 76_800, 672), (0, 76_800, 76_800)]


def test_a_program_without_parameters_is_priced_but_not_searched(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "fixed.scala").write_text(
        "object Fixed extends SpatialApp {\n  def main() {\n    Accel {\n      val x = SRAM[Int](64)\n"
        "      Foreach(64 by 1) { i => x(i) = i * 3 }\n    }\n  }\n}\n"
    )
    status, out, _ = run(capsys, "estimate", "fixed.scala", *ON, "--explain", "-o", "fixed.csv")
    assert status == 0 and "fits      yes" in out and len((here / "fixed.csv").read_text().splitlines()) == 2
    assert "there is no parameter 'N'" in run(capsys, "estimate", "fixed.scala", *ON, "--set", "N=1")[2]
    status, _, err = run(capsys, "build", "fixed.scala", *ON)
    assert status == 2 and "nothing to tune" in err
