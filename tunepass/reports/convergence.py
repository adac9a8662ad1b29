"""The convergence picture: every trial, the best so far and the failures, as one self-contained SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from tunepass.reports.axis import Axis, axis_for, short
from tunepass.reports.svg import document, text, upright
from tunepass.reports.thinning import thinned
from tunepass.space.configuration import abbreviated
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.results.trial_columns import losses
from tunepass.study.trial import Trial

WIDTH, HEIGHT = 760, 400
LABEL_LIMIT = 160  # characters of a configuration that is written out in a label
LEFT, RIGHT, TOP, BOTTOM = 72, 20, 44, 84  # margins; failures are drawn in the lower one

STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #333 } .title { font-weight: 600; font-size: 15px }
.quiet { fill: #777 } .grid { stroke: #8884; stroke-width: 1 } .trial { fill: #6b8fb5; fill-opacity: .75 }
.best { fill: none; stroke: #c2410c; stroke-width: 2.5; stroke-linejoin: round }
.default { stroke: #777; stroke-width: 1.5; stroke-dasharray: 5 4 } .failed { stroke: #b91c1c; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .quiet { fill: #999 } .trial { fill: #8fb8e0 }
.best { stroke: #fb923c } .default { stroke: #999 } .failed { stroke: #f87171 } }"""


@dataclass(frozen=True, slots=True)
class Point:
    """One trial as drawn: its number from 1, its value (None: it failed) and what a pointer over it says."""

    number: int
    value: float | None
    label: str


def points(trials: Sequence[Trial], objective: Objective) -> list[Point]:
    """The trials as points of the objective's curve."""
    curve = []
    for trial in trials:
        chosen = ", ".join(f"{name}={value}" for name, value in trial.configuration.items())
        chosen = chosen if len(chosen) <= LABEL_LIMIT else abbreviated(trial.configuration)
        match trial.outcome:
            case Measured(values) if objective.name in values:
                value = values[objective.name]
                curve.append(Point(trial.number + 1, value, f"{short(value)} {objective.unit}: {chosen}"))
            case Failed(stage):
                curve.append(Point(trial.number + 1, None, f"{stage}: {chosen}"))
            case Infeasible(constraint):
                curve.append(Point(trial.number + 1, None, f"{constraint}: {chosen}"))
            case _:
                curve.append(Point(trial.number + 1, None, f"not measured: {chosen}"))
    return curve


def best_so_far(drawn: Sequence[Point], objective: Objective) -> list[tuple[int, float]]:
    """(trial, value) at each improvement."""
    steps: list[tuple[int, float]] = []
    for point in drawn:
        if point.value is not None and (not steps or objective.loss(point.value) < objective.loss(steps[-1][1])):
            steps.append((point.number, point.value))
    return steps


def convergence_svg(trials: Sequence[Trial], objective: Objective, title: str) -> str:
    """The picture as SVG text; all that comes from the user is escaped."""
    chosen = thinned(trials, objective)
    drawn = points(chosen, objective)
    body = (
        list(_picture(drawn, objective, trials)) if any(p.value is not None for p in drawn) else list(_nothing(trials))
    )
    return document(WIDTH, HEIGHT, title, STYLE, [text(LEFT, 24, title, "title"), *body])


def _picture(drawn: Sequence[Point], objective: Objective, trials: Sequence[Trial]) -> Iterator[str]:
    values = [point.value for point in drawn if point.value is not None]
    down = axis_for(values, HEIGHT - BOTTOM, TOP)
    across = Axis(0.5, drawn[-1].number + 0.5, LEFT, WIDTH - RIGHT)
    yield from _grid(across, down, objective)
    if drawn[0].value is not None:
        y = down.place(drawn[0].value)
        yield f'<line class="default" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield text(WIDTH - RIGHT, y - 6, "default", "quiet", "end")
    for point in drawn:
        yield _mark(point, across.place(point.number), down)
    steps = best_so_far(drawn, objective)
    yield f'<path class="best" d="{_staircase(steps, across, down)}"/>'
    failed = int(np.isnan(losses(trials, objective)).sum())
    legend = f"{len(trials)} trials, {failed} failed (×); best {short(steps[-1][1])} {objective.unit}".rstrip()
    if left_out := len(trials) - len(drawn):
        legend += f"; {left_out:,} points are not drawn, every improvement is"
    yield text(LEFT, HEIGHT - 10, legend, "quiet")


def _grid(across: Axis, down: Axis, objective: Objective) -> Iterator[str]:
    for tick in down.ticks():
        y = down.place(tick)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield text(LEFT - 8, y + 4, short(tick), "quiet", "end")
    for tick in across.ticks():
        if tick >= 1 and tick == int(tick):
            yield text(across.place(tick), HEIGHT - BOTTOM + 38, str(int(tick)), "quiet", "middle")
    unit = f"{objective.name} [{objective.unit}]" if objective.unit else objective.name
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield upright(18, middle, unit, "quiet")
    yield text(WIDTH - RIGHT, HEIGHT - 10, "trial", "quiet", "end")


def _mark(point: Point, x: float, down: Axis) -> str:
    title = f"<title>{escape(f'trial {point.number}: {point.label}')}</title>"
    if point.value is None:
        y = HEIGHT - BOTTOM + 16
        return f'<path class="failed" d="M{x - 3:.1f} {y - 3}l6 6m0 -6l-6 6">{title}</path>'
    return f'<circle class="trial" cx="{x:.1f}" cy="{down.place(point.value):.1f}" r="3.5">{title}</circle>'


def _staircase(steps: Sequence[tuple[int, float]], across: Axis, down: Axis) -> str:
    parts = [f"M{across.place(steps[0][0]):.1f} {down.place(steps[0][1]):.1f}"]
    for number, value in steps[1:]:
        step = f"H{across.place(number):.1f}V{down.place(value):.1f}"
        if step != parts[-1]:  # of a long search many are at the same place
            parts.append(step)
    return "".join(parts) + f"H{across.end:.1f}"


def _nothing(trials: Sequence[Trial]) -> Iterator[str]:
    yield text(LEFT, HEIGHT / 2, f"{len(trials)} trials, none measured", "quiet")
