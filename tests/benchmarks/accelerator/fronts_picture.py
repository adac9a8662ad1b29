"""The fronts that searches of the table end with, and their hypervolume on the way, by model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.accelerator.deep_models import MODELS
from tests.benchmarks.accelerator.designs import REFERENCE
from tunepass.reports import svg
from tunepass.reports.axis import Axis, short
from tunepass.surrogates.base import Floats

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, LEGEND = 430.0, 330.0, 52.0, 30.0, 44.0, 26.0
WHOLE = "all designs"
COLOURS = ("#888888", "#1b6ca8", "#2f9e44", "#0b7285", "#8d6e00", "#c2571a", "#a61e4d")
STYLE = "text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.axis{stroke:#999}" + "".join(
    f".m{number}{{fill:none;stroke:{colour};stroke-width:1.8}}" for number, colour in enumerate(COLOURS)
)
STYLE += ".whole{fill:none;stroke:#bbb;stroke-width:6;stroke-opacity:.6}"
LABELS = ("random", *MODELS)


@dataclass(frozen=True, slots=True, eq=False)
class Searches:
    """Of one model: the front (m, 2) of one search by its errors, and the volumes (starts, iterations + 1) of all."""

    front: Floats
    volumes: Floats


def drawn(searches: Mapping[str, Searches], whole: Floats) -> str:
    """Both pictures side by side; `whole` is the front (m, 2) of the table."""
    body = [*legend([label for label in LABELS if label in searches]), *fronts(searches, whole), *volumes(searches)]
    return svg.document(2 * WIDTH, HEIGHT + LEGEND, "Searches of the accelerator's designs", STYLE, body)


def legend(labels: Sequence[str]) -> Iterator[str]:
    x = LEFT
    for kind, label in [("whole", WHOLE), *((f"m{LABELS.index(label)}", label) for label in labels)]:
        yield f'<path class="{kind}" d="M {x:.0f} 12 h 18"/>'
        yield svg.text(x + 23, 16, label, "label")
        x += 38 + 6.6 * len(label)


def fronts(searches: Mapping[str, Searches], whole: Floats) -> Iterator[str]:
    """The fronts below the reference point, both axes logarithmic."""
    all_fronts = np.vstack([whole, *(search.front for search in searches.values())])
    inside = all_fronts[(all_fronts < REFERENCE).all(axis=1)]
    low = inside.min(axis=0) * 0.9
    across = Axis(float(low[0]), REFERENCE[0], LEFT, WIDTH - 20, log=True)
    up = Axis(float(low[1]), REFERENCE[1], HEIGHT + LEGEND - BOTTOM, TOP + LEGEND, log=True)
    yield from frame(across, up, "fronts of the first start", "error, %", "power, mW")
    for kind, front in [("whole", whole), *((f"m{LABELS.index(k)}", s.front) for k, s in searches.items())]:
        yield f'<path class="{kind}" d="{staircase(front, across, up)}"/>'


def staircase(front: Floats, across: Axis, up: Axis) -> str:
    """The edge of what the designs of a front dominate, below the reference point."""
    chosen = front[(front < REFERENCE).all(axis=1)]
    if not len(chosen):
        return "M 0 0"
    parts = [f"M {across.place(float(chosen[0, 0])):.1f} {up.end:.1f}"]
    for index, (_, power) in enumerate(chosen):
        last = index + 1 == len(chosen)
        right = across.end if last else across.place(float(chosen[index + 1, 0]))
        parts.append(f"V {up.place(float(power)):.1f} H {right:.1f}")
    return " ".join(parts)


def volumes(searches: Mapping[str, Searches]) -> Iterator[str]:
    """Mean hypervolumes after each chosen design."""
    means = {label: search.volumes.mean(axis=0) for label, search in searches.items()}
    last = max(len(mean) for mean in means.values()) - 1
    low, high = (float(end) for end in (min(m.min() for m in means.values()), max(m.max() for m in means.values())))
    across = Axis(0.0, float(max(last, 1)), WIDTH + LEFT, 2 * WIDTH - 20)
    up = Axis(low, high if high > low else low + 1.0, HEIGHT + LEGEND - BOTTOM, TOP + LEGEND)
    starts = max(len(search.volumes) for search in searches.values())
    yield from frame(across, up, f"hypervolume, mean of {starts} starts", "designs chosen", "% mW")
    for label, mean in means.items():
        points = " ".join(f"{across.place(float(i)):.1f},{up.place(float(v)):.1f}" for i, v in enumerate(mean))
        yield f'<polyline class="m{LABELS.index(label)}" points="{points}"/>'


def frame(across: Axis, up: Axis, title: str, below: str, beside: str) -> Iterator[str]:
    yield svg.text(across.start, LEGEND + 18, title, "title")
    yield f'<path class="axis" fill="none" d="M {across.start:.1f} {up.end:.1f} V {up.start:.1f} H {across.end:.1f}"/>'
    for tick in across.ticks():
        yield svg.text(across.place(tick), up.start + 16, short(tick), "tick", "middle")
    for tick in up.ticks():
        yield svg.text(across.start - 6, up.place(tick) + 4, short(tick), "tick", "end")
    yield svg.text(across.end, up.start + 34, below, "label", "end")
    yield svg.upright(across.start - 38, (up.start + up.end) / 2, beside, "label")
