"""`tunepass build` and `tunepass pareto` of Spatial programs, from their words to what they leave."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tunepass.cli import main
from tunepass.commands.answers.fronts import front_watch
from tunepass.exact.base import Certificate
from tunepass.jobs.reading import load

SAMPLES = Path(__file__).parents[2] / "samples" / "spatial"
ON = ("--device", "stratix-v")
EXACT = (*ON, "--strategy", "branch_and_bound")
TWO_APPS = "".join(
    f"""object {name} extends SpatialApp {{
  def main() {{
    val tile = 96 (96 -> 96 -> 960)
    val x = DRAM[Int](9600)
    Accel {{
      val s = SRAM[Int](tile)
      Foreach(9600 by tile) {{ i => s load x(i::i+tile); Foreach(tile by 1) {{ j => s(j) = s(j) * 3 }}; x(i::i+tile) store s }}
    }}
  }}
}}
"""  # noqa: E501
    for name in ("First", "Second")
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("BlackScholes", "FFT"):
        shutil.copy(SAMPLES / f"{name}.scala", tmp_path)
    (tmp_path / "two.scala").write_text(TWO_APPS)
    monkeypatch.delenv("TUNEPASS_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    return status, printed.out, printed.err


def data(capsys: pytest.CaptureFixture[str], *words: str):  # type: ignore[no-untyped-def]
    status, out, err = run(capsys, *words, "--format", "json")
    assert status == 0, err
    return json.loads(out)


def test_the_front_the_sources_and_the_lock(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("build", "FFT.scala", *EXACT, "--pick", "knee,fastest,smallest")
    found = data(capsys, *words)
    assert found["certificate"]["exact"] and found["trials"] >= len(found["pareto"]) > 1
    assert list(found["picks"]) == ["knee", "fastest", "smallest"] and found["choice"] == found["picks"]["knee"]
    losses = np.array([[p["objectives"]["cycles"], p["objectives"]["alms"]] for p in found["pareto"]])
    assert (np.diff(losses[:, 0]) > 0).all() and (np.diff(losses[:, 1]) < 0).all()
    assert found["picks"]["fastest"] == found["pareto"][0]["choice"]
    assert found["picks"]["smallest"] == found["pareto"][-1]["choice"]
    for word, pick in (("tuned", "knee"), ("fastest", "fastest"), ("smallest", "smallest")):
        kernel = load(here / "out" / f"FFT.{word}.scala")
        again = {p.name: p.default for p in kernel.parameters if not p.name.startswith("pipeline_")}
        assert again == {k: v for k, v in found["picks"][pick].items() if not k.startswith("pipeline_")}
    assert found["objectives"]["cycles"]["unit"] == "cycles"
    picture = ElementTree.parse(here / "out" / "FFT.pareto.svg")
    assert any((t.text or "").count("on the front exact: of 240 configurations") for t in picture.iter())
    rows = list(csv.DictReader((here / "out" / "FFT.pareto.csv").open()))
    assert len(rows) == len(found["pareto"])
    assert 'pick: "knee of cycles, alms"' in (here / "tunepass.lock").read_text()
    # the table is read back and prices to itself
    priced = data(capsys, "estimate", "FFT.scala", *ON, "--configs", "out/FFT.pareto.csv")
    assert [p["values"]["cycles"] for p in priced["points"]] == [p["objectives"]["cycles"] for p in found["pareto"]]
    # nothing is evaluated again, with or without the store; another pick takes the trials that are there
    assert data(capsys, *words)["evaluations"] == 0
    assert run(capsys, "verify")[:2] == (0, "FFT.scala::FFT: fits\n")
    assert "known" not in run(capsys, "explain", "FFT.scala")[2]
    shutil.rmtree(here / ".tunepass")
    assert data(capsys, "build", "FFT.scala", "--pick", "knee")["evaluations"] == 0
    assert run(capsys, "build", "FFT.scala", "--pick", "fastest", "--frozen")[0] == 3


def test_strategies_agree_on_a_small_space(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fronts = [
        data(capsys, "build", "FFT.scala", *ON, "--strategy", strategy, "--store", f"{strategy}.db", "-o", strategy,
             "--continue", *limit)["pareto"]
        for strategy, limit in (("branch_and_bound", ()), ("exhaustive", ()), ("auto", ("--max-evals", "240")))
    ]  # fmt: skip
    assert fronts[0] == fronts[1] == fronts[2]


def test_a_study_resumes_and_pareto_shows_its_front(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("build", "BlackScholes.scala", *ON, "--strategy", "random", "--objective", "cycles,dsps")
    first = data(capsys, *words, "--max-evals", "10")
    assert first["evaluations"] == 10
    second = data(capsys, *words, "--max-evals", "25", "--continue")
    assert (second["evaluations"], second["trials"]) == (15, 25)
    known = data(capsys, "pareto", "BlackScholes.scala", *ON, "--objective", "cycles,dsps")
    assert known["pareto"] == second["pareto"] and known["certificate"] is None
    status, _, err = run(capsys, "pareto", "BlackScholes.scala", *ON)
    assert status == 2 and "for cycles,alms" in err and "--exact" in err


def test_pareto_exact_and_stopped(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exact = data(capsys, "pareto", "BlackScholes.scala", *ON, "--exact", "-o", "front.svg")
    c = exact["certificate"]
    assert c["exact"] and c["points"] == c["evaluated"] + c["bounded"] + c["infeasible"] and c["gap"] == 0
    ElementTree.parse(here / "front.svg")
    every = data(capsys, "pareto", "BlackScholes.scala", *ON, "--exact", "--strategy", "exhaustive")
    assert every["pareto"] == exact["pareto"] and every["certificate"]["points"] == 672
    raw = data(capsys, "pareto", "BlackScholes.scala", *ON, "--exact", "--no-restrictions", "--max-evals", "300")
    assert raw["certificate"]["points"] == 76_800 and not raw["certificate"]["exact"]
    assert raw["certificate"]["gap"] is None or raw["certificate"]["gap"] > 0
    status, out, _ = run(capsys, "pareto", "BlackScholes.scala", *ON, "--exact")
    assert status == 0 and "the front is exact" in out and "left out: cannot be used" in out


def test_several_apps_are_one_tuned_source(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = data(capsys, "build", "two.scala", *EXACT)
    assert [one["kernel"] for one in both] == ["First", "Second"]
    assert both[0]["outputs"][0] == both[1]["outputs"][0] == "out/two.tuned.scala"
    assert (here / "out" / "two.Second.pareto.csv").exists()
    tiles = {one["kernel"]: one["choice"]["tile"] for one in both}
    for name, tile in tiles.items():
        (parameter,) = [p for p in load(here / "out" / "two.tuned.scala", name).parameters if p.name == "tile"]
        assert parameter.default == tile != 96
    one = data(capsys, "build", "two.scala", *EXACT, "--app", "Second", "-o", "one")
    assert one["kernel"] == "Second" and one["evaluations"] == 0
    assert "several kernels: First, Second" in run(capsys, "estimate", "two.scala", *ON)[2]


@pytest.mark.parametrize(
    "words,says",
    [
        ((*ON, "--", "gcc", "-O2"), "nothing follows -- here"),
        ((), "name one with --device: "),
        (("--device", "stratixv"), "did you mean stratix-v?"),
        ((*ON, "--strategy", "rand"), "did you mean 'random'?"),
        ((*ON, "--pick", "knees"), "did you mean 'knee'?"),
        ((*ON, "--pick", "knee,knee"), "distinct names"),
        ((*ON, "--objective", "dsps,alms", "--pick", "fastest"), "no time is among the objectives"),
        ((*ON, "--objective", "cycles,alm"), "did you mean 'alms'?"),
        ((*ON, "--sanitize"), "--sanitize is about compiled programs"),
        ((*ON, "--app", "FFTs"), "did you mean `FFT`?"),
    ],
)
def test_mistakes(here: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str) -> None:
    status, out, err = run(capsys, "build", "FFT.scala", *words)
    assert status == 2 and out == "" and says in err
    assert not (here / "out").exists() and not (here / "tunepass.lock").exists()


def test_mistakes_of_pareto(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "add --exact" in run(capsys, "pareto", "FFT.scala", *ON, "--budget", "3s")[2]
    assert "-o takes" in run(capsys, "pareto", "FFT.scala", *ON, "--exact", "-o", "x.png")[2]


def test_a_running_search_says_so_every_two_seconds() -> None:
    stream, now = io.StringIO(), iter([0.0, 1.0, 2.5, 2.5, 3.0])
    watch = front_watch("GDA", stream, lambda: next(now))
    for evaluated in (10, 2000, 3000):
        watch(Certificate(100_000, evaluated, 0, 0, 100_000 - evaluated, 5, found=7))
    assert stream.getvalue() == "GDA: 7 on the front, 2,000 evaluated, 98% of the space open\n"


def test_where_nothing_fits_every_evaluation_failed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "FFT.scala").write_text(TWO_APPS.replace("SRAM[Int](tile)", "SRAM[Int](100000000)"))
    status, out, _ = run(capsys, "build", "FFT.scala", *EXACT, "--app", "First")
    assert status == 1 and "nothing fits" in out and not (here / "tunepass.lock").exists()
