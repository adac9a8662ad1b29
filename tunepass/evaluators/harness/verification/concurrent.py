"""Calls from threads: with a small stack, and two at once with different arguments.

What the source itself does not stand is not asked of a candidate: it is called so first, and again, longer, where a
candidate fails.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tunepass.evaluators.harness.harness import HarnessRun
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.process.run import Limits
from tunepass.study.outcome import Failed

SMALL_STACK, LARGE_STACK = 1 << 20, 64 << 20  # bytes
CALLS = 24  # of each of the two callers, at most
FIRST_APART_NS = (0, 300, 1000, 3000, 10000, 30000)  # of two first calls
LONGER = 4  # times as many, of a source whose candidate fails
CALLS_S = 0.2
OUTPUT_BYTES = 32 << 20
STARTED_S = 2e-4  # a thread that makes a call, about
ENVIRONMENT = (("OMP_WAIT_POLICY", "passive"), ("OMP_PROC_BIND", "false"))
ONE_PROCESSOR = "there is one processor: no two calls run at the same time"


@dataclass(frozen=True, slots=True)
class Concurrency:
    """How the source can be called from threads: with which stack, and by how many at once; why not otherwise."""

    stack: int
    callers: int
    small_stack: tuple[str, ...] = ()
    at_once: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadCalls:
    """Calls of a program by threads, compared with the reference's results. `serial` says why two must not be made at
    once."""

    reference: Reference
    limits: Limits
    serial: str = ""

    def concurrency(self) -> Concurrency:
        """As the source stands it."""
        alone = self.failure(self.reference.run, SMALL_STACK, 1)
        small = (f"the source itself fails with a stack of 1 MiB: {_brief(alone)}",) if alone else ()
        stack = LARGE_STACK if alone else SMALL_STACK
        if self.serial or len(os.sched_getaffinity(0)) < 2:
            return Concurrency(stack, 1, small, (self.serial or ONE_PROCESSOR,))
        both = self.failure(self.reference.run, stack, 2)
        if both is None:
            return Concurrency(stack, 2, small)
        return Concurrency(stack, 1, small, (f"the source itself fails when two threads call it: {_brief(both)}",))

    def first_failure(self, run: HarnessRun, stack: int) -> Failed | None:
        """The failure when two threads make the first calls of a program at once."""
        failures = (self.failure(run, stack, 2, apart_ns=apart_ns) for apart_ns in FIRST_APART_NS)
        return next((failure for failure in failures if failure is not None), None)

    def failure(
        self, run: HarnessRun, stack: int, callers: int, longer: int = 1, apart_ns: int | None = None
    ) -> Failed | None:
        """The failure when so many threads call it; `apart_ns`: once, the second of them so much later."""
        cases = [replace(case, shift=1) for case in self.reference.expected if case.usual][:callers]
        calls = 2 if callers == 1 else 1 if apart_ns is not None else self._calls(cases, longer)
        threaded = replace(run, environment=(*run.environment, *ENVIRONMENT), cpus=())
        outcome = threaded.check(
            cases, self.reference.alignment, self.limits, calls=calls, stack=stack, apart_ns=apart_ns
        )
        how = f"called by {'two threads at once' if callers > 1 else 'a thread'}, with a stack of {stack >> 20} MiB"
        if isinstance(outcome, Failed):
            return Failed(outcome.stage, f"{how}: {outcome.log}")
        for case, checked in outcome.items():
            expected = self.reference.expected[replace(case, shift=0)]
            for number, outputs in enumerate(checked.calls):
                if wrong := expected.mismatches(number % 2 if calls > 1 else case.poison, outputs):
                    words = "\n".join(str(mismatch) for mismatch in wrong)
                    return Failed("wrong_result", f"{how}, in call {number + 1} of {calls}: {words}")
        return None

    def _calls(self, cases: Sequence[Case], longer: int) -> int:
        outputs = [o for case in cases for o in self.reference.expected[replace(case, shift=0)].calls[0]]
        sizes = sum(output.values.nbytes for output in outputs)
        most = min(CALLS_S / (self.reference.call_s + STARTED_S), OUTPUT_BYTES / max(1, sizes))
        return longer * max(3, min(CALLS, int(most)))


def _brief(failure: Failed) -> str:
    return f"{failure.stage}, {failure.log.splitlines()[0] if failure.log else 'no more is known'}"
