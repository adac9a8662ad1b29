"""`tp.report`: a study made in Python as a page or a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

import tunepass as tp

SPACE = tp.Space([tp.Ordinal("tile", [4, 8, 16, 32], default=16), tp.Integer("unroll", 1, 4)])


def study(trials: int = 10) -> tp.Study:
    some = tp.Study(SPACE, [tp.Objective("time", unit="ms")], seed=0, name="a <b>")
    for configuration in some.suggest(trials):
        match configuration["unroll"]:
            case 4:
                outcome: tp.Measured | tp.Failed | tp.Infeasible = tp.Failed("crash", "<segfault>")
            case 3:
                outcome = tp.Infeasible("fits")
            case _:
                tile = configuration["tile"]
                assert isinstance(tile, int)
                outcome = tp.Measured({"time": float(tile)})
        some.observe(configuration, outcome)
    return some


def text_of(some: tp.Study, tmp_path: Path, **options: str) -> str:
    tp.report(some, tmp_path / "page.html", **options)  # type: ignore[arg-type]
    return (tmp_path / "page.html").read_text()


def test_a_page_has_facts_pictures_and_trials(tmp_path: Path) -> None:
    some = study(16)
    text = text_of(some, tmp_path)
    assert "<h1>a &lt;b&gt;</h1>" in text and "<svg" in text and "<script" not in text
    assert "<dt>best</dt><dd>time 4 ms: tile=4, unroll=1</dd>" in text
    assert "<dt>failures</dt>" in text and "4 crash" in text and "4 infeasible" in text
    assert "<dt>importance</dt>" in text and "&lt;segfault&gt;" in text


def test_pruned_trials_and_noise_are_told(tmp_path: Path) -> None:
    some = tp.Study(SPACE, [tp.Objective("time")])
    first, second = some.suggest(2)
    some.observe(first, tp.Measured({"time": 2.0}, deviation={"time": 0.5}))
    some.report(second, 1, 3.0)
    some.prune(second)
    text = text_of(some, tmp_path, title="runs")
    assert "<h1>runs</h1>" in text and "<dt>ended early</dt><dd>1</dd>" in text and "cut short" in text
    assert "<dt>recommended</dt>" in text


def test_an_empty_study_and_several_objectives_have_a_page(tmp_path: Path) -> None:
    assert "0 trials, none measured" in text_of(tp.Study(SPACE, [tp.Objective("time")]), tmp_path)
    several = tp.Study(SPACE, [tp.Objective("time"), tp.Objective("size")])
    several.optimize(lambda trial: (float(trial["tile"]), 1.0 / trial["unroll"]), n_trials=6)  # type: ignore[arg-type,operator]
    text = text_of(several, tmp_path)
    assert "<dt>front</dt>" in text and "importance for size" in text and ": front</title>" in text


def test_a_picture_is_of_one_objective(tmp_path: Path) -> None:
    tp.report(study(), str(tmp_path / "page.svg"))
    assert (tmp_path / "page.svg").read_text().startswith("<svg")
    with pytest.raises(tp.StudyError, match="single objective"):
        tp.report(tp.Study(SPACE, [tp.Objective("a"), tp.Objective("b")]), tmp_path / "page.svg")


@pytest.mark.parametrize("path", ["page.txt", "page", 3])
def test_wrong_paths(path: object) -> None:
    with pytest.raises(tp.StudyError, match=r"FILE\.html or FILE\.svg"):
        tp.report(study(1), path)  # type: ignore[arg-type]


def test_only_studies_are_reported() -> None:
    with pytest.raises(tp.StudyError, match="about a Study"):
        tp.report("study", "page.html")  # type: ignore[arg-type]
