"""A whole program, built by its own commands and judged by what it prints or by its wall time.

build (once for all configurations that share it) -> same program as before? -> run in a fresh copy of what was built
(exit status, metrics) -> right output? -> more runs, each compared, median
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.evaluators.building import BuildingEvaluator, BuiltConfiguration
from tunepass.evaluators.measure.interleaved import Behind, interleaved
from tunepass.evaluators.measure.metrics import MetricPattern, OutputMetric, Usage
from tunepass.evaluators.measure.output_comparison import numbers_differ, outputs_differ
from tunepass.evaluators.measure.repeats import WALL_TIME, Cut, Repeats
from tunepass.evaluators.measure.stages import measuring, spent
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.measure.tolerance import Tolerance
from tunepass.evaluators.object_cache import digest
from tunepass.evaluators.process.cores import reserved_core
from tunepass.evaluators.process.failures import compile_failure, run_failure
from tunepass.evaluators.process.run import Completed, Limits, base_environment, run_limited, tail
from tunepass.evaluators.source_tree import BuildTree, BuildTrees, Sources, copied
from tunepass.evaluators.toolchains.source_files import FileRead, check_unchanged
from tunepass.ir.application import Commands, Words
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Failed, Measured

VERSION = "application 1"  # of what is measured and how; part of every identity
SAME_CODE = "same program and same run as an earlier candidate: its outcome was taken"
PLAN = MeasurePlan(budget_s=3.0, precision=0.01, least=3, most=15)
Lower = Callable[[Configuration, str], Commands]  # (configuration, build folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationTask:
    """`private`: built and run in a private copy of the sources, else where they are. `reference` is the configuration
    whose output is right and whose time bounds the others'. Without `metrics` the wall time in ms counts."""

    sources: Sources
    lower: Lower
    reference: Configuration
    private: bool = True
    product: str = ""
    files: tuple[FileRead, ...] = ()  # what is built; a search ends when one of them changes
    metrics: tuple[OutputMetric | Usage, ...] = ()
    compared: tuple[OutputMetric, ...] = ()
    whole_output: bool = False
    tolerance: Tolerance = field(default_factory=lambda: Tolerance(ulps=0))
    plan: MeasurePlan = PLAN
    build_limits: Limits = field(default_factory=lambda: Limits(wall_s=120, processes=256))
    run_limits: Limits = field(default_factory=lambda: Limits(wall_s=120))
    adapt_limit: bool = True

    @property
    def objectives(self) -> tuple[Objective, ...]:
        return tuple(metric.objective for metric in self.metrics) or (WALL_TIME,)

    @property
    def compares(self) -> bool:
        return self.whole_output or bool(self.compared)


@dataclass(slots=True)
class BuiltApplication(BuiltConfiguration):
    """An application in its build tree, which configurations may share."""

    tree: BuildTree


@dataclass(frozen=True, slots=True)
class _Run:
    seconds: float
    values: Mapping[str, float]
    output: str
    cut: bool = False  # ended while it ran, because it was behind


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What the reference told: the limits of a run, and its output."""

    limits: Limits
    output: str | None
    failure: Failed | None = None  # of the reference, where nothing has to equal its output


class DeterministicRun(BuildingEvaluator[BuiltApplication]):
    """For metrics that every run repeats exactly: one run tells all."""

    def __init__(self, task: ApplicationTask):
        super().__init__(SAME_CODE)
        self.task = task
        self.build_trees = BuildTrees(self.workspace)
        self._snapshot: Path | None = None  # of the sources
        self._copying = threading.Lock()
        self._bounds: _Bounds | None = None
        self._repeats = Repeats(task.plan, task.objectives)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes a wrong result hard to see."""
        task = self.task
        if not task.compares and not task.lower(task.reference, "").check:
            return ("no reference: a wrong result shows only in the exit status of the program",)
        output = self._bounds.output if self._bounds else None
        blind = [
            number.pattern
            for number in task.compared
            if output is not None and (value := number.find(output)) and task.tolerance.holds(value, 0.0)
        ]
        return tuple(f"the tolerance is too wide: zero would be right at {pattern!r}" for pattern in blind)

    def set_up(self) -> _Bounds:
        """Build and run the reference once. Raises ToolError when it fails and its output is what others must equal."""
        with self._setting_up:
            if self._bounds is None:
                self._bounds = self._measure_reference()
            return self._bounds

    @property
    def is_set_up(self) -> bool:
        return self._bounds is not None and self._bounds.failure is None

    def set_up_again(self) -> None:
        with self._setting_up:
            self._bounds, self.build_trees = None, BuildTrees(self.workspace)
        bounds = self.set_up()
        if bounds.failure is not None:
            raise ToolError(f"the default configuration fails ({bounds.failure.stage})", hint=bounds.failure.log)

    def _measure_reference(self) -> _Bounds:
        limits = self.task.run_limits
        built = self._built(self.task.reference)
        try:
            run: Failed | _Run | None = built.failure
            if run is None:
                with self.workspace.scratch() as scratch:
                    run = self._once(built, self._folder(built, scratch), limits)
        finally:
            self.discard(built)
        if isinstance(run, Failed):
            if self.task.compares:
                raise ToolError(
                    f"the default configuration fails ({run.stage}), so nothing says which output is right",
                    hint=run.log,
                )
            return _Bounds(limits, None, run)
        if self.task.adapt_limit:
            limits = replace(limits, wall_s=min(limits.wall_s, 2 + 20 * run.seconds))
        return _Bounds(limits, run.output)

    # -- building

    def prepare(self, configuration: Configuration) -> BuiltApplication:
        self.set_up()
        check_unchanged(self.task.files)
        started = time.monotonic()
        built = self._built(configuration)
        built.seconds["compile"] = time.monotonic() - started
        return built

    def _built(self, configuration: Configuration) -> BuiltApplication:
        commands = self.task.lower(configuration, "")
        tree = self.build_trees.take(repr(commands.builds), lambda folder: self._build(configuration, folder))
        return BuiltApplication(configuration, tree, key=self._key(commands, tree), failure=tree.failure)

    def _build(self, configuration: Configuration, folder: Path) -> Failed | None:
        task = self.task
        if task.private:
            shutil.copytree(self._sources(), folder, symlinks=True, dirs_exist_ok=True)
        for words in task.lower(configuration, str(folder)).builds:
            cwd = folder if task.private else task.sources.folder
            done = run_limited(words, limits=task.build_limits, cwd=cwd, env=base_environment(), trust="tool")
            failure = compile_failure(done, task.build_limits)
            if failure is not None:
                return failure
        if task.product and not (folder / task.product).is_file():
            return Failed("compile", f"the build did not make {task.product}")
        return None

    def _sources(self) -> Path:
        """A copy of the sources that every build starts from. Raises SourceError where one is no longer as it was."""
        with self._copying:
            if self._snapshot is None or not self._snapshot.exists():
                folder = self.workspace.new()
                self.task.sources.copy(folder)
                check_unchanged(self.task.files)
                self._snapshot = folder
            return self._snapshot

    def _key(self, commands: Commands, tree: BuildTree) -> str:
        """What is the same for configurations that run the same program in the same way."""
        product = tree.folder / self.task.product
        if self.task.product and tree.failure is None and product.is_file():
            program: bytes | str = product.read_bytes()
        else:
            program = repr(commands.builds)
        return digest(program, repr((commands.run, commands.environment)))

    # -- judging

    def measure(self, built: BuiltApplication) -> Evaluation:
        with reserved_core(self.patience), self.workspace.scratch() as scratch:
            outcome = self._judge(built, self._folder(built, scratch))
        log, speed = (tail(outcome.log), None) if isinstance(outcome, Failed) else ("", self._repeats.speed)
        return Evaluation(outcome, built.seconds, log, speed)

    def discard(self, built: BuiltApplication) -> None:
        self.build_trees.release(built.tree)

    def _folder(self, built: BuiltApplication, scratch: Path) -> Path:
        """The build folder of one candidate's runs: nothing that another wrote is in it."""
        return copied(built.tree.folder, scratch / "run") if self.task.private else built.tree.folder

    def _judge(self, built: BuiltApplication, folder: Path) -> Measured | Failed:
        bounds = self.set_up()
        with spent(built.seconds, "check"):
            first = self._right(built, folder, bounds.limits, race=True)
            if isinstance(first, Failed):
                return first
            failure = None if first.cut else self._checked(built, folder, bounds)
        if failure is not None:
            return failure
        started = time.monotonic()
        outcome = self._measured(built, folder, bounds.limits, first)
        built.seconds[measuring(outcome)] = time.monotonic() - started
        return outcome

    def _measured(self, built: BuiltApplication, folder: Path, limits: Limits, first: _Run) -> Measured | Failed:
        return Measured(first.values, (first.values[self.task.objectives[0].name],))

    def _once(self, built: BuiltApplication, folder: Path, limits: Limits, race: bool = False) -> _Run | Failed:
        commands = self.task.lower(built.configuration, str(folder))

        def run(limits: Limits) -> Completed:
            return self._run(commands.run, commands, folder, limits)

        done, cut = self._repeats.raced(run, limits) if race else (run(limits), False)
        if cut:
            return _Run(done.seconds, {WALL_TIME.name: done.seconds * 1000.0}, "", cut=True)
        failure = run_failure(done, limits)
        if failure is not None:
            return failure
        if not self.task.metrics:
            return _Run(done.seconds, {WALL_TIME.name: done.seconds * 1000.0}, done.stdout)
        values: dict[str, float] = {}
        for metric in self.task.metrics:
            value = metric.of(done) if isinstance(metric, Usage) else _found(metric, done)
            if isinstance(value, Failed):
                return value
            values[metric.objective.name] = value
        return _Run(done.seconds, values, done.stdout)

    def _differing(self, run: _Run) -> Failed | None:
        """The failure of a run that printed something else than the reference."""
        task, expected = self.task, self.set_up().output
        if expected is None:
            return None
        ignored = [metric for metric in task.metrics if isinstance(metric, MetricPattern)]
        problem = numbers_differ(expected, run.output, task.compared, task.tolerance)
        if problem is None and task.whole_output:
            problem = outputs_differ(expected, run.output, ignored, task.tolerance)
        return Failed("wrong_result", problem) if problem is not None else None

    def _right(self, built: BuiltApplication, folder: Path, limits: Limits, race: bool = False) -> _Run | Failed:
        """A run, whose output is compared: each one is, the timed ones too. A `race` may end it before that."""
        run = self._once(built, folder, limits, race)
        return run if isinstance(run, Failed) or run.cut else self._differing(run) or run

    def _checked(self, built: BuiltApplication, folder: Path, bounds: _Bounds) -> Failed | None:
        task, commands = self.task, self.task.lower(built.configuration, str(folder))
        if not commands.check:
            return None
        limits = replace(bounds.limits, wall_s=task.run_limits.wall_s)
        done = self._run(commands.check, commands, folder, limits)
        if done.ended == "exit" and done.returncode != 0:
            return Failed("wrong_result", f"the check ended with status {done.returncode}\n{done.log}")
        return run_failure(done, limits)

    def _run(self, words: Words, commands: Commands, folder: Path, limits: Limits) -> Completed:
        cwd = folder if self.task.private else self.task.sources.folder
        return run_limited(words, limits=limits, cwd=cwd, env=base_environment(dict(commands.environment)))


def _found(metric: OutputMetric, done: Completed) -> float | Failed:
    value = metric.find(done.stdout)
    if value is None:
        value = metric.find(done.stderr)
    if value is None:
        return Failed("metric", f"no finite number at {metric.pattern!r} in the output\n{done.log}")
    return value


class ApplicationRun(DeterministicRun):
    """For metrics that vary from run to run: medians over runs, and finalists measured again in turns."""

    def _measured(self, built: BuiltApplication, folder: Path, limits: Limits, first: _Run) -> Measured | Failed:

        def once() -> Mapping[str, float] | Cut | Failed:
            run = self._right(built, folder, limits, race=True)
            return run if isinstance(run, Failed) else Cut(run.values) if run.cut else run.values

        return self._repeats.measure(once, Cut(first.values) if first.cut else first.values)

    def compare_again(
        self,
        configurations: Sequence[Configuration],
        rounds: int = 7,
        seconds: float | None = None,
        behind: Behind | None = None,
    ) -> list[list[float]]:
        """Interleaved runs of finalists: the first objective's value by round; empty for one that fails now. `seconds`
        and `behind` as in tunepass.evaluators.measure.interleaved."""
        limits, name = self.set_up().limits, self.task.objectives[0].name
        built = [self.prepare(configuration) for configuration in configurations]
        with self.workspace.scratch() as scratch:
            folders = [self._place(application, scratch / str(i)) for i, application in enumerate(built)]

            def measure(index: int) -> float | Failed:
                run = self._right(built[index], folders[index], limits)
                return run if isinstance(run, Failed) else run.values[name]

            try:
                return interleaved([a.failure is None for a in built], measure, rounds, seconds, behind)
            finally:
                for application in built:
                    self.discard(application)

    def _place(self, built: BuiltApplication, folder: Path) -> Path:
        if built.failure is not None or not self.task.private:
            return built.tree.folder
        return copied(built.tree.folder, folder)
