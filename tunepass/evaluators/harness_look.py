"""A longer look at a finalist in a generated harness: data races, other schedules, sanitizers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tunepass.evaluators.harness.harness import BuiltHarness, HarnessRun
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.harness.verification.concurrent import LONGER, Concurrency, ThreadCalls
from tunepass.evaluators.harness.verification.pauses import paused_program
from tunepass.evaluators.harness.verification.processors import (
    OtherProcessors,
    asks_for_processors,
    asks_when_compiled_at_once,
)
from tunepass.evaluators.harness.verification.races import GRAVE, PAUSED, SCHEDULES, Race, ThreadSchedule, Unjudged
from tunepass.evaluators.harness.verification.repeated import RepeatedCalls
from tunepass.evaluators.harness.verification.sanitizing import run_sanitized
from tunepass.evaluators.harness.verification.threads import (
    Unwatched,
    race_found,
    unwatched_libraries,
    watched_object,
)
from tunepass.evaluators.kernel_ledgers import KernelLedgers
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.process.workspace import Workspace
from tunepass.evaluators.toolchains.compiling import mentions_main
from tunepass.ir.candidate import Candidate
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check, not_requested, ran_unless
from tunepass.study.outcome import Failed

HIDDEN = "what it calls cannot be read before the link that optimises"
WITHOUT_LTO = "compile without -flto"
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
        self._concurrency: Concurrency | None = None
        self._repeated: Case | str | None = None  # in which many calls are made, or why in none
        self._asking: dict[Configuration, bool | None] = {}  # do candidates ask how many processors there are?
        self._source_asks: bool | None = False
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

    def called_from_threads(self, configuration: Configuration, run: HarnessRun) -> Failed | None:
        """By a thread with a small stack and by two at once, as far as the source stands it."""
        reference = self._reference()
        calls = ThreadCalls(reference, reference.check_limits(self.task.run_limits), self.task.serial)
        if self._concurrency is None:
            self._concurrency = calls.concurrency()
        known = self._concurrency
        small, at_once = list(known.small_stack), list(known.at_once)
        failure = calls.failure(run, known.stack, known.callers)
        if failure is not None and failure.stage not in GRAVE:
            at_once.append(failure.log)
            small.append(failure.log)
            failure = None
        if failure is None and known.callers > 1 and self.ledgers.keeps(run.program):
            failure = self._first_failure(calls, run, known.stack, at_once)
        if failure is not None and (again := calls.failure(reference.run, known.stack, known.callers, LONGER)):
            at_once.append(f"the source itself fails at times: {again.log}")
            failure = None
        self.ledgers.note(configuration, ran_unless("small stack", small), ran_unless("concurrent calls", at_once))
        return failure

    def _first_failure(self, calls: ThreadCalls, run: HarnessRun, stack: int, at_once: list[str]) -> Failed | None:
        """When its first calls are made at once, where it keeps what the source does not."""
        failure = calls.first_failure(run, stack)
        if failure is not None and failure.stage not in GRAVE:
            at_once.append(failure.log)
            return None
        if failure is not None and (again := calls.first_failure(self._reference().run, stack)):
            at_once.append(f"the source itself fails at times: {again.log}")
            return None
        return failure

    def called_often(self, configuration: Configuration, run: HarnessRun) -> Failed | None:
        """More often than 16 bits count."""
        reference = self._reference()
        calls = RepeatedCalls(reference, reference.check_limits(self.task.run_limits))
        if self._repeated is None:
            self._repeated = calls.case()
        if isinstance(self._repeated, str):
            self.ledgers.note(configuration, *not_requested(self._repeated, "repeated calls"))
            return None
        failure = calls.failure(run, self._repeated)
        reasons = [failure] if isinstance(failure, str) else []
        self.ledgers.note(configuration, ran_unless("repeated calls", reasons))
        return failure if isinstance(failure, Failed) else None

    def note_object(self, configuration: Configuration | None, target: Path) -> None:
        """The object of a candidate, or of the source, which may ask how many processors there are."""
        if configuration is None:
            self._source_asks = asks_for_processors(target)
        else:
            self._asking[configuration] = asks_for_processors(target)

    def with_other_processors(
        self, configuration: Configuration, candidate: Candidate, run: HarnessRun, cases: Sequence[Case]
    ) -> Failed | None:
        """On machines with other numbers of processors, if it asks for them."""
        asks = self._asking.get(configuration, False)
        if asks is None:
            asks = self._asks_at_once(candidate)
        if asks is None:
            self.ledgers.note(configuration, Check("processors", "could not run", HIDDEN, WITHOUT_LTO))
            return None
        if not asks:
            self.ledgers.note(configuration, *not_requested("it does not ask how many there are", "processors"))
            return None
        reference = self._reference()
        others = OtherProcessors(reference, tuple(cases), reference.check_limits(self.task.run_limits))
        with self.workspace.scratch() as folder:
            failure = others.failure(self._harness(), candidate, replace(run, folder=folder))
        reasons = [failure.reason] if isinstance(failure, Unwatched) else []
        if isinstance(failure, Failed) and failure.stage not in GRAVE:
            reasons.append(f"{failure.stage} {failure.log}")
        elif isinstance(failure, Failed) and self._asks_in_source():
            reasons.append(f"the source itself asks how many there are: {failure.log}")
        self.ledgers.note(configuration, ran_unless("processors", reasons))
        return failure if isinstance(failure, Failed) and not reasons else None

    def _asks_in_source(self) -> bool | None:
        if self._source_asks is None:
            self._source_asks = self._asks_at_once(self.task.reference)
        return self._source_asks

    def _asks_at_once(self, candidate: Candidate) -> bool | None:
        with self.workspace.scratch() as folder:
            return asks_when_compiled_at_once(self._harness(), candidate, folder)

    def raced(
        self, configuration: Configuration, candidate: Candidate, run: HarnessRun, cases: Sequence[Case]
    ) -> Failed | None:
        """With threads: once under ThreadSanitizer, then in these cases under other schedules and under load."""
        reference = self._reference()
        race = Race(reference, tuple(cases), reference.check_limits(self.task.run_limits))
        with contextlib.ExitStack() as stack:
            folders = [stack.enter_context(self.workspace.scratch()) for _ in SCHEDULES]
            apart = stack.enter_context(self.workspace.scratch())
            target = watched_object(self._harness(), candidate, apart)
            accused = self._accused(configuration, candidate, replace(run, folder=folders[0]), target)
            if accused is not None:
                return accused
            paused = self._paused(race, candidate, replace(run, folder=apart), target)
            if isinstance(paused, Failed):
                return paused
            if self._unsteady is None:
                self._unsteady = race.unsteady_schedules(folders)
            steady = [schedule for schedule in SCHEDULES if schedule not in self._unsteady]
            verdicts = race.verdicts(run, steady, folders)
        unjudged = [verdict.reason for verdict in verdicts.values() if isinstance(verdict, Unjudged)]
        unsteady = [f"the source itself is not steady {why}" for why in self._unsteady.values()]
        unpaused = [paused.reason] if paused is not None else []
        reasons = [*unsteady, *unpaused, *unjudged]
        self.ledgers.note(configuration, ran_unless("schedules", reasons, "a machine with less load"))
        return next((verdict for verdict in verdicts.values() if isinstance(verdict, Failed)), None)

    def _paused(
        self, race: Race, candidate: Candidate, run: HarnessRun, target: Path | Unwatched
    ) -> Failed | Unjudged | None:
        """The verdict with pauses where its threads meet; a failure unless the reference fails so too."""
        verdict = self._paused_verdict(race, candidate, run, target)
        if not isinstance(verdict, Failed):
            return verdict
        with self.workspace.scratch() as folder:
            source, apart = self.task.reference, replace(run, folder=folder)
            alike = self._paused_verdict(race, source, apart, watched_object(self._harness(), source, folder))
        return verdict if alike is None else Unjudged(f"the source itself is not steady {PAUSED}")

    def _paused_verdict(
        self, race: Race, candidate: Candidate, run: HarnessRun, target: Path | Unwatched
    ) -> Failed | Unjudged | None:
        if isinstance(target, Unwatched):
            return Unjudged(target.reason)
        program = paused_program(self._harness(), candidate, target, run.folder)
        if isinstance(program, Unwatched):
            return Unjudged(program.reason)
        return race.verdicts(replace(run, program=program), [PAUSED], [run.folder])[PAUSED]

    def _accused(
        self, configuration: Configuration, candidate: Candidate, run: HarnessRun, target: Path | Unwatched
    ) -> Failed | None:
        """Race that ThreadSanitizer reports for it, unless the reference has one too."""
        harness = self._harness()
        race = self._race(harness, candidate, target, run.folder)
        if isinstance(race, Failed):
            source = self.task.reference
            alike = self._race(harness, source, watched_object(harness, source, run.folder), run.folder)
            if isinstance(alike, Failed):
                race = Unwatched("it finds a data race in the untouched source too")
        reasons = unwatched_libraries(run.program)
        if isinstance(race, Unwatched):
            reasons = [race.reason, *reasons]
            self._unwatched[race.reason] = None
        self.ledgers.note(configuration, ran_unless("data races", reasons, RACE_REMEDY))
        return race if isinstance(race, Failed) else None

    def _race(
        self, harness: BuiltHarness, candidate: Candidate, target: Path | Unwatched, folder: Path
    ) -> Failed | Unwatched | None:
        if isinstance(target, Unwatched):
            return target
        limits = self._reference().check_limits(self.task.run_limits)
        return race_found(harness, candidate, target, folder, seed=self.task.seeds[0], limits=limits)

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
