"""Runs of the source in many cases: which of them are left out after a failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from tunepass.evaluators.harness.harness import CheckedCase, FailedCase, HarnessRun
from tunepass.evaluators.harness.reference.case_runs import MOST_FAILURES, PATIENCE_S, SIZE_FAILS, CaseRuns, run_cases
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.process.run import Limits
from tunepass.study.outcome import Failed

CASES = [Case(seed=1, poison=0), Case(seed=1, poison=0, size=1), Case(seed=1, poison=0, size=2)]
FAILING = " in which the source fails"
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


def test_many_sizes_that_fail_leave_out_no_other_data() -> None:
    sizes = [Case(seed=1, size=k, words=f"at n = {k}") for k in range(1, MOST_FAILURES + 5)]
    sizes.append(Case(seed=1, size=MOST_FAILURES + 5, words="at n = 99"))
    others = [Case(seed=1, size=size, special=4, words="with other data") for size in (0, 3, MOST_FAILURES + 5)]
    fails = Failed("crash", "as it is")
    runs = Runs(iter([*[FailedCase(0, fails)] * (MOST_FAILURES + 1), None]))
    found = run_cases(cast(HarnessRun, runs), [*sizes, *others], 1, Limits(wall_s=1))
    assert list(found.checked) == [sizes[-1], others[0], others[2]], (
        "at the tuned size, and at one that other data need"
    )
    logs = [found.failed[case].log for case in sizes[:-1]]
    assert logs == ["as it is"] * (MOST_FAILURES + 1) + [f"not tried after {MOST_FAILURES + 1} others{FAILING}"] * 3
    assert found.failed[others[1]].log == f"{SIZE_FAILS}: as it is"


def test_cases_behind_a_time_out_do_not_have_its_words() -> None:
    found, _ = outcome(2 * PATIENCE_S, FailedCase(1, LATE), None)
    assert found.failed[CASES[1]].log == LATE.log and found.failed[CASES[2]].log.startswith("not tried after a call")
