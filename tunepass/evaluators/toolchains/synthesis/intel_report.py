"""What Intel's compilers for FPGAs write: `acl_quartus_report.txt` after placement, the estimates of `-rtl` before.

The estimates are a table of JSON, `estimatedResources`, by its column's name: in `reports/lib/json/summary.json`, or
within `reports/lib/report_data.js` as `var summaryJSON={...};`. They say nothing of cycles.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from tunepass.evaluators.toolchains.synthesis.report import ReportedLoop, ReportError, SynthesisReport

TOOL = "Intel FPGA compiler"
FITTED = {  # the lines of acl_quartus_report.txt
    "ALUTs": "luts",
    "Registers": "ffs",
    "Logic utilization": "alms",
    "DSP blocks": "dsps",
    "RAM blocks": "brams",
    "M10K blocks": "brams",
    "M20K blocks": "brams",
}
COLUMNS = {"ALUTs": "luts", "ALMs": "alms", "FFs": "ffs", "RAMs": "brams", "DSPs": "dsps"}
AMOUNT = re.compile(r"([\d,]+(?:\.\d+)?)(?:\s*/\s*([\d,]+))?")
EMBEDDED = re.compile(r"(?:var\s+|\")(\w+?)(?:JSON|_json)?\"?\s*[=:]\s*(?=\{)")


def parse_quartus(text: str) -> SynthesisReport:
    """Parse `acl_quartus_report.txt`: of the whole device, the board's own logic included."""
    used: dict[str, float] = {}
    available: dict[str, float] = {}
    clock_hz = None
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        amount = AMOUNT.match(rest.strip())
        if amount is None:
            continue
        value = float(amount[1].replace(",", ""))
        if name.strip() == "Kernel fmax":
            clock_hz = value * 1e6
        elif resource := FITTED.get(name.strip()):
            used[resource] = value
            if amount[2]:
                available[resource] = float(amount[2].replace(",", ""))
    if not used:
        raise ReportError("acl_quartus_report.txt has no line of resources, such as `ALUTs: 107051`")
    return SynthesisReport(tool=TOOL, clock_hz=clock_hz, used=used, available=available, placed=True)


def parse_summary(text: str) -> SynthesisReport:
    """Parse `summary.json`, or of `report_data.js` that holds it."""
    tables = [candidate for candidate in _tables(text) if isinstance(candidate.get("estimatedResources"), dict)]
    if not tables:
        raise ReportError("the report of the Intel compiler has no table estimatedResources")
    table = tables[0]["estimatedResources"]
    assert isinstance(table, dict)
    columns = [str(column).strip() for column in _items(table.get("columns"))][1:]
    rows = {
        str(row.get("name", "")).strip(): _numbers(row.get("data"))
        for row in _items(table.get("children"))
        if isinstance(row, dict)
    }
    total = next((values for name, values in rows.items() if name.startswith("Total")), None)
    if total is None:
        raise ReportError("the table estimatedResources has no row Total")
    most = next((values for name, values in rows.items() if name.startswith("Available")), [])
    return SynthesisReport(tool=TOOL, used=_by_name(columns, total), available=_by_name(columns, most))


def parse_loops(text: str) -> tuple[ReportedLoop, ...]:
    """Parse `loops.json`: pipelined loops, and their initiation intervals."""
    return tuple(loop for table in _tables(text) for loop in _loops(table, 0) if "columns" in table)


def _loops(node: Mapping[str, object], depth: int) -> Iterator[ReportedLoop]:
    for child in _items(node.get("children")):
        if not isinstance(child, dict):
            continue
        data = [str(value).strip().lstrip("~>=") for value in _items(child.get("data"))]
        if len(data) >= 2 and data[0] in ("Yes", "No", "n/a"):
            interval = int(data[1]) if data[0] == "Yes" and data[1].isdigit() else None
            yield ReportedLoop(name=str(child.get("name", "")), depth=depth, interval=interval)
        yield from _loops(child, depth + 1)


def _tables(text: str) -> Iterator[dict[str, object]]:
    """The JSON objects of a file: the file itself, or those that its script assigns."""
    try:
        whole = json.loads(text)
        if isinstance(whole, dict):
            yield whole
        return
    except (ValueError, RecursionError):
        pass
    decoder = json.JSONDecoder()
    for match in EMBEDDED.finditer(text):
        try:
            table, _ = decoder.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            continue
        if isinstance(table, dict):
            yield table


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _numbers(value: object) -> list[float]:
    return [float(n) for n in _items(value) if isinstance(n, (int, float)) and not isinstance(n, bool)]


def _by_name(columns: list[str], values: list[float]) -> dict[str, float]:
    return {COLUMNS[column]: value for column, value in zip(columns, values) if column in COLUMNS}
