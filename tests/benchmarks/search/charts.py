"""Curves with bands as SVG, for light and dark pages: the same bytes for the same numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
COLUMNS, WIDTH, HEIGHT = 3, 310, 230  # of a panel, in pixels
LEFT, RIGHT, TOP, BOTTOM, LEGEND, LINE = 46, 12, 26, 34, 14, 20  # margins of its axes; the legend's
POINTS = 50  # of a curve
LETTER = 6.6  # width of a letter of 12 pixels, about
LIGHT = ("#0b62a8", "#c2410c", "#0f766e", "#a21caf", "#a16207", "#52525b", "#be123c", "#4d7c0f")
DARK = ("#7cc0ff", "#fb923c", "#5eead4", "#f0abfc", "#facc15", "#a1a1aa", "#fda4af", "#bef264")
STYLE = """text { font: 12px system-ui, sans-serif; fill: #333 } .title { font-weight: 600 } .quiet { fill: #777 }
.grid { stroke: #000; stroke-opacity: .12 } .curve { fill: none; stroke-width: 1.8 }
.band { stroke: none; fill-opacity: .17 }
"""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Means at `counts` evaluations, all (n,); the band is what holds the mean with 95 %: 1.96 standard errors."""

    label: str
    counts: Floats
    mean: Floats
    error: Floats


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    curves: tuple[Curve, ...]
    least: float | None = None  # of the vertical axis; else what the curves have


def of_runs(label: str, runs: Floats) -> Curve:
    """The curve of independent runs (runs, evaluations)."""
    error = runs.std(axis=0) / math.sqrt(max(1, len(runs) - 1))
    return Curve(label, np.arange(1.0, runs.shape[1] + 1), runs.mean(axis=0), error)


def picture(panels: Sequence[Panel], first: int = 1) -> str:
    """The panels in rows of `COLUMNS`, from evaluation `first` on, below a legend of all labels."""
    labels = list(dict.fromkeys(curve.label for panel in panels for curve in panel.curves))
    columns = min(COLUMNS, len(panels))
    legend, lines = _legend(labels, columns * WIDTH)
    top = LEGEND + lines * LINE
    width, height = columns * WIDTH, top + math.ceil(len(panels) / columns) * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<style>{STYLE}{_colours(LIGHT)}",
        "@media (prefers-color-scheme: dark) { text { fill: #ddd } .quiet { fill: #999 } .grid { stroke: #fff }",
        f"{_colours(DARK)} }}</style>",
        *legend,
    ]
    for number, panel in enumerate(panels):
        x, y = number % columns * WIDTH, top + number // columns * HEIGHT
        parts += [f'<g transform="translate({x} {y})">', *_panel(panel, labels, first), "</g>"]
    return "\n".join([*parts, "</svg>\n"])


def _colours(colours: Sequence[str]) -> str:
    return " ".join(f".c{n} {{ stroke: {c} }} .f{n} {{ fill: {c} }}" for n, c in enumerate(colours))


def _legend(labels: Sequence[str], width: int) -> tuple[list[str], int]:
    """Its elements, and how many lines it takes."""
    parts, x, line = list[str](), float(LEFT), 0
    for number, label in enumerate(labels):
        wide = 30 + LETTER * len(label) + 14
        if x + wide > width and x > LEFT:
            x, line = float(LEFT), line + 1
        y = LEGEND + line * LINE
        parts.append(f'<line class="curve c{number}" x1="{x:.0f}" x2="{x + 22:.0f}" y1="{y - 4}" y2="{y - 4}"/>')
        parts.append(f'<text x="{x + 28:.0f}" y="{y}">{escape(label)}</text>')
        x += wide
    return parts, line + 1


def _panel(panel: Panel, labels: Sequence[str], first: int) -> Iterator[str]:
    shown = [(curve, _shown(curve.counts, first)) for curve in panel.curves]
    low = min(float((c.mean - 1.96 * c.error)[s].min()) for c, s in shown) if panel.least is None else panel.least
    high = max(float((c.mean + 1.96 * c.error)[s].max()) for c, s in shown)
    if panel.least is not None:
        high = min(high, 1.0)  # a share
    last = max(float(curve.counts[-1]) for curve in panel.curves)
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def across(counts: Floats) -> Floats:
        return np.asarray(LEFT + (counts - first) / (last - first) * (right - LEFT))

    def up(values: Floats) -> Floats:
        return np.asarray(bottom - (np.clip(values, low, high) - low) / (high - low) * (bottom - TOP))

    yield f'<text class="title" x="{LEFT}" y="{TOP - 10}">{escape(panel.title)}</text>'
    for tick in ticks(low, high):
        y = float(up(np.array(tick)))
        yield f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="quiet" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>'
    for tick in ticks(first, last):
        x = float(across(np.array(tick)))
        yield f'<text class="quiet" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>'
    yield f'<text class="quiet" x="{right}" y="{bottom + 30}" text-anchor="end">evaluations</text>'
    for curve, seen in reversed(shown):  # the first lies above the others
        number, x = labels.index(curve.label) % len(LIGHT), across(curve.counts[seen])
        half = 1.96 * curve.error[seen]
        edge = [*zip(x, up(curve.mean[seen] + half)), *reversed(list(zip(x, up(curve.mean[seen] - half))))]
        yield f'<polygon class="band f{number}" points="{_points(edge)}"/>'
        yield f'<polyline class="curve c{number}" points="{_points(list(zip(x, up(curve.mean[seen]))))}"/>'


def _shown(counts: Floats, first: int) -> NDArray[np.int64]:
    """Indices of at most about `POINTS` of the counts from `first` on, the last among them."""
    found = np.flatnonzero(counts >= first)
    return found[::-1][:: math.ceil(len(found) / POINTS)][::-1]


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """At most `most` round numbers from `low` to `high`."""
    for step in (s * 10.0**e for e in range(-6, 7) for s in (1, 2, 5)):
        numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        if len(numbers) <= most:
            return [round(number * step, 9) for number in numbers]
    return []
