"""Reference: outputs of the untouched source, and the cases in which it can judge candidates.

A case other than the usual ones, in which the source itself fails, is left out: nothing can be compared there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.dialogue.overheads import Overheads
from tunepass.evaluators.harness.dialogue.report import ArrayShape, shapes
from tunepass.evaluators.harness.dialogue.sampling import Outputs
from tunepass.evaluators.harness.failures import SETUP_FAILS, STARTS_A_PROCESS
from tunepass.evaluators.harness.harness import Calls, CheckedCase, HarnessRun
from tunepass.evaluators.harness.programs.linking import LinkedReference
from tunepass.evaluators.harness.programs.symbols import may_start_processes, static_variables, symbols
from tunepass.evaluators.harness.reference.case_runs import SIZE_FAILS, CaseRuns, affordable, run_apart, run_cases
from tunepass.evaluators.harness.reference.cases import Case, at_right_lengths, beyond
from tunepass.evaluators.harness.reference.determinism import check_deterministic, is_finite, reason_against, unwritten
from tunepass.evaluators.harness.reference.distributions import DISTRIBUTIONS, ENDS, LATER, REFILLED, WHOLE
from tunepass.evaluators.harness.reference.expectation import Expected, expectations, of_changed_inputs
from tunepass.evaluators.harness.reference.rounding import Rounding
from tunepass.evaluators.measure.rounding import StatedTolerance
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.measure.tolerance import Tolerance
from tunepass.evaluators.process.run import Limits
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

SLOWER = 20.0  # a check may take this many times the reference's before it counts as hung
# Variants whose results are known: of slow sources, of those that are quick (in s a call), of those with small outputs
FEW, MANY, MOST, QUICK_S, SMALL = 3, 6, 12, 0.05, 1 << 16
FAILS = "the source itself crashes or leaves its arrays there, or with smaller ones"
LATER_SHARE = 1 / 3  # of what others may take, for the distributions that fewer kernels need
AGAIN_S = 0.1  # CPU time of the source in cases that are tried at the tuned size instead of their own
BRIEF_S = 0.5  # of all cases with scalars that callers may never give, and of those with many elements
OVERFLOWS = "the source's own arithmetic overflows there"
NOTHING_COMPARED = "the places that the setup leaves are empty; name what the kernel writes: `A->x: inout double[A->n]`"
ALIGNED = 64  # bytes, of guarded arrays where the source relies on more than the alignment of their elements


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Outputs of the untouched source in each case."""

    expected: Mapping[Case, Expected]
    variants: Mapping[int, Outputs]  # outputs for the last seed's inputs, changed as the variant says, with pattern 1
    timed: tuple[Tolerance, ...]  # of those
    filling: int  # the one of them with which all inputs are filled anew
    quick: bool
    run: HarnessRun  # its program
    call_s: float  # CPU time of a call at the tuned size
    seconds: float  # of a run of all cases, one call each, and the filling of the arrays
    defines: frozenset[str] = frozenset()  # names that others see in its object and in its program
    keeps: frozenset[str] = frozenset()  # variables in its program that keep their values between calls
    alignment: int = 1  # of guarded arrays in bytes; 1: that of their elements
    peak_bytes: int = 0
    left_out: tuple[tuple[Case, str], ...] = ()  # cases in which the source itself fails, and how
    loose: tuple[Case, ...] = ()  # those in which many whole numbers may be off by one
    uncompared: tuple[str, ...] = ()  # places of which some memory has no known length
    unrounded: tuple[str, ...] = ()  # why ways of rounding are missing in the tolerances
    left: frozenset[str] = frozenset()  # of the processor's state, what it leaves changed for its caller itself
    overheads: Overheads | None = None  # what is done beside its calls
    rounding: Rounding | None = None  # if each element's tolerance is its own

    def usual(self, seed: int) -> Expected:
        """At the size that is tuned and timed."""
        return next(expected for case, expected in self.expected.items() if case.usual and case.seed == seed)

    @property
    def outputs(self) -> dict[int, Calls]:
        """By seed, at the size that is tuned and timed."""
        return {case.seed: expected.calls for case, expected in self.expected.items() if case.usual}

    @property
    def shapes(self) -> tuple[ArrayShape, ...]:
        """Shapes of the outputs at the size that is tuned."""
        return shapes(next(iter(self.outputs.values()))[0])

    def tolerances_of(self, variant: int) -> tuple[Tolerance, ...]:
        """Tolerances of the outputs for one variant's inputs, with which the source is run again, or else `timed`:
        their condition may be another, as that of an elimination without pivoting is."""
        if self.rounding is None:
            return self.timed
        last = [case.seed for case in self.expected if case.usual][-1]
        again = self.rounding.of_variant(last, variant, self.filling)
        return of_changed_inputs(self.variants[variant], again) if again else self.timed

    def renewed(self, variants: Sequence[int], limits: Limits) -> Reference:
        """With results for other inputs, of as many of the `variants` as are known now, so that none recur in another
        round of the finalists; the same where that takes long or fails."""
        if not self.quick:
            return self
        last = [case.seed for case in self.expected if case.usual][-1]
        filling, *some = variants[: len(self.variants)]
        changed = self.run.compute(last, limits, some, filling, measuring=True, known=self.overheads)
        if isinstance(changed, Failed):
            return self
        return replace(self, variants=changed.outputs, filling=filling, overheads=changed.overheads)

    def check_limits(self, limits: Limits) -> Limits:
        return replace(limits, wall_s=min(limits.wall_s, 2.0 + SLOWER * self.seconds))

    def time_limits(self, limits: Limits, plan: MeasurePlan) -> Limits:
        """A cut candidate still makes its warm-up and probe calls; a fast one fills the budget."""
        needed = 2.0 + plan.warmup_s + 5 * plan.budget_s + SLOWER * self.seconds
        return replace(limits, wall_s=min(max(limits.wall_s, plan.budget_s * 5), needed))


def run_reference(
    linked: LinkedReference,
    candidate: Candidate,
    cases: Sequence[Case],
    limits: Limits,
    tolerance: StatedTolerance,
    variants: Sequence[int],
    stated: bool = False,
) -> Reference:
    """With the results of some of the `variants`. `stated`: the source names the further sizes itself, so what is not
    written there is not meant to be.

    Raises ToolError with the program's words when the reference itself cannot be run.
    """
    harness = linked.harness
    source = harness.compiling.source
    processes = may_start_processes(linked.target, linked.program)
    run = HarnessRun(linked.program, harness.folder, candidate.environment, starts_processes=processes)
    run, alignment, usual = _run_usual(run, source, [case for case in cases if case.usual], limits)
    for checked in usual.values():
        check_deterministic(source, checked.calls, tolerance)
    if not any(output.values.size for checked in usual.values() for output in checked.calls[0]):
        raise ToolError(f"{source}: nothing that the kernel writes is compared", hint=NOTHING_COMPARED)
    whole = not any(unwritten(checked) for checked in usual.values())
    others = _run_others(run, cases, alignment, limits, tolerance, usual, whole=whole and not stated)
    quick = max(checked.seconds for checked in usual.values()) < 2 * QUICK_S
    last = [case.seed for case in usual][-1]
    small = sum(output.values.nbytes for output in next(iter(usual.values())).calls[0]) <= SMALL
    filling, *some = variants[: 1 + (FEW if not quick else MOST if small else MANY)]
    changed = run.compute(last, limits, some, filling, measuring=True)
    if isinstance(changed, Failed):
        raise ToolError(_problem(source, changed), hint=_hint(changed))
    call_s = max(checked.worked_s for checked in usual.values()) / 2
    rounding = Rounding(harness, candidate, run, alignment, limits, call_s)
    _leave_out_undefined(others, rounding)
    judged = {**others.checked, **usual}
    computed = {case: checked.calls for case, checked in judged.items()}
    known = expectations(computed, tolerance, rounding)
    return Reference(
        expected=known.expected,
        timed=known.timed,
        unrounded=known.unrounded,
        rounding=rounding if known.by_element else None,
        variants=changed.outputs,
        left=frozenset(state for checked in judged.values() for state in checked.left),
        overheads=changed.overheads,
        filling=filling,
        quick=quick,
        defines=symbols(linked.target).defined | symbols(linked.program).defined,
        keeps=static_variables(linked.program),
        run=run,
        call_s=call_s,
        seconds=sum(checked.seconds for checked in judged.values()) / 2,
        alignment=alignment,
        peak_bytes=max(checked.peak_bytes for checked in usual.values()),
        loose=known.loose,
        left_out=(*others.left_out.items(), *known.left_out.items()),
        uncompared=tuple(dict.fromkeys(name for checked in usual.values() for name in checked.uncompared)),
    )


@dataclass(slots=True)
class _Others:
    """What the source computes in other cases than the usual ones, and why nothing is compared in the rest."""

    checked: dict[Case, CheckedCase] = field(default_factory=dict)
    left_out: dict[Case, str] = field(default_factory=dict)


def _run_others(
    run: HarnessRun,
    cases: Sequence[Case],
    alignment: int,
    limits: Limits,
    tolerance: StatedTolerance,
    usual: Mapping[Case, CheckedCase],
    *,
    whole: bool,
) -> _Others:
    """Optional cases under a limit of their own, those with special values in a process of their own. Other data are
    tried at the tuned size where the source fails at theirs, if all of that is cheap."""
    others, call_s = _Others(), max(checked.worked_s for checked in usual.values()) / 2
    short = replace(limits, wall_s=min(limits.wall_s, 2.0 + SLOWER * sum(c.seconds for c in usual.values()) / 2))
    brief = replace(limits, wall_s=min(short.wall_s, BRIEF_S))
    # Nobody says then that numbers may be others: `-ffast-math` makes of the mean of no numbers what it likes.
    requested = any(case.extreme and not case.optional for case in cases)
    usually_finite = not requested and all(is_finite(checked) for checked in usual.values())
    for group, group_limits in {
        "required": limits,
        "optional": short,
        "late": short,
        "whole": short,
        "extreme": short,
        "unusual": brief,
        "wide": brief,
    }.items():
        right = {case.size for case in others.checked}
        chosen = [c for c in cases if _group_of(c) == group and not (c.instead and c.instead in right)]
        runs = run_apart(run, at_right_lengths(chosen, right), alignment, group_limits, calls=2)
        astray = _at_failing_sizes(runs, others)
        if len(astray) * call_s <= AGAIN_S:
            again = [replace(case, size=0) for case in astray]
            moved = run_cases(run, again, alignment, group_limits, calls=2)
            runs.failed = {c: failure for c, failure in runs.failed.items() if c not in astray} | moved.failed
            runs.checked |= moved.checked
        else:
            runs.failed |= {case: replace(runs.failed[case], log=why) for case, why in astray.items()}
        checked: dict[Case, CheckedCase] = {}
        results: dict[Case, CheckedCase | Failed] = {**runs.checked, **runs.failed}
        for case, result in results.items():
            other_data = case.special in DISTRIBUTIONS
            all_written = whole and not (other_data or case.extreme or case.gaps)
            finite = other_data or (case.late and usually_finite)
            reason = reason_against(result, tolerance, whole=all_written, finite=finite, normal=other_data)
            if reason is not None:
                others.left_out[case] = reason
            elif isinstance(result, CheckedCase):
                checked[case] = result
        if group == "whole":
            crashing = [case for case, failure in runs.failed.items() if failure.stage in ("crash", "out_of_bounds")]
            failed = [case for case in crashing if not case.gaps]
            failed += [case for case in checked if beyond(failed, case)]
            checked = {case: each for case, each in checked.items() if case not in failed}
            others.left_out |= dict.fromkeys([*failed, *crashing], FAILS)
        if group in ("optional", "late", "whole", "unusual", "wide"):
            later = {case: each for case, each in checked.items() if case.special in LATER}
            checked = {case: each for case, each in checked.items() if case not in later}
            checked, dear = affordable(checked, call_s, calls=2)
            later, dearer = affordable(later, call_s, calls=2, share=LATER_SHARE)
            checked |= later
            others.left_out |= {**dear, **dearer}
        others.checked |= checked
    return others


def _at_failing_sizes(runs: CaseRuns, others: _Others) -> dict[Case, str]:
    """Cases with other data or arrays that failed because the source does at their size, whatever the data; and how."""
    reasons = {**others.left_out, **{case: failure.log for case, failure in runs.failed.items()}}
    fails = {c.size: f"{SIZE_FAILS}: {why}" for c, why in reasons.items() if c.plain}
    behind = runs.failed if fails else {}  # at the tuned size, but after too many failures
    moving = {case: failure for case, failure in behind.items() if not (case.plain or case.late or case.unusual)}
    causes = {case: fails.get(case.size, failure.log) for case, failure in moving.items()}
    return {case: why for case, why in causes.items() if case.size in fails or not case.size}


def _group_of(case: Case) -> str:
    """Whole numbers may lead the source, as indices, into memory that is not its own."""
    if case.usual or not case.optional:
        return "" if case.usual else "required"
    if case.unusual or case.extreme:
        return "unusual" if case.unusual else "extreme"
    if case.wide:
        return "wide"
    if case.special in WHOLE:
        return "whole"
    return "late" if case.late else "optional"


def _leave_out_undefined(others: _Others, rounding: Rounding) -> None:
    """Drop cases in which the source's arithmetic is undefined: no two programs need agree there."""
    undefined = (*WHOLE, *ENDS, *REFILLED)
    if any(case.special in ENDS for case in others.checked):  # a range, whose ends others hold as well: 1, 1/4, zeros
        undefined = (*DISTRIBUTIONS,)
    cases = [case for case in others.checked if case.special in undefined or case.gaps]
    if not cases:
        return
    watched = rounding.watched()
    if isinstance(watched, str):
        reasons = dict.fromkeys(cases, f"nothing tells whether the source overflows there: {watched}")
    else:
        runs = run_cases(watched, cases, rounding.alignment, rounding.limits)
        reasons = {case: OVERFLOWS if f.stage == "crash" else f.log for case, f in runs.failed.items()}
    others.left_out |= reasons
    others.checked = {case: each for case, each in others.checked.items() if case not in reasons}


def _run_usual(
    run: HarnessRun, source: Path, cases: Sequence[Case], limits: Limits
) -> tuple[HarnessRun, int, dict[Case, CheckedCase]]:
    """How the source runs: whether it starts processes, with which alignment; and what it computes."""
    outcomes = run.check(cases, 1, limits, calls=2)
    if isinstance(outcomes, Failed) and STARTS_A_PROCESS in outcomes.log:
        run = replace(run, starts_processes=True)
        outcomes = run.check(cases, 1, limits, calls=2)
    if isinstance(outcomes, Failed) and outcomes.stage in ("crash", "out_of_bounds"):
        aligned = run.check(cases, ALIGNED, limits, calls=2)
        if not isinstance(aligned, Failed):
            return run, ALIGNED, aligned
    if isinstance(outcomes, Failed):
        raise ToolError(_problem(source, outcomes), hint=_hint(outcomes))
    return run, 1, outcomes


def _problem(source: Path, failure: Failed) -> str:
    if failure.log.startswith(SETUP_FAILS):
        return f"{source}: a function that the pragma's `setup` or `teardown` names fails, so nothing can be judged"
    problem = {
        "timeout": "does not end in time",
        "out_of_bounds": "leaves the bounds of its arrays",
        "memory": "lacks memory",
        "wrong_result": "writes to an input",
    }
    return f"{source}: the kernel as it is {problem.get(failure.stage, 'does not run')}, so nothing can be judged"


def _hint(failure: Failed) -> str:
    advice = {
        "out_of_bounds": "\nare the stated lengths right?",
        "wrong_result": "\ndeclare it `inout` in the kernel pragma",
        "crash": "\nif it reads an `out` array before writing it, declare that `inout`: it holds garbage",
    }
    return failure.log + advice.get(failure.stage, "")
