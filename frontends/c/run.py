"""From a `run` pragma to a command, its metrics and what its output is compared with."""

from __future__ import annotations

import re
import shlex

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.c.pragmas.run import CheckText, MetricText, RunPragma
from tunepass.ir.direction import larger_is_better
from tunepass.ir.run import Metric, OutputCheck, RunCommand

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
UNIT_AFTER = re.compile(r"\s*(%|[A-Za-zµ]+(?:/[A-Za-zµ]+)?)")
SHELL = frozenset("|&;<>`$")


def build_run(pragma: RunPragma, loops: bool = False) -> RunCommand:
    """With `loops` that are rewritten, its output is compared unless it says otherwise."""
    arguments = _split(pragma.command, "command", pragma.span)
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
    text = pragma.check
    if text is None:
        check = OutputCheck() if loops else None
    else:
        check = None if text.none else _output_check(text)
    return RunCommand(arguments=arguments, metrics=metrics, check=check, span=pragma.span)


def _split(text: str, what: str, span: Span) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise SourceError(f"this {what} cannot be split into arguments: {error}", span) from None


def _output_check(text: CheckText) -> OutputCheck:
    words = _split(text.words, "text", text.span)
    file = next((word for word in words if not word.startswith("-")), None)
    if file is not None:
        hint = 'write `check_with("-DDUMP_RESULTS")`; sources follow `--`'
        raise SourceError(f"`{file}` is no option of a compiler", text.span, hint)
    return OutputCheck(
        files=text.files,
        words=words,
        relative=text.tolerance.relative if text.tolerance else None,
        absolute=(text.tolerance.absolute or 0.0) if text.tolerance else 0.0,
    )


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
    larger = metric.maximise if metric.maximise is not None else larger_is_better(names[0], unit)
    if larger is None:
        raise SourceError(
            f"is more of `{names[0]}` better, or less?", metric.span, "write `maximise` or `minimise` after the pattern"
        )
    return Metric(pattern=metric.pattern, objective=names[0], unit=unit, maximise=larger, span=metric.span)
