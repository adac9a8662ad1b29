"""The paper's experiments at a small scale: every table, runs that are kept, and the metric on fronts made up here."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.bench_paper import main
from tests.benchmarks.paper import classifier, runs
from tests.benchmarks.paper.indicator import Indicator, interval
from tests.benchmarks.paper.runs import Run
from tunepass.surrogates.forest import ForestSettings, grow

WORDS = ["--quick", "--programs", "BlackScholes,OuterProduct"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.mark.slow
def test_every_table_is_printed_and_kept(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main([*WORDS, "--kept", str(folder)])
    first = capsys.readouterr().out
    for title in ("table4:", "fig8:", "fig7:", "fig6: OuterProduct", "fig5, after the warm-up", "table5:"):
        assert title in first
    assert "not run" not in first
    monkeypatch.setattr(runs, "KINDS", {})  # nothing is run again
    main([*WORDS, "--kept", str(folder), "--minutes", "0"])
    assert capsys.readouterr().out == first


def test_what_was_not_run_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([*WORDS, "--kept", str(tmp_path), "--minutes", "0"])
    out = capsys.readouterr().out
    assert "not run: BlackScholes, OuterProduct" in out and "fig5, after 50 iterations: not run" in out
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="pictures need matplotlib")
def test_pictures_are_the_same_each_time(folder: Path) -> None:
    for name in ("one", "two"):
        main([*WORDS, "--kept", str(folder), "--pictures", str(folder / name)])
    names = sorted(path.name for path in (folder / "one").iterdir())
    assert names == [f"paper-figure{n}.svg" for n in (5, 6, 7, 8)]
    assert all((folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes() for name in names)


def run(losses: list[tuple[float, float]], fits: list[bool]) -> Run:
    return Run(np.array(losses, np.float64), np.array(fits), np.empty((0, 0)), 0.0)


def test_the_indicator_is_the_area_between_fronts() -> None:
    front = np.array([[1.0, 1.0]])
    data = run([(2.0, 2.0), (4.0, 4.0), (9.0, 0.0), (2.0, 1.0)], [True, True, False, True])
    metric = Indicator.of(front, [data])
    deviations = np.std([2, 4, 2]), np.std([2, 4, 1])
    assert metric.volume == pytest.approx(9 / np.prod(deviations))
    assert metric.at(data.feasible()) == pytest.approx((9 - 6) / np.prod(deviations))  # (2, 1) is left, to (4, 4)
    expected = [9 - 4, 9 - 4, 9 - 4, 9 - 6]
    assert metric.curve(data, [1, 2, 3, 4]) == pytest.approx(np.array(expected) / np.prod(deviations))
    assert metric.at(front) == 0 and metric.at(np.empty((0, 2))) == metric.volume


def test_the_interval_is_of_80_percent() -> None:
    assert interval([1.0, 3.0]) == (2.0, pytest.approx(1.2816 * np.sqrt(2) / np.sqrt(2)))
    assert interval([5.0]) == (5.0, 0.0)


def test_settings_have_the_recalls_of_their_own_forests(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, (300, 4)).astype(np.float64)
    y = x[:, 0] * x[:, 1] + x[:, 2] > 24
    trees = (2, 5, 9)
    found = classifier.recalls(x, y, trees, tmp_path)
    assert found is not None and found.shape == (81,) and len(classifier.settings(trees)) == 81
    few = classifier.recalls(x, y, trees[:2], tmp_path)
    assert few is not None  # the forests of 2 and of 5 are the first trees of the one of 9
    assert np.array_equal(found.reshape(9, 3, 3)[:, :2], few.reshape(9, 2, 3))
    assert found.max() > 0.9
    assert classifier.recalls(x, y, trees, tmp_path, lambda: False) is not None  # kept
    assert classifier.recalls(x, y, (1,), tmp_path, lambda: False) is None


def test_a_forest_is_cut_at_a_depth() -> None:
    rng = np.random.default_rng(1)
    x = rng.random((80, 3))
    forest = grow(x, x[:, 0] * x[:, 1], ForestSettings(trees=4))
    whole, roots = forest.predict(x).mean, forest.mean[forest.root].mean()
    assert np.array_equal(classifier.cut(forest, 60).predict(x).mean, whole)
    assert classifier.cut(forest, 0).predict(x).mean == pytest.approx(roots)
    assert len(np.unique(classifier.cut(replace(forest, root=forest.root[:1]), 2).predict(x).mean)) == 4
    assert np.array_equal(forest.predict(x).mean, whole)  # which is as it was
