"""What the evaluator of applications is told: where the sources are, how they are built and run, what is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tunepass.backends.base import default_of
from tunepass.evaluators.application import PLAN, ApplicationTask
from tunepass.evaluators.measure.metrics import JsonNumber, MetricPattern, OutputMetric, Usage
from tunepass.evaluators.measure.tolerance import Tolerance
from tunepass.evaluators.process.run import Limits
from tunepass.evaluators.source_tree import Sources
from tunepass.frontends.app.lowering import lower
from tunepass.frontends.app.metrics import name_of
from tunepass.ir.application import Application, Reading
from tunepass.ir.kernel import Kernel
from tunepass.ir.run import Metric
from tunepass.study.objective import Objective


def task_of(kernel: Kernel, application: Application, measured: Sequence[Objective]) -> ApplicationTask:
    build, check, sources = application.build, application.check, _sources_of(kernel, application)
    limits = Limits(wall_s=application.limit_s or 120.0)
    if application.memory_bytes is not None:
        limits = replace(limits, memory_bytes=application.memory_bytes)
    plan, most = PLAN, application.repeats
    if most is not None:
        plan = replace(plan, least=min(plan.least, most), most=most)
    return ApplicationTask(
        sources=sources,
        lower=lambda configuration, folder: lower(kernel, configuration, folder, str(sources.folder)),
        reference=default_of(kernel),
        private=build.copied and bool(sources.patterns),
        product=build.product,
        metrics=tuple(_metric(m, o) for m, o in zip(application.run.metrics, measured)),
        compared=tuple(_compared(reading) for reading in check.compared),
        whole_output=check.whole_output,
        tolerance=Tolerance(absolute=check.absolute, relative=check.relative, ulps=0),
        plan=plan,
        build_limits=Limits(wall_s=build.limit_s, processes=256),
        run_limits=limits,
        adapt_limit=application.limit_s is None,
    )


def _sources_of(kernel: Kernel, application: Application) -> Sources:
    return Sources(
        folder=Path(kernel.source.name).parent.resolve(),
        patterns=application.sources,
        linked=application.build.linked,
        span=application.sources_span,
    )


def _metric(metric: Metric, objective: Objective) -> OutputMetric | Usage:
    if metric.measure is not None:
        return Usage(metric.measure, objective)
    return replace(_printed(metric.pattern, metric.path, objective), matches=metric.matches)


def _printed(pattern: str, path: str, objective: Objective) -> OutputMetric:
    return JsonNumber(path, objective) if path else MetricPattern(pattern, objective)


def _compared(reading: Reading) -> OutputMetric:
    name = name_of(reading)
    return _printed(reading.pattern, reading.path, Objective(name if name.isidentifier() else "value"))
