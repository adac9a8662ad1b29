"""`merlin.rpt`, as `merlincc --report=estimate` writes it: tables of bars, the first of which sums the kernels up.

A cell of resources is an amount, with or without its share of the device: `62105 (5%)`; cycles have their time beside
them: `1085 (0.004ms)`; `?` and `-` are what the tool does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tunepass.evaluators.toolchains.synthesis.report import ReportedLoop, ReportError, SynthesisReport

RESOURCES = {"LUT": "luts", "FF": "ffs", "BRAM": "brams", "DSP": "dsps", "URAM": "urams"}
FREQUENCY = re.compile(r"^(Estimated|Target) Frequency:\s*(\d+(?:\.\d+)?)\s*MHz", re.MULTILINE)
CELL = re.compile(r"(\d+)\s*(?:\(\s*~?(\d+(?:\.\d+)?)\s*%\s*\))?")
INTERVAL = re.compile(r"\bII\s*=\s*(\d+)")
INDENT = 4  # spaces of a level of the hierarchy
Row = dict[str, str]


def parse_merlin(text: str, function: str = "") -> SynthesisReport:
    """Parse the report of the kernel, or of the only one. Raises ReportError where the summary has no such row."""
    kernels = [row for row in _rows(text, "Kernel") if not function or _named(row["Kernel"]) == function]
    kernels = kernels or _rows(text, "Kernel")
    if len(kernels) != 1:
        raise ReportError(f"merlin.rpt sums up {len(kernels)} kernels, none of which is {function or 'the only one'}")
    row = kernels[0]
    clocks = {name: float(mhz) * 1e6 for name, mhz in FREQUENCY.findall(text)}
    used, available = {}, {}
    for column, name in RESOURCES.items():
        cell = CELL.match(row.get(column, "").strip())
        if cell is None:
            continue
        used[name] = float(cell[1])
        if cell[2] and float(cell[2]) > 100:  # a share is rounded: it says that too much is taken, not what there is
            available[name] = float(cell[1]) / float(cell[2]) * 100
    cycles = CELL.match(row.get("Cycles", "").strip())
    return SynthesisReport(
        tool="Merlin",
        cycles=int(cycles[1]) if cycles else None,
        clock_hz=clocks.get("Estimated") or clocks.get("Target"),
        used=used,
        available=available,
        loops=tuple(_loops(_rows(text, "Hierarchy"))),
    )


def _rows(text: str, first: str) -> list[Row]:
    """The rows of the first table whose first column is called so; the first cell keeps its indentation."""
    rows: list[Row] = []
    columns: list[str] | None = None
    for line in text.splitlines():
        if not line.startswith("|"):
            if columns is not None and not line.startswith("+"):
                break
            continue
        cells = line.strip().strip("|").split("|")
        if columns is None:
            columns = [cell.strip() for cell in cells] if cells[0].strip() == first else None
        elif len(cells) == len(columns):
            rows.append(dict(zip(columns, cells)))
    return rows


def _loops(rows: Sequence[Row]) -> Iterator[ReportedLoop]:
    for row in rows:
        name = row["Hierarchy"].strip()
        if not name.startswith("loop"):
            continue
        trip, interval = CELL.match(row.get("TC", "").strip()), INTERVAL.search(row.get("Detail", ""))
        cycles = CELL.match(row.get("CPC", "").strip())
        indent = len(row["Hierarchy"]) - len(row["Hierarchy"].lstrip())
        yield ReportedLoop(
            name=name.removeprefix("loop").strip(),
            depth=indent // INDENT,
            trip=int(trip[1]) if trip else None,
            interval=int(interval[1]) if interval else None,
            latency=int(cycles[1]) if cycles else None,
        )


def _named(cell: str) -> str:
    """`mm (mm.cpp:5)` is of mm."""
    return cell.partition("(")[0].strip()
