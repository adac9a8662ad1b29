"""Curves as SVG."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np

from tests.benchmarks.search.charts import Panel, of_runs, picture, ticks

RUNS = np.linspace(0.5, 1.0, 120)[None] + np.array([[0.0], [0.02], [-0.02]])


def test_a_picture_has_each_curve_with_its_band_and_one_legend() -> None:
    panels = [
        Panel(title, (of_runs("ours", RUNS), of_runs("<theirs>", RUNS - 0.1)), 0.0) for title in ("a", "b", "c & d")
    ]
    svg = picture(panels, 10)
    root = ElementTree.fromstring(svg)
    assert svg == picture(panels, 10)
    assert svg.count("<polyline") == svg.count("<polygon") == 6
    assert svg.count("&lt;theirs&gt;") == 1 and "c &amp; d" in svg
    assert root.get("width") == "930" and "prefers-color-scheme: dark" in svg


def test_a_curve_ends_at_its_last_evaluation_within_the_axes() -> None:
    (line,) = re.findall(
        r'<polyline class="curve c0" points="(.*)"', picture([Panel("a", (of_runs("ours", RUNS),))], 10)
    )
    places = np.array([point.split(",") for point in line.split()], np.float64)
    assert len(places) <= 50 and places[-1, 0] == places[:, 0].max() == 298
    assert (np.diff(places[:, 1]) < 0).all() and places[:, 1].min() >= 26  # up is less


def test_the_error_is_that_of_the_mean() -> None:
    curve = of_runs("ours", RUNS)
    np.testing.assert_allclose(curve.error, RUNS.std(axis=0, ddof=1) / np.sqrt(3))


def test_ticks_are_round_and_few() -> None:
    assert ticks(0.0, 1.0) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(10, 200) == [50.0, 100.0, 150.0, 200.0]
    assert ticks(-1.3, 3.2) == [-1.0, 0.0, 1.0, 2.0, 3.0]
