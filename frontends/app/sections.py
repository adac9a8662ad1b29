"""The sections `build`, `run`, `check` and `model` of an application's description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import get_args

import yaml

from tunepass.diagnostics import Source, SourceError, Span, TunepassError
from tunepass.frontends.app.document import UNITS_BYTE, UNITS_S, DocumentReader
from tunepass.frontends.app.metrics import read_metrics, read_reading
from tunepass.frontends.app.words import ARGUMENTS, BUILD, FLAGS, INPUT, SOURCE, holes, read_command
from tunepass.ir.application import ApplicationCheck, Build, Over, RunInput, Words
from tunepass.ir.run import Metric, RunCommand
from tunepass.ir.stated_model import RUN_OBJECTIVES, StatedModel, check_objectives
from tunepass.space.parameter import Parameter

BUILD_FIELDS = ("command", "commands", "product", "in", "link", "training", "time_limit")
RUN_FIELDS = ("command", "inputs", "over_inputs", "metrics", "time_limit", "memory_limit", "repeats", "deterministic")
INPUT_FIELDS = ("input", "weight")
CHECK_FIELDS = ("command", "output", "relative", "absolute")
FOLDERS = (BUILD, SOURCE)


def read_build(reader: DocumentReader, node: yaml.Node, names: Sequence[str]) -> Build:
    """`names` are the parameters, which may stand in the commands."""
    fields = reader.record(node, "build", BUILD_FIELDS)
    if ("command" in fields) == ("commands" in fields):
        raise reader.fail("build has one `command`, or a list of `commands`", node)
    listed = [fields["command"]] if "command" in fields else reader.items(fields["commands"], "commands")
    known = (FLAGS, *FOLDERS, *names)
    commands = tuple(read_command(reader, command, "a build command", known) for command in listed)
    copied = _place(reader, fields["in"]) if "in" in fields else True
    if not copied and BUILD not in holes(word for command in commands for word in command):
        raise reader.fail(
            "a build where the sources are needs `{build_dir}` in its commands",
            fields["in"],
            "so that configurations do not overwrite one another; or build `in: copy`",
        )
    return Build(
        commands=commands,
        product=_inside(reader, fields["product"], "the product") if "product" in fields else "",
        copied=copied,
        linked=_paths(reader, fields["link"], "link") if "link" in fields else (),
        training=_training(reader, fields["training"], names) if "training" in fields else (),
        limit_s=_seconds(reader, fields["time_limit"]) if "time_limit" in fields else Build().limit_s,
        span=reader.span(listed[0]),
    )


def _training(reader: DocumentReader, node: yaml.Node, names: Sequence[str]) -> Words:
    return read_command(reader, node, "the training command", (ARGUMENTS, INPUT, *FOLDERS, *names))


def _place(reader: DocumentReader, node: yaml.Node) -> bool:
    text = reader.text(node, "in")
    if text not in ("copy", "source"):
        raise reader.fail(f"a build is `in: copy` or `in: source`, got `{text}`", node)
    return text == "copy"


def read_run(
    reader: DocumentReader, node: yaml.Node, names: Sequence[str]
) -> tuple[RunCommand, yaml.Node, dict[str, object]]:
    """The command, its node, and the limits as fields of an Application."""
    fields = reader.record(node, "run", RUN_FIELDS, ("command",))
    listed = reader.items(fields["inputs"], "inputs") if "inputs" in fields else []
    inputs = tuple(_input(reader, item) for item in listed)
    known = (ARGUMENTS, *([INPUT] if inputs else []), *FOLDERS, *names)
    words = read_command(reader, fields["command"], "the run command", known)
    metrics = read_metrics(reader, fields["metrics"]) if "metrics" in fields else ()
    limits: dict[str, object] = {"inputs": inputs}
    if "over_inputs" in fields:
        limits["over"] = reader.one_of(fields["over_inputs"], "over_inputs", get_args(Over))
        if not inputs:
            raise reader.fail("there are no `inputs` that this could be over", fields["over_inputs"])
    if "time_limit" in fields:
        limits["limit_s"] = _seconds(reader, fields["time_limit"])
    if "memory_limit" in fields:
        limit = reader.quantity(fields["memory_limit"], "a memory limit", UNITS_BYTE, "512MB or 2GB")
        limits["memory_bytes"] = int(limit)
    if "repeats" in fields:
        limits["repeats"] = reader.whole(fields["repeats"], "repeats", 1)
    if "deterministic" in fields:
        limits["deterministic"] = reader.boolean(fields["deterministic"], "deterministic")
        if limits["deterministic"] and not metrics:
            raise reader.fail("wall time is never deterministic; name a metric", fields["deterministic"])
    return RunCommand(arguments=words, metrics=metrics, span=reader.span(node)), fields["command"], limits


def _input(reader: DocumentReader, node: yaml.Node) -> RunInput:
    """`large.txt`, or `{input: large.txt --deep, weight: 3}`."""
    if not isinstance(node, yaml.MappingNode):
        return RunInput(words=read_command(reader, node, "an input", ()))
    fields = reader.record(node, "an input", INPUT_FIELDS, ("input",))
    weight = float(reader.number(fields["weight"], "a weight")) if "weight" in fields else 1.0
    if not 0 < weight < 1e9:
        raise reader.fail(f"a weight is positive, got `{fields['weight'].value}`", fields["weight"])
    return RunInput(words=read_command(reader, fields["input"], "an input", ()), weight=weight)


def read_check(reader: DocumentReader, node: yaml.Node, names: Sequence[str]) -> ApplicationCheck:
    fields = reader.record(node, "check", CHECK_FIELDS)
    if "command" not in fields and "output" not in fields:
        raise reader.fail("check has a `command`, or the `output` to compare with the default's", node)
    for tolerance in ("relative", "absolute"):
        if tolerance in fields and "output" not in fields:
            raise reader.fail(f"`{tolerance}` is a tolerance of `output`, which is not given", fields[tolerance])
    output = fields.get("output")
    whole = isinstance(output, yaml.ScalarNode)
    if whole and output is not None and reader.text(output, "output") != "all":
        raise reader.fail(
            f"output is `all` or a list of patterns, got `{output.value}`", output, 'write `["sum {sum}"]`'
        )
    compared = () if whole or output is None else tuple(read_reading(reader, i) for i in reader.items(output, "output"))
    if output is not None and not whole and not compared:
        raise reader.fail("output lists at least one number", output)
    known = (INPUT, *FOLDERS, *names)
    command = read_command(reader, fields["command"], "the check command", known) if "command" in fields else ()
    relative, absolute = (_tolerance(reader, fields, name) for name in ("relative", "absolute"))
    return ApplicationCheck(
        command=command, compared=compared, whole_output=whole, relative=relative, absolute=absolute
    )


def _tolerance(reader: DocumentReader, fields: dict[str, yaml.Node], name: str) -> float:
    if name not in fields:
        return 0.0
    value = float(reader.number(fields[name], f"the {name} tolerance"))
    if not 0 <= value < 1e300:
        raise reader.fail(f"the {name} tolerance is not negative, got `{fields[name].value}`", fields[name])
    return value


def read_sources(reader: DocumentReader, node: yaml.Node) -> Words:
    return _paths(reader, node, "sources")


def _paths(reader: DocumentReader, node: yaml.Node, what: str) -> Words:
    paths = tuple(_inside(reader, item, f"an entry of {what}") for item in reader.items(node, what))
    if not paths:
        raise reader.fail(f"{what} lists at least one file or folder", node)
    return paths


def _inside(reader: DocumentReader, node: yaml.Node, what: str) -> str:
    """A relative path that stays inside the folder."""
    text = reader.text(node, what)
    path = PurePosixPath(text)
    if not text or path.is_absolute() or ".." in path.parts or text.startswith("~"):
        raise reader.fail(f"{what} is a path inside the description's folder, got `{text}`", node)
    return text


def read_models(
    reader: DocumentReader, node: yaml.Node, parameters: Sequence[Parameter], metrics: Sequence[Metric]
) -> tuple[StatedModel, ...]:
    """`model: {time: EXPRESSION}`: one for each objective that is named, all of them measured."""
    fields = reader.mapping(node, "model")
    assert isinstance(node, yaml.MappingNode)
    spans = {key.value: reader.span(key) for key, _ in node.value}
    check_objectives(list(spans.items()), tuple(m.objective for m in metrics) or RUN_OBJECTIVES)
    return tuple(_model(reader, name, spans[name], text, parameters) for name, text in fields.items())


def _model(
    reader: DocumentReader, name: str, span: Span, node: yaml.Node, parameters: Sequence[Parameter]
) -> StatedModel:
    text, offset = reader.text(node, f"the model of {name}"), reader.offset_of(node)
    if offset is not None:
        return StatedModel.parse(name, text, parameters, {}, source=reader.source, offset=offset, span=span)
    try:
        return StatedModel.parse(name, text, parameters, {}, source=Source("<model>", text), offset=0, span=span)
    except TunepassError as error:
        raise SourceError(replace(error.diagnostics[0], span=reader.span(node))) from None


def _seconds(reader: DocumentReader, node: yaml.Node) -> float:
    return reader.quantity(node, "a time limit", UNITS_S, "30s or 5m")
