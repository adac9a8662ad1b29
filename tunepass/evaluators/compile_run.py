"""A kernel with a generated harness: compile the candidate, check what it computes, time it.

    compile -> same object as before? -> link -> correct output (poisoned, guarded) -> probe -> timing -> output again

The reference is the untouched source with the same compiler and base flags, run once for each seed in its own process.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from tunepass.evaluators.building import BuildingEvaluator, BuiltConfiguration
from tunepass.evaluators.harness.cases import Inputs, advice, all_cases, of_candidate
from tunepass.evaluators.harness.compare import Output, compare, zeros_pass
from tunepass.evaluators.harness.counting import count_instructions
from tunepass.evaluators.harness.dialogues import Questions
from tunepass.evaluators.harness.harness import BuiltHarness, HarnessRun, build_harness
from tunepass.evaluators.harness.races import GRAVE, SCHEDULES, Race, Schedule
from tunepass.evaluators.harness.reference import (
    MANY,
    Reference,
    compile_reference,
    left_out,
    run_reference,
    without_unwritten,
)
from tunepass.evaluators.harness.report import Report, shapes
from tunepass.evaluators.harness.sanitizing import run_sanitized
from tunepass.evaluators.harness.symbols import symbols, taken_over
from tunepass.evaluators.harness.threads import race_found
from tunepass.evaluators.harness.together import SLICE_S, Slices, time_together
from tunepass.evaluators.kept_programs import KeptPrograms
from tunepass.evaluators.measure.interleaved import Behind, in_rounds
from tunepass.evaluators.measure.rounding import StatedTolerance
from tunepass.evaluators.measure.stages import measuring, spent
from tunepass.evaluators.measure.timing import MeasurePlan, Timing, disturbed, far_behind, processor_times, summarise
from tunepass.evaluators.object_cache import digest, file_digest
from tunepass.evaluators.process.cores import reserved_core
from tunepass.evaluators.process.memory import memory_left
from tunepass.evaluators.process.run import Limits, tail
from tunepass.evaluators.toolchains.compiling import CompileLimits, Compiling, mentions_main
from tunepass.evaluators.toolchains.source_files import SourceFiles
from tunepass.ir.candidate import Candidate, Lower
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Measured

MS = 1000.0
MEMORY_SHARE = 0.5  # of what is left, that programs which are timed together may take
START_S = 0.08  # of a program, until it is ready, and from its last answer to its end
DOUBTS = 4  # measurements in doubt that are made again: on a busy machine each may have lost a time slice
Metric = Literal["time", "instructions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelTask:
    """All that a CompileRun needs to know. `command` is the compiler and its words, `text` the source's own text;
    `reference` is the candidate that the untouched source stands for; results, in milliseconds unless `metric` says
    otherwise, are named `objective`."""

    command: tuple[str, ...]
    source: Path
    text: str
    harness: str
    lower: Lower
    reference: Candidate = field(default_factory=Candidate)
    files: SourceFiles | None = None  # what is compiled; a search ends when one of them changes
    language: str = "c"
    tolerance: StatedTolerance = field(default_factory=StatedTolerance)
    seeds: tuple[int, ...] = (1, 2)  # the last one is timed
    inputs: Inputs = field(default_factory=Inputs)
    sizes_of: Callable[[Configuration], Collection[int]] | None = (
        None  # further sizes that a candidate has to be right at
    )
    confirm: Callable[[Reference], None] | None = None  # raises ToolError where the reference itself is wrong
    objective: str = "time"
    metric: Metric = "time"  # "instructions": of one call, counted by cachegrind
    plan: MeasurePlan = field(default_factory=MeasurePlan)
    compile_limits: CompileLimits = field(default_factory=CompileLimits)
    run_limits: Limits = field(default_factory=lambda: Limits(wall_s=60, file_bytes=8 << 30))


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
        self.compiling = Compiling(
            command=task.command,
            source=task.source,
            language="c++" if task.language == "c++" else "c",
            limits=task.compile_limits,
        )
        self.warnings: tuple[str, ...] = ()
        self.incumbent: Timing | None = None
        self._repeating_helps = True
        self._reference: Reference | None = None
        self._harness: BuiltHarness | None = None
        self._schedules: tuple[Schedule, ...] | None = None  # under which the reference is steady
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
                with ThreadPoolExecutor(1) as beside:
                    compiled = beside.submit(compile_reference, compiling, task.reference, task.text, folder)
                    self._harness = build_harness(compiling, task.harness, task.reference, task.text, folder)
                cases = all_cases(task.seeds, task.inputs)
                self._reference = run_reference(
                    self._harness,
                    compiled.result(),
                    task.reference,
                    cases,
                    task.run_limits,
                    task.tolerance,
                    [self._random.getrandbits(64) for _ in range(1 + MANY)],
                    task.inputs.stated,
                )
                if task.confirm is not None:
                    task.confirm(self._reference)
                usual = self._reference.usual(task.seeds[0])
                zeros = zeros_pass(usual.calls[0], usual.tolerances)
                self.warnings = (
                    *(f"the tolerance accepts zeros for {name}: wrong results may pass" for name in zeros),
                    *left_out(self._reference, task.inputs),
                )
            return self._reference

    @property
    def is_set_up(self) -> bool:
        return self._reference is not None

    def set_up_again(self) -> None:
        with self._setting_up:
            before, self._reference, self._harness = self._harness, None, None
            self._programs.clear()
        self.set_up()
        if before is not None:
            shutil.rmtree(before.folder, ignore_errors=True)

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
        if built.key in self.cache and not link_known:
            return
        built.program, built.failure = self._harness.link(target, candidate, built.folder)
        if built.program is not None:
            built.failure = self._taking_over(target, built.program)

    def _taking_over(self, *files: Path) -> Failed | None:
        """The failure of a candidate that defines what the harness calls."""
        assert self._harness is not None
        defined = frozenset[str]().union(*(symbols(file).defined for file in files))
        names = taken_over(defined, self.set_up().defines, self._harness.needs)
        if not names:
            return None
        return Failed(
            "cheated", f"it defines {', '.join(names)}, which the harness calls; the untouched source does not"
        )

    def measure(self, built: BuiltCandidate) -> Evaluation:
        with self._runner(built) as run:
            evaluation = self._judge(built, run)
        if isinstance(evaluation.outcome, Measured):
            self._programs.keep(built, evaluation.outcome.values[self.task.objective])
        return evaluation

    def linked(self, configuration: Configuration) -> BuiltCandidate:
        """The program that was measured, if it is still there, else built anew."""
        if self.task.files is not None:
            self.task.files.check_unchanged()
        return self._programs.find(configuration) or self.prepare(configuration, link_known=True)

    def discard(self, built: BuiltCandidate) -> None:
        if not self._programs.holds(built):
            self._remove(built)

    def _remove(self, built: BuiltCandidate) -> None:
        shutil.rmtree(built.folder, ignore_errors=True)

    @contextlib.contextmanager
    def _runner(self, built: BuiltCandidate) -> Iterator[HarnessRun]:
        with contextlib.ExitStack() as stack:
            cpus: tuple[int, ...] = stack.enter_context(reserved_core(self.patience))
            if self.compiling.threaded(built.candidate):
                cpus = ()
            yield self._run_of(built, cpus)

    def _run_of(self, built: BuiltCandidate, cpus: Sequence[int]) -> HarnessRun:
        assert built.program is not None
        return HarnessRun(built.program, built.folder, built.candidate.environment, cpus)

    def _judge(self, built: BuiltCandidate, run: HarnessRun) -> Evaluation:
        with spent(built.seconds, "check"):
            failure = self._check(run, built.configuration)
        if failure is not None:
            return Evaluation(failure, built.seconds, tail(failure.log))
        started = time.monotonic()
        outcome, speed = self._measure(run)
        built.seconds[measuring(outcome)] = time.monotonic() - started
        log = outcome.log if isinstance(outcome, Failed) else built.log
        return Evaluation(outcome, built.seconds, log, speed)

    def _measure(self, run: HarnessRun) -> tuple[Measured | Failed, float | None]:
        """The outcome, and the machine's speed meanwhile if time was measured."""
        if self.task.metric == "instructions":
            return self._count(run), None
        timed = self._time(run, self.task.plan, self.incumbent)
        if isinstance(timed, Failed):
            return timed, None
        timing, censored = timed
        if not censored and (self.incumbent is None or timing.turns < self.incumbent.turns):
            self.incumbent = timing
        samples = tuple(s * MS for s in timing.samples)
        return Measured({self.task.objective: timing.median_s * MS}, samples, censored=censored), timing.speed

    def _count(self, run: HarnessRun) -> Measured | Failed:
        reference, task = self.set_up(), self.task
        variant, limits = next(iter(reference.variants)), reference.check_limits(task.run_limits)
        result = count_instructions(run, task.seeds[-1], variant, limits, reference.shapes)
        if isinstance(result, Failed):
            return result
        instructions, outputs = result
        return self._wrong_variant(variant, outputs) or Measured({task.objective: instructions}, (instructions,))

    def _wrong_variant(self, variant: int, outputs: Sequence[Output]) -> Failed | None:
        """The failure of outputs that differ from the reference's for these inputs, much like the last seed's."""
        reference = self.set_up()
        expected = reference.variants[variant]
        written = [without_unwritten(want, have) for want, have in zip(expected, outputs, strict=True)]
        wrong = compare(expected, written, reference.usual(self.task.seeds[-1]).tolerances)
        return Failed("wrong_result", "while timed: " + "\n".join(str(m) for m in wrong)) if wrong else None

    def _check(self, run: HarnessRun, configuration: Configuration) -> Failed | None:
        reference, task = self.set_up(), self.task
        sizes = None if task.sizes_of is None else task.sizes_of(configuration)
        cases = of_candidate(tuple(reference.expected), sizes)
        known = [shapes(reference.expected[case].calls[0]) for case in cases]
        found = run.check(cases, reference.alignment, reference.check_limits(task.run_limits), shapes=known)
        if isinstance(found, Failed):
            return found
        for case, checked in found.items():
            wrong = reference.expected[case].mismatches(case.poison, checked.calls[0])
            if wrong:
                log = case.explained("\n".join(str(mismatch) for mismatch in wrong))
                return Failed("wrong_result", log + advice(case, task.inputs, [mismatch.name for mismatch in wrong]))
        return None

    def _time(
        self, run: HarnessRun, plan: MeasurePlan, incumbent: Timing | None = None
    ) -> tuple[Timing, bool] | Failed:
        """Time, repeat if the machine interfered or the samples are in doubt; was it cut short?

        Who is far behind the best is not measured a second time. Under a load that stays, another measurement is
        disturbed like the first: after one that did not help there are none until a measurement is undisturbed.
        Samples that are doubtful every time are a failure."""
        best: Timing | None = None
        doubts = 0
        for turn in range(1 + max(plan.retries if self._repeating_helps else 0, DOUBTS)):
            before = processor_times()
            result = self._time_once(run, plan, incumbent)
            if isinstance(result, Failed):
                return result
            report, doubt = result
            if doubt:
                doubts += 1
                if doubts > DOUBTS:
                    return Failed("cheated", doubt)
                continue
            timing = summarise(report.samples)
            if report.cut:
                return best or timing, best is None
            if best is None or timing.disturbed / len(timing.samples) < best.disturbed / len(best.samples):
                best = timing
            interfered = disturbed(report.samples, processor_times().stolen_share(before))
            if turn > doubts or not interfered:
                self._repeating_helps = not interfered
            behind = incumbent is not None and far_behind(timing, incumbent)
            if not interfered or behind or turn - doubts >= plan.retries:
                break
        assert best is not None
        return best, False

    def _time_once(self, run: HarnessRun, plan: MeasurePlan, incumbent: Timing | None) -> tuple[Report, str] | Failed:
        """The report of one measurement, and why its samples are in doubt, if they are."""
        reference, task = self.set_up(), self.task
        limits, ask = reference.time_limits(task.run_limits, plan), self._questions()
        result = run.time(task.seeds[-1], plan.arguments(incumbent), limits, ask, reference.shapes)
        if isinstance(result, Failed):
            return result
        report, witness = result
        if len(report.samples) > plan.most:
            return Failed("cheated", f"the report is not the harness's: {len(report.samples):,} samples")
        return report, witness.doubts(summarise(report.samples).median_s)

    def _questions(self) -> Questions:
        filling = self.set_up().filling
        known = [variant for variant in self.set_up().variants if variant != filling]
        return Questions(self._random, known, self._wrong_variant, filling, self.task.seeds[-1])

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

        try:
            linked = [built.program is not None for built in prepared]
            values = in_rounds(linked, measure, 1 if counted else rounds, seconds, behind)
        finally:
            for built in prepared:
                self.discard(built)
        return [counts * rounds for counts in values] if counted else values

    def round_s(self, trial_s: float) -> float:
        """A round does not end early as a trial's measurement does: it has its slices, and the calls before them."""
        plan, call_s = self.task.plan.again, self.incumbent.median_s if self.incumbent else trial_s
        slices = Slices.of(call_s, plan.budget_s)
        return START_S + (slices.count + 2) * max(SLICE_S, call_s)

    def _round(self, built: Sequence[BuiltCandidate]) -> list[float | Failed]:
        """A value of each: together where they can be, else one after the other."""
        together: list[float | Failed | None] = [None] * len(built)
        if self._go_together(built):
            reference = self.set_up()
            call_s = self.incumbent.median_s if self.incumbent else reference.seconds / len(reference.expected)
            plan, limits = self.task.plan.again, reference.time_limits(self.task.run_limits, self.task.plan.again)
            with reserved_core(self.patience) as cpus:
                runs = [self._run_of(each, cpus) for each in built]
                asked = [self._questions() for _ in built]
                found = time_together(runs, asked, plan, Slices.of(call_s, plan.budget_s), limits, reference.shapes)
            together = [value * MS if isinstance(value, float) else value for value in found]
        return [self._alone(each) if value is None else value for each, value in zip(built, together, strict=True)]

    def _go_together(self, built: Sequence[BuiltCandidate]) -> bool:
        """Threads of programs that wait for their turn may go on spinning, and all need memory at once."""
        if self.task.metric != "time" or len(built) < 2 or any(self.compiling.threaded(b.candidate) for b in built):
            return False
        return self.set_up().peak_bytes * len(built) <= MEMORY_SHARE * memory_left()

    def _alone(self, built: BuiltCandidate) -> float | Failed:
        with self._runner(built) as run:
            return self._value(run)

    def _value(self, run: HarnessRun) -> float | Failed:
        """Of one round."""
        if self.task.metric == "instructions":
            counted = self._count(run)
            return counted if isinstance(counted, Failed) else counted.values[self.task.objective]
        timed = self._time(run, self.task.plan.again)
        return timed if isinstance(timed, Failed) else timed[0].median_s * MS

    def look_again(self, configuration: Configuration) -> Failed | None:
        """With threads, under other schedules and under load."""
        known = self._failed_again.get(configuration)
        if known is not None or not self.compiling.threaded(self.task.lower(configuration)):
            return known
        built = self.linked(configuration)
        try:
            return None if built.program is None else self._raced(built)
        finally:
            self.discard(built)

    def _raced(self, built: BuiltCandidate) -> Failed | None:
        reference, task = self.set_up(), self.task
        assert built.program is not None
        sizes = None if task.sizes_of is None else task.sizes_of(built.configuration)
        cases = of_candidate(tuple(reference.expected), sizes)
        race = Race(reference, cases, reference.check_limits(task.run_limits))
        with contextlib.ExitStack() as stack:
            folders = [stack.enter_context(self.workspace.scratch()) for _ in SCHEDULES]
            accused = self._accused(built.candidate, folders[0])
            if accused is not None:
                return accused
            if self._schedules is None:
                self._schedules = race.steady_schedules(folders)
            run = HarnessRun(built.program, built.folder, built.candidate.environment)
            found = race.failures(run, self._schedules, folders)
        return next((failure for failure in found.values() if failure is not None), None)

    def _accused(self, candidate: Candidate, folder: Path) -> Failed | None:
        """What ThreadSanitizer says of it, unless it says so of the reference."""
        assert self._harness is not None
        limits, seed = self.set_up().check_limits(self.task.run_limits), self.task.seeds[0]
        found = race_found(self._harness, candidate, folder, seed=seed, limits=limits)
        if found is not None and race_found(self._harness, self.task.reference, folder, seed=seed, limits=limits):
            return None
        return found

    def sanitize(self, configuration: Configuration) -> Failed | None:
        """Run the candidate once under the sanitizers; None when they find nothing. ToolError where there are none."""
        self.set_up()
        assert self._harness is not None
        candidate, seed = self.task.lower(configuration), self.task.seeds[0]
        rename = mentions_main(self.task.text if candidate.text is None else candidate.text)
        with self.workspace.scratch() as folder:
            limits = self.set_up().check_limits(self.task.run_limits)
            result = run_sanitized(self._harness, candidate, folder, rename_main=rename, seed=seed, limits=limits)
            if isinstance(result, Failed):
                return result
        wrong = self.set_up().usual(seed).mismatches(0, result[0])
        return Failed("wrong_result", "\n".join(str(mismatch) for mismatch in wrong)) if wrong else None
