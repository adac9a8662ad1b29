"""A picture of the searches of a kernel: the best time so far beside the expert's, by evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tunepass.reports.axis import Axis, axis_for, short
from tunepass.reports.svg import document, text, upright

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 320, 64, 110, 44, 52
COLOURS = {"auto": "#0b5fa5", "plain": "#5fa8dd", "random": "#8a8a8a", "optuna": "#c2571a", "opentuner": "#7a4fa3"}
NAMES = {"auto": "tunepass", "plain": "without model", "random": "random", "optuna": "Optuna", "opentuner": "OpenTuner"}
STYLE = """
text { font: 12px sans-serif; fill: #555 } .title { font-size: 14px; fill: #222 }
.grid { stroke: #e4e4e4 } .expert { stroke: #222; stroke-dasharray: 5 4 } path { fill: none; stroke-width: 2 }
"""
GAP = 15  # between names at the curves' ends
LEAST = 0.25  # what is further behind the expert is drawn here


def write_picture(path: Path, title: str, curves: Mapping[str, Sequence[float]]) -> None:
    """`curves`: by method the expert's time over the best so far, a mean over runs, for each evaluation."""
    body = [text(LEFT, 24, title, "title"), *_picture(curves)]
    path.write_text(document(WIDTH, HEIGHT, title, STYLE, body))


def _picture(curves: Mapping[str, Sequence[float]]) -> Iterator[str]:
    values = [max(value, LEAST) for curve in curves.values() for value in curve]
    down = axis_for([*values, 1.0], HEIGHT - BOTTOM, TOP)
    count = max(len(curve) for curve in curves.values())
    across = Axis(1, count, LEFT, WIDTH - RIGHT)
    for tick in down.ticks():
        y = down.place(tick)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield text(LEFT - 8, y + 4, short(tick), "quiet", "end")
    for tick in across.ticks():
        yield text(across.place(tick), HEIGHT - BOTTOM + 20, str(int(tick)), "quiet", "middle")
    y = down.place(1.0)
    yield f'<line class="expert" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    yield upright(18, (TOP + HEIGHT - BOTTOM) / 2, "expert's time / best time", "quiet")
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "evaluations", "quiet", "middle")
    ends = _spread({method: down.place(curve[-1]) for method, curve in curves.items()} | {"": y})
    yield text(WIDTH - RIGHT + 6, ends[""] + 4, "expert", "quiet")
    for method, curve in curves.items():
        colour = COLOURS[method]
        points = [f"{across.place(k + 1):.1f} {down.place(max(value, down.lo)):.1f}" for k, value in enumerate(curve)]
        yield f'<path d="M{"L".join(points)}" stroke="{colour}"/>'
        place = f'x="{WIDTH - RIGHT + 6}" y="{ends[method] + 4:.1f}"'
        yield f'<text {place} style="fill: {colour}">{NAMES[method]}</text>'


def _spread(places: Mapping[str, float]) -> dict[str, float]:
    """The places, moved down so far that names do not touch."""
    found: dict[str, float] = {}
    last = float("-inf")
    for name, place in sorted(places.items(), key=lambda item: item[1]):
        last = max(place, last + GAP)
        found[name] = last
    over = max(0.0, last - (HEIGHT - BOTTOM + 6))
    return {name: place - over for name, place in found.items()}
