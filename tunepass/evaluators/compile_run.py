"""A kernel with a generated harness: compile the candidate, check what it computes, time it.

    compile -> same object as before? -> link -> correct output (poisoned, guarded) -> probe -> timing -> output again

The reference is the untouched source with the same compiler and base flags, run once for each seed in its own process.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tunepass.evaluators.building import BuildingEvaluator, BuiltConfiguration
from tunepass.evaluators.harness.harness import BuiltHarness, HarnessRun
from tunepass.evaluators.harness.programs.linking import link_reference
from tunepass.evaluators.harness.programs.startup import StartupCheck, words_of
from tunepass.evaluators.harness.programs.symbols import AROUND_MAIN, BY_LIBRARIES, symbols, taken_over
from tunepass.evaluators.harness.reference.cases import Case, all_cases, of_candidate
from tunepass.evaluators.harness.reference.ledger_rows import applied_check, symbol_check, zeros_accepted
from tunepass.evaluators.harness.reference.notes import left_out, uncompared
from tunepass.evaluators.harness.reference.reference import MOST, Reference, run_reference
from tunepass.evaluators.harness.together import SLICE_S, Slices, time_together
from tunepass.evaluators.harness.verification.races import GRAVE
from tunepass.evaluators.harness.verification.threads import starts_threads
from tunepass.evaluators.harness_judge import MS, HarnessJudge
from tunepass.evaluators.harness_look import HarnessLook
from tunepass.evaluators.kept_programs import KeptPrograms
from tunepass.evaluators.kernel_ledgers import KernelLedgers
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.measure.interleaved import Behind, in_rounds
from tunepass.evaluators.measure.stages import measuring, spent
from tunepass.evaluators.object_cache import digest, file_digest
from tunepass.evaluators.own_text import OwnTextFailure, own_text_failure, text_digest
from tunepass.evaluators.process.cores import reserved_core
from tunepass.evaluators.process.memory import memory_left
from tunepass.evaluators.process.run import tail
from tunepass.evaluators.process.supervisor.folders import remove_folder
from tunepass.evaluators.toolchains.compiling import Compiling, mentions_main
from tunepass.ir.candidate import Candidate
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Ledger
from tunepass.study.outcome import Evaluation, Failed, Measured

MEMORY_SHARE = 0.5  # of what is left, that programs which are timed together may take
START_S = 0.08  # of a program, until it is ready, and from its last answer to its end
LOOK_S = 3.0  # a longer look at a program with threads: ten schedules side by side, ThreadSanitizer and pauses


@dataclass(slots=True)
class BuiltCandidate(BuiltConfiguration):
    """A compiled candidate. `program` is None where it was not linked: its object is in the cache, or it failed."""

    candidate: Candidate
    folder: Path
    program: Path | None = None
    log: str = ""  # of the compiler


class CompileRun(BuildingEvaluator[BuiltCandidate]):
    """Compiles a kernel and judges it in its generated harness."""

    def __init__(self, task: KernelTask, random: Random | None = None):
        """`random` decides what inputs change to and which calls are looked at; unforeseeable unless it is given."""
        super().__init__()
        self.task = task
        self._random = random or Random(0 if task.metric == "instructions" else os.urandom(32))
        self._judge = HarnessJudge(task, self.set_up, self._random, self._renew_reference)
        self.compiling = Compiling(
            command=task.command,
            source=task.source,
            language="c++" if task.language == "c++" else "c",
            limits=task.compile_limits,
        )
        self._reference_warnings: tuple[str, ...] = ()
        self._extreme: dict[Configuration, str] = {}  # what candidates compute otherwise for special values
        self._other_scalars: dict[Configuration, str] = {}  # and for scalars that callers may never give
        self._other_contents: dict[Configuration, str] = {}  # and for such contents of arrays
        self._reference: Reference | None = None
        self._harness: BuiltHarness | None = None
        self._startup: StartupCheck | None = None
        self._threaded = False  # has any candidate had threads?
        self._threads: dict[Configuration, bool] = {}  # of the candidates that were compiled
        self._ledgers = KernelLedgers(task, self.set_up)
        self._look = HarnessLook(task, self.set_up, self._built_harness, self.workspace, self._ledgers)
        self._threaded_code: set[str] = set()  # keys of programs with threads
        self._failed_again: dict[Configuration, Failed] = {}  # while they were compared
        self._programs: KeptPrograms[BuiltCandidate] = KeptPrograms(self._remove)

    # --- the environment ------------------------------------------------------------------------------------------

    def set_up(self) -> Reference:
        """Compile and run the reference, once. Raises ToolError when nothing can be judged."""
        with self._setting_up:
            if self._reference is None:
                compiling, task = self.compiling, self.task
                folder = self.workspace.new()
                if task.files is not None:
                    compiling.freeze(self.workspace.new(), task.files, task.reference.defines)
                linked = link_reference(compiling, task.harness, task.reference, task.text, folder)
                self._harness = linked.harness
                self._startup = StartupCheck.prepare(
                    compiling, task.reference, task.text, linked.target, linked.program
                )
                self._look.note_object(None, linked.target)
                cases = all_cases(task.seeds, task.inputs)
                self._reference = run_reference(
                    linked,
                    task.reference,
                    cases,
                    task.run_limits,
                    task.tolerance,
                    self._variants(),
                    task.inputs.stated,
                )
                if task.confirm is not None:
                    task.confirm(self._reference)
                self._reference_warnings = (
                    *task.warnings,
                    *zeros_accepted(self._reference, task.seeds[0]),
                    *left_out(self._reference, task.inputs),
                    *uncompared(self._reference),
                )
            return self._reference

    def _variants(self) -> list[int]:
        return [self._random.getrandbits(64) for _ in range(1 + MOST)]

    @property
    def warnings(self) -> tuple[str, ...]:
        """About the reference, and checks of finalists that could not be made."""
        unusual = (*self._other_scalars.values(), *self._other_contents.values())
        others = (words for words in unusual if words)
        return (*self._reference_warnings, *self._look.warnings, *self._extreme.values(), *others)

    def _built_harness(self) -> BuiltHarness:
        self.set_up()
        assert self._harness is not None
        return self._harness

    @property
    def is_set_up(self) -> bool:
        return self._reference is not None

    def set_up_again(self) -> None:
        with self._setting_up:
            before, self._reference, self._harness = self._harness, None, None
            self._programs.clear()
        self.set_up()
        if before is not None:
            remove_folder(before.folder)

    # --- one candidate --------------------------------------------------------------------------------------------

    def prepare(self, configuration: Configuration, *, link_known: bool = False) -> BuiltCandidate:
        """Compile, and link unless the object is known already. Safe to call from several threads."""
        self.set_up()
        if self.task.files is not None:
            self.task.files.check_unchanged()
        built = BuiltCandidate(configuration, self.task.lower(configuration), self.workspace.new())
        try:
            with spent(built.seconds, "compile"):
                self._compile(built, link_known)
        except BaseException:
            self.discard(built)
            raise
        return built

    def _compile(self, built: BuiltCandidate, link_known: bool) -> None:
        assert self._harness is not None
        candidate = built.candidate
        text = self.task.text if candidate.text is None else candidate.text
        target, done, failure = self.compiling.compile_object(candidate, built.folder, rename_main=mentions_main(text))
        if failure is None and candidate.requests:
            with spent(built.seconds, "apply"):
                failure = self.compiling.refused(candidate, built.folder, done)
        built.log, built.failure = done.log, failure
        if failure is not None:
            return
        built.key = digest(file_digest(target), repr((candidate.flags, candidate.environment)))
        threads = self.compiling.threaded(candidate) or built.key in self._threaded_code or starts_threads(target)
        self._tell_threads(built, threads=threads)
        self._look.note_object(built.configuration, target)
        if built.key in self.cache and not link_known:
            return
        built.program, built.failure = self._harness.link(target, candidate, built.folder)
        if built.program is None:
            return
        built.failure = self._taking_over(target, built.program) or self._around_main(built, target)
        self._tell_threads(built, threads=threads or starts_threads(built.program))
        family = self.compiling.by(candidate).compiler.family
        rows = symbol_check(target, built.program), applied_check(candidate, family)
        self._ledgers.note(built.configuration, *rows)

    def _tell_threads(self, built: BuiltCandidate, *, threads: bool) -> None:
        """An object that is compiled when it is linked, and a further file, show only in the program what they call."""
        self._threads[built.configuration] = threads
        if threads:
            self._threaded = True
            self._threaded_code.add(built.key)

    def checks(self, configuration: Configuration) -> Ledger:
        """See tunepass.evaluators.capabilities.ReportsChecks."""
        return self._ledgers.of(configuration)

    def _has_threads(self, built: BuiltCandidate) -> bool:
        return self._threads.get(built.configuration, True)

    def _note_surroundings(self, built: BuiltCandidate) -> None:
        assert built.program is not None
        threads = self._has_threads(built)
        self._ledgers.note_surroundings(built.configuration, built.candidate, built.program, threads=threads)

    def own_text(self, configuration: Configuration) -> str:
        return text_digest(self.task.lower(configuration), self.task.reference)

    def text_of(self, built: BuiltCandidate) -> str:
        return text_digest(built.candidate, self.task.reference)

    def own_text_failure(self, configuration: Configuration) -> OwnTextFailure | None:
        """See tunepass.evaluators.own_text.BlamesOwnText. Needs no reference."""
        candidate, untouched = self.task.lower(configuration), self.task.reference
        rename = mentions_main(self.task.text if candidate.text is None else candidate.text)
        with self.workspace.scratch() as folder:
            return own_text_failure(self.compiling, candidate, untouched, folder, rename_main=rename)

    def _taking_over(self, *files: Path) -> Failed | None:
        """The failure of a candidate that defines what the harness calls, or the code around its main."""
        assert self._harness is not None
        seen, allowed = [symbols(file) for file in files], self.set_up().defines
        defined = frozenset[str]().union(*(file.defined for file in seen))
        alone = next((file.defined for file in seen if file.readable), defined)  # -pg adds names to a program
        names = {*taken_over(defined, allowed, self._harness.needs)}
        names |= {*taken_over(alone, allowed, AROUND_MAIN | BY_LIBRARIES)}
        if not names:
            return None
        caller = "which the harness calls, or the start of its program; the untouched source does not"
        return Failed("cheated", f"it defines {', '.join(sorted(names))}, {caller}")

    def _around_main(self, built: BuiltCandidate, target: Path) -> Failed | None:
        """The failure of a candidate that has code run before main or after it."""
        assert self._startup is not None and built.program is not None
        kinds = self._startup.added(built.candidate, target, built.program, built.folder)
        return Failed("cheated", words_of(kinds)) if kinds else None

    def measure(self, built: BuiltCandidate) -> Evaluation:
        with self._runner(built) as run:
            evaluation = self._judged(built, run)
        if isinstance(evaluation.outcome, Measured):
            self._programs.keep(built, evaluation.outcome.values[self.task.objective])
        return evaluation

    hands_over = False

    def is_kept(self, configuration: Configuration) -> bool:
        return configuration in self._programs

    def linked(self, configuration: Configuration) -> BuiltCandidate:
        """The program that was measured, if it is still there, else built anew."""
        if self.task.files is not None:
            self.task.files.check_unchanged()
        return self._programs.find(configuration) or self.prepare(configuration, link_known=True)

    def discard(self, built: BuiltCandidate) -> None:
        if not self._programs.holds(built):
            self._remove(built)

    def _remove(self, built: BuiltCandidate) -> None:
        remove_folder(built.folder)

    @contextlib.contextmanager
    def _runner(self, built: BuiltCandidate) -> Iterator[HarnessRun]:
        obstacles: list[str] = []
        with reserved_core(self.patience, obstacles.append) as cpus:
            threads = self._has_threads(built)
            self._ledgers.note_core(built.configuration, obstacles, threads=threads)
            yield self._run_of(built, () if threads else cpus)

    def _run_of(self, built: BuiltCandidate, cpus: Sequence[int]) -> HarnessRun:
        assert built.program is not None
        processes = self.set_up().run.starts_processes
        return HarnessRun(built.program, built.folder, built.candidate.environment, cpus, starts_processes=processes)

    def _judged(self, built: BuiltCandidate, run: HarnessRun) -> Evaluation:
        with spent(built.seconds, "check"):
            failure = self._judge.failed(run, built.configuration)
        self._note_surroundings(built)
        self._ledgers.note_cases(built.configuration, self._cases(built))
        if failure is not None:
            return Evaluation(failure, built.seconds, tail(failure.log), checks=self.checks(built.configuration))
        started = time.monotonic()
        outcome, timing = self._judge.measured(run, self.patience.search_s)
        self._ledgers.note_timing(built.configuration, timing)
        built.seconds[measuring(outcome)] = time.monotonic() - started
        log = outcome.log if isinstance(outcome, Failed) else built.log
        speed = timing.speed if timing else None
        return Evaluation(outcome, built.seconds, log, speed, checks=self.checks(built.configuration))

    def _cases(self, built: BuiltCandidate) -> tuple[Case, ...]:
        """In which its results are compared."""
        sizes = self.task.sizes_for(built.configuration)
        return of_candidate(tuple(self.set_up().expected), sizes, self.task.inputs.finite)

    def compare_again(
        self,
        configurations: Sequence[Configuration],
        rounds: int = 7,
        seconds: float | None = None,
        behind: Behind | None = None,
    ) -> list[list[float]]:
        """Interleaved re-measurement of finalists: for each configuration its `rounds` medians in ms, paired by round.

        A configuration that fails now gets an empty list. `seconds` and `behind` as in measure.interleaved.
        """
        counted = self.task.metric == "instructions"  # the same in every round
        prepared = [self.linked(configuration) for configuration in configurations]

        def measure(order: Sequence[int]) -> list[float | Failed]:
            values = self._round([prepared[index] for index in order])
            for index, value in zip(order, values, strict=True):
                if isinstance(value, Failed) and value.stage in (*GRAVE, "cheated"):
                    self._failed_again[configurations[index]] = value
            return values

        for built in prepared:
            if built.program is not None:
                self._note_surroundings(built)
        try:
            linked = [built.program is not None for built in prepared]
            values = in_rounds(linked, measure, 1 if counted else rounds, seconds, behind)
        finally:
            for built in prepared:
                self.discard(built)
        return [counts * rounds for counts in values] if counted else values

    def round_s(self, trial_s: float) -> float:
        """A round does not end early as a trial's measurement does: it has its slices, and the calls before them; a
        program with threads, which is measured alone, all of its time, more where others keep its threads waiting."""
        plan, fastest = self.task.plan.again, self._judge.incumbent
        if self._threaded:
            return max(START_S + plan.warmup_s + plan.budget_s, trial_s / 2)
        call_s = fastest.median_s if fastest else trial_s
        slices = Slices.of(call_s, plan.budget_s)
        return START_S + (slices.count + 2) * max(SLICE_S, call_s)

    def _renew_reference(self) -> None:
        self._reference = self.set_up().renewed(self._variants(), self.task.run_limits)

    def _round(self, built: Sequence[BuiltCandidate]) -> list[float | Failed]:
        """A value of each: together where they can be, else one after the other."""
        together: list[float | Failed | None] = [None] * len(built)
        if self.task.metric == "time":
            self._renew_reference()
        if self._go_together(built):
            reference = self.set_up()
            plan, limits = self.task.plan.again, reference.time_limits(self.task.run_limits, self.task.plan.again)
            slices = Slices.of(self._judge.call_s(), plan.budget_s)
            obstacles: list[str] = []
            with reserved_core(self.patience, obstacles.append) as cpus:
                for each in built:
                    self._ledgers.note_core(each.configuration, obstacles, threads=False)
                runs = [self._run_of(each, cpus) for each in built]
                questions = [self._judge.questions() for _ in built]
                timed = time_together(runs, questions, plan, slices, limits, reference.shapes)
            together = [value * MS if isinstance(value, float) else value for value in timed]
        return [self._alone(each) if value is None else value for each, value in zip(built, together, strict=True)]

    def _go_together(self, built: Sequence[BuiltCandidate]) -> bool:
        """Threads of programs that wait for their turn may go on spinning, so may processes, and all need memory at
        once."""
        if self.set_up().run.starts_processes:
            return False
        if self.task.metric != "time" or len(built) < 2 or any(self._threads.get(b.configuration, True) for b in built):
            return False
        return self.set_up().peak_bytes * len(built) <= MEMORY_SHARE * memory_left()

    def _alone(self, built: BuiltCandidate) -> float | Failed:
        with self._runner(built) as run:
            return self._judge.value(run)

    def look_s(self) -> float:
        return LOOK_S if self._threaded else 0.0

    def look_again(self, configuration: Configuration) -> Failed | None:
        """Called from threads; with threads of its own, under other schedules and under load. With special values,
        where a difference is a warning."""
        known = self._failed_again.get(configuration)
        extreme = self._judge.has_special_cases and configuration not in self._extreme
        scalars = configuration not in self._other_scalars
        if known is not None:
            return known
        built = self.linked(configuration)
        try:
            if built.program is None:
                return None
            self._note_surroundings(built)
            run = self._run_of(built, ())
            if extreme and (words := self._judge.differs_with_special_values(run, configuration)):
                self._extreme[configuration] = words
            if scalars:
                check, words = self._judge.with_unusual_scalars(run, configuration)
                self._ledgers.note(configuration, check)
                self._other_scalars[configuration] = words
                check, words = self._judge.with_other_contents(run, configuration)
                self._ledgers.note(configuration, check)
                self._other_contents[configuration] = words
            candidate, cases = built.candidate, self._cases(built)
            failure = (
                self._look.called_from_threads(configuration, run)
                or self._look.called_often(configuration, run)
                or self._look.with_other_processors(configuration, candidate, run, cases)
            )
            if failure is not None or not self._threads[configuration]:
                return failure
            return self._look.raced(configuration, candidate, run, [case for case in cases if not case.optional])
        finally:
            self.discard(built)

    def sanitize(self, configuration: Configuration) -> Failed | None:
        """Run the candidate once under the sanitizers; None when they find nothing, or cannot watch it."""
        return self._look.sanitized(configuration)
