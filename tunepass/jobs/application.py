"""Whole applications: from their kernel to what judges it, what its results depend on, and the program as tuned."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.evaluators import application as runs
from tunepass.evaluators.application import ApplicationTask
from tunepass.evaluators.measure.metrics import JsonNumber, MetricPattern, OutputMetric
from tunepass.evaluators.measure.tolerance import Tolerance
from tunepass.evaluators.process.cores import processor_name
from tunepass.evaluators.process.failures import compile_failure
from tunepass.evaluators.process.run import Limits, base_environment, run_limited
from tunepass.evaluators.source_tree import Sources
from tunepass.evaluators.toolchains.cc import identify
from tunepass.frontends.app.emission import chosen, emit_files, program_name
from tunepass.frontends.app.lowering import lower
from tunepass.frontends.app.sections import name_of
from tunepass.ir.application import Application, Commands, Reading
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.objective import Objective
from tunepass.study.space_description import space_hash
from tunepass.tuning.objectives import of_kernel


def application_of(kernel: Kernel) -> Application:
    return kernel.body_as(Application)


def sources_of(kernel: Kernel) -> Sources:
    application = application_of(kernel)
    return Sources(
        folder=Path(kernel.source.name).parent.resolve(),
        patterns=application.sources,
        linked=application.build.linked,
        span=application.sources_span,
    )


def evaluator(kernel: Kernel) -> runs.DeterministicRun:
    """One run tells all where the metrics are deterministic."""
    task = task_of(kernel)
    return runs.DeterministicRun(task) if application_of(kernel).deterministic else runs.ApplicationRun(task)


def task_of(kernel: Kernel) -> ApplicationTask:
    application = application_of(kernel)
    run = application.run
    build, check, sources = application.build, application.check, sources_of(kernel)
    limits = Limits(wall_s=application.limit_s or 120.0)
    if application.memory_bytes is not None:
        limits = replace(limits, memory_bytes=application.memory_bytes)
    plan, most = runs.PLAN, application.repeats
    if most is not None:
        plan = replace(plan, least=min(plan.least, most), most=most)
    return ApplicationTask(
        sources=sources,
        lower=lambda configuration, folder: commands_of(kernel, configuration, folder),
        reference=Configuration({p.name: p.default for p in kernel.parameters}),
        private=build.copied and bool(sources.patterns),
        product=build.product,
        metrics=tuple(_printed(m.pattern, m.path, o) for m, o in zip(run.metrics, of_kernel(kernel))),
        compared=tuple(_compared(reading) for reading in check.compared),
        whole_output=check.whole_output,
        tolerance=Tolerance(absolute=check.absolute, relative=check.relative, ulps=0),
        plan=plan,
        build_limits=Limits(wall_s=build.limit_s, processes=256),
        run_limits=limits,
        adapt_limit=application.limit_s is None,
    )


def commands_of(kernel: Kernel, configuration: Configuration, folder: str) -> Commands:
    """The configuration's commands with `folder` as the build's."""
    return lower(kernel, configuration, folder, str(sources_of(kernel).folder))


def _printed(pattern: str, path: str, objective: Objective) -> OutputMetric:
    return JsonNumber(path, objective) if path else MetricPattern(pattern, objective)


def _compared(reading: Reading) -> OutputMetric:
    name = name_of(reading)
    return _printed(reading.pattern, reading.path, Objective(name if name.isidentifier() else "value"))


def identity_of(kernel: Kernel, space: Space) -> Identity:
    """The description, every source and the tools' versions; the commands are part of the description."""
    sources = sources_of(kernel)
    digest = hashlib.sha256(kernel.source.text.encode())
    for path in sources.files():
        data = (sources.folder / path).read_bytes()
        digest.update(f"\0{path.as_posix()}\0{len(data)}\0".encode() + data)
    application = application_of(kernel)
    tools = application.tools or tuple(dict.fromkeys(words[0] for words in application.build.commands))
    return Identity(
        source="sha256:" + digest.hexdigest(),
        space=space_hash(space),
        compiler="; ".join(identify(tool).version for tool in tools if application.tools or shutil.which(tool)),
        device=processor_name(),
        harness=runs.VERSION,
    )


def write_tuned(folder: Path, kernel: Kernel, note: str) -> list[str]:
    """Builds the scheduled kernel within `folder` and leaves there what a user keeps; the names of the files."""
    names = []
    for file in emit_files(kernel, note):
        (folder / file.name).write_text(file.text)
        names.append(file.name)
        if file.name.endswith(".sh"):
            (folder / file.name).chmod(0o755)
    application = application_of(kernel)
    if application.build.product:
        tree = folder / "tree"
        tree.mkdir()
        _build(kernel, tree)
        (tree / application.build.product).replace(folder / program_name(kernel))
        names.append(program_name(kernel))
    return names


def _build(kernel: Kernel, tree: Path) -> None:
    task = task_of(kernel)
    if task.private:
        task.sources.copy(tree)
    for words in commands_of(kernel, chosen(kernel), str(tree)).builds:
        cwd = tree if task.private else task.sources.folder
        done = run_limited(words, limits=task.build_limits, cwd=cwd, env=base_environment())
        failure = compile_failure(done, task.build_limits)
        if failure is not None:
            raise ToolError(f"the tuned {kernel.name} does not build", hint=failure.log)
    if not (tree / task.product).is_file():
        raise ToolError(f"the build of {kernel.name} did not make {task.product}")
