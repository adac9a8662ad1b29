"""The finalists' rounds as pictures: each round's gain over the default on one axis, a line for each finalist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tunepass.reports.axis import Axis, axis_for, short
from tunepass.reports.svg import document, text
from tunepass.search.result import assignment
from tunepass.study.comparison.final_round import Comparison
from tunepass.study.objective import Objective

COLUMNS = 48  # of the picture in text
MOST = 1e6  # of a gain that is drawn
MARKS = " .:*#"  # rounds in one column: none, 1, 2, 3, more
WIDTH, LEFT, RIGHT, TOP, ROW, BOTTOM = 760, 24, 24, 44, 46, 40

STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #333 } .title { font-weight: 600; font-size: 15px }
.quiet { fill: #777 } .grid { stroke: #8884; stroke-width: 1 } .round { fill: #6b8fb5; fill-opacity: .6 }
.interval { stroke: #c2410c; stroke-width: 3 } .default { stroke: #777; stroke-width: 1.5; stroke-dasharray: 5 4 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .quiet { fill: #999 } .round { fill: #8fb8e0 }
.interval { stroke: #fb923c } .default { stroke: #999 } }"""


@dataclass(frozen=True, slots=True)
class DrawnFinalist:
    """A finalist's label, its gain by round, and the gain over all rounds with its interval if they are enough."""

    label: str
    gains: Sequence[float]
    gain: float | None = None
    interval: tuple[float, float] | None = None


def drawings(comparison: Comparison, objective: Objective) -> list[DrawnFinalist]:
    """The finalists as they are shown: of a gain without end 1e6."""
    from tunepass.study.comparison.winner import reported_gain  # brings scipy

    drawn = []
    for finalist in comparison.finalists:
        gains = [objective.gain(old, new) for old, new in zip(comparison.default, finalist.values)]
        summary = reported_gain(objective, comparison.default, finalist.values)
        clipped = [min(max(gain, 1 / MOST), MOST) for gain in gains]
        drawn.append(DrawnFinalist(assignment(finalist.configuration), clipped, *(summary or ())))
    return drawn


def strips(finalists: Sequence[DrawnFinalist]) -> list[str]:
    """A line of text for each: its rounds from the least gain of all to the greatest, `|` where the gain is 1."""
    axis = _axis(finalists, 0, COLUMNS - 1)
    lines = []
    for finalist in finalists:
        counts = [0] * COLUMNS
        for gain in finalist.gains:
            counts[round(axis.place(gain))] += 1
        marks = [MARKS[min(count, len(MARKS) - 1)] for count in counts]
        one = round(axis.place(1.0))
        marks[one] = "|" if marks[one] == " " else marks[one]
        lines.append("".join(marks))
    return lines


def rounds_svg(finalists: Sequence[DrawnFinalist], title: str) -> str:
    """Rounds from above to below as dots, the interval as a bar, the default as a dashed line; names are escaped."""
    height = TOP + ROW * len(finalists) + BOTTOM
    axis = _axis(finalists, LEFT, WIDTH - RIGHT)
    return document(WIDTH, height, title, STYLE, [text(LEFT, 24, title, "title"), *_picture(finalists, axis)])


def _axis(finalists: Sequence[DrawnFinalist], start: float, end: float) -> Axis:
    """One for all, with the gain of 1 on it."""
    values = [gain for finalist in finalists for gain in finalist.gains]
    return axis_for([*values, 1.0], start, end)


def _picture(finalists: Sequence[DrawnFinalist], axis: Axis) -> Iterator[str]:
    bottom = TOP + ROW * len(finalists)
    for tick in axis.ticks():
        x = axis.place(tick)
        yield _upright(x, len(finalists), "grid")
        yield text(x, bottom + 18, f"{short(tick)}x", "quiet", "middle")
    yield _upright(axis.place(1.0), len(finalists), "default")
    for number, finalist in enumerate(finalists):
        yield from _row(finalist, TOP + ROW * number, axis)
    yield text(WIDTH - RIGHT, bottom + 34, "gain over the default, by round", "quiet", "end")


def _upright(x: float, rows: int, kind: str) -> str:
    """A line through the rounds of each row, below its name."""
    tops = [TOP + ROW * number for number in range(rows)]
    path = " ".join(f"M{x:.1f} {top + 17:.1f}V{top + ROW - 1:.1f}" for top in tops)
    return f'<path class="{kind}" d="{path}"/>'


def _row(finalist: DrawnFinalist, top: float, axis: Axis) -> Iterator[str]:
    yield text(LEFT, top + 13, finalist.label, "quiet")
    step = (ROW - 22) / max(1, len(finalist.gains) - 1)
    for number, gain in enumerate(finalist.gains):
        title = f"<title>{escape(f'round {number + 1}: {gain:.3f}x')}</title>"
        place = f'cx="{axis.place(gain):.1f}" cy="{top + 18 + step * number:.1f}"'
        yield f'<circle class="round" {place} r="2.5">{title}</circle>'
    if finalist.interval is not None:
        lo, hi = (axis.place(min(max(end, axis.lo), axis.hi)) for end in finalist.interval)
        y = top + 18 + (ROW - 22) / 2
        yield f'<line class="interval" x1="{lo:.1f}" x2="{hi:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
