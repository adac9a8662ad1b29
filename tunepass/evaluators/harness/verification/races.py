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
    most: int | None = None  # threads that there are, of those that a region asks for
    levels: int | None = None  # of regions that have threads; 0: as within a region of the caller's
    dynamic: bool = False  # the library may take fewer threads
    pausing: bool = False  # they pause where they meet (pauses.py)

    @property
    def unusual(self) -> bool:
        """Are there more threads than most machines have, or fewer than were asked for, or pauses?"""
        return self.threads > 8 or self.most is not None or self.levels is not None or self.dynamic or self.pausing

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        return (
            ("OMP_NUM_THREADS", str(self.threads)),
            ("OMP_SCHEDULE", self.schedule),
            ("OMP_WAIT_POLICY", self.waiting),
            ("OMP_PROC_BIND", "false"),
            ("OMP_DYNAMIC", str(self.dynamic).lower()),
            *((("OMP_THREAD_LIMIT", str(self.most)),) if self.most is not None else ()),
            *((("OMP_MAX_ACTIVE_LEVELS", str(self.levels)),) if self.levels is not None else ()),
        )

    def __str__(self) -> str:
        fewer = f", of which there are {self.most}" if self.most is not None else ""
        within = " within a parallel region" if self.levels == 0 else ""
        some = ", or fewer," if self.dynamic else " that pause where they meet" if self.pausing else ""
        return f"with {self.threads} threads{fewer}{some} ({self.schedule}){within} under load"


SCHEDULES = (
    ThreadSchedule(1, "static"),
    ThreadSchedule(2),
    ThreadSchedule(3, "guided"),
    ThreadSchedule(7),
    ThreadSchedule(2, "static", "active"),
    ThreadSchedule(4, "static", levels=0),
    ThreadSchedule(4, most=3),
    ThreadSchedule(16, "static"),
    ThreadSchedule(64),
    ThreadSchedule(5, dynamic=True),
)
PAUSED = ThreadSchedule(4, pausing=True)
PAUSED_SLOWER = 5.0
UNUSUAL_CALLS, UNUSUAL_SHARE = 16, 5  # in each case, at most, and of so many usual ones: each costs more


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

    def _calls(self, schedule: ThreadSchedule) -> int:
        """Few are enough with another number of threads, which shows in most of them, and with pauses."""
        few = max(CALLS[0], min(UNUSUAL_CALLS, self.calls // UNUSUAL_SHARE))
        return few if schedule.unusual else self.calls

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
                pool.submit(self._verdict, replace(run, folder=folder), schedule, calls or self._calls(schedule))
                for schedule, folder in zip(schedules, folders)
            ]
            return {schedule: done.result() for schedule, done in zip(schedules, runs)}

    def _verdict(self, run: HarnessRun, schedule: ThreadSchedule, calls: int) -> Verdict:
        scheduled = replace(run, environment=(*run.environment, *schedule.environment), cpus=())
        wall_s = self.limits.wall_s * (PAUSED_SLOWER if schedule.pausing else 1.0)
        limits = replace(self.limits, wall_s=wall_s)
        failure = scheduled.check(self.cases, self.reference.alignment, limits, calls=calls)
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
