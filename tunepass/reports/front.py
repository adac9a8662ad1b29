"""The Pareto front of two objectives as one self-contained SVG: all that was tried, the front, and what was picked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from tunepass.reports.axis import Axis, axis_for, short
from tunepass.reports.svg import document, text, upright
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.trial import Trial

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 84, 24, 44, 76
NEAR = 16  # pixels: labels closer than this are moved apart

STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #333 } .title { font-weight: 600; font-size: 15px }
.quiet { fill: #777 } .grid { stroke: #8884; stroke-width: 1 } .trial { fill: #6b8fb5; fill-opacity: .45 }
.front { fill: #c2410c } .line { fill: none; stroke: #c2410c; stroke-width: 1.5; stroke-opacity: .6 }
.pick { fill: none; stroke: #c2410c; stroke-width: 2.5 } .default { fill: none; stroke: #555; stroke-width: 2 }
.label { font-weight: 600 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .quiet { fill: #999 } .trial { fill: #8fb8e0 }
.front { fill: #fb923c } .line, .pick { stroke: #fb923c } .default { stroke: #bbb } }"""


def front_svg(
    trials: Sequence[Trial],
    front: Sequence[Trial],
    objectives: Sequence[Objective],
    picks: Mapping[str, Configuration],
    title: str,
    caption: str = "",
) -> str:
    """The first two objectives (of one, against the trials' numbers); the first trial is the default.

    `caption` says what the front is of; without one it is of the trials.
    """
    drawn = [t for t in trials if isinstance(t.outcome, Measured)]
    caption_text = caption or f"of {len(trials)} evaluated, {len(trials) - len(drawn)} do not fit"
    body = (
        list(_picture(drawn, front, objectives, picks, caption_text)) if drawn else [text(LEFT, 90, "nothing fits", "")]
    )
    return document(WIDTH, HEIGHT, title, STYLE, [text(LEFT, 24, title, "title"), *body])


def _picture(
    drawn: Sequence[Trial],
    front: Sequence[Trial],
    objectives: Sequence[Objective],
    picks: Mapping[str, Configuration],
    caption: str,
) -> Iterator[str]:
    spots = {t.number: _values(t, objectives) for t in drawn}
    across = axis_for([x for x, _ in spots.values()], LEFT, WIDTH - RIGHT)
    down = axis_for([y for _, y in spots.values()], HEIGHT - BOTTOM, TOP)
    yield from _grid(across, down, objectives)
    on_front = {t.number for t in front}
    for trial in drawn:
        x, y = across.place(spots[trial.number][0]), down.place(spots[trial.number][1])
        if trial.number not in on_front:
            yield f'<circle class="trial" cx="{x:.1f}" cy="{y:.1f}" r="2.5">{_tip(trial, objectives)}</circle>'
    corners = sorted((across.place(spots[n][0]), down.place(spots[n][1])) for n in on_front)
    if corners:
        steps = "".join(f"H{x:.1f}V{y:.1f}" for x, y in corners[1:])
        yield f'<path class="line" d="M{corners[0][0]:.1f} {corners[0][1]:.1f}{steps}"/>'
    for trial in front:
        x, y = across.place(spots[trial.number][0]), down.place(spots[trial.number][1])
        yield f'<circle class="front" cx="{x:.1f}" cy="{y:.1f}" r="3.2">{_tip(trial, objectives)}</circle>'
    yield from _marks(drawn, spots, across, down, picks)
    yield text(LEFT, HEIGHT - 10, f"{len(front)} on the front {caption}", "quiet")


def _marks(
    drawn: Sequence[Trial],
    spots: Mapping[int, tuple[float, float]],
    across: Axis,
    down: Axis,
    picks: Mapping[str, Configuration],
) -> Iterator[str]:
    """A square around the default, a ring around each pick, and their names where they do not cover each other."""
    named = [("default", t) for t in drawn if t.number == 0]
    named += [(name, t) for name, chosen in picks.items() for t in drawn if t.configuration == chosen]
    occupied: list[tuple[float, float]] = []
    for name, trial in named:
        x, y = across.place(spots[trial.number][0]), down.place(spots[trial.number][1])
        if name == "default":
            yield f'<rect class="default" x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12"/>'
        else:
            yield f'<circle class="pick" cx="{x:.1f}" cy="{y:.1f}" r="7"/>'
        baseline = y - 11
        while any(abs(baseline - other_y) < NEAR and abs(x - other_x) < 90 for other_x, other_y in occupied):
            baseline -= NEAR
        occupied.append((x, baseline))
        right = x > WIDTH - RIGHT - 70
        yield text(x - 6 if right else x + 6, baseline, name, "label", "end" if right else "start")


def _values(trial: Trial, objectives: Sequence[Objective]) -> tuple[float, float]:
    assert isinstance(trial.outcome, Measured)
    first = trial.outcome.values[objectives[0].name]
    return (first, trial.outcome.values[objectives[1].name]) if len(objectives) > 1 else (trial.number + 1.0, first)


def _grid(across: Axis, down: Axis, objectives: Sequence[Objective]) -> Iterator[str]:
    for tick in down.ticks():
        y = down.place(tick)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield text(LEFT - 8, y + 4, short(tick), "quiet", "end")
    for tick in across.ticks():
        x = across.place(tick)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        yield text(x, HEIGHT - BOTTOM + 20, short(tick), "quiet", "middle")
    names = [f"{o.name} [{o.unit}]" if o.unit else o.name for o in objectives]
    horizontal, vertical = (names[0], names[1]) if len(names) > 1 else ("trial", names[0])
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield text(WIDTH - RIGHT, HEIGHT - BOTTOM + 42, horizontal, "quiet", "end")
    yield upright(18, middle, vertical, "quiet")


def _tip(trial: Trial, objectives: Sequence[Objective]) -> str:
    assert isinstance(trial.outcome, Measured)
    values = ", ".join(f"{o.name} {short(trial.outcome.values[o.name])}" for o in objectives)
    chosen = ", ".join(f"{name}={value}" for name, value in trial.configuration.items())
    return f"<title>{escape(f'{values}: {chosen}')}</title>"
