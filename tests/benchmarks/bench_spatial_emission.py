"""Is what is priced what is emitted: whole Spatial files emitted with their own values and with random ones.

    python tests/benchmarks/bench_spatial_emission.py FOLDER... [--draws N] [--every K] [--device D] [--json FILE]

lower    the app becomes a program of controllers
same     with the source's own values emission leaves every byte; where a parameter's default is none of its values, the
         closest one is written, and that text is left as it is
values   emitted with random values (restrictions aside), the source has these values when it is read again
price    and that source's price is the price of these values, to the bit
Files with equal text count once.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from tunepass.backends.base import Target
from tunepass.backends.model import ModelBackend
from tunepass.diagnostics import Source, TunepassError
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.frontends.spatial.host.lowering import lower
from tunepass.frontends.spatial.outline.apps import apps
from tunepass.frontends.spatial.syntax.lexer import scan
from tunepass.ir.kernel import Kernel
from tunepass.jobs.estimates import Estimator
from tunepass.passes.apply_schedule import scheduled
from tunepass.space.configuration import Configuration

STEPS = ("lower", "same", "values", "price")


@dataclass
class App:
    """How far one app got; `problem` says what stopped it."""

    file: str
    name: str
    parameters: int = 0
    passed: list[str] = field(default_factory=list)
    problem: str = ""
    outside: bool = False


def sources(folders: list[Path]) -> Iterator[Source]:
    """The .scala files below the folders, each text once."""
    texts: set[str] = set()
    for folder in folders:
        for path in sorted(folder.rglob("*.scala")):
            text = path.read_bytes().decode("utf-8", errors="replace")
            if "Accel" in text and text not in texts:
                texts.add(text)
                yield Source(str(path.relative_to(folder)), text)


def names(source: Source) -> list[str]:
    """The apps of a file, one that several apps are called by once."""
    return list(dict.fromkeys(app.name for app in apps(scan(source))))


def one(source: Source, name: str, device: str, draws: int) -> App:
    app = App(source.name, name)
    try:
        _checked(app, source, device, draws)
    except TunepassError as error:
        app.problem = _told(error)
    except Exception as error:
        app.problem = f"internal error: {type(error).__name__}: {error}"
    return app


def _checked(app: App, source: Source, device: str, draws: int) -> None:
    """Raises TunepassError at the first step that the app does not pass."""
    kernel = _kernel(source, app.name)
    app.passed.append("lower")
    app.parameters = len(kernel.parameters)
    own = _emitted(kernel, Configuration({p.name: p.default for p in kernel.parameters}))
    if own != source.text:
        app.outside = True
        if not _written_outside(kernel) or _default_text(Source(source.name, own), app.name) != own:
            raise TunepassError("the source's own values change its text")
    app.passed.append("same")
    model = _model(kernel, device)
    rng = np.random.default_rng(0)
    drawn = [_random(kernel, rng) for _ in range(draws)] if kernel.parameters else [Configuration({})]
    again = [_kernel(Source(source.name, _emitted(kernel, values)), app.name) for values in drawn]
    for values, read in zip(drawn, again):
        wanted, got = list(values.values()), [p.default for p in read.parameters]
        if wanted != got:
            told = ", ".join(f"{name}={value}" for name, value in values.items())
            raise TunepassError(
                f"{told} is read again as {', '.join(f'{p.name}={p.default}' for p in read.parameters)}"
            )
    app.passed.append("values")
    for values, read in zip(drawn, again):
        before = _price(model, values)
        other = _model(read, device)
        after = _price(other, other.default)
        if before != after:
            apart = next(f"{k}: {before[k]} is {after.get(k)}" for k in before if before[k] != after.get(k))
            raise TunepassError(f"{', '.join(f'{name}={value}' for name, value in values.items())}: {apart}")
    app.passed.append("price")


def _written_outside(kernel: Kernel) -> bool:
    """Does the source give a parameter a default that is none of its values?"""
    tokens = scan(kernel.source)
    defaults = {
        d.name: d.default for a in apps(tokens) if a.name == kernel.name for d in lower(tokens, a).context.declared
    }
    return any(not p.admits(defaults.get(p.name, p.default)) for p in kernel.parameters)


def _default_text(source: Source, name: str) -> str:
    kernel = _kernel(source, name)
    return _emitted(kernel, Configuration({p.name: p.default for p in kernel.parameters}))


def _kernel(source: Source, name: str) -> Kernel:
    return next(k for k in SpatialFrontend().parse(source, name).kernels if k.name == name)


def _emitted(kernel: Kernel, values: Configuration) -> str:
    return SpatialFrontend().emit((scheduled(kernel, values),))[0].text


def _model(kernel: Kernel, device: str) -> Estimator:
    backend = ModelBackend(kernel, Target(device=device))
    return Estimator(backend, backend.costs())


def _price(model: Estimator, values: Configuration) -> dict[str, str]:
    """The named expressions as text; an integer that overflows is a price as any other."""
    try:
        return {name: repr(column[0]) for name, column in model.prices([values]).items()}
    except TunepassError as error:
        return {"error": error.diagnostics[0].message}


def _random(kernel: Kernel, rng: np.random.Generator) -> Configuration:
    return Configuration({p.name: p.values(p.draw(1, rng))[0] for p in kernel.parameters})


def _told(error: TunepassError) -> str:
    first = error.diagnostics[0]
    return f"{f'{first.span.line}: ' if first.span else ''}{first.message}"


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("folders", type=Path, nargs="+")
    arguments.add_argument("--draws", type=int, default=3)
    arguments.add_argument("--every", type=int, default=1, help="of the files, one in so many")
    arguments.add_argument("--device", default="stratix-v")
    arguments.add_argument("--json", type=Path, help="where every app's result goes")
    given = arguments.parse_args()
    results: list[App] = []
    began = time.monotonic()
    for number, source in enumerate(sources(given.folders)):
        if number % given.every:
            continue
        try:
            called = names(source)
        except TunepassError as error:
            results.append(App(source.name, "?", problem=_told(error)))
            continue
        results += [one(source, name, given.device, given.draws) for name in called]
        if given.json:
            given.json.write_text(json.dumps([asdict(app) for app in results]))
    if not results:
        sys.exit("no Spatial app below these folders")
    for app in results:
        if app.problem:
            print(f"{app.file}::{app.name}: {app.passed[-1] if app.passed else 'nothing'}; {app.problem}")
    tuned = [app for app in results if app.parameters]
    print(f"{len(results)} apps, {len(tuned)} with parameters, {time.monotonic() - began:.0f} s")
    passed = Counter(step for app in results for step in app.passed)
    with_parameters = Counter(step for app in tuned for step in app.passed)
    print(f"{sum(app.outside for app in results)} apps give a parameter a default that is none of its values")
    for step in STEPS:
        print(f"  {step:6} {passed[step]:5} {with_parameters[step]:5} with parameters")


if __name__ == "__main__":
    main()
