"""A GPU kernel on a device: compile the candidate, compare what it computes, time it by the device's own clock.

    fits the device? -> compile -> same object as before? -> correct output (poisoned, guarded) -> timing -> output

A worker process holds the device. It is retired after any failure of the device, and the next trial has a new one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tunepass.diagnostics import ToolError
from tunepass.evaluators.building import BuildingEvaluator, BuiltConfiguration
from tunepass.evaluators.gpu_run.contents import ContentsCase
from tunepass.evaluators.gpu_run.expected import Expected, expected_of
from tunepass.evaluators.gpu_run.holder import Holder, Launched, LaunchProgram
from tunepass.evaluators.gpu_run.ledger_rows import gpu_checks
from tunepass.evaluators.gpu_run.limits import lacking, too_large
from tunepass.evaluators.gpu_run.protocol import Device, Plan, Timed
from tunepass.evaluators.gpu_run.session import TooLarge, WorkerFailed
from tunepass.evaluators.gpu_run.task import GpuCandidate, GpuTask, Module
from tunepass.evaluators.measure.interleaved import Behind, interleaved
from tunepass.evaluators.measure.stages import measuring, spent
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.object_cache import digest
from tunepass.evaluators.process.run import tail
from tunepass.evaluators.process.supervisor.folders import remove_folder
from tunepass.ir.gpu_call import NoLaunch
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Infeasible, Measured, Outcome

MS = 1000.0
SLACK_S = 5.0  # for copies, and a machine that does something else
SLOWER = 20.0  # a launch may take this many times the reference's before it counts as endless
ENERGY_S = 0.3  # of launches, for counters that are read ten times a second


@dataclass(slots=True)
class BuiltKernel(BuiltConfiguration):
    """A compiled candidate; `program` is None where it cannot be launched, and `unfit` then says why if it is the
    device's limits."""

    folder: Path
    program: LaunchProgram | None = None
    unfit: Infeasible | None = None


class GpuRun(BuildingEvaluator[BuiltKernel]):
    """Compiles a GPU kernel and judges it on a device."""

    def __init__(self, task: GpuTask):
        super().__init__()
        self.task = task
        self.warnings: tuple[str, ...] = ()
        self._holder = Holder(task.worker, self.workspace, task.compile_s)
        self._expected: Expected | None = None
        self._best_s: float | None = None  # the median of the fastest so far
        self._failed_again: dict[Configuration, Failed] = {}
        self._clock_known = True  # the device tells its clock
        self._uncompared: set[str] = set()  # outputs of the program that is being judged

    # --- the environment ------------------------------------------------------------------------------------------

    @property
    def device(self) -> Device:
        """The driver's description of the device."""
        return self._holder.device

    def set_up(self) -> Expected:
        """Run the reference, once. Raises ToolError when nothing can be judged."""
        with self._setting_up:
            if self._expected is None:
                folder, task = self.workspace.new(), self.task
                module = task.compile(task.reference, folder)
                if not isinstance(module, Module):
                    raise ToolError("the reference kernel does not compile", hint=str(_log(module)))
                program = LaunchProgram.of(module, task.reference.call)
                cases = [ContentsCase(seed, number % 2) for number, seed in enumerate(dict.fromkeys(task.seeds))]
                self._expected = expected_of(self._holder, program, cases, task.tolerance, task.run_s)
                self.warnings = self._expected.warnings
            return self._expected

    @property
    def is_set_up(self) -> bool:
        return self._expected is not None

    def set_up_again(self) -> None:
        with self._setting_up:
            self._holder.retire()
            self._expected = None
        self.set_up()

    def close(self) -> None:
        self._holder.retire()
        super().close()

    # --- one candidate --------------------------------------------------------------------------------------------

    def prepare(self, configuration: Configuration) -> BuiltKernel:
        """Compile. Safe to call from several threads."""
        self.set_up()
        built = BuiltKernel(configuration, self.workspace.new())
        try:
            with spent(built.seconds, "compile"):
                self._compile(built)
        except BaseException:
            self.discard(built)
            raise
        return built

    def _compile(self, built: BuiltKernel) -> None:
        try:
            candidate = self.task.lower(built.configuration)
        except NoLaunch as error:
            built.unfit = Infeasible(str(error))
            return
        limit = lacking(self.device, candidate.call)
        module = Infeasible(limit) if limit else self.task.compile(candidate, built.folder)
        match module:
            case Failed():
                built.failure = module
            case Infeasible():
                built.unfit = module
            case _:
                built.program = LaunchProgram.of(module, candidate.call)
                built.key = _key(module, candidate, built.program)

    def discard(self, built: BuiltKernel) -> None:
        if built.program is not None and self._holder.holds(built.program.module):
            self._holder.unload(built.program.module)
        remove_folder(built.folder)

    def finish(self, built: BuiltKernel, /) -> Evaluation:
        if built.unfit is not None:
            self.discard(built)
            return Evaluation(built.unfit, built.seconds)
        return super().finish(built)

    def measure(self, built: BuiltKernel) -> Evaluation:
        assert built.program is not None
        program = built.program
        self._uncompared.clear()
        try:
            with spent(built.seconds, "compile"):
                loaded = self._holder.attempt(lambda: self._holder.load(program.module))
            limit = too_large(self.device, program.call, loaded)
            if limit:
                return Evaluation(Infeasible(limit), built.seconds, tail(loaded.log))
            failure = self._check(program, built.seconds)
            if failure is not None:
                return Evaluation(failure, built.seconds, tail(failure.log))
            started = time.monotonic()
            outcome = self._measure(program)
        except WorkerFailed as failed:
            return Evaluation(failed.failure, built.seconds, tail(failed.failure.log))
        except TooLarge as error:
            return Evaluation(Infeasible(f"the device has not enough: {error}"), built.seconds)
        built.seconds[measuring(outcome)] = time.monotonic() - started
        log = outcome.log if isinstance(outcome, Failed) else program.module.log or loaded.log
        throttled = [text for text in self.warnings if text not in self.set_up().warnings]
        throttled += [] if self._clock_known else ["the device does not tell its clock"]
        timed = isinstance(outcome, Measured)
        checks = gpu_checks(self.set_up(), sorted(self._uncompared), throttled, timed=timed)
        return Evaluation(outcome, built.seconds, tail(log), checks=checks)

    def _check(self, program: LaunchProgram, seconds: dict[str, float]) -> Failed | None:
        """Some drivers compile when the first launch is due."""
        for number, case in enumerate(self.set_up().cases):
            failure = self._check_case(program, case, seconds, "check" if number else "compile")
            if failure is not None:
                return failure
        return None

    def _check_case(
        self, program: LaunchProgram, case: ContentsCase, seconds: dict[str, float], beginning: str
    ) -> Failed | None:
        def launch() -> Launched:
            with spent(seconds, beginning):
                begun = self._holder.begin(program, case)
            with spent(seconds, "check"):
                return self._holder.finish(begun, self._limit_s())[0]

        launched = self._holder.attempt(launch)
        with spent(seconds, "check"):
            return self._wrong(program, case, launched)

    def _wrong(self, program: LaunchProgram, case: ContentsCase, launched: Launched) -> Failed | None:
        """Failure of one launch. A worker whose memory a kernel wrote to without right is not used again."""
        fault = program.layout.fault(launched.before, launched.after)
        if fault is not None:
            self._holder.retire()
            return fault
        outputs = program.layout.outputs(launched.after)
        self._uncompared |= self.set_up().unlike(case, outputs)
        wrong = self.set_up().mismatches(case, outputs)
        return Failed("wrong_result", "\n".join(str(mismatch) for mismatch in wrong)) if wrong else None

    def _measure(self, program: LaunchProgram) -> Outcome:
        timed = self._time(program, self.task.plan, self._best_s)
        if isinstance(timed, Failed):
            return timed
        failure = self._check_case(program, self.set_up().cases[0], {}, "check")
        if failure is not None:  # what it computed may have been what it kept of an earlier launch
            return Failed(failure.stage, f"with other data, after it was timed: {failure.log}")
        seconds = median(timed.samples_s)
        if not timed.cut and (self._best_s is None or seconds < self._best_s):
            self._best_s = seconds
        values = {self.task.objective: seconds * MS}
        if self.task.energy is not None:
            case = self.set_up().cases[-1]
            spent_energy = self._holder.energy(program, case, ENERGY_S, self._limit_s() + 2 * ENERGY_S)
            values[self.task.energy] = spent_energy.joule * 1e3
        return Measured(values, tuple(sample * MS for sample in timed.samples_s), censored=timed.cut)

    def _time(self, program: LaunchProgram, plan: MeasurePlan, best_s: float | None) -> Timed | Failed:
        expected = self.set_up()
        case, words = expected.cases[-1], _plan(plan, best_s)
        launches = plan.least + plan.probe
        wall_s = self._limit_s() + plan.warmup_s + 5 * plan.budget_s + launches * SLOWER * expected.seconds
        launched, timed = self._holder.attempt(lambda: self._holder.time(program, case, words, wall_s))
        failure = self._wrong(program, case, launched)
        if failure is not None:
            return Failed(failure.stage, f"while timed: {failure.log}")
        self._clock_known = timed.after.mhz > 0
        if timed.after.throttled:
            warning = f"the device's clock was kept down by {timed.after.throttled}: its times vary more than usual"
            self.warnings = tuple(dict.fromkeys((*self.warnings, warning)))
        return timed

    def _limit_s(self) -> float:
        """Seconds allowed for one launch with its copies."""
        return min(self.task.run_s, SLACK_S + SLOWER * self.set_up().seconds)

    # --- finalists ------------------------------------------------------------------------------------------------

    def compare_again(
        self,
        configurations: Sequence[Configuration],
        rounds: int = 15,
        seconds: float | None = None,
        behind: Behind | None = None,
    ) -> list[list[float]]:
        """Interleaved re-measurement of finalists: for each its medians in ms by round; [] for one that fails now."""
        prepared = [self.prepare(configuration) for configuration in configurations]

        def value(index: int) -> float | Failed:
            measured = self._again(prepared[index])
            if isinstance(measured, Failed):
                self._failed_again[configurations[index]] = measured
            return measured

        try:
            return interleaved([built.program is not None for built in prepared], value, rounds, seconds, behind)
        finally:
            for built in prepared:
                self.discard(built)

    def _again(self, built: BuiltKernel) -> float | Failed:
        assert built.program is not None
        try:
            timed = self._time(built.program, self.task.plan.again, None)
        except WorkerFailed as failed:
            return failed.failure
        except TooLarge as error:
            return Failed("run", f"the device has not enough: {error}")
        return timed if isinstance(timed, Failed) else median(timed.samples_s) * MS

    def look_s(self) -> float:
        return 0.0

    def look_again(self, configuration: Configuration) -> Failed | None:
        return self._failed_again.get(configuration)


def _plan(plan: MeasurePlan, best_s: float | None) -> Plan:
    cutoff = 0.0 if best_s is None else plan.cutoff_factor * best_s
    return Plan(plan.warmup_s, plan.budget_s, plan.precision, plan.least, plan.most, plan.probe, cutoff)


def _key(module: Module, candidate: GpuCandidate, program: LaunchProgram) -> str:
    compiled = (module.code,) if module.code else (candidate.text or "", *module.words)
    return digest(module.function, repr(program.words), repr(program.layout.places), *compiled)


def _log(module: Failed | Infeasible) -> str:
    return module.log if isinstance(module, Failed) else module.constraint
