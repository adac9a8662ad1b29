"""A longer look at a finalist in a generated harness: data races, other schedules, sanitizers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from tunepass.evaluators.harness.harness import BuiltHarness, HarnessRun
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.harness.verification.races import SCHEDULES, Race, ThreadSchedule, Unjudged
from tunepass.evaluators.harness.verification.sanitizing import run_sanitized
from tunepass.evaluators.harness.verification.threads import Unwatched, race_found, unwatched_libraries
from tunepass.evaluators.kernel_ledgers import KernelLedgers
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.process.workspace import Workspace
from tunepass.evaluators.toolchains.compiling import mentions_main
from tunepass.ir.candidate import Candidate
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import ran_unless
from tunepass.study.outcome import Failed

RACE_REMEDY = "gcc or clang with libtsan, and threads of POSIX, C, C++ or gcc's OpenMP"
SANITIZER_REMEDY = "gcc or clang with libasan and libubsan"


class HarnessLook:
    """Judges finalists by a reference and its harness, which are asked for anew each time; fills their ledgers."""

    def __init__(
        self,
        task: KernelTask,
        reference: Callable[[], Reference],
        harness: Callable[[], BuiltHarness],
        workspace: Workspace,
        ledgers: KernelLedgers,
    ):
        self.task, self.workspace, self.ledgers = task, workspace, ledgers
        self._reference, self._harness = reference, harness
        self._unwatched: dict[str, None] = {}  # why ThreadSanitizer did not watch a candidate
        self._unsteady: dict[ThreadSchedule, str] | None = None  # schedules under which the reference is, and why

    @property
    def warnings(self) -> tuple[str, ...]:
        """Checks of finalists with threads that could not be made."""
        return tuple(
            f"ThreadSanitizer did not watch finalists with threads: {reason}; data races were looked for only by"
            " repeated runs under load"
            for reason in self._unwatched
        )

    def raced(
        self, configuration: Configuration, candidate: Candidate, run: HarnessRun, cases: Sequence[Case]
    ) -> Failed | None:
        """With threads: once under ThreadSanitizer, then in these cases under other schedules and under load."""
        reference = self._reference()
        race = Race(reference, tuple(cases), reference.check_limits(self.task.run_limits))
        with contextlib.ExitStack() as stack:
            folders = [stack.enter_context(self.workspace.scratch()) for _ in SCHEDULES]
            accused = self._accused(configuration, candidate, replace(run, folder=folders[0]))
            if accused is not None:
                return accused
            if self._unsteady is None:
                self._unsteady = race.unsteady_schedules(folders)
            steady = [schedule for schedule in SCHEDULES if schedule not in self._unsteady]
            verdicts = race.verdicts(run, steady, folders)
        unjudged = [verdict.reason for verdict in verdicts.values() if isinstance(verdict, Unjudged)]
        unsteady = [f"the source itself is not steady {why}" for why in self._unsteady.values()]
        self.ledgers.note(configuration, ran_unless("schedules", [*unsteady, *unjudged], "a machine with less load"))
        return next((verdict for verdict in verdicts.values() if isinstance(verdict, Failed)), None)

    def _accused(self, configuration: Configuration, candidate: Candidate, run: HarnessRun) -> Failed | None:
        """Race that ThreadSanitizer reports for it, unless the reference has one too."""
        harness, seed = self._harness(), self.task.seeds[0]
        limits = self._reference().check_limits(self.task.run_limits)
        race = race_found(harness, candidate, run.folder, seed=seed, limits=limits)
        if isinstance(race, Failed):
            alike = race_found(harness, self.task.reference, run.folder, seed=seed, limits=limits)
            if isinstance(alike, Failed):
                race = Unwatched("it finds a data race in the untouched source too")
        reasons = unwatched_libraries(run.program)
        if isinstance(race, Unwatched):
            reasons = [race.reason, *reasons]
            self._unwatched[race.reason] = None
        self.ledgers.note(configuration, ran_unless("data races", reasons, RACE_REMEDY))
        return race if isinstance(race, Failed) else None

    def sanitized(self, configuration: Configuration) -> Failed | None:
        """Run the candidate once under the sanitizers; None when they find nothing, or cannot watch it."""
        reference, harness = self._reference(), self._harness()
        candidate, seed = self.task.lower(configuration), self.task.seeds[0]
        rename = mentions_main(self.task.text if candidate.text is None else candidate.text)
        with self.workspace.scratch() as folder:
            limits = reference.check_limits(self.task.run_limits)
            result = run_sanitized(harness, candidate, folder, rename_main=rename, seed=seed, limits=limits)
        reasons = [result.reason] if isinstance(result, Unwatched) else []
        self.ledgers.note(configuration, ran_unless("sanitizers", reasons, SANITIZER_REMEDY))
        if isinstance(result, (Failed, Unwatched)):
            return result if isinstance(result, Failed) else None
        wrong = reference.usual(seed).mismatches(0, result[0])
        return Failed("wrong_result", "\n".join(str(mismatch) for mismatch in wrong)) if wrong else None
