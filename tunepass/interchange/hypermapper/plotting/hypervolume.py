"""Pictures of the hypervolume indicator over time, as `hm-plot-hvi` draws them.

losses      (n, m)  objectives, each divided by its standard deviation over all tables
reference   (m,)    the largest losses over all tables
indicator   (r, b)  hypervolume of all tables less that of a run up to the end of each of b times
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import TunepassError
from tunepass.files import write_text
from tunepass.interchange.hypermapper.plotting.figures import (
    Sample,
    add_legend,
    check_image,
    colour,
    label_axes,
    measured,
    new_figure,
    read_samples,
    save,
    tables_in,
)
from tunepass.interchange.hypermapper.scenario import Scenario
from tunepass.interchange.hypermapper.tables import csv_text
from tunepass.machine_faults import doing
from tunepass.study.results.pareto import hypervolume, nondominated

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
BINS = 20  # times at which the indicator is known
CONFIDENCE = 0.95
ACROSS, UP = "Time (sec)", "HyperVolume Indicator (HVI)"
HEADER = (
    *("Bucket #", "Time sec", "# of runs in bin", "HVI mean", "HVI median", "HVI min", "HVI max"),
    *("HVI 95% CI lower bound", "HVI 95% CI upper bound"),
)


@dataclass(frozen=True, slots=True)
class IndicatorOverTime:
    """The indicator of the runs in one folder."""

    seconds: Floats  # (b,)
    indicator: Floats  # (r, b)
    active_runs: NDArray[np.int64]  # (b,) that have feasible samples in the time

    def interval(self) -> tuple[Floats, Floats]:
        """Bounds (b,) of the mean by Student's distribution, at least 0; NaN for a single run."""
        runs, bins = self.indicator.shape
        if runs < 2:
            return np.full(bins, math.nan), np.full(bins, math.nan)
        from scipy.stats import t

        error = self.indicator.std(axis=0, ddof=1) / math.sqrt(runs)
        half, mean = float(t.ppf(0.5 + CONFIDENCE / 2, runs - 1)) * error, self.indicator.mean(axis=0)
        return np.maximum(mean - half, 0.0), mean + half

    def rows(self) -> list[list[str]]:
        """The table of these numbers, with its header."""
        values = self.indicator
        columns = [values.mean(axis=0), np.median(values, axis=0), values.min(axis=0), values.max(axis=0)]
        table = np.column_stack([*columns, *self.interval()])
        rows = [
            [str(k + 1), repr(float(self.seconds[k])), str(self.active_runs[k]), *(repr(float(x)) for x in numbers)]
            for k, numbers in enumerate(table)
        ]
        return [list(HEADER), *rows]


def plot_hypervolume(scenario: Scenario, image: Path, folders: Sequence[Path]) -> list[Path]:
    """Draw the mean indicator of each folder's runs, and for each folder a box plot and a table of the numbers.

    Args:
        scenario: names the objectives, the feasibility and the column of times in milliseconds.
        image: the picture that compares the folders.
        folders: each with the tables (.csv) of one tuner's runs.

    Returns:
        The paths: `image`, and of each folder NAME `NAME_boxplot.pdf` and `NAME_stats.txt` in it.

    Raises:
        SourceError: a table lacks a column or rows, or a cell is wrong.
        TunepassError: a folder has no table, or no table has a feasible row.
        StudyError: matplotlib is not installed, or moocore for four objectives and more.
    """
    check_image(image)
    runs = {
        folder: [read_samples(scenario, path, timed=True) for path in tables_in(folder)]
        for folder in dict.fromkeys(folders)
    }
    indicators = indicators_over_time(runs, len(scenario.objectives))
    paths = [image]
    for folder, over_time in indicators.items():
        name = folder.resolve().name
        paths += [folder / f"{name}_boxplot.pdf", folder / f"{name}_stats.txt"]
        _draw_boxes(scenario, over_time, paths[-2])
        with doing(f"write {paths[-1]}"):
            write_text(paths[-1], csv_text(over_time.rows()))
    _draw_means(scenario, indicators, image)
    return paths


def indicators_over_time(
    runs: Mapping[Path, Sequence[Sequence[Sample]]], objectives: int
) -> dict[Path, IndicatorOverTime]:
    """The indicator of each folder's runs, against all of them together."""
    losses = np.array([v for tables in runs.values() for samples in tables for v in measured(samples)], dtype=float)
    if not len(losses):
        raise TunepassError("no table has a feasible row", hint="name folders with results of this scenario")
    losses = losses.reshape(len(losses), objectives)
    deviations = losses.std(axis=0)
    scale = np.where(deviations > 0, deviations, 1.0)
    reference = list((losses / scale).max(axis=0))
    whole = hypervolume(losses / scale, reference)
    return {folder: _over_time(tables, scale, reference, whole) for folder, tables in runs.items()}


def _over_time(
    tables: Sequence[Sequence[Sample]], scale: Floats, reference: Sequence[float], whole: float
) -> IndicatorOverTime:
    last = max((s.milliseconds for samples in tables for s in samples if s.values is not None), default=0.0)
    indicator, active = np.empty((len(tables), BINS)), np.zeros(BINS, dtype=np.int64)
    for run, samples in enumerate(tables):
        times = np.array([s.milliseconds for s in samples if s.values is not None])
        losses = np.array(measured(samples), dtype=float).reshape(len(times), len(scale)) / scale
        bins = np.ceil(times * BINS / last).astype(int).clip(1, BINS) - 1 if last > 0 else np.zeros(len(times), int)
        front = np.empty((0, len(scale)))
        for k in range(BINS):
            added = losses[bins == k]
            if len(added):
                active[k] += 1
                front = np.vstack([front, added])
                front = front[nondominated(front)]
            indicator[run, k] = max(0.0, round(whole - hypervolume(front, reference), 14))
    return IndicatorOverTime(np.arange(1, BINS + 1) * last / BINS / 1000, indicator, active)


def _draw_means(scenario: Scenario, indicators: Mapping[Path, IndicatorOverTime], path: Path) -> None:
    figure = new_figure()
    axes = figure.add_subplot()
    label_axes(axes, f"{scenario.application}: mean with 95% confidence intervals", ACROSS, f"Log {UP}")
    for number, (folder, over_time) in enumerate(indicators.items()):
        lower, upper = over_time.interval()
        label = f"{folder.resolve().name}, runs: {len(over_time.indicator)}"
        axes.plot(over_time.seconds, over_time.indicator.mean(axis=0), color=colour(number), label=label)
        axes.fill_between(over_time.seconds, lower, upper, color=colour(number), alpha=0.2, linewidth=0)
    _scale(axes, [over_time.indicator for over_time in indicators.values()])
    add_legend(figure, axes)
    save(figure, path)


def _draw_boxes(scenario: Scenario, over_time: IndicatorOverTime, path: Path) -> None:
    figure = new_figure()
    axes = figure.add_subplot()
    axes.boxplot(list(over_time.indicator.T))
    axes.set_xticks(range(1, BINS + 1), [f"{s:.4g}" for s in over_time.seconds], rotation=45, fontsize=8)
    label_axes(axes, f"Five-number summary {scenario.application}", ACROSS, f"Log {UP}")
    _scale(axes, [over_time.indicator])
    save(figure, path)


def _scale(axes: Axes, indicators: Sequence[Floats]) -> None:
    """Logarithmic, and linear between 0 and the smallest indicator above it."""
    positive = np.concatenate([values[values > 0] for values in indicators])
    if len(positive):
        axes.set_yscale("symlog", linthresh=float(positive.min()))
        axes.set_ylim(bottom=0)
