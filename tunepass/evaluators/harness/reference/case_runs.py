"""Runs of the untouched source in many cases, of which some may fail: what it computes in the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tunepass.evaluators.harness.harness import CheckedCase, FailedCase, HarnessRun
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.process.run import Limits
from tunepass.study.outcome import Failed, FailureStage

PATIENCE, PATIENCE_S = 8.0, 5.0  # times the limit, up to so long, once, where it mostly waits: others have the core?
MOST_FAILURES = 40  # of sizes, and of other data, after which the rest of them is left out: each costs another run
SIZE_FAILS = "the source itself fails at the size at which they are tried"
OPTIONAL_S = 0.015  # CPU time of the source in all optional cases that candidates are compared in,
OPTIONAL_CALLS = 1.2  # and calls at the tuned size that they may take besides


@dataclass(slots=True)
class CaseRuns:
    """Results of the source in each case, and its failures in the others."""

    checked: dict[Case, CheckedCase] = field(default_factory=dict)
    failed: dict[Case, Failed] = field(default_factory=dict)


def run_cases(
    run: HarnessRun, cases: Sequence[Case], alignment: int, limits: Limits, calls: int = 1, rounding: str = ""
) -> CaseRuns:
    """All cases in one process; after a failure all others again. After a time-out those behind it fail as well, once
    it had more time if it mostly waited; after a failure with usual inputs those with others at the same size; after
    many failures the rest of the other cases, or of the sizes at which no other data are tried."""
    left, runs, given = list(cases), CaseRuns(), limits
    failures = {True: 0, False: 0}  # of sizes alone, and of other data
    of_data = {case.size for case in cases if not case.plain}
    while left:
        checked = run.check_each(left, alignment, given, calls, rounding=rounding)
        if not isinstance(checked, FailedCase):
            runs.checked = checked
            break
        if checked.starved and given is limits and limits.wall_s < PATIENCE_S:
            given = replace(limits, wall_s=min(PATIENCE * limits.wall_s, PATIENCE_S))
            continue
        failed, failure, behind = left[checked.number], checked.failure, left[checked.number + 1 :]
        failures[failed.plain] += 1
        runs.failed[failed] = failure
        if failed.plain:
            alike = [case for case in left if case.size == failed.size and not case.plain]
            runs.failed |= dict.fromkeys(alike, replace(failure, log=f"{SIZE_FAILS}: {failure.log}"))
        if failure.stage == "timeout":
            _leave_out(behind, runs, f"not tried after a call that takes too long: {failed.words}", "timeout")
        elif failures[failed.plain] > MOST_FAILURES:
            rest = [c for c in behind if c.plain == failed.plain and not (c.plain and c.size in of_data)]
            _leave_out(rest, runs, f"not tried after {failures[failed.plain]} others in which the source fails", "run")
        left = [case for case in left if case not in runs.failed]
    return runs


def _leave_out(cases: Sequence[Case], runs: CaseRuns, why: str, stage: FailureStage) -> None:
    """Cases that are not run have a reason of their own."""
    runs.failed |= {case: Failed(stage, why) for case in cases if case not in runs.failed}


def run_apart(run: HarnessRun, cases: Sequence[Case], alignment: int, limits: Limits, calls: int = 1) -> CaseRuns:
    """The same, with the unusual values of each scalar in a process of their own: a loop may never end with a step or a
    tolerance of 0, which is no reason to leave out what comes behind."""
    runs = CaseRuns()
    for scalar in dict.fromkeys(case.unusual for case in cases):
        of_scalar = run_cases(run, [case for case in cases if case.unusual == scalar], alignment, limits, calls)
        runs.checked |= of_scalar.checked
        runs.failed |= of_scalar.failed
    return runs


def affordable(
    checked: dict[Case, CheckedCase], call_s: float, calls: int, share: float = 1.0
) -> tuple[dict[Case, CheckedCase], dict[Case, str]]:
    """The optional cases, each run with so many `calls`, that do not make every candidate's check long, where a
    call at the tuned size takes `call_s`, and why the others are left out: the dearest first. They may take the `share`
    of what is granted."""
    budget_s, cheap, dear = share * (OPTIONAL_S + OPTIONAL_CALLS * call_s), dict(checked), list[Case]()
    total_s = sum(each.worked_s for each in checked.values()) / calls
    for case in sorted(checked, key=lambda case: checked[case].worked_s, reverse=True):
        if total_s <= budget_s:
            break
        total_s -= cheap.pop(case).worked_s / calls
        dear.append(case)
    dearest_s = max((checked[case].worked_s / calls for case in dear), default=0.0)
    why = f"the source takes up to {1000 * dearest_s:.3g} ms there, too long for what every candidate is checked in"
    return cheap, dict.fromkeys(dear, why)
