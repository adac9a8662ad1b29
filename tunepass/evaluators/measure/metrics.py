"""Metrics in the output of a program: a number within literal text, or a value of JSON output."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from tunepass.diagnostics import SourceError
from tunepass.evaluators.process.run import Completed
from tunepass.ir.run import Matches, Measure
from tunepass.study.objective import Objective

COMBINED: Mapping[Matches, Callable[[Sequence[float]], float]] = {
    "last": lambda values: values[-1],
    "sum": math.fsum,
    "mean": fmean,
    "min": min,
    "max": max,
}
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)"


@dataclass(frozen=True, slots=True)
class MetricPattern:
    """`MetricPattern("time: {time} ms", Objective("time", unit="ms"))`. White space matches white space, whatever its
    amount; everything else is literal. `matches` says what becomes of all occurrences."""

    pattern: str
    objective: Objective
    matches: Matches = "last"

    def __post_init__(self) -> None:
        holes = re.findall(r"\{(\w+)\}", self.pattern)
        if len(holes) != 1:
            raise SourceError(
                f"a metric pattern holds one {{name}}, got {len(holes)} in {self.pattern!r}",
                hint='for example "time: {time} ms"',
            )

    @property
    def _regex(self) -> str:
        before, after = re.split(r"\{\w+\}", self.pattern)
        return rf"({_literal(before)})({NUMBER})({_literal(after)})"

    def blanked(self, output: str) -> str:
        """The output with `_` for the number, wherever it stands."""
        return re.sub(self._regex, r"\1_\3", output, flags=re.IGNORECASE)

    def place(self, output: str) -> int | None:
        """Position of the last occurrence, which is the one that counts."""
        matches = list(re.finditer(self._regex, output, re.IGNORECASE))
        return matches[-1].start(2) if matches else None

    def find(self, output: str) -> float | None:
        """The value; None when it is not there or not finite."""
        return combined([float(match[1]) for match in re.findall(self._regex, output, re.IGNORECASE)], self.matches)


def _literal(text: str) -> str:
    return re.sub(r"(\\?\s)+", r"\\s+", re.escape(text))


@dataclass(frozen=True, slots=True)
class JsonNumber:
    """`JsonNumber("runs.0.ms", objective)`: names and places between dots. The document is the whole of the output, or
    its last line that is a JSON object. `*` stands for all entries of a list or an object."""

    path: str
    objective: Objective
    matches: Matches = "last"

    def __post_init__(self) -> None:
        if not all(self.path.split(".")):
            raise SourceError(f"a json path is names and places between dots, got {self.path!r}")

    @property
    def pattern(self) -> str:
        return self.path

    def find(self, output: str) -> float | None:
        """The value; None when it is not there, no number or not finite."""
        return combined([_number(value) for value in _entries([_document(output)], self.path.split("."))], self.matches)


@dataclass(frozen=True, slots=True)
class Usage:
    """Resources that a run uses, whatever it prints."""

    measure: Measure
    objective: Objective

    def of(self, done: Completed) -> float:
        match self.measure:
            case "wall":
                return done.seconds * 1000.0
            case "cpu":
                return done.cpu_s * 1000.0
            case "memory":
                return done.peak_bytes / (1 << 20)


def combined(numbers: Sequence[float], matches: Matches) -> float | None:
    """None where there is no number, or one that counts is not finite."""
    counted = numbers[-1:] if matches == "last" else numbers
    return COMBINED[matches](counted) if counted and all(map(math.isfinite, counted)) else None


def _entries(values: list[object], path: list[str]) -> list[object]:
    """What the path leads to from these values; None for each place where it leads nowhere."""
    for part in path:
        values = [below for value in values for below in _below(value, part)]
    return values


def _below(value: object, part: str) -> list[object]:
    if part == "*" and isinstance(value, (dict, list)):
        return list(value.values()) if isinstance(value, dict) else value
    if isinstance(value, dict):
        return [value.get(part)]
    if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
        return [value[int(part)]]
    return [None]


def _number(value: object) -> float:
    """NaN for what is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _document(output: str) -> object:
    try:
        return json.loads(output)
    except (ValueError, RecursionError):
        pass
    for line in reversed(output.splitlines()):
        if line.lstrip().startswith("{"):
            try:
                return json.loads(line)
            except (ValueError, RecursionError):
                continue
    return None


OutputMetric = MetricPattern | JsonNumber
