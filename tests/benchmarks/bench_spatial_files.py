"""How much of whole Spatial files is read: which apps parse, which lower, which are priced, and what stops the rest.

    python tests/benchmarks/bench_spatial_files.py FOLDER [--device D] [--verbose]

parse    the file is scanned, its apps are found, and the bodies of their accelerators are syntax trees
lower    the app becomes a program of controllers
price    the model gives finite numbers for the source's own values, and takes what the source has to itself again
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tunepass.backends.base import Target
from tunepass.backends.model import ModelBackend
from tunepass.diagnostics import Source, TunepassError
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.frontends.spatial.outline.apps import accel_body, accels, apps
from tunepass.frontends.spatial.syntax.lexer import scan
from tunepass.frontends.spatial.syntax.parser import parse
from tunepass.jobs.estimates import Estimator

STAGES = ("parse", "lower", "price")


@dataclass
class App:
    """How far one app got; `problem` says what stopped it."""

    file: str
    name: str
    passed: list[str] = field(default_factory=list)
    problem: str = ""
    warnings: int = 0


def parsed(source: Source) -> list[str]:
    """The names of the apps whose accelerators parse; raises for the first that does not."""
    tokens = scan(source)
    names = []
    for app in apps(tokens):
        for at in accels(tokens, app.first, app.last):
            body = accel_body(tokens, at)
            if body is not None:
                parse(tokens, body + 1, tokens.partner[body])
        names.append(app.name)
    return names


def read(path: Path, device: str) -> list[App]:
    source = Source(path.name, path.read_text())
    try:
        names = parsed(source)
    except TunepassError as error:
        return [App(path.name, "?", problem=_told(error))]
    return [one(source, name, device) for name in names]


def one(source: Source, name: str, device: str) -> App:
    app = App(source.name, name, ["parse"])
    try:
        found = SpatialFrontend().parse(source, name)
        app.passed.append("lower")
        app.warnings = len(found.warnings)
        (kernel,) = found.kernels
        backend = ModelBackend(kernel, Target(device=device))
        model = Estimator(backend, backend.costs())
        prices = model.prices([model.default])
        if not all(math.isfinite(float(values[0])) for values in prices.values()):
            raise TunepassError("a price is not finite")
        if SpatialFrontend().emit((kernel,))[0].text != source.text:
            raise TunepassError("emission changes the source")
        app.passed.append("price")
    except TunepassError as error:
        app.problem = _told(error)
    except Exception as error:
        app.problem = f"internal error: {type(error).__name__}: {error}"
    return app


def _told(error: TunepassError) -> str:
    first = error.diagnostics[0]
    return f"{f'{first.span.line}: ' if first.span else ''}{first.message}"


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--device", default="stratix-v")
    arguments.add_argument("--verbose", action="store_true", help="a line an app, also of those that pass")
    given = arguments.parse_args()
    files = sorted(given.folder.rglob("*.scala"))
    if not files:
        sys.exit(f"no .scala file below {given.folder}")
    apps: list[App] = []
    without = 0
    for path in files:
        found = read(path, given.device)
        without += not found
        apps += found
    for app in apps:
        if given.verbose or app.problem:
            last = app.passed[-1] if app.passed else "nothing"
            print(f"{app.file}::{app.name}: {last}, {app.warnings} warnings{f'; {app.problem}' if app.problem else ''}")
    whole = Counter(stage for path in files for stage in STAGES if _all(apps, path.name, stage))
    print(f"{len(files)} files ({without} without an app), {len(apps)} apps")
    for stage in STAGES:
        reached = sum(stage in app.passed for app in apps)
        print(f"  {stage:6} {whole[stage]:4} files whole, {reached:4} apps")


def _all(apps: list[App], file: str, stage: str) -> bool:
    mine = [app for app in apps if app.file == file]
    return bool(mine) and all(stage in app.passed for app in mine)


if __name__ == "__main__":
    main()
