"""The user's own program, judged by the numbers it prints or by its wall time.

    compile and link -> same program as before? -> run (exit status, metrics) -> check command -> more runs, median

The program runs in the folder of its source, so that it finds its data. Its wall time counts from fork to exit.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.evaluators.building import BuildingEvaluator, BuiltConfiguration
from tunepass.evaluators.measure.interleaved import Behind, interleaved
from tunepass.evaluators.measure.metrics import MetricPattern
from tunepass.evaluators.measure.repeats import WALL_TIME, Repeats
from tunepass.evaluators.measure.stages import measuring, spent
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.object_cache import digest, file_digest
from tunepass.evaluators.process.cores import reserved_core
from tunepass.evaluators.process.failures import run_failure
from tunepass.evaluators.process.run import Completed, Limits, base_environment, run_limited, tail
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.evaluators.toolchains.source_files import SourceFiles
from tunepass.ir.candidate import Candidate, Lower
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Failed, Measured

BUILT = "./a.out"  # in the run command this word stands for the program that was built
COMMAND_PLAN = MeasurePlan(budget_s=3.0, precision=0.01, least=3, most=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandTask:
    """`command` is the compiler and its words, `run` the argument vector. Without `metrics` the wall time in ms counts.
    `check`, if given, runs after the first run and must end with status 0."""

    command: tuple[str, ...]
    source: Path
    run: tuple[str, ...]
    lower: Lower
    metrics: tuple[MetricPattern, ...] = ()
    check: tuple[str, ...] = ()
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
    """A linked program in a folder of its own."""

    candidate: Candidate
    folder: Path
    program: Path


class CommandRun(BuildingEvaluator[BuiltProgram]):
    """Compiles a program and judges it by its own run command."""

    def __init__(self, task: CommandTask):
        super().__init__()
        self.task = task
        self.compiling = Compiling(
            command=task.command, source=task.source, language="c++" if task.language == "c++" else "c"
        )
        self.warnings: tuple[str, ...] = (
            () if task.check else ("no reference: a wrong result shows only in the exit status of the program",)
        )
        self._repeats = Repeats(task.plan, task.objectives)
        self._limits: Limits | None = None

    def set_up(self) -> Limits:
        """Build and run the untouched source once; how long that took bounds the others' runs. May raise ToolError."""
        with self._setting_up:
            if self._limits is None:
                if self.task.files is not None:
                    self.compiling.freeze(self.workspace.new(), self.task.files, self.task.reference.defines)
                with self.workspace.scratch() as folder:
                    built = BuiltProgram(Configuration({}), self.task.reference, folder, folder / "program")
                    self._build(built)
                    if built.failure is not None:
                        raise ToolError(f"{self.task.source} does not compile as it is", hint=built.failure.log)
                    reference = self._once(built, self.task.run_limits)
                    if isinstance(reference, Failed):
                        command = " ".join(self.task.run)
                        raise ToolError(f"`{command}` fails on the untouched source", hint=reference.log)
                    seconds, _ = reference
                self._limits = replace(self.task.run_limits, wall_s=min(self.task.run_limits.wall_s, 2 + 20 * seconds))
            return self._limits

    @property
    def is_set_up(self) -> bool:
        return self._limits is not None

    def set_up_again(self) -> None:
        with self._setting_up:
            self._limits = None
        self.set_up()

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
        candidate = built.candidate
        target, _, built.failure = self.compiling.compile_candidate(candidate, built.folder, rename_main=False)
        if built.failure is not None:
            return
        further = self.compiling.compile_further(built.folder)
        _, built.failure = self.compiling.link([target, *further], built.program, candidate)
        if built.failure is None:
            built.key = digest(file_digest(target), repr((candidate.flags, candidate.environment, candidate.arguments)))

    def measure(self, built: BuiltProgram) -> Evaluation:
        with reserved_core(self.patience):  # for nobody else to measure on; the program itself is not pinned
            outcome = self._judge(built)
        log, speed = (tail(outcome.log), None) if isinstance(outcome, Failed) else ("", self._repeats.speed)
        return Evaluation(outcome, built.seconds, log, speed)

    def discard(self, built: BuiltProgram) -> None:
        shutil.rmtree(built.folder, ignore_errors=True)

    def _judge(self, built: BuiltProgram) -> Measured | Failed:
        limits = self.set_up()
        with spent(built.seconds, "check"):
            first = self._once(built, limits)
            if isinstance(first, Failed):
                return first
            failure = self._checked(built, limits)
        if failure is not None:
            return failure
        started = time.monotonic()
        outcome = self._repeats.measure(lambda: self._values(built, limits), first[1])
        built.seconds[measuring(outcome)] = time.monotonic() - started
        return outcome

    def _values(self, built: BuiltProgram, limits: Limits) -> dict[str, float] | Failed:
        run = self._once(built, limits)
        return run if isinstance(run, Failed) else run[1]

    def _once(self, built: BuiltProgram, limits: Limits) -> tuple[float, dict[str, float]] | Failed:
        """Seconds and metrics of one run."""
        done = self._run([*self.task.run, *built.candidate.arguments], built, limits)
        failure = run_failure(done, limits)
        if failure is not None:
            return failure
        if not self.task.metrics:
            return done.seconds, {WALL_TIME.name: done.seconds * 1000.0}
        values: dict[str, float] = {}
        for metric in self.task.metrics:
            value = metric.find(done.stdout + "\n" + done.stderr)
            if value is None:
                return Failed("metric", f"no finite number at {metric.pattern!r} in the output\n{done.log}")
            values[metric.objective.name] = value
        return done.seconds, values

    def _checked(self, built: BuiltProgram, limits: Limits) -> Failed | None:
        if not self.task.check:
            return None
        done = self._run(self.task.check, built, replace(limits, wall_s=self.task.run_limits.wall_s))
        if done.ended == "exit" and done.returncode != 0:
            return Failed("wrong_result", f"the check ended with status {done.returncode}\n{done.log}")
        return run_failure(done, limits)

    def _run(self, words: Sequence[str], built: BuiltProgram, limits: Limits) -> Completed:
        program = os.fspath(built.program)
        return run_limited(
            [program if word == BUILT else word for word in words],
            limits=limits,
            cwd=self.task.source.parent.resolve(),
            env=base_environment(dict(built.candidate.environment)),
            scratch=built.folder,
        )

    def compare_again(
        self,
        configurations: Sequence[Configuration],
        rounds: int = 7,
        seconds: float | None = None,
        behind: Behind | None = None,
    ) -> list[list[float]]:
        """Interleaved runs of finalists: the first objective's value by round; empty for one that fails now. `seconds`
        and `behind` as in tunepass.evaluators.measure.interleaved."""
        limits = self.set_up()
        built = [self.prepare(configuration) for configuration in configurations]
        name = self.task.objectives[0].name

        def measure(index: int) -> float | Failed:
            values = self._values(built[index], limits)
            return values if isinstance(values, Failed) else values[name]

        try:
            return interleaved([program.failure is None for program in built], measure, rounds, seconds, behind)
        finally:
            for program in built:
                self.discard(program)
