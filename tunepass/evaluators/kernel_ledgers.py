"""Ledgers of the candidates of a kernel in a generated harness: the rows that were made in this session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tunepass.evaluators.harness.programs.symbols import static_variables
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.harness.reference.ledger_rows import reference_checks, size_check, timing_checks
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.harness.verification.threads import unwatched_libraries
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.measure.timing import Timing
from tunepass.evaluators.process.isolation import isolation_checks
from tunepass.ir.candidate import Candidate
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check, Ledger, not_requested, ran_unless

TRACING = "permit a process to trace those that it started (kernel.yama.ptrace_scope 0 or 1)"


class KernelLedgers:
    """By configuration the ledger of its checks."""

    def __init__(self, task: KernelTask, reference: Callable[[], Reference]):
        self.task = task
        self._reference = reference
        self._ledgers: dict[Configuration, Ledger] = {}
        self._measurements: dict[Configuration, list[Check]] = {}

    def of(self, configuration: Configuration) -> Ledger:
        return self._ledgers.get(configuration, Ledger())

    def note(self, configuration: Configuration, *checks: Check) -> None:
        self._ledgers[configuration] = self.of(configuration).updated(checks)

    def note_cases(self, configuration: Configuration, cases: Sequence[Case]) -> None:
        """Its results were compared in these cases."""
        task = self.task
        self.note(configuration, size_check(self._reference(), task.inputs, cases, resizable=task.resizable))

    def keeps(self, program: Path) -> list[str]:
        """Variables of the program that keep values between calls, and that the source does not have."""
        return sorted(static_variables(program) - self._reference().keeps)

    def note_surroundings(
        self, configuration: Configuration, candidate: Candidate, program: Path, *, threads: bool
    ) -> None:
        """Rows that depend on the reference, on this machine and on the linked program."""
        task, unseen = self.task, (*self.task.uncompared, *self.task.warnings)
        further = self.keeps(program)
        if further:
            unseen = (
                *unseen,
                f"the source has no such variables, which keep values between calls: {', '.join(further)}",
            )
        rows = reference_checks(self._reference(), task.inputs, task.seeds, task.fixed_inputs, unseen)
        rows += timing_checks(task.metric, task.fixed_inputs)
        rows += isolation_checks(program, "kernel", dict(candidate.environment))
        if not threads:
            libraries = ran_unless("data races", unwatched_libraries(program), "link what has no threads")
            rows += not_requested("it starts no threads", "data races", "schedules")
            rows += (libraries,) if libraries.reason else ()
        self.note(configuration, *rows)
        self._note_measurement(configuration)

    def note_timing(self, configuration: Configuration, timing: Timing | None) -> None:
        """Note a time that is unclear by the outside clock, and results that could not be read from outside."""
        missed = []
        if timing is not None and timing.unclear:
            less = 1 - 1 / (1 + timing.unexplained)
            reason = f"its own clock says {100 * less:.0f} % less than the one outside, which counts"
            missed.append(Check("outside clock", "could not run", reason, "a machine at rest"))
        if timing is not None and timing.unread:
            missed.append(
                Check("timed results", "could not run", f"{timing.unread}: it may compute them late", TRACING)
            )
        if missed:
            self._measurements[configuration] = missed
            self._note_measurement(configuration)

    def _note_measurement(self, configuration: Configuration) -> None:
        """Unless there is a graver reason."""
        missed = {check.name for check in self.of(configuration).missed}
        self.note(configuration, *(c for c in self._measurements.get(configuration, ()) if c.name not in missed))

    def note_core(self, configuration: Configuration, obstacles: Sequence[str], *, threads: bool) -> None:
        """It was timed on a core of its own, unless there were `obstacles`."""
        if self.task.metric != "time":
            return
        if threads and not obstacles:
            self.note(configuration, *not_requested("its threads run on all cores", "core"))
        else:
            self.note(configuration, ran_unless("core", obstacles))
