"""From a kernel to the evaluator that judges its configurations on this machine."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from tunepass.diagnostics import TunepassError
from tunepass.evaluators.command import CommandRun, CommandTask
from tunepass.evaluators.compile_run import CompileRun, KernelTask
from tunepass.evaluators.measure.metrics import MetricPattern
from tunepass.evaluators.measure.tolerance import Tolerance
from tunepass.frontends.c.harness.source import harness_source
from tunepass.frontends.c.lowering import defines, lower
from tunepass.ir.application import Application
from tunepass.ir.c_kernel import Call, CKernel
from tunepass.ir.candidate import Candidate
from tunepass.ir.kernel import Kernel
from tunepass.ir.run import RunCommand
from tunepass.jobs import application
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluate
from tunepass.tuning.objectives import INSTRUCTIONS, TIME, of_kernel


def evaluator(kernel: Kernel, command: tuple[str, ...], *, count: bool = False) -> AbstractContextManager[Evaluate]:
    """Judges the kernel by its generated harness, the program by its own run, the application by its own commands."""
    if isinstance(kernel.body, Application):
        return application.evaluator(kernel)
    match kernel.body:
        case CKernel(judged_by=RunCommand() as run):
            return CommandRun(_command_task(kernel, run, command))
        case CKernel(judged_by=Call() as call):
            return CompileRun(_kernel_task(kernel, call, command, count=count))
    raise TunepassError(
        f"{kernel.name}: a {kernel.language} program cannot be compiled and run here",
        hint='it is priced on a device: Pipeline.default(device="stratix-v")',
    )


def _reference(kernel: Kernel) -> Candidate:
    """The untouched source; its macros have their defaults, for sources that leave those to the pragma."""
    return Candidate(defines=defines(kernel, Configuration({p.name: p.default for p in kernel.parameters})))


def _kernel_task(kernel: Kernel, call: Call, command: tuple[str, ...], *, count: bool) -> KernelTask:
    return KernelTask(
        command=command,
        source=Path(kernel.source.name),
        text=kernel.source.text,
        harness=harness_source(kernel),
        lower=partial(lower, kernel),
        reference=_reference(kernel),
        language=kernel.language,
        objective=(INSTRUCTIONS if count else TIME).name,
        metric="instructions" if count else "time",
        tolerance=Tolerance(absolute=call.absolute_tolerance, relative=call.relative_tolerance),
    )


def _command_task(kernel: Kernel, run: RunCommand, command: tuple[str, ...]) -> CommandTask:
    objectives = of_kernel(kernel)
    return CommandTask(
        command=command,
        source=Path(kernel.source.name),
        run=run.arguments,
        lower=partial(lower, kernel),
        reference=_reference(kernel),
        metrics=tuple(MetricPattern(m.pattern, o) for m, o in zip(run.metrics, objectives)),
        language=kernel.language,
    )
