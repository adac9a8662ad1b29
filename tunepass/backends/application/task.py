"""Task of the evaluator of applications: sources, build, run and comparison."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from tunepass.backends.base import default_of
from tunepass.compilers.cc import identify
from tunepass.diagnostics import SourceError
from tunepass.evaluators.application_task import PLAN, ApplicationTask, Probe
from tunepass.evaluators.measure.inputs import OverInputs
from tunepass.evaluators.measure.metrics import JsonNumber, MetricPattern, OutputMetric, Usage
from tunepass.evaluators.measure.tolerance import Tolerance
from tunepass.evaluators.process.run import Limits
from tunepass.evaluators.source_tree import Sources
from tunepass.frontends.app.lowering import lower
from tunepass.frontends.app.metrics import name_of
from tunepass.ir.application import PROFILE, Application, MetricReading, ProfileWords
from tunepass.ir.kernel import Kernel
from tunepass.ir.run import Metric
from tunepass.study.objective import Objective

# gcc's counts carry the names of the objects' folders, so both phases build in the same one, and are corrected where
# threads have spoilt them: counting atomically makes loops ten times slower. clang's are merged by a tool of its own.
GCC_PROFILE = ProfileWords(
    generate=(f"-fprofile-generate={PROFILE}",),
    use=(f"-fprofile-use={PROFILE}", "-fprofile-correction", "-fprofile-partial-training", "-Wno-missing-profile"),
)
CLANG_PROFILE = ProfileWords(
    generate=(f"-fprofile-generate={PROFILE}",),
    use=(f"-fprofile-use={PROFILE}/merged.profdata",),
    merge=("llvm-profdata", "merge", f"-output={PROFILE}/merged.profdata", PROFILE),
)


def task_of(kernel: Kernel, application: Application, measured: Sequence[Objective]) -> ApplicationTask:
    build, check, sources = application.build, application.check, _sources_of(kernel, application)
    limits = Limits(wall_s=application.limit_s or 120.0)
    if application.memory_bytes is not None:
        limits = replace(limits, memory_bytes=application.memory_bytes)
    plan, most = PLAN, application.repeats
    if most is not None:
        plan = replace(plan, least=min(plan.least, most), most=most)
    profile = cache(partial(profile_words, kernel, application))  # asks a compiler: not before it is needed
    place = str(sources.folder)
    return ApplicationTask(
        sources=sources,
        lower=lambda configuration, folder: lower(kernel, configuration, folder, place, profile()),
        probe=_probe(kernel, place, profile),
        reference=default_of(kernel),
        private=build.copied and bool(sources.patterns),
        product=build.product,
        span=build.span,
        over=_over_inputs(application, measured),
        metrics=tuple(_metric(m, o) for m, o in zip(application.run.metrics, measured)),
        compared=tuple(_compared(reading) for reading in check.compared),
        whole_output=check.whole_output,
        tolerance=Tolerance(absolute=check.absolute, relative=check.relative, ulps=0),
        plan=plan,
        build_limits=Limits(wall_s=build.limit_s, processes=256),
        run_limits=limits,
        adapt_limit=application.limit_s is None,
    )


def _probe(kernel: Kernel, place: str, profile: Callable[[], ProfileWords | None]) -> Probe | None:
    """None where no parameter is a flag of the build."""
    if not any(binding.role in ("flag", "macro", "profile") for binding in kernel.bindings):
        return None
    return lambda configuration, folder: lower(kernel, configuration, folder, place, profile(), probe=True).builds


def _over_inputs(application: Application, measured: Sequence[Objective]) -> OverInputs | None:
    if not application.inputs:
        return None
    return OverInputs(tuple(measured), tuple(each.weight for each in application.inputs), application.over)


def profile_words(kernel: Kernel, application: Application) -> ProfileWords | None:
    """What the compiler among the tools needs for a profile; None where no parameter asks for one. Raises SourceError
    where no compiler is named that has one."""
    binding = next((binding for binding in kernel.bindings if binding.role == "profile"), None)
    if binding is None:
        return None
    for tool in application.tools:
        family = identify(tool).family if shutil.which(tool) else "other"
        if family == "gcc":
            return GCC_PROFILE
        if family == "clang":
            return replace(CLANG_PROFILE, merge=(_merger(tool), *CLANG_PROFILE.merge[1:]))
    hint = "write `tools: [gcc]` or `tools: [clang]`"
    raise SourceError(f"{binding.parameter} needs gcc or clang among `tools`", binding.span, hint)


def _merger(clang: str) -> str:
    """llvm-profdata of the clang's own version: `clang-14` has `llvm-profdata-14`, and both are beside one another."""
    version = clang.rpartition("clang")[2].lstrip("+")
    sibling = Path(shutil.which(clang) or clang).resolve().parent / "llvm-profdata"
    named = f"llvm-profdata{version}"
    return named if shutil.which(named) else str(sibling) if sibling.exists() else named


def _sources_of(kernel: Kernel, application: Application) -> Sources:
    return Sources(
        folder=Path(kernel.source.name).parent.resolve(),
        patterns=application.sources,
        linked=application.build.linked,
        made=application.build.product,
        name=kernel.name,
        span=application.sources_span,
    )


def _metric(metric: Metric, objective: Objective) -> OutputMetric | Usage:
    if metric.measure is not None:
        return Usage(metric.measure, objective)
    return replace(_printed(metric.pattern, metric.path, objective), matches=metric.matches)


def _printed(pattern: str, path: str, objective: Objective) -> OutputMetric:
    return JsonNumber(path, objective) if path else MetricPattern(pattern, objective)


def _compared(reading: MetricReading) -> OutputMetric:
    name = name_of(reading)
    return _printed(reading.pattern, reading.path, Objective(name if name.isidentifier() else "value"))
