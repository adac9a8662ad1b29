"""Expected outputs from the reference kernel, and their tolerances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import ToolError
from tunepass.evaluators.gpu_run.contents import ContentsCase
from tunepass.evaluators.gpu_run.holder import Holder, LaunchProgram
from tunepass.evaluators.gpu_run.session import TooLarge, WorkerFailed
from tunepass.evaluators.harness.compare import Mismatch, Output, compare, zeros_pass
from tunepass.evaluators.measure.rounding import LARGEST, StatedTolerance, spread_of, tolerance_of
from tunepass.evaluators.measure.tolerance import Tolerance
from tunepass.study.outcome import Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """`outputs` and `tolerances` by case and name, for outputs of the reference; `seconds` of one launch."""

    outputs: Mapping[ContentsCase, Mapping[str, Output]]
    tolerances: Mapping[ContentsCase, Mapping[str, Tolerance]]
    seconds: float
    warnings: tuple[str, ...] = ()

    @property
    def cases(self) -> tuple[ContentsCase, ...]:
        return tuple(self.outputs)

    def mismatches(self, case: ContentsCase, got: Sequence[Output]) -> tuple[Mismatch, ...]:
        """What is wrong. A buffer whose length is another is room for intermediate results: it is not compared. Nor is
        what the reference does not take."""
        known, tolerances = self.outputs[case], self.tolerances[case]
        same = [o for o in got if o.name not in self.unlike(case, got)]
        want = [known[output.name] for output in same]
        return compare(want, same, [tolerances[output.name] for output in same])

    def unlike(self, case: ContentsCase, got: Sequence[Output]) -> set[str]:
        """Names of outputs that are not compared: of another length than the reference's, or in one of both alone."""
        lengths, others = ({o.name: o.values.size for o in each} for each in (self.outputs[case].values(), got))
        return {name for name in {**lengths, **others} if lengths.get(name) != others.get(name)}


def expected_of(
    holder: Holder, program: LaunchProgram, cases: Sequence[ContentsCase], stated: StatedTolerance, wall_s: float
) -> Expected:
    """Runs the reference on each case, on the first one twice. Raises ToolError where it fails or varies."""
    outputs: dict[ContentsCase, dict[str, Output]] = {}
    tolerances: dict[ContentsCase, dict[str, Tolerance]] = {}
    seconds = 0.0
    for case in cases:
        expected, seconds = _computed(holder, program, case, wall_s)
        outputs[case] = {output.name: output for output in expected}
        tolerances[case] = {output.name: tolerance(stated, output) for output in expected}
    first = cases[0]
    again, _ = _computed(holder, program, first, wall_s)
    wrong = compare(list(outputs[first].values()), again, list(tolerances[first].values()))
    if wrong:
        raise ToolError(
            f"the reference kernel gives different results for the same data ({wrong[0]})",
            hint=f"if it reads {wrong[0].name} before writing it, declare it `inout`; "
            "if it races, nothing can be checked",
        )
    if not outputs[first]:
        raise ToolError("the kernel has no output that could be compared", hint="declare a buffer `out` or `inout`")
    zeros = zeros_pass(list(outputs[first].values()), list(tolerances[first].values()))
    return Expected(
        outputs=outputs,
        tolerances=tolerances,
        seconds=seconds,
        warnings=tuple(f"the tolerance accepts zeros for {name}: wrong results may pass" for name in zeros),
    )


def tolerance(stated: StatedTolerance, output: Output) -> Tolerance:
    """As the source states it; else what a sum in another order may cost at most, of elements of that type."""
    dtype = output.values.dtype
    if stated.relative is None and dtype.kind == "f":
        stated = StatedTolerance(relative=LARGEST[dtype.itemsize], absolute=stated.absolute)
    return tolerance_of(stated, spread_of(output.values), dtype)


def _computed(
    holder: Holder, program: LaunchProgram, case: ContentsCase, wall_s: float
) -> tuple[tuple[Output, ...], float]:
    try:
        launched, seconds = holder.attempt(lambda: holder.finish(holder.begin(program, case), wall_s))
    except WorkerFailed as failed:
        raise _unusable(failed.failure) from None
    except TooLarge as error:
        raise ToolError(f"the reference kernel does not fit the device: {error}") from None
    fault = program.layout.fault(launched.before, launched.after)
    if fault is not None:
        holder.retire()
        raise _unusable(fault)
    return program.layout.outputs(launched.after, program.call.passed), seconds


def _unusable(failure: Failed) -> ToolError:
    reason = {
        "compile": "does not compile",
        "timeout": "does not end in time",
        "out_of_bounds": "leaves the bounds of its buffers",
        "memory": "lacks memory",
        "wrong_result": "writes to an input",
    }
    advice = {
        "out_of_bounds": "\nare the stated lengths right?",
        "wrong_result": "\ndeclare it `inout` in the kernel pragma",
    }
    return ToolError(
        f"the reference kernel {reason.get(failure.stage, 'does not run')}, so nothing can be judged",
        hint=failure.log + advice.get(failure.stage, ""),
    )
