"""`tunepass characterize`: fit a device to real synthesis, hold it against some, or measure this machine."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tunepass.commands.targets import kernel_name, target_of, words_of
from tunepass.diagnostics import TunepassError
from tunepass.files import write_text
from tunepass.hwmodels.characterise.check import RESOURCES, Error
from tunepass.hwmodels.cpu.device import read as read_device
from tunepass.jobs import characterise as characterising
from tunepass.jobs import characterise_host
from tunepass.jobs.characterise import Design, Synthesise
from tunepass.jobs.configurations import assigned
from tunepass.jobs.estimates import estimator_of
from tunepass.reports.answer import Answer, Json, table
from tunepass.reports.progress import clock_text
from tunepass.search.result import assignment

HOST = "host"


def run(options: argparse.Namespace) -> Answer:
    if options.device == HOST:
        return _host(options)
    if options.point is not None:
        return _point(options)
    if options.check:
        errors = characterising.held_back_errors(options.device, run=_watched(options.device))
        return Answer(_errors(errors, options.device), _data(errors))
    text, errors = characterising.characterise(options.device, run=_watched(options.device))
    if options.output is None:
        return Answer(text.rstrip("\n"), _data(errors))
    write_text(Path(options.output), text)
    return Answer(f"{_errors(errors, options.device)}\nwrote {options.output}", _data(errors))


def _watched(device: str) -> Synthesise:
    return partial(characterising.synthesise, watch=_Progress(device))


class _Progress:
    """How many templates are synthesised, a line a batch on stderr, and how long the rest takes at this pace."""

    def __init__(self, device: str):
        self.device, self.started_s = device, time.monotonic()

    def __call__(self, done: int, of: int) -> None:
        elapsed_s = time.monotonic() - self.started_s
        left = f", about {clock_text(elapsed_s / done * (of - done))} left" if 0 < done < of else ""
        sys.stderr.write(f"{self.device}   {done} of {of} templates synthesised, {clock_text(elapsed_s)}{left}\n")
        sys.stderr.flush()


def _host(options: argparse.Namespace) -> Answer:
    if options.check or options.point is not None:
        raise TunepassError("--check and --point hold a device against synthesis; the host is measured")
    text = characterise_host.characterise_host()
    if options.output is None:
        path = characterise_host.keep(text)
    else:
        path = Path(options.output)
        write_text(path, text)
    device = read_device(text, HOST)
    levels = [
        (level.name, f"{level.size_byte >> 10:,} KiB", f"{level.miss_ns:g} ns", f"{level.scattered_ns:g} ns")
        for level in device.levels
    ]
    rows = table([("cache", "size", "miss", "scattered miss"), *levels], indent="  ")
    data: Json = {"path": str(path), "processor": device.description, "cores": device.cores}
    return Answer(f"{device.description}, measured\n{rows}\nwrote {path}", data)


def _errors(errors: Mapping[tuple[str, str], Error], device: str) -> str:
    rows = [("template", "held back", *(f"{r} {statistic}" for r in RESOURCES for statistic in ("mean", "exact")))]
    for family in dict.fromkeys(family for family, _ in errors):
        family_errors = [errors[family, resource] for resource in RESOURCES]
        rows.append((family, str(family_errors[0].n), *(f"{x:.1%}" for e in family_errors for x in (e.mean, e.exact))))
    rows.sort(key=lambda row: (row[0] == "all", row[0] != "template"))
    title = f"{device} against templates that it was not fitted to (mean error, share exact)"
    return f"{title}\n{table(rows, indent='  ')}"


def _data(errors: Mapping[tuple[str, str], Error]) -> Json:
    return [
        {"template": f, "resource": r, "n": e.n, "mean": e.mean, "worst": e.worst, "exact": e.exact}
        for (f, r), e in errors.items()
    ]


def _point(options: argparse.Namespace) -> Answer:
    model, parsed = estimator_of(options.point, kernel_name(options), target_of(options), words_of(options))
    point = assigned(options.set, model.kernel.parameters, model.default) if options.set else model.default
    design = characterising.compare_point(model, point, run=_watched(model.device))
    title = f"{model.title}, {assignment(point)}"
    return Answer(f"{title}\n{_design(design)}", _design_data(design), notes=tuple(w.render() for w in parsed.warnings))


def _design(design: Design) -> str:
    rows = [("template", "copies", *(f"{r} {origin}" for r in RESOURCES for origin in ("estimated", "synthesised")))]
    for part in sorted(design.parts, key=lambda p: -p.copies * p.synthesised["LUT"]):
        pairs = (x[resource] for resource in RESOURCES for x in (part.estimated, part.synthesised))
        rows.append((part.template.name, f"{part.copies:,}", *(f"{n:g}" for n in pairs)))
    lines = [table(rows, indent="  ")]
    for resource in RESOURCES:
        estimated, synthesised = design.total(resource)
        off = f"{estimated / synthesised - 1:+.1%}" if synthesised else "-"
        lines.append(f"  {resource:5} estimated {estimated:,.0f}, synthesised {synthesised:,.0f}  {off}")
    if design.left_out:
        lines.append(f"  without a template, and left out: {', '.join(design.left_out)}")
    return "\n".join(lines)


def _design_data(design: Design) -> Json:
    return {
        "templates": [
            {
                "template": part.template.name,
                "copies": part.copies,
                "estimated": dict(part.estimated),
                "synthesised": dict(part.synthesised),
            }
            for part in design.parts
        ],
        "total": {r: dict(zip(("estimated", "synthesised"), design.total(r))) for r in RESOURCES},
        "left_out": list(design.left_out),
    }
