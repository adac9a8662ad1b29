"""Is the output of a program that of the reference? Single numbers, or the whole text with its numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tunepass.evaluators.measure.metrics import NUMBER, MetricPattern, OutputMetric
from tunepass.evaluators.measure.tolerance import Tolerance, is_right

FREE_NUMBER = re.compile(rf"(?<![\w.])(?:{NUMBER})(?![\w.])", re.IGNORECASE)
MOST_QUOTED = 80  # characters of a line in a message


def numbers_differ(expected: str, got: str, numbers: Sequence[OutputMetric], tolerance: Tolerance) -> str | None:
    """What is wrong with `numbers` in the output `got`; None: nothing."""
    for number in numbers:
        want, have = number.find(expected), number.find(got)
        if have is None:
            return f"no finite number at {number.pattern!r} in the output"
        if want is None or not tolerance.holds(want, have):
            return f"{number.objective.name}: expected {want!r}, got {have!r}"
    return None


def outputs_differ(expected: str, got: str, ignored: Sequence[MetricPattern], tolerance: Tolerance) -> str | None:
    """The first line where the outputs differ: in text (white space aside), or in a number by more than the tolerance.
    Lines where an `ignored` number stands are compared without it."""
    expected_lines, got_lines = _lines(expected, ignored), _lines(got, ignored)
    for place, (want, have) in enumerate(zip(expected_lines, got_lines), start=1):
        if not _same_line(want, have, tolerance):
            return f"line {place} of the output: expected {_cut(want)!r}, got {_cut(have)!r}"
    if len(expected_lines) != len(got_lines):
        return f"the output has {len(got_lines)} lines, expected {len(expected_lines)}"
    return None


def _lines(output: str, ignored: Sequence[MetricPattern]) -> list[str]:
    for pattern in ignored:
        output = pattern.blanked(output)
    return [" ".join(line.split()) for line in output.strip().splitlines()]


def _same_line(expected: str, got: str, tolerance: Tolerance) -> bool:
    if expected == got:
        return True
    if FREE_NUMBER.sub("#", expected) != FREE_NUMBER.sub("#", got):
        return False
    expected_numbers, printed = (
        np.array([float(number) for number in FREE_NUMBER.findall(line)]) for line in (expected, got)
    )
    return bool(is_right(expected_numbers, printed, tolerance).all())


def _cut(line: str) -> str:
    return line if len(line) <= MOST_QUOTED else line[:MOST_QUOTED] + "…"
