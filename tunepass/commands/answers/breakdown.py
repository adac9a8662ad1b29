"""Breakdown of the cycles and the area of a configuration: a table, data and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tunepass.diagnostics import TunepassError
from tunepass.files import printable, write_text
from tunepass.hwmodels.base import Slice
from tunepass.jobs.estimates import Estimator
from tunepass.reports.answer import Json, table
from tunepass.reports.flame import FlameBlock, Panel, flame_svg
from tunepass.reports.page import page
from tunepass.space.configuration import Configuration

CYCLES, TIME = "cycles", "time"  # what the parts of a time are in
OF_LOOPS = ("II", "depth", "trip", "copies")  # what a model of loops tells besides
OF_PARTS = ("units", "banks")
LEAST = 0.0005  # of the whole: smaller parts are left out of the tables, not of the data


def explained(model: Estimator, point: Configuration, picture: Path | None) -> tuple[str, Json]:
    """The two tables as text, the parts as data; the picture is written where asked for."""
    columns = model.columns([point])
    parts = model.backend.breakdown(columns)
    timing, area, kinds = parts.time, parts.area, parts.resources
    if not timing and not area:
        raise TunepassError(f"{model.costs.name} does not say where its costs go: --explain has nothing to show")
    measure = CYCLES if any(CYCLES in part.values for part in timing) else TIME
    tables = [_timing(timing) if measure == CYCLES else _bounds(timing, model.costs.units.get(TIME, ""))]
    tables += [_area(area, kinds)] if area else []
    text = "\n".join(tables)
    if picture is not None and picture.suffix != ".csv":
        _draw(model, timing, measure, area, kinds, picture)
        text += f"\n  wrote   {picture}"
    return text, {measure: [_data(part) for part in timing], "area": [_data(part) for part in area]}


def _bounds(parts: Sequence[Slice], unit: str) -> str:
    """Time of each resource that may bound the whole."""
    total = sum(part.values[TIME] for part in parts) or 1.0
    rows = [(f"time, and what would bound it alone ({unit})", "share", "")]
    for depth, part in _walk(parts):
        rows.append((_name(depth, part), f"{part.values[TIME] / total:.1%}", f"{part.values[TIME]:.4g}"))
    return table(rows, indent="  ")


def _timing(parts: Sequence[Slice]) -> str:
    total = sum(part.values["cycles"] for part in parts) or 1.0
    more = _slice_lines(parts, OF_LOOPS)
    rows = [("cycles on the critical path", "share", "own", "times", "each", *more, "line")]
    for depth, part in _walk(parts):
        critical, self_cycles = part.values["cycles"] / total, part.own["cycles"] / total
        hidden = "unrolled" if part.values.get("unrolled") else "hidden"
        share = f"{critical:.1%}" if critical >= LEAST else hidden if part.values["cycles"] == 0 else "less"
        times, each = f"{part.values['times']:,.0f}", f"{part.values['each']:,.0f}"
        rows.append((_name(depth, part), share, _share(self_cycles), times, each, *_cells(part, more), _line(part)))
    return table(rows, indent="  ")


def _area(parts: Sequence[Slice], kinds: Sequence[str]) -> str:
    totals = {name: sum(part.values[name] for part in parts) or 1.0 for name in kinds}
    more = _slice_lines(parts, OF_PARTS)
    rows = [("area of the design", "times", *kinds, *more, "line")]
    for depth, part in _walk(parts):
        if any(part.values[name] >= LEAST * totals[name] for name in kinds):
            cells = (f"{part.values[name]:,.0f}" for name in kinds)
            rows.append((_name(depth, part), f"{part.values['times']:,.0f}", *cells, *_cells(part, more), _line(part)))
    return table(rows, indent="  ")


def _slice_lines(parts: Sequence[Slice], names: Sequence[str]) -> list[str]:
    """Names for which some part has a value."""
    return [name for name in names if any(name in part.values for _, part in _walk(parts))]


def _cells(part: Slice, names: Sequence[str]) -> list[str]:
    return [f"{part.values[name]:,.4g}" if name in part.values else "" for name in names]


def _share(share: float) -> str:
    return f"{share:.1%}" if share >= LEAST else ""


def _name(depth: int, part: Slice) -> str:
    return f"{'  ' * depth}{part.label}"


def _line(part: Slice) -> str:
    return str(part.span.line) if part.span is not None else ""


def _walk(parts: Sequence[Slice], depth: int = 0) -> Iterator[tuple[int, Slice]]:
    for part in parts:
        yield depth, part
        yield from _walk(part.inside, depth + 1)


def _data(part: Slice) -> Json:
    return {
        "label": part.label,
        "line": part.span.line if part.span is not None else None,
        "values": dict(part.values),
        "own": dict(part.own),
        "inside": [_data(inner) for inner in part.inside],
    }


def _draw(
    model: Estimator, timing: Sequence[Slice], measure: str, area: Sequence[Slice], kinds: Sequence[str], picture: Path
) -> None:
    name = f"{model.kernel.name} on {model.backend.device}"
    quantity = "cycles on the critical path" if measure == CYCLES else model.costs.units.get(TIME, TIME)
    panels = [Panel(f"{name}: {quantity}", measure, _blocks(timing, measure))]
    for kind in dict.fromkeys((kinds[0], "brams")) if kinds else ():
        title = model.costs.units.get(kind, "RAM" if kind == "brams" else kind)
        panels.append(Panel(f"{name}: {title}", kind, _blocks(area, kind)))
    drawn = flame_svg([panel for panel in panels if sum(block.amount for block in panel.blocks) > 0])
    write_text(picture, printable(drawn if picture.suffix == ".svg" else page(name, [drawn])))


def _blocks(parts: Sequence[Slice], name: str) -> tuple[FlameBlock, ...]:
    return tuple(FlameBlock(part.label, max(0.0, part.values[name]), _blocks(part.inside, name)) for part in parts)
