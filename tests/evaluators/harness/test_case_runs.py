"""Runs of the source in many cases: which of them are left out after a failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from tunepass.evaluators.harness.harness import CheckedCase, FailedCase, HarnessRun
from tunepass.evaluators.harness.reference.case_runs import PATIENCE_S, CaseRuns, run_cases
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.process.run import Limits
from tunepass.study.outcome import Failed

CASES = [Case(seed=1, poison=0), Case(seed=1, poison=0, size=1), Case(seed=1, poison=0, size=2)]
LATE = Failed("timeout", "over its limit")


@dataclass
class Runs:
    """Stands for the program: ends in each run as it is told, and keeps the limits that it was given."""

    ends: Iterator[FailedCase | None]
    walls: list[float] = field(default_factory=list)

    def check_each(
        self, cases: list[Case], alignment: int, limits: Limits, calls: int, rounding: str = ""
    ) -> dict[Case, CheckedCase] | FailedCase:
        self.walls.append(limits.wall_s)
        return next(self.ends) or {case: CheckedCase((), 0, 0.0) for case in cases}


def outcome(wall_s: float, *ends: FailedCase | None) -> tuple[CaseRuns, list[float]]:
    runs = Runs(iter(ends))
    return run_cases(cast(HarnessRun, runs), CASES, 1, Limits(wall_s=wall_s)), runs.walls


def test_a_source_that_had_no_processor_gets_more_time_once() -> None:
    """Else a busy machine leaves out cases that no other case stands for."""
    found, walls = outcome(0.5, FailedCase(1, LATE, starved=True), None)
    assert list(found.checked) == CASES and not found.failed and walls == [0.5, 4.0]
    found, walls = outcome(0.5, FailedCase(1, LATE, starved=True), FailedCase(1, LATE, starved=True), None)
    assert list(found.checked) == CASES[:1] and list(found.failed) == CASES[1:] and walls == [0.5, 4.0, 4.0]


def test_a_source_that_worked_all_the_time_gets_no_more() -> None:
    found, walls = outcome(0.5, FailedCase(2, LATE), None)
    assert list(found.checked) == CASES[:2] and list(found.failed) == CASES[2:] and walls == [0.5, 0.5]


def test_long_limits_are_not_lengthened() -> None:
    found, walls = outcome(2 * PATIENCE_S, FailedCase(0, LATE, starved=True))
    assert not found.checked and list(found.failed) == CASES and walls == [2 * PATIENCE_S]
