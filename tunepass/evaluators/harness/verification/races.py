"""A finalist with threads, run again and again under other schedules and under load: does it always compute the same?

Several runs go on at once, in all with many more threads than there are processors: threads are interrupted anywhere.
What the untouched source itself does not compute as before under a schedule is not asked of a candidate.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.evaluators.harness.harness import HarnessRun
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.process.run import Limits
from tunepass.study.outcome import Failed

SECONDS = 0.5  # of calls in a run, about
CALLS = (2, 400)  # in each case
OUTPUT_BYTES = 32 << 20  # of all calls of a run
GRAVE = ("wrong_result", "out_of_bounds", "crash")  # a load may well make a run time out, or lack memory


@dataclass(frozen=True, slots=True)
class ThreadSchedule:
    """Variables of the environment that OpenMP reads."""

    threads: int
    schedule: str = "dynamic,1"
    waiting: str = "passive"  # active threads would keep the processors from the others

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        return (
            ("OMP_NUM_THREADS", str(self.threads)),
            ("OMP_SCHEDULE", self.schedule),
            ("OMP_WAIT_POLICY", self.waiting),
            ("OMP_PROC_BIND", "false"),
            ("OMP_DYNAMIC", "false"),
        )

    def __str__(self) -> str:
        return f"with {self.threads} threads ({self.schedule}) under load"


SCHEDULES = (
    ThreadSchedule(1, "static"),
    ThreadSchedule(2),
    ThreadSchedule(3, "guided"),
    ThreadSchedule(7),
    ThreadSchedule(2, "static", "active"),
)


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A run under a schedule says nothing of its results."""

    reason: str


Verdict = Failed | Unjudged | None  # None: it computed the expected results


@dataclass(frozen=True, slots=True)
class Race:
    """References for all runs of a candidate under load."""

    reference: Reference
    cases: tuple[Case, ...]
    limits: Limits

    @property
    def calls(self) -> int:
        """In each case, as many as time and space allow."""
        a_call = max(self.reference.seconds / len(self.reference.expected), 1e-5)
        sizes = [sum(o.values.nbytes for o in self.reference.expected[case].calls[0]) for case in self.cases]
        most = min(SECONDS / (a_call * len(self.cases)), OUTPUT_BYTES / max(sum(sizes), 1))
        return max(CALLS[0], min(CALLS[1], int(most)))

    def unsteady_schedules(self, folders: Sequence[Path]) -> dict[ThreadSchedule, str]:
        """Schedules under which the reference does not compute the same outputs again, and the first line of why."""
        verdicts = self.verdicts(self.reference.run, SCHEDULES, folders, calls=CALLS[0])
        return {schedule: _first_line(verdict) for schedule, verdict in verdicts.items() if verdict is not None}

    def verdicts(
        self, run: HarnessRun, schedules: Sequence[ThreadSchedule], folders: Sequence[Path], calls: int = 0
    ) -> dict[ThreadSchedule, Verdict]:
        """Side by side, each in a folder of its own."""
        with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:
            runs = [
                pool.submit(self._verdict, replace(run, folder=folder), schedule, calls or self.calls)
                for schedule, folder in zip(schedules, folders)
            ]
            return {schedule: done.result() for schedule, done in zip(schedules, runs)}

    def _verdict(self, run: HarnessRun, schedule: ThreadSchedule, calls: int) -> Verdict:
        scheduled = replace(run, environment=(*run.environment, *schedule.environment), cpus=())
        failure = scheduled.check(self.cases, self.reference.alignment, self.limits, calls=calls)
        if isinstance(failure, Failed):
            log = f"{schedule}: {failure.log}"
            return Failed(failure.stage, log) if failure.stage in GRAVE else Unjudged(f"{failure.stage} {log}")
        for case, checked in failure.items():
            for number, outputs in enumerate(checked.calls):
                wrong = self.reference.expected[case].mismatches(number % 2, outputs)
                if wrong:
                    where = case.explained("\n".join(str(mismatch) for mismatch in wrong))
                    return Failed("wrong_result", f"{schedule}, in call {number + 1} of {calls}: {where}")
        return None


def _first_line(verdict: Failed | Unjudged) -> str:
    text = verdict.log if isinstance(verdict, Failed) else verdict.reason
    return next((line.strip() for line in text.splitlines() if line.strip()), "it fails")
