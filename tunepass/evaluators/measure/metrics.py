"""Metrics in the output of a program: a number within literal text, or a value of JSON output."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass

from tunepass.diagnostics import SourceError
from tunepass.study.objective import Objective

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)"


@dataclass(frozen=True, slots=True)
class MetricPattern:
    """`MetricPattern("time: {time} ms", Objective("time", unit="ms"))`. White space matches white space, whatever its
    amount; everything else is literal. The last occurrence in the output counts."""

    pattern: str
    objective: Objective

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
        """Where the last occurrence stands, which is the one that counts."""
        found = list(re.finditer(self._regex, output, re.IGNORECASE))
        return found[-1].start(2) if found else None

    def find(self, output: str) -> float | None:
        """The value; None when it is not there or not finite."""
        numbers = [match[1] for match in re.findall(self._regex, output, re.IGNORECASE)]
        value = float(numbers[-1]) if numbers else math.nan
        return value if math.isfinite(value) else None


def _literal(text: str) -> str:
    return re.sub(r"(\\?\s)+", r"\\s+", re.escape(text))


@dataclass(frozen=True, slots=True)
class JsonNumber:
    """`JsonNumber("runs.0.ms", objective)`: names and places between dots. The document is the whole of the output, or
    its last line that is a JSON object."""

    path: str
    objective: Objective

    def __post_init__(self) -> None:
        if not all(self.path.split(".")):
            raise SourceError(f"a json path is names and places between dots, got {self.path!r}")

    @property
    def pattern(self) -> str:
        return self.path

    def find(self, output: str) -> float | None:
        """The value; None when it is not there, no number or not finite."""
        value = _document(output)
        for part in self.path.split("."):
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
                value = value[int(part)]
            else:
                return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None


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
