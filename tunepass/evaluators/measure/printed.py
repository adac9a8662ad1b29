"""Is what a program printed and wrote what the untouched program did? Numbers are compared as precisely as printed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.evaluators.measure.metrics import MetricPattern
from tunepass.evaluators.measure.output_comparison import FREE_NUMBER, MOST_QUOTED
from tunepass.ir.run import PRINTED_RELATIVE, OutputCheck

Texts = Mapping[str, str]  # what each of stdout, stderr and the files holds, by its name
WHOLE = re.compile(r"[-+]?\d+")


@dataclass(frozen=True, slots=True)
class ExpectedText:
    """The lines of a text; those `left_out` differ between runs of the same program, or hold a metric."""

    name: str
    lines: tuple[str, ...]
    left_out: frozenset[int]

    @property
    def says_something(self) -> bool:
        return any(line and place not in self.left_out for place, line in enumerate(self.lines))

    def difference(self, text: str, check: OutputCheck) -> str | None:
        """The first place where `text` is wrong; None: nowhere."""
        lines = _lines(text)
        for place, (want, have) in enumerate(zip(self.lines, lines)):
            if want != have and place not in self.left_out:
                problem = _line_difference(want, have, check)
                if problem is not None:
                    return f"{self.name}, line {place + 1}{problem}"
        if len(self.lines) != len(lines):
            return f"{self.name} has {len(lines)} lines, expected {len(self.lines)}"
        return None


def expected_texts(first: Texts, second: Texts, metrics: Sequence[MetricPattern]) -> tuple[ExpectedText, ...]:
    """Texts on which two runs of the untouched program agree. A text whose number of lines varies says nothing."""
    timed = frozenset(place for metric in metrics if (place := _metric_line(first, metric)) is not None)
    expected = []
    for name, text in first.items():
        lines, others = _lines(text), _lines(second[name])
        varying = {place for place, (one, other) in enumerate(zip(lines, others)) if one != other}
        left_out = varying | {line for where, line in timed if where == name}
        if len(lines) == len(others):
            expected.append(ExpectedText(name, lines, frozenset(left_out)))
    return tuple(expected)


def uncompared_texts(first: Texts, second: Texts) -> list[str]:
    """Sentences on what differs between two runs of the untouched program, and so is not compared."""
    notes = []
    for name, text in first.items():
        lines, others = _lines(text), _lines(second[name])
        varying = sum(line != other for line, other in zip(lines, others))
        if len(lines) != len(others):
            notes.append(f"{name} has another number of lines in each run, and is not compared")
        elif varying:
            notes.append(f"{varying} of {len(lines)} lines of {name} differ from run to run, and are not compared")
    return notes


def _metric_line(texts: Texts, metric: MetricPattern) -> tuple[str, int] | None:
    """The text and the line of the occurrence that counts: the last, in the first text that has one."""
    for name, text in texts.items():
        start = metric.place(text)
        if start is not None:
            return name, text.count("\n", 0, start)
    return None


def texts_differ(expected: Sequence[ExpectedText], got: Texts, check: OutputCheck) -> str | None:
    """The first difference in any of the texts."""
    problems = (text.difference(got[text.name], check) for text in expected)
    return next((problem for problem in problems if problem is not None), None)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(" ".join(line.split()) for line in text.rstrip().split("\n"))


def _line_difference(want: str, have: str, check: OutputCheck) -> str | None:
    if FREE_NUMBER.sub("#", want) != FREE_NUMBER.sub("#", have):
        return f": expected {_cut(want)!r}, got {_cut(have)!r}"
    for place, (expected, got) in enumerate(zip(FREE_NUMBER.findall(want), FREE_NUMBER.findall(have)), start=1):
        if expected != got and not number_is_right(expected, got, check):
            return f", number {place}: expected {expected}, got {got}"
    return None


def number_is_right(reference: str, got: str, check: OutputCheck) -> bool:
    """`got` beside `reference`, both as printed."""
    expected, value = float(reference), float(got)
    if math.isnan(expected) or not math.isfinite(expected):
        return (math.isnan(expected) and math.isnan(value)) or expected == value
    whole = WHOLE.fullmatch(reference) is not None and WHOLE.fullmatch(got) is not None
    relative = (0.0 if whole else PRINTED_RELATIVE) if check.relative is None else check.relative
    units = [unit for unit in (printed_unit(reference), printed_unit(got)) if unit]
    unit = min(units, default=0.0)  # `%g` prints 1.5 and 1.49999
    return abs(value - expected) <= check.absolute + relative * abs(expected) + unit * (1 + 1e-9)


def printed_unit(text: str) -> float:
    """What the last printed digit of a number counts: 0.01 of `1.25`, 1e-5 of `1.25e-3`; of `12` nothing."""
    mantissa, _, exponent = text.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    return float(f"1e{int(exponent or 0) - places}") if places or exponent else 0.0


def _cut(line: str) -> str:
    return line if len(line) <= MOST_QUOTED else line[:MOST_QUOTED] + "…"
