"""From a `run` pragma to a command and its metrics."""

from __future__ import annotations

import re
import shlex

from tunepass.diagnostics import SourceError
from tunepass.frontends.c.pragmas.pragma import MetricText, RunPragma
from tunepass.ir.run import Metric, RunCommand

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
UNIT_AFTER = re.compile(r"\s*(%|[A-Za-zµ]+(?:/[A-Za-zµ]+)?)")
SHELL = frozenset("|&;<>`$")


def build_run(pragma: RunPragma) -> RunCommand:
    try:
        arguments = tuple(shlex.split(pragma.command))
    except ValueError as error:
        raise SourceError(f"this command cannot be split into arguments: {error}", pragma.span) from None
    if not arguments:
        raise SourceError("this command is empty", pragma.span, 'write `run "./a.out 512"`')
    shell = next((a for a in arguments if a and set(a) <= SHELL), None)
    if shell is not None:
        raise SourceError(
            f"`{shell}` needs a shell, and commands are run without one", pragma.span, "put it in a script and run that"
        )
    metrics = tuple(_metric(metric) for metric in pragma.metrics)
    names = [m.objective for m in metrics]
    for metric, name in zip(pragma.metrics, names):
        if names.count(name) > 1:
            raise SourceError(f"metric `{name}` is given twice", metric.span)
    return RunCommand(arguments=arguments, metrics=metrics, span=pragma.span)


def _metric(metric: MetricText) -> Metric:
    names = PLACEHOLDER.findall(metric.pattern)
    if len(names) != 1:
        raise SourceError(
            f"a metric's pattern has one {{name}} where the number stands, found {len(names)}",
            metric.span,
            'write `metric "time: {time} ms"`',
        )
    if not names[0].isidentifier():
        raise SourceError(f"a metric's name must be an identifier, got `{names[0]}`", metric.span)
    after = UNIT_AFTER.match(metric.pattern, metric.pattern.index("}") + 1)
    unit = metric.unit if metric.unit is not None else after.group(1) if after else ""
    return Metric(pattern=metric.pattern, objective=names[0], unit=unit, maximise=metric.maximise, span=metric.span)
