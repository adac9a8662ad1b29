"""Pictures of Pareto fronts, as `hm-plot-pareto` draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tunepass.diagnostics import StudyError
from tunepass.interchange.hypermapper.plotting.figures import (
    add_legend,
    check_image,
    colour,
    label_axes,
    measured,
    new_figure,
    read_samples,
    save,
    short_name,
)
from tunepass.interchange.hypermapper.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Points = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Front:
    """A front and the samples that it is of: the first two objectives, as they are drawn."""

    name: str
    front: Points
    samples: Points


def plot_pareto(
    scenario: Scenario, image: Path | None = None, tables: Sequence[tuple[Path, Path]] = ()
) -> tuple[list[Path], list[str]]:
    """Draw fronts of the first two objectives: alone, and in a second file `all_...` with all samples.

    Args:
        scenario: of two objectives or more; its `output_image` has labels, log axes and values that are 100 %.
        image: the first file; None: the scenario's.
        tables: pairs of the front's table and the samples' table; none: the scenario's.

    Returns:
        The paths of the pictures, and notes about points that are not drawn.

    Raises:
        SourceError: a table lacks a column or rows, or a cell is wrong.
        StudyError: the scenario has one objective, or matplotlib is not installed.
    """
    if len(scenario.objectives) < 2:
        raise StudyError("a front is of several objectives", hint="draw it with --plot-optimization-results")
    path = check_image(scenario.image.path if image is None else image)
    pairs = tables or [(scenario.pareto, scenario.output)]
    fronts = [
        Front(short_name(pareto), _points(scenario, pareto), _points(scenario, samples)) for pareto, samples in pairs
    ]
    paths = [path, path.with_name(f"all_{path.name}")]
    for each, with_samples in zip(paths, (False, True)):
        _draw(scenario, fronts, each, with_samples)
    return paths, _notes(scenario, fronts)


def _points(scenario: Scenario, path: Path) -> Points:
    scales = [1.0 if most is None else 100 / most for most in scenario.image.maxima]
    return [(v[0] * scales[0], v[1] * scales[1]) for v in measured(read_samples(scenario, path))]


def _notes(scenario: Scenario, fronts: Sequence[Front]) -> list[str]:
    notes = []
    for place, log in enumerate(scenario.image.log):
        outside = sum(point[place] <= 0 for front in fronts for point in front.samples)
        if log and outside:
            name = scenario.objectives[place]
            notes.append(f"note: {outside} samples with {name} of 0 or less have no place on its logarithmic axis")
    if len(scenario.objectives) > 2:
        notes.append(f"note: {', '.join(scenario.objectives[:2])} are drawn, of {len(scenario.objectives)} objectives")
    return notes


def _draw(scenario: Scenario, fronts: Sequence[Front], path: Path, with_samples: bool) -> None:
    figure = new_figure()
    axes = figure.add_subplot()
    across, up = (*scenario.image.labels[:2], *scenario.objectives[len(scenario.image.labels) :])[:2]
    label_axes(axes, scenario.application, across, up)
    for axis, log in zip("xy", scenario.image.log):
        if log:
            getattr(axes, f"set_{axis}scale")("log")
    corner = [max((p[k] for each in fronts for p in (*each.front, *each.samples)), default=0.0) for k in (0, 1)]
    for number, each in enumerate(fronts):
        if with_samples and each.samples:
            label = f"{len(each.samples)} feasible samples"
            xs, ys = zip(*each.samples)
            axes.scatter(xs, ys, s=5, color=colour(number), alpha=0.3, linewidths=0, label=label)
        if each.front:
            lines = len(scenario.objectives) == 2
            _draw_front(axes, sorted(each.front), corner, colour(number), f"Pareto - {each.name}", lines)
    if not with_samples:
        for axis, most in zip("xy", scenario.image.maxima):
            if most is not None:
                getattr(axes, f"set_{axis}lim")(1e-2 if scenario.image.log["xy".index(axis)] else 0, 100)
    add_legend(figure, axes)
    save(figure, path)


def _draw_front(
    axes: Axes, front: Points, corner: Sequence[float], line_colour: str, label: str, with_line: bool
) -> None:
    """The border of what the front dominates, up to the largest values; points alone for a part of the objectives."""
    xs, ys = [x for x, _ in front], [y for _, y in front]
    if not with_line:
        axes.plot(xs, ys, "o", color=line_colour, markersize=3.5, label=label)
        return
    axes.step([xs[0], *xs, corner[0]], [corner[1], *ys, ys[-1]], where="post", color=line_colour, linewidth=1.2)
    axes.plot(xs, ys, "o-", color=line_colour, markersize=3, linewidth=0, label=label)
