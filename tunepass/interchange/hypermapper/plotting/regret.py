"""Pictures of regret over evaluations, as `hm-plot-optimization-results` draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import TunepassError
from tunepass.interchange.hypermapper.plotting.figures import (
    add_legend,
    check_image,
    colour,
    label_axes,
    new_figure,
    read_samples,
    save,
    tables_in,
)
from tunepass.interchange.hypermapper.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegretOptions:
    """Options of a picture of regret, by the names of HyperMapper's command."""

    labels: tuple[str, ...] = ()  # of the folders; empty: their names
    minimum: float = 0.0  # the objective's best possible value
    budget: int | None = None  # evaluations that are drawn
    title: str | None = None
    plot_log: bool = False
    unlog_y_axis: bool = False
    show_doe: bool = False
    x_label: str | None = None
    y_label: str | None = None
    columns: int = 4  # of the legend
    expert_configuration: float | None = None  # regret of a configuration by hand


def plot_regret(scenario: Scenario, folders: Sequence[Path], image: Path, options: RegretOptions) -> Path:
    """Draw mean and standard deviation of the first objective's regret over the runs in each folder.

    Regret is the best feasible value so far less `minimum`; runs of a folder count up to the length of the shortest.
    It begins when each run has a feasible value. On the logarithmic axis, the mean is the logarithm of the mean
    regret, and the deviation is that of the logarithms.

    Args:
        scenario: names the objective, the feasibility and the size of the design of experiment.
        folders: each with the tables (.csv) of one tuner's runs.
        image: the picture.
        options: labels, axes and what is drawn besides.

    Returns:
        The path of the picture.

    Raises:
        SourceError: a table lacks a column or rows, or a cell is wrong.
        TunepassError: a folder has no table, labels do not fit, or a regret has no logarithm.
        StudyError: matplotlib is not installed.
    """
    check_image(image)
    if options.labels and len(options.labels) != len(folders):
        raise TunepassError(f"each folder has one label, got {len(options.labels)} for {len(folders)} folders")
    expert = options.expert_configuration
    if options.plot_log and expert is not None and expert <= 0:
        raise TunepassError(f"--expert_configuration has no logarithm, got {expert:g}")
    names = options.labels or [str(folder) for folder in folders]
    regrets = [_regrets(scenario, folder, options) for folder in folders]
    figure = new_figure()
    axes = figure.add_subplot()
    up = options.y_label or ("Log Regret" if options.plot_log else "Regret")
    across = options.x_label or "Number of Evaluations"
    label_axes(axes, scenario.application if options.title is None else options.title, across, up)
    for number, (name, values) in enumerate(zip(names, regrets)):
        _draw_regret(axes, values, options.plot_log, colour(number), name)
    if expert is not None:
        height = math.log(expert) if options.plot_log else expert
        axes.axhline(height, color="black", label="Expert Configuration")
    if options.show_doe:
        axes.axvline(scenario.design_size, color="black", linestyle="dashed", label="Initialization")
    axes.set_xlim(left=1)
    if options.plot_log and options.unlog_y_axis:
        axes.yaxis.set_major_formatter(lambda height, _: f"{math.exp(height):,.4g}")
    add_legend(figure, axes, options.columns)
    save(figure, image)
    return image


def _regrets(scenario: Scenario, folder: Path, options: RegretOptions) -> Floats:
    """Regret (runs, evaluations); infinite before a run's first feasible value."""
    runs = []
    for path in tables_in(folder):
        values = [math.inf if s.values is None else s.values[0] for s in read_samples(scenario, path)]
        regret = np.minimum.accumulate(values[: options.budget]) - options.minimum
        if options.plot_log and regret[-1] < 0:
            problem = f"{path}: {scenario.objectives[0]} falls below --minimum {options.minimum:g} by {-regret[-1]:g}"
            raise TunepassError(problem, hint="such a regret has no logarithm: state a lower minimum")
        runs.append(regret)
    shortest = min(map(len, runs))
    return np.array([regret[:shortest] for regret in runs])


def _draw_regret(axes: Axes, regret: Floats, with_log: bool, line_colour: str, label: str) -> None:
    """Values that are not finite leave a gap: no feasible value yet, or the logarithm of a regret of 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = regret.mean(axis=0)
        spread = np.log(regret) if with_log else regret
        mean = np.log(mean) if with_log else mean
        deviation = spread.std(axis=0, ddof=1) if len(regret) > 1 else np.full(len(mean), math.nan)
    mean[~np.isfinite(mean)] = math.nan
    evaluations = np.arange(1, len(mean) + 1)
    axes.plot(evaluations, mean, color=line_colour, linewidth=1.8, label=label)
    axes.fill_between(evaluations, mean - deviation, mean + deviation, color=line_colour, alpha=0.2, linewidth=0)
