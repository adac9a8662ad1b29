"""How much of whole Spatial files is read: which apps lower, are tunable and are priced, and what stops the rest.

    python tests/benchmarks/bench_spatial_files.py FOLDER... [--device D] [--price] [--verbose] [--only TEXT]

lower    the app becomes a program of controllers; apps with the same text, of several branches say, count once
space    of those with parameters: a parameter that the restrictions leave one value, or a space that they leave empty,
         and in which of these apps a size is assumed
price    the model gives finite numbers for the source's own values, and emission gives the source back
"""

from __future__ import annotations

import argparse
import hashlib
import math
import multiprocessing
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from tunepass.backends.base import Target
from tunepass.backends.model import ModelBackend
from tunepass.diagnostics import Source, SpaceError, TunepassError
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.frontends.spatial.outline.apps import apps
from tunepass.frontends.spatial.syntax.lexer import scan
from tunepass.ir.kernel import Kernel
from tunepass.jobs.estimates import Estimator
from tunepass.space.constraint import Constraint
from tunepass.space.space import Space

SECONDS = 120  # for one app
DRAWS = 64  # of a space, to see which parameters have one value


@dataclass
class App:
    """How far one app got; `problem` says what stopped it."""

    file: str
    name: str
    passed: list[str] = field(default_factory=list)
    problem: str = ""
    warnings: tuple[str, ...] = ()
    parameters: int = 0
    assumes: bool = False
    pinned: tuple[str, ...] = ()  # parameters left with one value; `*`: the space is empty


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("folder", type=Path, nargs="+")
    arguments.add_argument("--device", default="stratix-v")
    arguments.add_argument("--price", action="store_true", help="also price and emit")
    arguments.add_argument("--only", default="", metavar="TEXT", help="apps with this in FILE::NAME")
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("--verbose", action="store_true", help="a line an app, also of those that pass")
    given = arguments.parse_args()
    files, broken, chosen = distinct(given.folder, given.only)
    if not files:
        sys.exit("no .scala file with an Accel in it")
    done: list[App] = [*broken]
    with multiprocessing.Pool(given.jobs, maxtasksperchild=20) as pool:
        reading = partial(read, device=given.device if given.price else None)
        for found in pool.imap_unordered(reading, chosen, chunksize=4):
            done += found
    report(sorted(done, key=lambda app: (app.file, app.name)), files, given.price, given.verbose)


def distinct(folders: list[Path], only: str) -> tuple[int, list[App], list[tuple[Path, list[str]]]]:
    """How many different files with an accelerator there are, what cannot be scanned, and each app's first file."""
    seen, texts, broken = set[str](), set[str](), list[App]()
    chosen: list[tuple[Path, list[str]]] = []
    for path in (path for folder in folders for path in sorted(folder.rglob("*.scala"))):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        if not re.search(r"\bAccel\b", text) or text in texts:
            continue
        texts.add(text)
        try:
            tokens = scan(Source(path.name, text))
        except TunepassError as error:
            broken.append(App(str(path), "?", problem=_told(error)))
            continue
        names = []
        for app in apps(tokens):
            words = " ".join(token.text for token in tokens.items[app.first : app.last])
            key = hashlib.sha256(f"{app.name} {words}".encode("utf-8", "surrogateescape")).hexdigest()
            if key not in seen and only in f"{path}::{app.name}":
                names.append(app.name)
            seen.add(key)
        if names:
            chosen.append((path, names))
    return len(texts), broken, chosen


def read(task: tuple[Path, list[str]], device: str | None) -> list[App]:
    path, names = task
    source = Source(path.name, path.read_text(encoding="utf-8", errors="surrogateescape"))
    return [one(source, str(path), name, device) for name in names]


def one(source: Source, file: str, name: str, device: str | None) -> App:
    app = App(file, name)
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        found = SpatialFrontend().parse(source, name)
        app.passed.append("lower")
        app.warnings = tuple(warning.message for warning in found.warnings)
        (kernel,) = found.kernels
        app.assumes = any(size.assumed for size in kernel.open_sizes)
        app.parameters = len(kernel.parameters)
        app.pinned = tuple(pinned(kernel))
        app.passed.append("space")
        if device is not None:
            price(kernel, device)
            app.passed.append("price")
    except TunepassError as error:
        app.problem = _told(error)
    except Exception as error:
        app.problem = f"internal error: {type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return app


def _late(signum: int, frame: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def pinned(kernel: Kernel) -> Iterator[str]:
    """The parameters of several values that the kernel's constraints leave one; `*` for an empty space."""
    if not kernel.parameters:
        return
    try:
        space = Space(kernel.parameters, kernel.constraints)
        if space.complete and not space.size:
            raise SpaceError("the space is empty")
    except SpaceError:
        yield "*"
        return
    draws = space.sample(DRAWS, np.random.default_rng(0))
    for parameter in kernel.parameters:
        values = {draw[parameter.name] for draw in draws}
        if parameter.size == 1 or len(values) > 1:
            continue
        other = Constraint.parse(f"{parameter.name} != {int(next(iter(values)))}", kernel.parameters)
        try:
            if not Space(kernel.parameters, (*kernel.constraints, other)).size:
                yield parameter.name
        except SpaceError:
            yield parameter.name


def price(kernel: Kernel, device: str) -> None:
    backend = ModelBackend(kernel, Target(device=device))
    model = Estimator(backend, backend.costs())
    prices = model.prices([model.default])
    if not all(math.isfinite(float(values[0])) for values in prices.values()):
        raise TunepassError("a price is not finite")
    if SpatialFrontend().emit((kernel,))[0].text != kernel.source.text:
        raise TunepassError("emission changes the source")


def report(done: list[App], files: int, priced: bool, verbose: bool) -> None:
    for app in done:
        if verbose or app.problem or app.pinned:
            last = app.passed[-1] if app.passed else "nothing"
            more = [f"{len(app.warnings)} warnings", *(("pins " + ", ".join(app.pinned),) if app.pinned else ())]
            print(f"{app.file}::{app.name}: {last}, {', '.join(more)}{f'; {app.problem}' if app.problem else ''}")
    lowered = [app for app in done if "lower" in app.passed]
    print(f"{files} files, {len(done)} apps")
    print(f"  lower      {len(lowered):5} ({len(lowered) / len(done):.2%})")
    tunable = [app for app in lowered if app.parameters]
    spoilt = [app for app in tunable if app.pinned]
    print(f"  parameters {len(tunable):5}, of these emptied or pinned {len(spoilt)}", end=", ")
    print(f"with an assumption {sum(app.assumes for app in spoilt)}")
    print(f"  assuming   {sum(app.assumes for app in lowered):5}")
    if priced:
        print(f"  price      {sum('price' in app.passed for app in done):5}")
    stopped = Counter(_kind(app.problem) for app in done if app.problem)
    for kind, count in stopped.most_common():
        print(f"  stopped    {count:5}  {kind}")
    for kind, count in Counter(_kind(text) for app in lowered for text in app.warnings).most_common(60):
        print(f"  warned     {count:5}  {kind}")


def _told(error: TunepassError) -> str:
    first = error.diagnostics[0]
    return f"{f'{first.span.line}: ' if first.span else ''}{first.message}"


def _kind(message: str) -> str:
    """A message without its line and its names."""
    return re.sub(r"\d+", "N", re.sub(r"`[^`]*`", "`…`", re.sub(r"^\d+: ", "", message)))


if __name__ == "__main__":
    main()
