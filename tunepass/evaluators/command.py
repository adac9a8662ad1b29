"""The user's own program, judged by the numbers it prints or by its wall time.

    compile and link -> same program as before? -> run (exit status, metrics, output) -> run of the build that is only
    checked -> more runs, each compared, median

The program runs in the folder of its source, so that it finds its data. Its wall time counts from fork to exit.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from tunepass.compilers.asking import base_environment
from tunepass.diagnostics import ToolError
from tunepass.evaluators.building import BuildingEvaluator, BuiltConfiguration
from tunepass.evaluators.harness.reference.ledger_rows import applied_check
from tunepass.evaluators.harness.verification.threads import starts_threads, unwatched_libraries
from tunepass.evaluators.kept_programs import KeptPrograms
from tunepass.evaluators.measure.interleaved import Behind, interleaved
from tunepass.evaluators.measure.metrics import MetricPattern
from tunepass.evaluators.measure.printed import ExpectedText, expected_texts, texts_differ, uncompared_texts
from tunepass.evaluators.measure.repeats import WALL_TIME, Cut, Repeats
from tunepass.evaluators.measure.stages import measuring, spent
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.object_cache import digest, file_digest
from tunepass.evaluators.own_text import OwnTextFailure, own_text_failure, text_digest
from tunepass.evaluators.process.cores import reserved_core
from tunepass.evaluators.process.failures import run_failure
from tunepass.evaluators.process.run import Completed, Limits, run_limited, tail
from tunepass.evaluators.process.supervisor.folders import remove_folder
from tunepass.evaluators.program_ledger import ProgramChecks
from tunepass.evaluators.refusal import not_compiled
from tunepass.evaluators.toolchains.compiling import Compiling, Language
from tunepass.evaluators.toolchains.digests import signature
from tunepass.evaluators.toolchains.source_files import SourceFiles
from tunepass.ir.candidate import Candidate, Lower
from tunepass.ir.run import OutputCheck
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Ledger
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Failed, Measured

BUILT = "./a.out"  # in the run command this word stands for the program that was built
Words = tuple[str, ...]
COMMAND_PLAN = MeasurePlan(budget_s=3.0, precision=0.01, least=3, most=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandTask:
    """`command` is the compiler and its words, `run` the argument vector. Without `metrics` the wall time in ms counts.
    `check`, if given, is what the output of each run is compared by."""

    command: tuple[str, ...]
    source: Path
    run: tuple[str, ...]
    lower: Lower
    metrics: tuple[MetricPattern, ...] = ()
    check: OutputCheck | None = None
    reference: Candidate = field(default_factory=Candidate)
    files: SourceFiles | None = None  # what is compiled; a search ends when one of them changes
    language: str = "c"
    plan: MeasurePlan = COMMAND_PLAN
    run_limits: Limits = field(default_factory=lambda: Limits(wall_s=120))

    @property
    def objectives(self) -> tuple[Objective, ...]:
        return tuple(metric.objective for metric in self.metrics) or (WALL_TIME,)


@dataclass(slots=True)
class BuiltProgram(BuiltConfiguration):
    """A linked program in a folder of its own; `checked` is the one that is only compared, where there is one."""

    candidate: Candidate
    folder: Path
    program: Path
    checked: Path | None = None


@dataclass(frozen=True, slots=True)
class _Expected:
    """Expected behaviour from the untouched program: the limits of a run, and its output."""

    limits: Limits
    run: tuple[ExpectedText, ...] = ()
    checked: tuple[ExpectedText, ...] = ()
    uncompared: tuple[str, ...] = ()  # parts of the output that differ from run to run


@dataclass(frozen=True, slots=True)
class _Run:
    seconds: float
    values: Mapping[str, float]
    texts: Mapping[str, str]
    cut: bool = False


class CommandRun(BuildingEvaluator[BuiltProgram]):
    """Compiles a program and judges it by its own run command."""

    def __init__(self, task: CommandTask):
        super().__init__()
        self.task = task
        language: Language = "c++" if task.language == "c++" else "c"
        self.compiling = Compiling(command=task.command, source=task.source, language=language)
        self._repeats = Repeats(task.plan, task.objectives)
        self._expected: _Expected | None = None
        self._programs: KeptPrograms[BuiltProgram] = KeptPrograms(self._remove)
        self._compiling_further = threading.Lock()
        self._objects: dict[Words, list[Path]] = {}  # of the further sources, by the words of the build

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about checks that cannot reveal a wrong result."""
        if self.task.check is None:
            return ("no reference: a wrong result shows only in the exit status of the program",)
        expected = self._expected
        if expected is None or any(text.says_something for text in (*expected.run, *expected.checked)):
            return ()
        return ("no reference: the program prints nothing that is the same in every run",)

    # -- the untouched program

    def set_up(self) -> _Expected:
        """Build and run the untouched source; how long that took bounds the others' runs. May raise ToolError."""
        with self._setting_up:
            if self._expected is None:
                if self.task.files is not None:
                    self.compiling.freeze(self.workspace.new(), self.task.files, self.task.reference.defines)
                folder = self.workspace.new()
                built = BuiltProgram(Configuration({}), self.task.reference, folder, folder / "program")
                try:
                    self._expected = self._measure_reference(built)
                finally:
                    self.discard(built)
            return self._expected

    @property
    def is_set_up(self) -> bool:
        return self._expected is not None

    def set_up_again(self) -> None:
        with self._setting_up:
            self._expected = None
            self._programs.clear()
        self.set_up()

    def _measure_reference(self, built: BuiltProgram) -> _Expected:
        self._build(built)
        if built.failure is not None:
            raise not_compiled(self.task.source, built.failure.log)
        first = self._reference_run(built.program, self.task.run_limits, timed=True)
        wall_s = min(self.task.run_limits.wall_s, 2 + 20 * first.seconds)
        limits, check = replace(self.task.run_limits, wall_s=wall_s), self.task.check
        if check is None:
            return _Expected(limits)
        second = self._reference_run(built.program, limits, timed=True)
        run, checked = expected_texts(first.texts, second.texts, self.task.metrics), tuple[ExpectedText, ...]()
        uncompared = uncompared_texts(first.texts, second.texts)
        if built.checked is not None:
            texts = [self._reference_run(built.checked, self.task.run_limits, timed=False).texts for _ in range(2)]
            checked = expected_texts(texts[0], texts[1], self.task.metrics)
            uncompared = uncompared_texts(*texts)  # of the build that is only compared
        return _Expected(limits, run, checked, tuple(uncompared))

    def _reference_run(self, program: Path, limits: Limits, *, timed: bool) -> _Run:
        run = self._once(program, self.task.reference, limits, timed=timed)
        if isinstance(run, Failed):
            raise ToolError(f"`{' '.join(self.task.run)}` fails on the untouched source", hint=run.log)
        return run

    # -- building

    def prepare(self, configuration: Configuration) -> BuiltProgram:
        """Compile and link. Safe to call from several threads."""
        self.set_up()
        if self.task.files is not None:
            self.task.files.check_unchanged()
        folder = self.workspace.new()
        built = BuiltProgram(configuration, self.task.lower(configuration), folder, folder / "program")
        started = time.monotonic()
        try:
            self._build(built)
        except BaseException:
            self.discard(built)
            raise
        built.seconds["compile"] = time.monotonic() - started
        return built

    def _build(self, built: BuiltProgram) -> None:
        """The program, and beside it the one that is only compared."""
        candidate, words = built.candidate, self.task.check.words if self.task.check else ()
        with ThreadPoolExecutor(1) as pool:
            compared: Future[Path | Failed] | None = None
            if words:
                built.checked = built.folder / "checked" / "program"
                built.checked.parent.mkdir()
                compared = pool.submit(self._linked, candidate, built.checked, words)
            target = self._linked(candidate, built.program, ())
            others = target if compared is None else compared.result()
        if isinstance(target, Failed) or isinstance(others, Failed):
            built.failure = next(failure for failure in (target, others) if isinstance(failure, Failed))
            return
        built.key = digest(file_digest(target), repr((candidate.flags, candidate.environment, candidate.arguments)))

    def own_text(self, configuration: Configuration) -> str:
        return text_digest(self.task.lower(configuration), self.task.reference)

    def text_of(self, built: BuiltProgram) -> str:
        return text_digest(built.candidate, self.task.reference)

    def own_text_failure(self, configuration: Configuration) -> OwnTextFailure | None:
        """See tunepass.evaluators.own_text.BlamesOwnText. Needs no reference."""
        with self.workspace.scratch() as folder:
            return own_text_failure(self.compiling, self.task.lower(configuration), self.task.reference, folder)

    def _linked(self, candidate: Candidate, program: Path, words: Words) -> Path | Failed:
        """The object file of the program, which is linked with the further sources."""
        compiling = self.compiling.with_command((*self.task.command, *words))
        target, _, failure = compiling.compile_candidate(candidate, program.parent, rename_main=False)
        if failure is None:
            _, failure = compiling.link([target, *self._further(compiling, words)], program, candidate)
        self.compiling.longest_s = max(self.compiling.longest_s, compiling.longest_s)
        return failure or target

    def _further(self, compiling: Compiling, words: Words) -> list[Path]:
        """The objects of the user's other sources, which do not depend on the candidate: compiled once."""
        with self._compiling_further:
            if words not in self._objects:
                self._objects[words] = compiling.compile_further(self.workspace.new())
            return self._objects[words]

    def discard(self, built: BuiltProgram) -> None:
        if not self._programs.holds(built):
            self._remove(built)

    def _remove(self, built: BuiltProgram) -> None:
        remove_folder(built.folder)

    hands_over = False

    def is_kept(self, configuration: Configuration) -> bool:
        return configuration in self._programs

    def linked(self, configuration: Configuration) -> BuiltProgram:
        """The program that was measured, if it is still there, else built anew."""
        if self.task.files is not None:
            self.task.files.check_unchanged()
        return self._programs.find(configuration) or self.prepare(configuration)

    # -- judging

    def measure(self, built: BuiltProgram) -> Evaluation:
        obstacles: list[str] = []
        with reserved_core(self.patience, obstacles.append):  # for nobody else to measure on; the program is not pinned
            outcome = self._judge(built)
        if isinstance(outcome, Measured):
            self._programs.keep(built, self._loss(outcome))
        log, speed = (tail(outcome.log), None) if isinstance(outcome, Failed) else ("", self._repeats.speed)
        return Evaluation(outcome, built.seconds, log, speed, checks=self._ledger(built, obstacles))

    def _ledger(self, built: BuiltProgram, obstacles: Sequence[str]) -> Ledger:
        family = self.compiling.by(built.candidate).compiler.family
        threads = self.compiling.threaded(built.candidate) or starts_threads(built.program)
        return ProgramChecks(
            program=built.program,
            unchecked=self.warnings,
            uncompared=self.set_up().uncompared,
            prints=bool(self.task.metrics),
            threads=threads or bool(unwatched_libraries(built.program)),
            core=obstacles,
            speed=self._repeats.speed is not None,
            applied=applied_check(built.candidate, family),
        ).ledger()

    def _loss(self, outcome: Measured) -> float:
        objective = self.task.objectives[0]
        return objective.loss(outcome.values[objective.name])

    def _judge(self, built: BuiltProgram) -> Measured | Failed:
        with spent(built.seconds, "check"):
            first = self._raced(built)
            failure = first if isinstance(first, Failed) else None if isinstance(first, Cut) else self._checked(built)
        if failure is not None:
            return failure
        assert not isinstance(first, Failed)
        started = time.monotonic()
        outcome = self._repeats.measure(lambda: self._raced(built), first)
        built.seconds[measuring(outcome)] = time.monotonic() - started
        return outcome

    def _raced(self, built: BuiltProgram) -> Mapping[str, float] | Cut | Failed:
        """As `_values`, unless it is ended because it is clearly behind the best."""
        expected = self.set_up()
        run = self._once(built.program, built.candidate, expected.limits, timed=True, race=True)
        if isinstance(run, _Run) and run.cut:
            return Cut(run.values)
        return run if isinstance(run, Failed) else self._differing(run, expected.run) or run.values

    def _values(self, built: BuiltProgram) -> Mapping[str, float] | Failed:
        """The metrics of a run, whose output is compared: each one's is, the timed ones' too."""
        expected = self.set_up()
        run = self._once(built.program, built.candidate, expected.limits, timed=True)
        return run if isinstance(run, Failed) else self._differing(run, expected.run) or run.values

    def _checked(self, built: BuiltProgram) -> Failed | None:
        """The failure of the build that is only compared."""
        if built.checked is None:
            return None
        run = self._once(built.checked, built.candidate, self.task.run_limits, timed=False)
        return run if isinstance(run, Failed) else self._differing(run, self.set_up().checked)

    def _differing(self, run: _Run, expected: Sequence[ExpectedText]) -> Failed | None:
        if self.task.check is None:
            return None
        problem = texts_differ(expected, run.texts, self.task.check)
        return Failed("wrong_result", problem) if problem is not None else None

    def _once(
        self, program: Path, candidate: Candidate, limits: Limits, *, timed: bool, race: bool = False
    ) -> _Run | Failed:
        """One run: its metrics, if it is `timed`, and all that it printed and wrote. A `race` may end it early."""
        folder = self.task.source.parent.resolve()
        files = {name: folder / name for name in (self.task.check.files if self.task.check else ())}
        before = {name: signature(path) for name, path in files.items()}
        words = [os.fspath(program) if word == BUILT else word for word in (*self.task.run, *candidate.arguments)]

        def run_now(limits: Limits) -> Completed:
            environment = base_environment(dict(candidate.environment))
            return run_limited(words, limits=limits, cwd=folder, env=environment, scratch=program.parent)

        def run(limits: Limits) -> Completed:
            return self.in_time(run_now, limits) if race else run_now(limits)

        done, cut = self._repeats.raced(run, limits) if race else (run(limits), False)
        if cut:
            return _Run(done.seconds, {WALL_TIME.name: done.seconds * 1000.0}, {}, cut=True)
        failure = run_failure(done, limits)
        if failure is not None:
            return failure
        texts = {"stdout": done.stdout, "stderr": done.stderr}
        for name, path in files.items():
            if signature(path) == before[name]:
                return Failed("wrong_result", f"it did not write {name}")
            texts[name] = path.read_text(encoding="utf-8", errors="replace")
        values = self._metrics(done) if timed else {}
        return values if isinstance(values, Failed) else _Run(done.seconds, values, texts)

    def _metrics(self, done: Completed) -> dict[str, float] | Failed:
        if not self.task.metrics:
            return {WALL_TIME.name: done.seconds * 1000.0}
        values: dict[str, float] = {}
        for metric in self.task.metrics:
            value = metric.find(done.stdout)
            if value is None:
                value = metric.find(done.stderr)
            if value is None:
                return Failed("metric", f"no finite number at {metric.pattern!r} in the output\n{done.log}")
            values[metric.objective.name] = value
        return values

    def summary(self, values: Sequence[float]) -> float:
        return self._repeats.summary(values)

    def compare_again(
        self,
        configurations: Sequence[Configuration],
        rounds: int = 7,
        seconds: float | None = None,
        behind: Behind | None = None,
    ) -> list[list[float]]:
        """Interleaved runs of finalists: the first objective's value by round; empty for one that fails now. `seconds`
        and `behind` as in tunepass.evaluators.measure.interleaved."""
        built = [self.linked(configuration) for configuration in configurations]
        name = self.task.objectives[0].name

        def measure(index: int) -> float | Failed:
            values = self._values(built[index])
            return values if isinstance(values, Failed) else values[name]

        try:
            return interleaved([program.failure is None for program in built], measure, rounds, seconds, behind)
        finally:
            for program in built:
                self.discard(program)
