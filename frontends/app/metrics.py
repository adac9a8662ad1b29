"""The numbers of a run: metrics that are tuned for, and numbers of the output that are compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import cast, get_args

import yaml

from tunepass.frontends.app.document import DocumentReader
from tunepass.ir.application import MetricReading
from tunepass.ir.direction import larger_is_better
from tunepass.ir.run import Matches, Measure, Metric

HOLE = re.compile(r"\{([^{}]*)\}")
UNIT_AFTER = re.compile(r"\s*(%|[A-Za-zµ]+(?:/[A-Za-zµ]+)?)")
METRIC_FIELDS = ("pattern", "json", "measure", "name", "unit", "maximise", "matches")
MEASURES = get_args(Measure)
MATCHES = get_args(Matches)
OF_MEASURE = {"wall": ("time", "ms"), "cpu": ("cpu", "ms"), "memory": ("memory", "MB")}  # name and unit


def read_metrics(reader: DocumentReader, node: yaml.Node) -> tuple[Metric, ...]:
    nodes = reader.items(node, "metrics")
    if not nodes:
        raise reader.fail("metrics lists at least one number; without it, wall time counts", node)
    metrics = [_metric(reader, item) for item in nodes]
    for metric, item in zip(metrics, nodes):
        if [m.objective for m in metrics].count(metric.objective) > 1:
            raise reader.fail(f"metric `{metric.objective}` is given twice", item)
    return tuple(metrics)


def _metric(reader: DocumentReader, node: yaml.Node) -> Metric:
    """`"time: {time} ms"`, or `cpu`, or a mapping with a pattern, a JSON path or a `measure`."""
    if isinstance(node, yaml.ScalarNode) and node.value in MEASURES:
        return _measured(reader, node)
    if not isinstance(node, yaml.MappingNode):
        reading = read_reading(reader, node)
        return _directed(reader, _named(reader, reading, node, None, _unit_in(reading.pattern)), node, None)
    fields = reader.record(node, "a metric", METRIC_FIELDS)
    if "measure" in fields:
        return _mapped_measure(reader, fields)
    reading = read_reading(reader, node, METRIC_FIELDS)
    unit = reader.text(fields["unit"], "unit") if "unit" in fields else _unit_in(reading.pattern)
    metric = _named(reader, reading, fields.get("name", node), fields.get("name"), unit)
    if "matches" in fields:
        matches = reader.one_of(fields["matches"], "matches", MATCHES)
        metric = replace(metric, matches=cast(Matches, matches))
    return _directed(reader, metric, node, fields.get("maximise"))


def _measured(reader: DocumentReader, node: yaml.Node) -> Metric:
    """What a run takes: its wall time, its processor time, its memory."""
    measure = reader.one_of(node, "measure", MEASURES)
    name, unit = OF_MEASURE[measure]
    return Metric(pattern="", objective=name, unit=unit, measure=cast(Measure, measure), span=reader.span(node))


def _mapped_measure(reader: DocumentReader, fields: dict[str, yaml.Node]) -> Metric:
    wrong = next((field for field in fields if field not in ("measure", "name")), None)
    if wrong is not None:
        raise reader.fail(f"a `measure` has a `name` at most, got `{wrong}`", fields[wrong])
    metric = _measured(reader, fields["measure"])
    if "name" not in fields:
        return metric
    name = reader.text(fields["name"], "a metric's name")
    return replace(metric, objective=_identifier(reader, name, fields["name"]))


def _directed(reader: DocumentReader, metric: Metric, node: yaml.Node, said: yaml.Node | None) -> Metric:
    """With its direction: as said, or as its unit and name say."""
    if said is not None:
        return replace(metric, maximise=reader.boolean(said, "maximise"))
    larger = larger_is_better(metric.objective, metric.unit)
    if larger is None:
        where = f"pattern: {metric.pattern!r}" if metric.pattern else f"json: {metric.path}"
        raise reader.fail(
            f"is more of `{metric.objective}` better, or less?",
            node,
            f"write `{{{where}, maximise: true}}`, or `maximise: false`; or its unit, such as `unit: MB/s`",
        )
    return replace(metric, maximise=larger)


def _named(
    reader: DocumentReader, reading: MetricReading, node: yaml.Node, name: yaml.Node | None, unit: str
) -> Metric:
    objective = reader.text(name, "a metric's name") if name is not None else name_of(reading)
    hint = "add `name:`" if name is None else None
    objective = _identifier(reader, objective, node, hint)
    return Metric(pattern=reading.pattern, path=reading.path, objective=objective, unit=unit, span=reading.span)


def _identifier(reader: DocumentReader, text: str, node: yaml.Node, hint: str | None = None) -> str:
    if not text.isidentifier():
        raise reader.fail(f"a metric's name is an identifier, got `{text}`", node, hint)
    return text


def name_of(reading: MetricReading) -> str:
    """What stands in the pattern's braces, or the last name of the path."""
    return HOLE.findall(reading.pattern)[0] if reading.pattern else reading.path.rpartition(".")[2]


def _unit_in(pattern: str) -> str:
    match = UNIT_AFTER.match(pattern, pattern.index("}") + 1) if "}" in pattern else None
    return match.group(1) if match else ""


def read_reading(reader: DocumentReader, node: yaml.Node, known: Sequence[str] = ("pattern", "json")) -> MetricReading:
    """Where a number stands in the output."""
    if not isinstance(node, yaml.MappingNode):
        return _pattern(reader, node)
    fields = reader.record(node, "a number of the output", known)
    if ("pattern" in fields) == ("json" in fields):
        raise reader.fail("a number of the output has a `pattern`, or a `json` path", node)
    if "pattern" in fields:
        return _pattern(reader, fields["pattern"])
    path = reader.text(fields["json"], "a json path")
    if not all(path.split(".")):
        raise reader.fail(f"a json path is names and places between dots, got `{path}`", fields["json"], "`runs.0.ms`")
    return MetricReading(path=path, span=reader.span(fields["json"]))


def _pattern(reader: DocumentReader, node: yaml.Node) -> MetricReading:
    text = reader.text(node, "a pattern")
    names = HOLE.findall(text)
    if len(names) != 1 or not names[0].isidentifier():
        raise reader.fail(
            f"a pattern has one {{name}} where the number stands, got `{text}`", node, 'write "time: {time} ms"'
        )
    return MetricReading(pattern=text, span=reader.span(node))
