"""Pictures of fronts, of the hypervolume indicator and of regret, and mistakes in their tables."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.interchange.hypermapper.scenarios import fields, scenario
from tunepass.cli import main
from tunepass.diagnostics import StudyError, TunepassError
from tunepass.interchange.hypermapper.plotting.figures import Sample
from tunepass.interchange.hypermapper.plotting.hypervolume import BINS, indicators_over_time
from tunepass.interchange.hypermapper.plotting.pareto import plot_pareto
from tunepass.interchange.hypermapper.plotting.regret import RegretOptions, plot_regret

FEASIBLE = {"name": "Valid", "enable_feasible_predictor": True}
TWO = {"optimization_objectives": ["f", "g"], "feasible_output": FEASIBLE}
SAMPLES = "x,f,g,Valid,Timestamp\n1,1,8,True,0\n2,4,2,True,500\n3,5,9,True,900\n4,0,0,False,1000\n5,nan,1,True,1000\n"
PARETO = "x,f,g,Valid,Timestamp\n1,1,8,True,0\n2,4,2,True,500\n"


def written(folder: Path, **more: object) -> str:
    """The path of a scenario of two objectives, with its tables beside it."""
    folder.mkdir(exist_ok=True)
    (folder / "application_output_samples.csv").write_text(SAMPLES)
    (folder / "application_output_pareto.csv").write_text(PARETO)
    path = folder / "scenario.json"
    path.write_text(json.dumps({**fields(), **TWO, "run_directory": str(folder), **more}, indent=1))
    return str(path)


def run_folder(folder: Path, *tables: str) -> str:
    folder.mkdir()
    for number, table in enumerate(tables):
        (folder / f"run{number}.csv").write_text(table)
    return str(folder)


def drawn_texts(svg: str) -> list[str]:
    """Texts of matplotlib's SVG, which draws letters as paths and keeps the text in a comment."""
    return re.findall(r"<!-- (.*?) -->", svg)


def test_pareto_draws_the_scenarios_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = {"optimization_objectives_labels_image_pdf": ["Time [ms]", "Area"], "image_xlog": True}
    assert main(["hypermapper", "--plot-pareto", written(tmp_path, output_image=image)]) == 0
    paths = [tmp_path / "output_image.pdf", tmp_path / "all_output_image.pdf"]
    assert capsys.readouterr() == ("".join(f"{path}\n" for path in paths), "")
    first = [path.read_bytes() for path in paths]
    assert all(data.startswith(b"%PDF") for data in first) and first[0] != first[1]
    assert main(["hypermapper", "--plot-pareto", written(tmp_path, output_image=image)]) == 0
    assert [path.read_bytes() for path in paths] == first
    assert scenario(output_image={"optimization_objectives_labels_image_pdf": ["Speed"]}).image.labels == ("Speed",)
    assert scenario().image.path == Path("application_output_pareto.pdf")


def test_pareto_draws_named_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = {"optimization_objectives_labels_image_pdf": ["$Time", "Area"], "objective_1_max": 10, "image_ylog": True}
    path = written(tmp_path / "runs", output_image=labels)
    (tmp_path / "runs" / "other.csv").write_text("f,g,Valid\n2,-1,True\n3,3,True\n")
    tables = ["application_output_pareto.csv", "application_output_samples.csv", "other.csv", "other.csv"]
    assert main(["hypermapper", "--plot-pareto", path, "front.svg", *tables]) == 0
    note = "note: 1 samples with g of 0 or less have no place on its logarithmic axis\n"
    assert capsys.readouterr().err == note
    front, everything = (drawn_texts((tmp_path / "runs" / n).read_text()) for n in ("front.svg", "all_front.svg"))
    fronts = {"Pareto - runs/application_output_pareto.csv", "Pareto - runs/other.csv"}
    assert fronts | {"$Time", "Area", "100"} <= set(front)
    assert fronts | {"3 feasible samples", "2 feasible samples"} <= set(everything)
    assert not any("samples" in text for text in front)


def test_the_indicator_of_known_fronts() -> None:
    """Two points of unit deviation: each dominates a rectangle up to the corner (3, 3)."""
    points = [Sample((1.0, 1.0), 1000.0), Sample((3.0, 3.0), 2000.0)]
    indicators = indicators_over_time({Path("a"): [points], Path("b"): [points[1:], [Sample(None, 9.0)]]}, 2)
    deviation = np.std([1, 3, 3])
    whole = (2 / deviation) ** 2
    a, b = indicators[Path("a")], indicators[Path("b")]
    assert a.seconds[-1] == 2.0 and len(a.seconds) == BINS
    assert a.indicator == pytest.approx(np.array([[whole] * 9 + [0.0] * 11]))
    assert list(np.flatnonzero(a.active_runs)) == [9, 19] and np.isnan(a.interval()).all()
    assert b.indicator == pytest.approx(whole * np.ones((2, BINS))) and list(b.active_runs) == [0] * 19 + [1]
    assert b.interval()[0] == pytest.approx(b.interval()[1])


def test_the_interval_is_students() -> None:
    runs = [[Sample((1.0, 1.0), 1.0)], [Sample((1.0, 2.0), 1.0)], [Sample((2.0, 2.0), 1.0)]]
    found = indicators_over_time({Path("a"): runs}, 2)[Path("a")]
    values = found.indicator[:, -1]
    half = 4.302652729911275 * np.std(values, ddof=1) / 3**0.5  # t of two degrees of freedom at 0.975
    assert found.interval()[0][-1] == max(0.0, values.mean() - half)
    assert found.interval()[1][-1] == pytest.approx(values.mean() + half)


def test_hypervolume_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "home")
    folders = [run_folder(tmp_path / "a", SAMPLES, PARETO), run_folder(tmp_path / "b", SAMPLES)]
    assert main(["hypermapper", "--plot-hvi", path, str(tmp_path / "hvi.svg"), *folders]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    assert {"a, runs: 2", "b, runs: 1", "Time (sec)"} <= set(drawn_texts((tmp_path / "hvi.svg").read_text()))
    assert (tmp_path / "a" / "a_boxplot.pdf").read_bytes().startswith(b"%PDF")
    rows = (tmp_path / "a" / "a_stats.txt").read_text().splitlines()
    assert rows[0].startswith("Bucket #,Time sec,# of runs in bin,HVI mean,") and len(rows) == 1 + BINS
    assert rows[-1].split(",")[:2] == ["20", "0.9"]


def test_regret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "home", design_of_experiment={"number_of_samples": 2})
    folders = [run_folder(tmp_path / "a", SAMPLES, PARETO), run_folder(tmp_path / "b", SAMPLES)]
    words = ["-j", path, "-i", *folders, "-l", "first", "second", "-od", str(tmp_path / "out"), "-log", "-unlog"]
    words += ["-min", "-1.5", "-exp", "2", "-doe", "-b", "3", "-t", "All runs", "-xl", "n", "-yl", "gap", "-nc", "2"]
    assert main(["hypermapper", "--plot-optimization-results", *words]) == 0
    assert (tmp_path / "out" / "application_regret.pdf").exists()
    assert main(["hypermapper", "--plot-optimization-results", *words, "-o", str(tmp_path / "r.svg")]) == 0
    texts = {"first", "second", "Expert Configuration", "Initialization", "All runs", "n", "gap"}
    assert texts <= set(drawn_texts((tmp_path / "r.svg").read_text()))
    assert main(["hypermapper", "--plot-optimization-results", "-h"]) == 0
    assert "--expert_configuration" in capsys.readouterr().out


def test_regret_without_feasible_rows_and_of_0(tmp_path: Path) -> None:
    given = scenario(feasible_output=FEASIBLE)
    nothing = run_folder(tmp_path / "none", "f,Valid\n1,False\n")
    zero = run_folder(tmp_path / "zero", "f,Valid\n1,True\n0,True\n", "f,Valid\n1,False\n2,True\n")
    options = RegretOptions(plot_log=True)
    assert plot_regret(given, [Path(nothing), Path(zero)], tmp_path / "r.png", options).read_bytes()[1:4] == b"PNG"


MISTAKES = {
    "a column of other objectives": ("x,f,h,Valid,Timestamp\n1,1,1,True,0\n", "the table has no column `g`"),
    "no feasibility": ("x,f,g,Timestamp\n1,1,1,0\n", "the table has no column `Valid`"),
    "an empty file": ("", "the table has no column `f`"),
    "no rows": ("x,f,g,Valid,Timestamp\n", "has no rows"),
    "text": ("x,f,g,Valid,Timestamp\n1,1,fast,True,0\n", "g is a number, got 'fast'"),
    "a large number": ("x,f,g,Valid,Timestamp\n1,1,-1e300,True,0\n", "an objective beyond 1e+100"),
    "half a row": ("x,f,g,Valid,Timestamp\n1,1\n", "a row has 5 values, got 2"),
}


@pytest.mark.parametrize("table, problem", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_in_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str, problem: str) -> None:
    path = written(tmp_path / "home")
    (tmp_path / "home" / "bad.csv").write_text(table)
    folder = run_folder(tmp_path / "runs", table)
    for words in (
        ["--plot-pareto", path, "x.pdf", "application_output_pareto.csv", "bad.csv"],
        ["--plot-pareto", path, "x.pdf", "bad.csv", "application_output_samples.csv"],
        ["--plot-hvi", path, str(tmp_path / "x.pdf"), folder],
        ["--plot-optimization-results", "-j", path, "-i", folder, "-o", str(tmp_path / "x.pdf")],
    ):
        assert main(["hypermapper", *words]) == 2
        error = capsys.readouterr().err
        assert problem in error and error.count("error:") == 1 and ".csv" in error
    assert not list(tmp_path.rglob("*.pdf")) and not list(tmp_path.rglob("*_stats.txt"))


@pytest.mark.parametrize(
    "words, problem",
    [
        (["--plot-pareto"], "arguments are missing"),
        (["--plot-pareto", "S", "x.pdf", "one.csv"], "tables come in pairs"),
        (["--plot-pareto", "S", "x.jpg"], "the name of a picture ends in .pdf, .png, .svg"),
        (["--plot-hvi", "S", "x.pdf"], "arguments are missing"),
        (["--plot-hvi", "S", "x.pdf", "missing"], "missing is not a folder"),
        (["--plot-hvi", "S", "x.pdf", "empty"], "empty has no .csv files"),
        (["--plot-hvi", "S", "x.pdf", "infeasible"], "no table has a feasible row"),
        (["--plot-hvi", "S", "x.pdf", "untimed"], "Timestamp is a time in milliseconds, got 'noon'"),
        (["--plot-optimization-results", "-j", "S"], "a scenario and a folder are needed"),
        (["--plot-optimization-results", "-j", "S", "-i", "good", "-l", "a", "b"], "each folder has one label"),
        (["--plot-optimization-results", "-j", "S", "-i", "good", "-log", "-min", "3"], "f falls below --minimum 3"),
        (["--plot-optimization-results", "-j", "S", "-i", "good", "-log", "-exp", "0"], "has no logarithm, got 0"),
        (["--plot-optimization-results", "-j", "S", "-i", "good", "-b", "0"], "an integer of at least 1, got '0'"),
        (
            ["--plot-optimization-results", "-j", "S", "-i", "good", "-min", "nan"],
            "expected a number, at most 1e+100, got 'nan'",
        ),
    ],
)
def test_mistakes_in_arguments(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: Sequence[str],
    problem: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path)
    (tmp_path / "empty").mkdir()
    run_folder(tmp_path / "good", SAMPLES)
    run_folder(tmp_path / "infeasible", "f,g,Valid,Timestamp\n1,1,False,3\n")
    run_folder(tmp_path / "untimed", "f,g,Valid,Timestamp\n1,1,True,noon\n")
    assert main(["hypermapper", *(path if word == "S" else word for word in words)]) == 2
    assert problem in capsys.readouterr().err and not list(tmp_path.glob("*.pdf"))


@pytest.mark.parametrize(
    "image, problem",
    [
        ({"image_xlog": 1}, "`output_image.image_xlog` is true or false"),
        ({"image_zlog": True}, "`output_image` has no field `image_zlog`"),
        ({"objective_1_max": 0}, "`output_image.objective_1_max` is a number of 1e-9 or more"),
        ({"optimization_objectives_labels_image_pdf": "a"}, "is a list of texts"),
    ],
)
def test_mistakes_in_image_settings(image: dict[str, object], problem: str) -> None:
    with pytest.raises(TunepassError) as raised:
        scenario(output_image=image)
    assert problem in str(raised.value)


def test_a_front_of_one_objective() -> None:
    with pytest.raises(StudyError, match="a front is of several objectives"):
        plot_pareto(scenario())


def test_a_missing_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["hypermapper", "--plot-pareto", written(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "pictures need matplotlib" in error and "pip install 'tunepass[plot]'" in error
