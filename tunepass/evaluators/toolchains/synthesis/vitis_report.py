"""`NAME_csynth.xml` and `csynth.xml`, as Vivado HLS (2018 on), Vitis HLS and `v++ --mode hls` write them.

Loops stand under SummaryOfLoopLatency in elements of their own names, loops inside them within. A number may be a
range, of which the larger end counts, and is `undef`, `?` or `-` where data decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from tunepass.evaluators.toolchains.synthesis.report import ReportedLoop, ReportError, SynthesisReport

RESOURCES = {"LUT": "luts", "FF": "ffs", "DSP": "dsps", "DSP48E": "dsps", "BRAM_18K": "brams", "URAM": "urams"}
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def parse_csynth(text: str) -> SynthesisReport:
    """Raises ReportError for what is no such report."""
    if "<!" in text.replace("<!--", ""):  # declarations: a report has none, and entities could be made of them
        raise ReportError("a report of Vitis HLS has no document type declaration")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ReportError(f"the report of Vitis HLS is no XML: {error}") from None
    performance, area = root.find(".//PerformanceEstimates"), root.find(".//AreaEstimates")
    if performance is None or area is None:
        raise ReportError("the report of Vitis HLS has no PerformanceEstimates or no AreaEstimates")
    latency = performance.find("SummaryOfOverallLatency")
    loops = performance.find("SummaryOfLoopLatency")
    return SynthesisReport(
        tool=f"Vitis HLS {_text(root, 'ReportVersion/Version')}".strip(),
        cycles=None if latency is None else _count(latency, "Worst-caseLatency"),
        interval=None if latency is None else _count(latency, "Interval-max"),
        clock_hz=_clock_hz(root, performance),
        used=_resources(area.find("Resources")),
        available=_resources(area.find("AvailableResources")),
        loops=() if loops is None else tuple(_loops(loops, 0)),
    )


def _clock_hz(root: ElementTree.Element, performance: ElementTree.Element) -> float | None:
    """The design runs at what was asked for, or slower where it does not reach that."""
    target_ns = _number(_text(root, "UserAssignments/TargetClockPeriod"))
    reached = _number(_text(performance, "SummaryOfTimingAnalysis/EstimatedClockPeriod"))
    longest = max(target_ns or 0.0, reached or 0.0)
    return 1e9 / longest if longest > 0 else None


def _resources(element: ElementTree.Element | None) -> dict[str, float]:
    counts = {}
    for child in element if element is not None else ():
        amount, name = _number(child.text or ""), RESOURCES.get(child.tag)
        if name is not None and amount is not None:
            counts[name] = amount
    return counts


def _loops(parent: ElementTree.Element, depth: int) -> Iterator[ReportedLoop]:
    for child in parent:
        if child.find("TripCount") is None and child.find("Latency") is None:
            continue
        iteration = _count(child, "PipelineDepth")
        yield ReportedLoop(
            name=_text(child, "Name") or child.tag,
            depth=depth,
            trip=_count(child, "TripCount"),
            interval=_count(child, "PipelineII"),
            iteration=_count(child, "IterationLatency") if iteration is None else iteration,
            latency=_count(child, "Latency"),
        )
        yield from _loops(child, depth + 1)


def _count(element: ElementTree.Element, path: str) -> int | None:
    """A whole number; the largest of a range."""
    child = element.find(path)
    if child is None:
        return None
    numbers = [number for text in child.itertext() if (number := _number(text)) is not None]
    unknown = any(text.strip() in ("undef", "?") for text in child.itertext())
    return int(max(numbers)) if numbers and not unknown else None


def _number(text: str) -> float | None:
    match = NUMBER.fullmatch(text.strip())
    return float(match[0]) if match else None


def _text(element: ElementTree.Element, path: str) -> str:
    return (element.findtext(path) or "").strip()
