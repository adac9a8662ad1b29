"""Very many cheap calls: a candidate that keeps something between calls may go wrong once a counter of it overflows.

The calls are made in a case of few elements, with the same inputs, and compared with the first one bit by bit in the
program itself. Where one differs, what it computed is compared with the reference's results.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tunepass.evaluators.harness.harness import HarnessRun
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.harness.verification.races import GRAVE
from tunepass.evaluators.process.run import Limits
from tunepass.study.outcome import Failed

CALLS = (1 << 16) + 64  # more than 16 bits count
LIMIT_S = 0.5  # of CPU time
SOURCE_S = 0.2  # of the source's
WAITS = 12  # times these seconds are given: the program ends the calls before, by the clock
TRIED = (37, 7, 1)  # which of the cases, by elements, until the source is quick enough


@dataclass(frozen=True, slots=True)
class RepeatedCalls:
    """Repeated calls of a candidate, compared with the reference's results."""

    reference: Reference
    limits: Limits

    def case(self) -> Case | str:
        """The case with most elements in which the source makes all the calls in time, or why there is none."""
        plain = [case for case in self.reference.expected if not (case.special or case.pair or case.gaps)]
        cheap = sorted({case.size: case for case in plain if self._elements(case)}.values(), key=self._elements)
        reasons = []
        for case in dict.fromkeys(cheap[min(len(cheap), number) - 1] for number in TRIED):
            failure = self.failure(self.reference.run, case, SOURCE_S)
            if failure is None:
                return case
            reasons.append(failure if isinstance(failure, str) else failure.log)
        return f"of the source {reasons[-1]}"

    def failure(self, run: HarnessRun, case: Case, limit_s: float = LIMIT_S) -> Failed | str | None:
        """The failure of one of the calls; or why they were not all made or not all compared."""
        patient = replace(self.limits, wall_s=self.limits.wall_s + WAITS * limit_s)
        repeated = run.repeat(case, self.reference.alignment, patient, CALLS, limit_s)
        if isinstance(repeated, Failed) and repeated.stage not in GRAVE:
            return f"{repeated.stage}: {repeated.log}"
        if isinstance(repeated, Failed):
            return Failed(repeated.stage, f"in one of {CALLS} calls {case.words}: {repeated.log}")
        wrong = self.reference.expected[case].mismatches(0, repeated.outputs)
        if wrong:
            words = "\n".join(str(mismatch) for mismatch in wrong)
            return Failed("wrong_result", f"in call {repeated.calls + 1} {case.words}: {words}")
        if repeated.calls == CALLS:
            return None
        compared = f"{repeated.calls} of {CALLS} calls were compared"
        return f"{compared}: all take over {limit_s:g} s of CPU time, or one rounds otherwise"

    def _elements(self, case: Case) -> int:
        return sum(output.values.size for output in self.reference.expected[case].calls[0])
