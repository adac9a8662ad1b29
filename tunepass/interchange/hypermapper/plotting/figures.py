"""Tables that pictures are drawn from, and their files. Drawn by matplotlib, an optional dependency."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tunepass.diagnostics import SourceError, StudyError, TunepassError
from tunepass.files import write_bytes
from tunepass.interchange.hypermapper.scenario import Scenario
from tunepass.interchange.hypermapper.tables import Row, read_table
from tunepass.machine_faults import doing
from tunepass.study.outcome import Measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LARGEST = 1e100  # of an objective and a time: their squares are finite
FORMATS = (".pdf", ".png", ".svg")
COLOURS = ("#2f6db3", "#c2410c", "#2e7d32", "#7b3fa0", "#b58900", "#0f766e", "#be185d", "#555555")


@dataclass(frozen=True, slots=True)
class Sample:
    """A row of results. `values`: its objectives, None where it is infeasible or an objective is not finite."""

    values: tuple[float, ...] | None
    milliseconds: float = 0.0


def read_samples(scenario: Scenario, path: Path, *, timed: bool = False) -> list[Sample]:
    """The rows of a table, by its columns of objectives, feasibility and, if `timed`, times.

    Raises:
        SourceError: a column is missing, a cell is wrong, or the table has no rows.
    """
    needed = [*scenario.outputs, *[scenario.timestamp] * timed]
    samples = [_sample(scenario, row, timed) for row in read_table(path, needed)]
    if not samples:
        raise SourceError(f"{path} has no rows", hint="name a table of results of this scenario")
    return samples


def _sample(scenario: Scenario, row: Row, timed: bool) -> Sample:
    outcome = row.result(scenario).outcome
    if isinstance(outcome, Measured) and max(map(abs, outcome.values.values())) > LARGEST:
        raise row.error(f"an objective beyond {LARGEST:g} has no place in a picture")
    milliseconds = 0.0
    if timed:
        text = row.cells[scenario.timestamp]
        try:
            milliseconds = float(text)
        except ValueError:
            milliseconds = math.nan
        if not 0 <= milliseconds <= LARGEST:
            raise row.error(f"{scenario.timestamp} is a time in milliseconds, got {text!r}")
    return Sample(tuple(outcome.values.values()) if isinstance(outcome, Measured) else None, milliseconds)


def tables_in(folder: Path) -> list[Path]:
    """The `.csv` files of a folder, by name. TunepassError if there are none."""
    with doing(f"read {folder}"):
        if not folder.is_dir():
            raise TunepassError(f"{folder} is not a folder", hint="name a folder with the tables of a tuner's runs")
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".csv" and path.is_file())
    if not paths:
        raise TunepassError(f"{folder} has no .csv files", hint="name a folder with the tables of a tuner's runs")
    return paths


def check_image(path: Path) -> Path:
    if path.suffix not in FORMATS:
        raise TunepassError(f"{path}: the name of a picture ends in {', '.join(FORMATS)}")
    return path


def new_figure(width: float = 7.6, height: float = 4.8) -> Figure:
    """An empty figure; inches. StudyError without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise StudyError("pictures need matplotlib", hint="pip install 'tunepass[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def label_axes(axes: Axes, title: str, across: str, up: str) -> None:
    """Title and labels as they are written, `$` too."""
    axes.set_title(title, fontsize=11, parse_math=False)
    axes.set_xlabel(across, parse_math=False)
    axes.set_ylabel(up, parse_math=False)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def add_legend(figure: Figure, axes: Axes, columns: int = 1) -> None:
    """Below the axes: names of files are long."""
    handles, labels = axes.get_legend_handles_labels()
    legend = figure.legend(handles, labels, loc="outside lower center", frameon=False, fontsize=9, ncols=columns)
    for text in legend.get_texts():
        text.set_parse_math(False)


def save(figure: Figure, path: Path) -> None:
    """Write the file in the format of its name; the same results make the same file."""
    data = io.BytesIO()
    metadata = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}.get(path.suffix)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # drawn as a box
        figure.savefig(data, format=path.suffix[1:], dpi=120, metadata=metadata)
    with doing(f"write {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, data.getvalue())


def short_name(path: Path) -> str:
    """A file with its folder."""
    return f"{path.resolve().parent.name}/{path.name}"


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def measured(samples: Sequence[Sample]) -> list[tuple[float, ...]]:
    return [sample.values for sample in samples if sample.values is not None]
