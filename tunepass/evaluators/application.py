"""A whole program, built by its own commands and judged by what it prints or by its wall time.

build (once for all configurations that share it) -> same program as before? -> run in a fresh copy of what was built
(exit status, metrics) -> right output? -> more runs, each compared, median
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.compilers.asking import base_environment
from tunepass.diagnostics import ToolError
from tunepass.evaluators.application_builds import ApplicationBuilds
from tunepass.evaluators.application_task import ApplicationTask as ApplicationTask
from tunepass.evaluators.building import BuildingEvaluator, BuiltConfiguration
from tunepass.evaluators.kept_programs import KeptPrograms
from tunepass.evaluators.measure.interleaved import Behind, interleaved
from tunepass.evaluators.measure.metrics import MetricPattern, OutputMetric, Usage
from tunepass.evaluators.measure.output_comparison import numbers_differ, outputs_differ
from tunepass.evaluators.measure.repeats import WALL_TIME, Cut, Repeats
from tunepass.evaluators.measure.stages import measuring, spent
from tunepass.evaluators.process.cores import reserved_core
from tunepass.evaluators.process.failures import run_failure
from tunepass.evaluators.process.run import Completed, Limits, run_limited, tail
from tunepass.evaluators.program_ledger import ProgramChecks
from tunepass.evaluators.source_tree import BuildTree, copied
from tunepass.evaluators.toolchains.source_files import check_unchanged
from tunepass.ir.application import Commands, Words
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Ledger
from tunepass.study.outcome import Evaluation, Failed, Measured

LEAST_WORTH_S, WORTH_OF_BUILD = 0.3, 0.25  # of runs that tell more than building another candidate would
VERSION = "application 1"  # of what is measured and how; part of every identity
SAME_CODE = "same program and same run as an earlier candidate: its outcome was taken"


@dataclass(slots=True)
class BuiltApplication(BuiltConfiguration):
    """An application in its build tree, which configurations may share."""

    tree: BuildTree
    program: Path | None = None  # its runs have copies of the whole tree


@dataclass(frozen=True, slots=True)
class _Run:
    """Run over all inputs: the output of each, and their combined values."""

    seconds: float
    values: Mapping[str, float]
    by_input: tuple[Mapping[str, float], ...] = ()
    outputs: tuple[str, ...] = ()
    cut: bool = False  # ended while it ran, because it was behind


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Bounds from the reference: the limits of a run, its values and its outputs by input."""

    limits: Limits
    outputs: tuple[str, ...] | None
    values: tuple[Mapping[str, float], ...] = ()
    failure: Failed | None = None  # of the reference, where nothing has to equal its output


class DeterministicRun(BuildingEvaluator[BuiltApplication]):
    """For metrics that every run repeats exactly: one run tells all."""

    def __init__(self, task: ApplicationTask):
        super().__init__(SAME_CODE)
        self.task = task
        self.builds = ApplicationBuilds(task, self.workspace, self.in_time)
        self._bounds: _Bounds | None = None
        self._reference_s = 0.0  # that building the reference took, until its trial has told
        self._repeats = Repeats(task.plan, task.objectives)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about checks that cannot reveal a wrong result."""
        task = self.task
        if not task.compares and not task.lower(task.reference, "").checks:
            return ("no reference: a wrong result shows only in the exit status of the program",)
        outputs = (self._bounds.outputs if self._bounds else None) or ()
        blind = [
            number.pattern
            for number in task.compared
            if any((value := number.find(output)) and task.tolerance.holds(value, 0.0) for output in outputs)
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
            self._bounds = None
            self.builds.forget()
        bounds = self.set_up()
        if bounds.failure is not None:
            raise ToolError(f"the default configuration fails ({bounds.failure.stage})", hint=bounds.failure.log)

    def _measure_reference(self) -> _Bounds:
        limits = self.task.run_limits
        built = self._built(self.task.reference)
        self._reference_s = built.tree.seconds
        try:
            run: Failed | _Run | None = built.failure
            if run is None:
                with self.workspace.scratch() as scratch:
                    run = self._once(built, self._folder(built, scratch), _Bounds(limits, None))
        finally:
            self.discard(built)
        if isinstance(run, Failed):
            if self.task.compares:
                raise ToolError(
                    f"the default configuration fails ({run.stage}), so nothing says which output is right",
                    hint=run.log,
                )
            return _Bounds(limits, None, failure=run)
        if self.task.adapt_limit:
            limits = replace(limits, wall_s=min(limits.wall_s, 2 + 20 * run.seconds))
        return _Bounds(limits, run.outputs, run.by_input)

    # -- building

    def prepare(self, configuration: Configuration) -> BuiltApplication:
        self.set_up()
        check_unchanged(self.task.files)
        started = time.monotonic()
        built = self._built(configuration)
        built.seconds["compile"] = time.monotonic() - started
        if configuration == self.task.reference:
            built.seconds["compile"] += self._reference_s
            self._reference_s = 0.0
        return built

    def _built(self, configuration: Configuration) -> BuiltApplication:
        tree, key = self.builds.take(configuration)
        return BuiltApplication(configuration, tree, key=key, failure=tree.failure)

    # -- judging

    def measure(self, built: BuiltApplication) -> Evaluation:
        obstacles: list[str] = []
        with reserved_core(self.patience, obstacles.append), self.workspace.scratch() as scratch:
            outcome = self._judge(built, self._folder(built, scratch))
        log, speed = (tail(outcome.log), None) if isinstance(outcome, Failed) else ("", self._repeats.speed)
        return Evaluation(outcome, built.seconds, log, speed, checks=self._ledger(built, obstacles))

    def _ledger(self, built: BuiltApplication, obstacles: Sequence[str]) -> Ledger:
        commands = self.task.lower(built.configuration, str(built.tree.folder))
        once = ["its check follows the first run alone"] if commands.checks and not self.task.compares else []
        return ProgramChecks(
            program=commands.runs[0][0],
            unchecked=self.warnings,
            untimed=once,
            selected=not self.task.whole_output,
            prints=any(not isinstance(metric, Usage) for metric in self.task.metrics),
            core=obstacles,
            speed=self._repeats.speed is not None or bool(self.task.metrics),
            environment=base_environment(dict(commands.environment)),
        ).ledger()

    def discard(self, built: BuiltApplication) -> None:
        self.builds.release(built.tree)

    def _folder(self, built: BuiltApplication, scratch: Path) -> Path:
        """The build folder of one candidate's runs: nothing that another wrote is in it."""
        return copied(built.tree.folder, scratch / "run") if self.task.private else built.tree.folder

    def _judge(self, built: BuiltApplication, folder: Path) -> Measured | Failed:
        bounds = self.set_up()
        with spent(built.seconds, "check"):
            first = self._right(built, folder, bounds, race=True, check=True)
        if isinstance(first, Failed):
            return first
        started = time.monotonic()
        outcome = self._measured(built, folder, bounds, first)
        built.seconds[measuring(outcome)] = time.monotonic() - started
        return outcome

    def _measured(self, built: BuiltApplication, folder: Path, bounds: _Bounds, first: _Run) -> Measured | Failed:
        return Measured(first.values, (first.values[self.task.objectives[0].name],))

    def _once(
        self, built: BuiltApplication, folder: Path, bounds: _Bounds, *, race: bool = False, check: bool = False
    ) -> _Run | Failed:
        """A run with each input, one after the other. A `race` may end it early; a `check` follows each."""
        commands = self.task.lower(built.configuration, str(folder))
        seconds, values, outputs = 0.0, list[Mapping[str, float]](), list[str]()
        for place, words in enumerate(commands.runs):
            done, cut = self._raced(words, commands, folder, bounds, values if race else None)
            seconds += done.seconds
            if cut:
                return self._cut(seconds, [*(v[WALL_TIME.name] for v in values), done.seconds * 1000.0], bounds)
            failure = run_failure(done, bounds.limits)
            if failure is None and check and commands.checks:
                failure = self._checked(commands.checks[place], commands, folder, bounds)
            outcome = failure or self._values(done)
            if isinstance(outcome, Failed):
                return outcome
            values.append(outcome)
            outputs.append(done.stdout)
        if undefined := self.task.over_inputs.undefined(values):
            return Failed("metric", undefined)
        return _Run(seconds, self.task.over_inputs.combined(values, bounds.values), tuple(values), tuple(outputs))

    def _raced(
        self, words: Words, commands: Commands, folder: Path, bounds: _Bounds, before: list[Mapping[str, float]] | None
    ) -> tuple[Completed, bool]:
        """A run after those with the inputs `before` it; None: it is let end, whatever it takes."""

        def run_now(limits: Limits) -> Completed:
            return self._run(words, commands, folder, limits)

        def run(limits: Limits) -> Completed:
            return self.in_time(run_now, limits) if before is not None else run_now(limits)

        if before is None or not self._repeats.timed:
            return run(bounds.limits), False
        spent = [values[WALL_TIME.name] for values in before]
        over = self.task.over_inputs
        return self._repeats.raced(
            run, bounds.limits, lambda cut_s: over.allowed(cut_s * 1000.0, spent, bounds.values) / 1000.0
        )

    def _cut(self, seconds: float, spent: list[float], bounds: _Bounds) -> _Run:
        least = self.task.over_inputs.least(spent, bounds.values)
        return _Run(seconds, {WALL_TIME.name: least}, cut=True)

    def _values(self, done: Completed) -> dict[str, float] | Failed:
        if not self.task.metrics:
            return {WALL_TIME.name: done.seconds * 1000.0}
        values: dict[str, float] = {}
        for metric in self.task.metrics:
            value = metric.of(done) if isinstance(metric, Usage) else _value_of_output(metric, done)
            if isinstance(value, Failed):
                return value
            values[metric.objective.name] = value
        return values

    def _differing(self, run: _Run, bounds: _Bounds) -> Failed | None:
        """The failure of a run that printed something else than the reference."""
        task = self.task
        ignored = [metric for metric in task.metrics if isinstance(metric, MetricPattern)]
        for expected, got in zip(bounds.outputs or (), run.outputs):
            problem = numbers_differ(expected, got, task.compared, task.tolerance)
            if problem is None and task.whole_output:
                problem = outputs_differ(expected, got, ignored, task.tolerance)
            if problem is not None:
                return Failed("wrong_result", problem)
        return None

    def _right(
        self, built: BuiltApplication, folder: Path, bounds: _Bounds, *, race: bool = False, check: bool = False
    ) -> _Run | Failed:
        """A run, whose output is compared: each one is, the timed ones too. A `race` may end it before that."""
        run = self._once(built, folder, bounds, race=race, check=check)
        return run if isinstance(run, Failed) or run.cut else self._differing(run, bounds) or run

    def _checked(self, words: Words, commands: Commands, folder: Path, bounds: _Bounds) -> Failed | None:
        limits = replace(bounds.limits, wall_s=self.task.run_limits.wall_s)
        done = self._run(words, commands, folder, limits)
        if done.ended == "exit" and done.returncode != 0:
            return Failed("wrong_result", f"the check ended with status {done.returncode}\n{done.log}")
        return run_failure(done, limits)

    def _run(self, words: Words, commands: Commands, folder: Path, limits: Limits) -> Completed:
        cwd = folder if self.task.private else self.task.sources.folder
        return run_limited(words, limits=limits, cwd=cwd, env=base_environment(dict(commands.environment)))


def _value_of_output(metric: OutputMetric, done: Completed) -> float | Failed:
    value = metric.find(done.stdout)
    if value is None:
        value = metric.find(done.stderr)
    if value is None:
        return Failed("metric", f"no finite number at {metric.pattern!r} in the output\n{done.log}")
    return value


class ApplicationRun(DeterministicRun):
    """For metrics that vary from run to run: medians over runs, and finalists measured again in turns. What was built
    of the best is kept for that, and the products of those that were compared for whoever writes the winner."""

    def __init__(self, task: ApplicationTask):
        super().__init__(task)
        self._kept: KeptPrograms[BuiltApplication] = KeptPrograms(super().discard)

    @property
    def hands_over(self) -> bool:
        return self.task.products is not None

    def is_kept(self, configuration: Configuration) -> bool:
        return self.builds.is_there(configuration)

    def measure(self, built: BuiltApplication) -> Evaluation:
        evaluation, objective = super().measure(built), self.task.objectives[0]
        if isinstance(evaluation.outcome, Measured) and not evaluation.outcome.censored:
            self._kept.keep(built, objective.loss(evaluation.outcome.values[objective.name]))
        return evaluation

    def discard(self, built: BuiltApplication) -> None:
        if not self._kept.holds(built):
            super().discard(built)

    def set_up_again(self) -> None:
        self._kept.clear()
        super().set_up_again()

    def _measured(self, built: BuiltApplication, folder: Path, bounds: _Bounds, first: _Run) -> Measured | Failed:

        def once() -> Mapping[str, float] | Cut | Failed:
            run = self._right(built, folder, bounds, race=True)
            return run if isinstance(run, Failed) else Cut(run.values) if run.cut else run.values

        worth_s = max(LEAST_WORTH_S, WORTH_OF_BUILD * built.seconds.get("compile", 0.0))
        return self._repeats.measure(once, Cut(first.values) if first.cut else first.values, worth_s)

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
        bounds, name = self.set_up(), self.task.objectives[0].name
        built = [self.prepare(configuration) for configuration in configurations]
        with self.workspace.scratch() as scratch:
            folders = [self._place(application, scratch / str(i)) for i, application in enumerate(built)]

            def measure(index: int) -> float | Failed:
                run = self._right(built[index], folders[index], bounds)
                return run if isinstance(run, Failed) else run.values[name]

            try:
                return interleaved([a.failure is None for a in built], measure, rounds, seconds, behind)
            finally:
                for application in built:
                    self.builds.hand_over(application.configuration, application.tree, application.key)
                    self.discard(application)

    def _place(self, built: BuiltApplication, folder: Path) -> Path:
        if built.failure is not None or not self.task.private:
            return built.tree.folder
        return copied(built.tree.folder, folder)
