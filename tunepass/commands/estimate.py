"""`tunepass estimate`: what a model says of one configuration, or of a table of them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tunepass.commands.answers.breakdown import explained
from tunepass.commands.executors import opened_cluster
from tunepass.commands.space import assumed
from tunepass.commands.targets import kernel_name, source_of, target_of, words_of
from tunepass.diagnostics import TunepassError
from tunepass.files import write_text
from tunepass.jobs.configurations import assigned, tabled
from tunepass.jobs.estimates import Estimator, estimator_of
from tunepass.jobs.reading import read_source
from tunepass.jobs.spreading.estimates import prices_elsewhere
from tunepass.jobs.tables import configuration_cells, number, parameter_names, tidy
from tunepass.reports.answer import Answer, Json, plain, table
from tunepass.search.result import assignment
from tunepass.space.configuration import Configuration

BEYOND = "the model was fitted to nothing like it"
Prices = Mapping[str, NDArray[np.generic]]
FLAGS = ("fits", "extrapolated")  # beside the named expressions
MOST_ROWS = 40  # of a table on the terminal; all are in the file of -o


def run(options: argparse.Namespace) -> Answer:
    output = _output(options)
    model, parsed = estimator_of(source_of(options), kernel_name(options), target_of(options), words_of(options))
    notes = tuple(warning.render() for warning in parsed.warnings)
    start = assigned(options.set, model.kernel.parameters, model.default) if options.set else model.default
    prices: Prices
    if options.configs is None:
        if options.executor != "local":
            raise TunepassError("--executor is about a table of configurations", hint="name one with --configs")
        answer = _one(model, start, explain=options.explain, picture=output if options.explain else None)
        points, prices = [start], model.prices([start])
    else:
        points = tabled(read_source(options.configs), model.kernel.parameters, start, [*model.costs.values, *FLAGS])
        prices = _prices(model, points, options)
        answer = _several(model, points, prices)
    if output is not None and output.suffix == ".csv":
        write_text(output, _csv(points, prices))
        answer = Answer(f"wrote {output}" if options.configs else f"{answer.text}\n  wrote   {output}", answer.data)
    return Answer(answer.text, answer.data, notes=notes)


def _output(options: argparse.Namespace) -> Path | None:
    """Output path, checked against the kind of output."""
    if options.explain and options.configs:
        raise TunepassError("--explain looks into one configuration, --configs names many", hint="set one with --set")
    if options.output is None:
        return None
    path, kinds = Path(options.output), (".svg", ".html", ".csv") if options.explain else (".csv",)
    if path.suffix not in kinds:
        hint = None if options.explain else "a picture (.svg or .html) is written with --explain"
        raise TunepassError(f"-o takes FILE{' or FILE'.join(kinds)} here, got {options.output!r}", hint=hint)
    return path


def _one(model: Estimator, point: Configuration, *, explain: bool, picture: Path | None) -> Answer:
    prices = model.prices([point])
    lines = [model.title, f"  {assignment(point)}"]
    lines.append(table(_lines(model, prices), indent="  "))
    broken = model.broken(point)
    lines += [f"  breaks  {text}" for text in broken]
    lines += [f"  assumed {size.name}={size.value}" for size in model.kernel.open_sizes if size.assumed]
    data: dict[str, Json] = {**_head(model), **_point(point, prices, 0), "breaks": list(broken)}
    if explain:
        text, parts = explained(model, point, picture)
        lines.append(text)
        data |= {"parts": parts}
    return Answer("\n".join(lines), data)


def _lines(model: Estimator, prices: Prices) -> list[tuple[str, str, str]]:
    limits = model.costs.limits
    rows = []
    for name in model.costs.values:
        value = float(prices[name][0])
        share = f"{value / limits[name]:.1%} of {limits[name]:,}" if name in limits else ""
        rows.append((name, f"{number(value)} {model.costs.units.get(name, '')}".rstrip(), share))
    rows.append(("fits", "yes" if prices["fits"][0] else "no", ""))
    return [*rows, ("extrapolated", "yes", BEYOND)] if prices["extrapolated"][0] else rows


def _prices(model: Estimator, points: Sequence[Configuration], options: argparse.Namespace) -> Prices:
    """Prices of a table, here or in the processes of a cluster."""
    with opened_cluster(options) as executor:
        if executor is None:
            return model.prices(points)
        return prices_elsewhere(model, points, executor, words_of(options))


def _several(model: Estimator, points: Sequence[Configuration], prices: Prices) -> Answer:
    names = list(model.costs.values)
    beyond = bool(np.any(prices["extrapolated"]))
    chosen = parameter_names(points)
    rows = [(*chosen, *names, *(FLAGS if beyond else FLAGS[:1]))]
    for i, point in enumerate(points[:MOST_ROWS]):
        cells = (number(float(prices[name][i])) for name in names)
        flags = ("yes" if prices[name][i] else "no" for name in (FLAGS if beyond else FLAGS[:1]))
        rows.append((*(str(plain(point[name])) if name in point else "" for name in chosen), *cells, *flags))
    lines = [model.title, table(rows, indent="  ")]
    if len(points) > MOST_ROWS:
        lines.append(f"  ... {len(points) - MOST_ROWS:,} more; -o FILE.csv writes them all")
    data: dict[str, Json] = {**_head(model), "points": [_point(p, prices, i) for i, p in enumerate(points)]}
    return Answer("\n".join(lines), data)


def _head(model: Estimator) -> dict[str, Json]:
    return {
        "source": model.kernel.source.name,
        "kernel": model.kernel.name,
        "device": model.backend.device,
        "units": dict(model.costs.units),
        "limits": dict(model.costs.limits),
        "assumed": assumed(model.kernel),
    }


def _point(point: Configuration, prices: Prices, i: int) -> dict[str, Json]:
    values: dict[str, Json] = {name: tidy(float(column[i])) for name, column in prices.items() if name not in FLAGS}
    choice = {name: plain(value) for name, value in point.items()}
    return {"choice": choice, "values": values, **{name: bool(prices[name][i]) for name in FLAGS}}


def _csv(points: Sequence[Configuration], prices: Prices) -> str:
    """Parameters, then the named expressions, then the flags as 0 or 1: `--configs` reads it back."""
    names = parameter_names(points)
    lines = [",".join([*names, *prices])]
    columns = [column.tolist() for column in prices.values()]
    for point, row in zip(points, zip(*columns)):
        cells = configuration_cells(point, names)
        lines.append(",".join([*cells, *(str(tidy(float(v))) for v in row)]))
    return "\n".join(lines) + "\n"
