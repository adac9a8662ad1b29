"""Reference: outputs of the untouched source, and the cases in which it can judge candidates.

A case other than the usual ones, in which the source itself fails, is left out: nothing can be compared there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.cases import Case, Inputs
from tunepass.evaluators.harness.compare import POINTER, Mismatch, Output, compare
from tunepass.evaluators.harness.dialogues import Outputs
from tunepass.evaluators.harness.failures import SETUP_FAILS
from tunepass.evaluators.harness.harness import Calls, Checked, HarnessRun
from tunepass.evaluators.harness.linking import LinkedReference
from tunepass.evaluators.harness.report import ArrayShape, shapes
from tunepass.evaluators.harness.rounding import Rounding, joined, spreads_of
from tunepass.evaluators.harness.symbols import symbols
from tunepass.evaluators.measure.rounding import LARGEST, StatedTolerance, needs_rounding, spread_of, tolerance_of
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.measure.tolerance import Mask, Tolerance
from tunepass.evaluators.process.run import Limits
from tunepass.ir.c_kernel import UNCOMPARED
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

SLOWER = 20.0  # a check may take this many times the reference's before it counts as hung
FEW, MANY, QUICK_S = 3, 6, 0.05  # variants whose results are known: of slow sources, and of quick ones, in s a call
OTHER_MEMORY = -2  # a pointer to none of the harness's arrays (frontends/c/harness/outputs.h)
NOTHING_COMPARED = "the places that the setup leaves are empty; name what the kernel writes: `A->x: inout double[A->n]`"
ALIGNED = 64  # bytes, of guarded arrays where the source relies on more than the alignment of their elements


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected outputs in one case: a call with poison pattern 0 and one with 1, and the tolerance of each array."""

    calls: Calls
    tolerances: tuple[Tolerance, ...]

    def mismatches(self, pattern: int, outputs: Sequence[Output]) -> tuple[Mismatch, ...]:
        return compare(self.calls[pattern], outputs, self.tolerances)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Outputs of the untouched source in each case."""

    expected: Mapping[Case, Expected]
    variants: Mapping[int, Outputs]  # outputs for the last seed's inputs, changed as the variant says, with pattern 1
    filling: int  # the one of them with which all inputs are filled anew
    run: HarnessRun  # its program
    seconds: float  # of a run of all cases, one call each, and the filling of the arrays
    defines: frozenset[str] = frozenset()  # names that others see in its object and in its program
    alignment: int = 1  # of guarded arrays in bytes; 1: that of their elements
    peak_bytes: int = 0
    left_out: tuple[tuple[Case, str], ...] = ()  # cases in which the source itself fails, and how
    uncompared: tuple[str, ...] = ()  # places of which some memory has no known length
    unrounded: tuple[str, ...] = ()  # why ways of rounding are obstacles in the tolerances

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

    def check_limits(self, limits: Limits) -> Limits:
        return replace(limits, wall_s=min(limits.wall_s, 2.0 + SLOWER * self.seconds))

    def time_limits(self, limits: Limits, plan: MeasurePlan) -> Limits:
        """A cut candidate still makes its warm-up and probe calls; a fast one fills the budget."""
        needed = 2.0 + plan.warmup_s + 5 * plan.budget_s + SLOWER * self.seconds
        return replace(limits, wall_s=min(max(limits.wall_s, plan.budget_s * 5), needed))


def left_out(reference: Reference, inputs: Inputs) -> tuple[str, ...]:
    """Notes on the cases that were left out, without small sizes that the user did not name."""
    reasons = [(case, why) for case, why in reference.left_out if case.size <= 1 or inputs.stated]
    return tuple(f"nothing is compared {case.words}, where the source itself fails: {why}" for case, why in reasons)


def uncompared(reference: Reference) -> tuple[str, ...]:
    """Notes on memory that is not compared, as only the source's own run shows."""
    leading = dict.fromkeys(
        output.name.removeprefix(POINTER)
        for expected in reference.expected.values()
        for output in expected.calls[0]
        if output.name.startswith(POINTER) and (output.values == OTHER_MEMORY).any()
    )
    return (
        *(f"{UNCOMPARED}of unknown length: memory that {name} leads to" for name in reference.uncompared),
        *(f"{UNCOMPARED}in none of the arrays and places: memory that {name} leads to" for name in leading),
    )


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
    run = HarnessRun(linked.program, harness.folder, candidate.environment)
    alignment, usual = _run_usual(run, source, [case for case in cases if case.usual], limits)
    for checked in usual.values():
        _check_deterministic(source, checked.calls, tolerance)
    if not any(output.values.size for checked in usual.values() for output in checked.calls[0]):
        raise ToolError(f"{source}: nothing that the kernel writes is compared", hint=NOTHING_COMPARED)
    whole = not any(_unwritten(checked) for checked in usual.values())
    others, left_out = {}, []
    for case, result in _run_each(run, [case for case in cases if not case.usual], alignment, limits):
        reason = result.log if isinstance(result, Failed) else _reason_against(result, tolerance, whole and not stated)
        if reason is not None:
            left_out.append((case, reason))
        elif isinstance(result, Checked):
            others[case] = result
    judged = {**others, **usual}
    computed = {case: checked.calls for case, checked in judged.items()}
    quick = max(checked.seconds for checked in usual.values()) < 2 * QUICK_S
    last = [case.seed for case in usual][-1]
    filling, *some = variants[: 1 + (MANY if quick else FEW)]
    changed = run.compute(last, limits, some, filling)
    if isinstance(changed, Failed):
        raise ToolError(_problem(source, changed), hint=_hint(changed))
    expected, unrounded = _expected(computed, tolerance, Rounding(harness, candidate, run, alignment, limits))
    return Reference(
        expected=expected,
        unrounded=tuple(unrounded),
        variants=changed,
        filling=filling,
        defines=symbols(linked.target).defined | symbols(linked.program).defined,
        run=run,
        seconds=sum(checked.seconds for checked in judged.values()) / 2,
        alignment=alignment,
        peak_bytes=max(checked.peak_bytes for checked in usual.values()),
        left_out=tuple(left_out),
        uncompared=tuple(dict.fromkeys(name for checked in usual.values() for name in checked.uncompared)),
    )


def _expected(
    computed: Mapping[Case, Calls], stated: StatedTolerance, rounding: Rounding
) -> tuple[dict[Case, Expected], list[str]]:
    """With reasons why ways of rounding are missing. Tolerances know the usual case: results that are small at a small
    size by chance need as much room as others."""
    spreads = {case: [spread_of(a.values, [b.values]) for a, b in zip(*calls)] for case, calls in computed.items()}
    usually = next(case for case in computed if case.usual)
    real = [output.values.dtype.kind == "f" for output in computed[usually][0]]
    obstacles = list[str]()
    if any(needs_rounding(stated, spread) for spread, is_real in zip(spreads[usually], real) if is_real):
        again, obstacles = rounding.run(tuple(computed))
        spreads = {case: spreads_of(case, calls, again) for case, calls in computed.items()}
    usual = [joined(arrays) for arrays in zip(*(spreads[case] for case in computed if case.usual))]
    expected = {
        case: Expected(
            calls,
            tuple(
                tolerance_of(stated, spread.joined(always), output.values.dtype)
                for spread, always, output in zip(spreads[case], usual, calls[0])
            ),
        )
        for case, calls in computed.items()
    }
    return expected, obstacles


def _run_usual(run: HarnessRun, source: Path, cases: Sequence[Case], limits: Limits) -> tuple[int, dict[Case, Checked]]:
    """The alignment with which the source runs, and what it computes."""
    outcomes = run.check(cases, 1, limits, calls=2)
    if isinstance(outcomes, Failed) and outcomes.stage in ("crash", "out_of_bounds"):
        aligned = run.check(cases, ALIGNED, limits, calls=2)
        if not isinstance(aligned, Failed):
            return ALIGNED, aligned
    if isinstance(outcomes, Failed):
        raise ToolError(_problem(source, outcomes), hint=_hint(outcomes))
    return 1, outcomes


def _run_each(
    run: HarnessRun, cases: Sequence[Case], alignment: int, limits: Limits
) -> Iterator[tuple[Case, Checked | Failed]]:
    """All at once; where that fails, one by one."""
    outcomes = run.check(cases, alignment, limits, calls=2) if cases else {}
    if not isinstance(outcomes, Failed):
        yield from outcomes.items()
        return
    for case in cases:
        alone = run.check([case], alignment, limits, calls=2)
        yield case, alone if isinstance(alone, Failed) else alone[case]


def _reason_against(checked: Checked, tolerance: StatedTolerance, whole: bool) -> str | None:
    """Why nothing can be compared with this, if that is so."""
    wrong = _disagreement(checked.calls, tolerance)
    if wrong is not None:
        return f"two calls on the same data give different results ({wrong})"
    unwritten = _unwritten(checked)
    if whole and unwritten:
        return f"{unwritten} elements are not written, which they are at the size that is tuned"
    return None


def _unwritten(checked: Checked) -> int:
    """Elements that kept the poison, or what an inout array held before."""
    return checked.unchanged + sum(int(_poison_left(first, second).sum()) for first, second in zip(*checked.calls))


def _check_deterministic(source: Path, calls: Calls, tolerance: StatedTolerance) -> None:
    wrong = _disagreement(calls, tolerance)
    if wrong is not None:
        raise ToolError(
            f"{source}: two calls on the same data give different results ({wrong})",
            hint=f"if the kernel reads {wrong.name} before writing it, declare it `inout`; "
            "if nobody needs what it leaves there, `work`; "
            "if it keeps state between calls, or races, nothing can be checked",
        )


def _disagreement(calls: Calls, stated: StatedTolerance) -> Mismatch | None:
    """Two calls on equal data must agree, except where both left the poison; threads may sum in another order."""
    for first, second in zip(*calls):
        unwritten = _poison_left(first, second)
        written_outputs = [Output(o.name, o.values[~unwritten]) for o in (first, second)]
        dtype = first.values.dtype
        loose = StatedTolerance(relative=LARGEST.get(dtype.itemsize, 0.0) if dtype.kind == "f" else 0.0)
        tolerance = tolerance_of(
            loose if stated.relative is None else stated, spread_of(written_outputs[0].values), dtype
        )
        wrong = compare([written_outputs[0]], [written_outputs[1]], tolerance)
        if wrong:
            return wrong[0]
    return None


def without_unwritten(expected: Output, got: Output) -> Output:
    """`got`, as expected where the reference wrote nothing: how much is written may depend on the inputs, and what lies
    beyond it was left by earlier calls."""
    values = expected.values
    if values.dtype.kind == "b":
        return got
    if values.dtype.kind == "f":
        unwritten: Mask = values == (203.25 if values.dtype.itemsize == 2 else -1234.5)
    else:
        unwritten = (values.view(np.uint8) == 0x5A).reshape(len(values), values.dtype.itemsize).all(axis=1)
    return Output(got.name, np.where(unwritten, values, got.values)) if unwritten.any() else got


def _poison_left(first: Output, second: Output) -> Mask:
    """Where call 0 left poison pattern 0 and call 1 pattern 1 (frontends/c/harness/runtime.h)."""
    a, b = first.values, second.values
    if a.dtype.kind == "f":
        poison = 203.25 if a.dtype.itemsize == 2 else -1234.5
        left: Mask = np.isnan(a) & (b == poison)
    elif a.dtype.kind == "b":
        left = np.logical_and(a == 0, b == 1)
    else:
        in_bytes = (a.view(np.uint8) == 0xA5) & (b.view(np.uint8) == 0x5A)
        left = in_bytes.reshape(len(a), a.dtype.itemsize).all(axis=1)
    return left


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
        "out_of_bounds": "\nare the lengths in the kernel pragma right?",
        "wrong_result": "\ndeclare it `inout` in the kernel pragma",
    }
    return failure.log + advice.get(failure.stage, "")
