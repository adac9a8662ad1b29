"""The command that trains one configuration."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePath

from tunepass.diagnostics import Source, SourceError, nearest
from tunepass.frontends.dnn.comments import RunText
from tunepass.frontends.params.command import PLACEHOLDER, build_metrics, split_command
from tunepass.ir.graph import SOURCE
from tunepass.ir.run import RunCommand

LIMIT_S = 3600.0
EXAMPLE = 'write `run "python train.py --batch {batch}" metric "val_loss: {loss}"`'


def trained_by(run: RunText, source: Source, parameters: Collection[str], set_here: Collection[str]) -> RunCommand:
    """A word that names the source stands for the tuned one. SourceError where a parameter does not reach the command:
    neither by a `{name}`, nor by the tuned source (`set_here`: those that it sets)."""
    words = split_command(run.command, run.span, EXAMPLE)
    named = {name for word in words for name in PLACEHOLDER.findall(word)} - {SOURCE.strip("{}")}
    for name in named:
        if name not in parameters:
            close = nearest(name, parameters)
            hint = f"did you mean `{{{close}}}`?" if close else f"there are {', '.join(parameters) or 'no parameters'}"
            raise SourceError(f"there is no parameter `{name}`", run.span, hint)
    words = tuple(SOURCE if PurePath(word).name == PurePath(source.name).name else word for word in words)
    reached = named | (set(set_here) if any(SOURCE in word for word in words) else set())
    lost = [name for name in parameters if name not in reached]
    if lost:
        hint = f"write {{{lost[0]}}} where its value belongs" + (
            ", or {source} for the tuned source" if lost[0] in set_here else ""
        )
        raise SourceError(f"the value of `{lost[0]}` does not reach the command", run.span, hint)
    if not run.metrics:
        raise SourceError("the command says nothing of how good a configuration is", run.span, EXAMPLE)
    return RunCommand(arguments=words, metrics=build_metrics(run.metrics), span=run.span)
