"""The command of a `run` line, and the metrics in what it prints: `metric "time: {time} ms" [unit(U)] [maximise]`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.params.tokens import Cursor
from tunepass.ir.direction import larger_is_better
from tunepass.ir.run import Metric

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
UNIT_AFTER = re.compile(r"\s*(%|[A-Za-zµ]+(?:/[A-Za-zµ]+)?)")
SHELL = frozenset("|&;<>`$")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricText:
    pattern: str
    unit: str | None
    maximise: bool | None  # None: it does not say
    span: Span


def parse_metric(cursor: Cursor) -> MetricText:
    """What follows the word `metric`."""
    token = cursor.next
    pattern = cursor.string("a pattern in quotes", 'write `metric "time: {time} ms"`')
    unit: str | None = None
    maximise: bool | None = None
    while cursor.at("unit", "maximise", "maximize", "minimise", "minimize"):
        word = cursor.take()
        if word.text == "unit":
            cursor.expect("(", "after `unit`", "write `unit(ms)`")
            unit = cursor.expression(")", "a unit").text.strip('"')
            cursor.expect(")", "after the unit")
        else:
            maximise = word.text.startswith("max")
    return MetricText(pattern=pattern, unit=unit, maximise=maximise, span=cursor.span(token))


def split_command(text: str, span: Span, example: str) -> tuple[str, ...]:
    """The argument vector of a command. SourceError for an empty one, and for one that needs a shell."""
    arguments = split(text, "command", span)
    if not arguments:
        raise SourceError("this command is empty", span, example)
    shell = next((a for a in arguments if a and set(a) <= SHELL), None)
    if shell is not None:
        hint = "put it in a script and run that"
        raise SourceError(f"`{shell}` needs a shell, and commands are run without one", span, hint)
    return arguments


def split(text: str, what: str, span: Span) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise SourceError(f"this {what} cannot be split into arguments: {error}", span) from None


def build_metrics(texts: Sequence[MetricText]) -> tuple[Metric, ...]:
    metrics = tuple(_metric(text) for text in texts)
    names = [metric.objective for metric in metrics]
    for text, name in zip(texts, names):
        if names.count(name) > 1:
            raise SourceError(f"metric `{name}` is given twice", text.span)
    return metrics


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
