"""The command that trains one configuration: `"COMMAND" metric "PATTERN" ... [limit 10 min]`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePath

from tunepass.diagnostics import Source, SourceError, Span, nearest
from tunepass.frontends.params.command import PLACEHOLDER, MetricText, build_metrics, parse_metric, split_command
from tunepass.frontends.params.tokens import Cursor
from tunepass.frontends.params.units import SECONDS, amount
from tunepass.ir.graph import SOURCE
from tunepass.ir.run import RunCommand

LIMIT_S = 3600.0
EXAMPLE = 'write `run "python train.py --batch {batch}" metric "val_loss: {loss}" limit 10 min`'


@dataclass(frozen=True, slots=True)
class TrainingText:
    """`limit_s`: how long a training may take."""

    command: str
    span: Span
    metrics: tuple[MetricText, ...] = ()
    limit_s: float = LIMIT_S

    @property
    def names(self) -> frozenset[str]:
        """Names in braces: parameters, and the source."""
        return frozenset(PLACEHOLDER.findall(self.command)) - {SOURCE.strip("{}")}


def parse_training(cursor: Cursor) -> TrainingText:
    """The command and its clauses, after the word `run`."""
    token = cursor.next
    command = cursor.string("the command that trains a configuration", EXAMPLE)
    span, metrics, limit_s = cursor.span(token), list[MetricText](), LIMIT_S
    while cursor.next.kind == "name":
        clause = cursor.take()
        if clause.text == "metric":
            metrics.append(parse_metric(cursor))
        elif clause.text == "limit":
            limit_s, _ = amount(cursor, "how long a training may take", SECONDS)
        else:
            cursor.fail(f"unknown clause `{clause.text}`", EXAMPLE, token=clause)
    cursor.finish("the command", EXAMPLE)
    return TrainingText(command, span, tuple(metrics), limit_s)


def training_command(text: TrainingText, source: Source, parameters: Collection[str]) -> RunCommand:
    """A word that names the source stands for the tuned one. SourceError for a name that is no parameter, and for a
    command without a metric."""
    words = split_command(text.command, text.span, EXAMPLE)
    for name in sorted(text.names):
        if name not in parameters:
            close = nearest(name, parameters)
            hint = f"did you mean `{{{close}}}`?" if close else f"there are {', '.join(parameters) or 'no parameters'}"
            raise SourceError(f"there is no parameter `{name}`", text.span, hint)
    if not text.metrics:
        raise SourceError("the command says nothing of how good a configuration is", text.span, EXAMPLE)
    words = tuple(SOURCE if PurePath(word).name == PurePath(source.name).name else word for word in words)
    return RunCommand(arguments=words, metrics=build_metrics(text.metrics), span=text.span)


def trained_by(
    text: TrainingText, source: Source, parameters: Collection[str], set_in_source: Collection[str]
) -> RunCommand:
    """SourceError where a parameter does not reach the command: neither by a `{name}`, nor by the tuned source
    (`set_in_source`: those that it sets)."""
    command = training_command(text, source, parameters)
    reached = text.names | (set(set_in_source) if any(SOURCE in word for word in command.arguments) else set())
    lost = [name for name in parameters if name not in reached]
    if lost:
        hint = f"write {{{lost[0]}}} where its value belongs" + (
            ", or {source} for the tuned source" if lost[0] in set_in_source else ""
        )
        raise SourceError(f"the value of `{lost[0]}` does not reach the command", text.span, hint)
    return command
