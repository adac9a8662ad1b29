"""Designs of samples/accelerator/mlp.c, each network truly trained: the table that bench_deep.py searches and predicts.

    python -m tests.benchmarks.accelerator.designs FILE.csv [--rows N] [--hours H]     # goes on where it stopped

Uniform draws of the space, except those that are too slow for the source's rate: a model tells that before anything is
trained. A row has the eight parameters, the error that train.py measures (share of 540 images), and of the model the
power (mW), the cycles and the energy (J). 6,000 rows take about an hour of one core; the n-th row is always the same.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from tunepass.evaluators.recorded.table import read as read_recorded
from tunepass.expr.python_eval import evaluate
from tunepass.hwmodels.accelerator.device import load as load_device
from tunepass.hwmodels.accelerator.model import costs
from tunepass.hwmodels.base import Costs
from tunepass.ir.hls import HlsKernel
from tunepass.jobs.reading import load as load_kernel
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Ordinal, Parameter
from tunepass.space.space import Space
from tunepass.study.outcome import Measured
from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.base import Floats

SAMPLES = Path(__file__).resolve().parents[3] / "samples" / "accelerator"
SOURCE, DEVICE, ROWS = SAMPLES / "mlp.c", "accel-40nm", 6000
TABLE = Path(__file__).parent / "designs.csv.gz"
TRAINED = ("HIDDEN", "LEARNING_RATE", "DROPOUT", "L2", "BITS", "INTEGER_SHARE")  # train.py's arguments
MODELLED = ("power", "cycles", "energy")
REFERENCE = (10.0, 15.0)  # Havasi 2017, §4.2: error in %, power in mW
DRAWS = 500  # at once


@cache
def accelerator() -> tuple[Space, Costs]:
    """The sample's space, and what the model says of it."""
    kernel = load_kernel(SOURCE)
    return Space(list(kernel.parameters)), costs(kernel.body_as(HlsKernel), load_device(DEVICE))


def modelled(configuration: Configuration) -> dict[str, float]:
    """Power in mW, cycles, energy in J."""
    values = accelerator()[1].values
    return {name: float(evaluate(values[name], dict(configuration))) for name in MODELLED}  # type: ignore[arg-type]


def designs() -> Iterator[Configuration]:
    """Without end: distinct designs that are fast enough, each parameter uniform on its scale."""
    (space, model), rng, drawn = accelerator(), np.random.default_rng(0x616363656C), set[Configuration]()
    while True:
        for configuration in space.sample(DRAWS, rng):
            if configuration not in drawn and evaluate(model.fits, dict(configuration)):
                drawn.add(configuration)
                yield configuration


@cache
def trainer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("accelerator_train", SAMPLES / "train.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def error_share(configuration: Configuration, *more: str) -> float:
    """The measured error, 0 to 1; `more`: arguments of train.py."""
    module = trainer()
    words = [str(configuration[name]) for name in TRAINED]
    return float(module.error_share(module.arguments().parse_args([*words, *more])))


@dataclass(frozen=True, slots=True)
class DesignTable:
    """Recorded designs: configurations and their losses (n, 2), of the accelerator error in % and power in mW.
    Hypervolumes are taken below `reference`."""

    configurations: tuple[Configuration, ...]
    losses: Floats
    space: Space = field(default_factory=lambda: accelerator()[0])
    reference: tuple[float, float] = REFERENCE

    @staticmethod
    def read(path: Path = TABLE) -> DesignTable:
        text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
        rows = list(csv.DictReader(text.splitlines()))
        configurations = tuple(configuration_of(accelerator()[0], row) for row in rows)
        losses = np.array([[100 * float(row["error"]), float(row["power"])] for row in rows]).reshape(-1, 2)
        return DesignTable(configurations, losses)

    def first(self, rows: int | None) -> DesignTable:
        """The first so many designs; None: all."""
        return replace(self, configurations=self.configurations[:rows], losses=self.losses[:rows])

    @staticmethod
    def recorded(path: Path) -> DesignTable:
        """The measured rows of a recorded space (tunepass-recorded-space/1) by its first two objectives, numbers that
        span a factor of 8 on the log scale. The reference is the median of each, or the worst of the front if that is
        worse: a tighter one leaves a front of few designs without a hypervolume that differs."""
        known = read_recorded(path)
        space = Space([spread(parameter) for parameter in known.space.parameters])
        measured = {c: o.values for c, o in known.outcomes.items() if isinstance(o, Measured)}
        both = known.objectives[:2]
        losses = np.array([[o.loss(values[o.name]) for o in both] for values in measured.values()])
        front = losses[nondominated(losses)]
        error, power = np.maximum(front.max(axis=0), np.median(losses, axis=0)).tolist()
        return DesignTable(tuple(measured), losses, space, (error, power))


def spread(p: Parameter) -> Parameter:
    values = list(p.domain) if isinstance(p, (Ordinal, Integer)) else []
    if not values:
        return p
    return Ordinal(p.name, sorted(values), log=len(values) > 2 and min(values) > 0 and max(values) >= 8 * min(values))


def configuration_of(space: Space, row: Mapping[str, str]) -> Configuration:
    return Configuration({p.name: type(p.default)(row[p.name]) for p in space.parameters})  # type: ignore[call-arg]


def record(path: Path, rows: int, hours: float) -> None:
    """Append rows to `path` until there are `rows`, or `hours` have passed."""
    names = [p.name for p in accelerator()[0].parameters]
    end, first = time.monotonic() + 3600 * hours, 0
    if path.exists():
        with path.open(newline="") as file:
            first = sum(1 for _ in csv.reader(file)) - 1
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not first and not file.tell():
            writer.writerow([*names, "error", *MODELLED])
        for number, configuration in zip(range(rows), designs()):
            if number < first:
                continue
            if time.monotonic() > end:
                return
            values = modelled(configuration)
            error = error_share(configuration)
            writer.writerow(
                [*(configuration[n] for n in names), f"{error:.5f}", *(f"{values[n]:.6g}" for n in MODELLED)]
            )
            file.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--hours", type=float, default=1e6, help="after which it stops")
    options = parser.parse_args()
    record(options.file, options.rows, options.hours)


if __name__ == "__main__":
    main()
