"""Does it pay to know before anything is trained which networks are too large? Searches over digits_grid.py's table.

Gao et al., section V-A: the same number of trials (100), once by a method that trains what it is told and finds out
afterwards whether that may be used, once guided: what passes the limit is never trained. A speed-up is the time of the
first until it has the best network that it finds, over the second's until it has one that is as good. Where the second
never has one its whole time counts, and the share of seeds that `reached` it says how often that is so.

Methods: random search; regularised evolution (Real et al. 2019; population 20, tournaments of 5); Hyperband (Li et al.
2018; 2, 6 and 18 epochs, a third goes on); and `auto`, which learns unguided from what turned out too large. Times are
CPU seconds of the recorded trainings.
"""

from __future__ import annotations

import csv
import gzip
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

import tunepass
from tests.benchmarks.dnn.digits_grid import EPOCHS, GRID
from tunepass.backends.base import Target
from tunepass.backends.graph import GraphBackend
from tunepass.expr.numpy_eval import evaluate
from tunepass.space.configuration import Configuration

SAMPLE = Path(__file__).parents[3] / "samples" / "dnn" / "digits_keras.py"
GRID_FILE = Path(__file__).parent / "digits_grid.csv.gz"
LIMITS_KB = (4, 8, 32)
TRIALS = 100
POPULATION, TOURNAMENT = 20, 5
LEVELS = len(EPOCHS)
ETA = 3
WORD = {"logistic": "sigmoid"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """Of one network: bytes of its weights, and by level (2, 6, 18 epochs) its loss and the seconds until there."""

    weight_byte: int
    loss: tuple[float, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A training that ended: what it took, and the loss of a network that is fully trained and may be used."""

    seconds: float
    loss: float | None


Table = Mapping[Configuration, Recorded]
Method = Callable[[Table, Sequence[Configuration], Callable[[Configuration], bool], bool, int], Iterator[Step]]


def read(path: Path) -> dict[Configuration, Recorded]:
    """The grid, with the bytes of weights that tunepass counts in the sample's source."""
    kernel = tunepass.load(SAMPLE)
    weight_byte = GraphBackend(kernel, Target()).costs().values["weight_byte"]
    configurations, rows = [], []
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        for row in csv.DictReader(file):
            kinds = {name: type(values[0]) for name, values in GRID.items()}
            values = {name: kinds[name](WORD.get(row[name], row[name])) for name in GRID}
            configurations.append(Configuration(values))
            rows.append(row)
    columns = {p.name: p.column([c[p.name] for c in configurations]) for p in kernel.parameters}
    sizes = evaluate(weight_byte, columns, len(rows)).values
    return {
        configuration: Recorded(
            int(size),
            tuple(float(row[f"loss_{epoch}"]) for epoch in EPOCHS),
            tuple(float(row[f"seconds_{epoch}"]) for epoch in EPOCHS),
        )
        for configuration, size, row in zip(configurations, sizes, rows)
    }


def trained(recorded: Recorded, usable: bool) -> Step:
    return Step(recorded.seconds[-1], recorded.loss[-1] if usable else None)


def random_search(
    table: Table, pool: Sequence[Configuration], usable: Callable[[Configuration], bool], guided: bool, seed: int
) -> Iterator[Step]:
    rng = np.random.default_rng(seed)
    for k in rng.permutation(len(pool))[:TRIALS]:
        yield trained(table[pool[k]], usable(pool[k]))


def evolution(
    table: Table, pool: Sequence[Configuration], usable: Callable[[Configuration], bool], guided: bool, seed: int
) -> Iterator[Step]:
    """What may not be used is as bad as can be, once that is known."""
    rng = np.random.default_rng(seed)
    alive: list[tuple[float, Configuration]] = []
    for trial in range(TRIALS):
        if trial < POPULATION:
            child = pool[rng.integers(len(pool))]
        else:
            picked = rng.choice(len(alive), TOURNAMENT, replace=False)
            parent = min((alive[k] for k in picked), key=lambda each: each[0])[1]
            child = _mutated(parent, rng)
            while guided and not usable(child):
                child = _mutated(parent, rng)
        step = trained(table[child], usable(child))
        alive.append((math.inf if step.loss is None else step.loss, child))
        if len(alive) > POPULATION:
            alive.pop(0)
        yield step


def _mutated(parent: Configuration, rng: np.random.Generator) -> Configuration:
    name = list(GRID)[rng.integers(len(GRID))]
    others = [value for value in (WORD.get(str(v), v) for v in GRID[name]) if value != parent[name]]
    return parent.replace(**{name: others[rng.integers(len(others))]})


def hyperband(
    table: Table, pool: Sequence[Configuration], usable: Callable[[Configuration], bool], guided: bool, seed: int
) -> Iterator[Step]:
    """As many networks begun as the others train. What may not be used is dropped once it has been trained a little."""
    rng, begun = np.random.default_rng(seed), 0
    while begun < TRIALS:
        for level in range(LEVELS):
            count = math.ceil(LEVELS / (LEVELS - level) * ETA ** (LEVELS - 1 - level))
            alive = [pool[k] for k in rng.integers(len(pool), size=count)]
            begun += count
            for now in range(level, LEVELS):
                for network in alive:
                    seconds = table[network].seconds
                    took = seconds[now] - (seconds[now - 1] if now > level else 0.0)
                    final = now == LEVELS - 1 and usable(network)
                    yield Step(took, table[network].loss[-1] if final else None)
                kept = [network for network in alive if usable(network)]
                alive = sorted(kept, key=lambda network: table[network].loss[now])[: max(1, len(alive) // ETA)]


def auto(
    table: Table, pool: Sequence[Configuration], usable: Callable[[Configuration], bool], guided: bool, seed: int
) -> Iterator[Step]:
    parameters = tunepass.load(SAMPLE).parameters
    space = tunepass.Space.from_table([dict(c) for c in pool], parameters) if guided else tunepass.Space(parameters)
    study = tunepass.Study(space, [tunepass.Objective("loss")], strategy="auto", seed=seed, max_evals=TRIALS)
    while not study.finished:
        for configuration in study.suggest(1):
            step = trained(table[configuration], usable(configuration))
            failed = step.loss is None
            study.observe(
                configuration, tunepass.Infeasible("limit") if failed else tunepass.Measured({"loss": step.loss})
            )
            yield step


METHODS: Mapping[str, tuple[Method, int]] = {  # and over how many seeds
    "random search": (random_search, 40),
    "evolution": (evolution, 40),
    "Hyperband": (hyperband, 40),
    "auto": (auto, 12),
}


def curve(steps: Iterator[Step]) -> list[tuple[float, float]]:
    """Seconds, and the best loss by then, after each training."""
    seconds, best, points = 0.0, math.inf, []
    for step in steps:
        seconds += step.seconds
        best = best if step.loss is None else min(best, step.loss)
        points.append((seconds, best))
    return points


@dataclass(frozen=True, slots=True)
class Compared:
    """Of one seed: the logarithm of the speed-up, whether the guided search was ever as good, and how much lower its
    last loss is."""

    log_speed_up: float
    reached: bool
    lower_by: float


def compared(plain: Sequence[tuple[float, float]], guided: Sequence[tuple[float, float]]) -> Compared:
    goal = plain[-1][1]
    base_s = next(seconds for seconds, best in plain if best <= goal)
    reached = [seconds for seconds, best in guided if best <= goal]
    took_s = reached[0] if reached else guided[-1][0]
    return Compared(math.log(base_s / took_s), bool(reached), goal - guided[-1][1])


def run(table: Table, method: Method, limit_kb: int, seeds: int) -> list[Compared]:
    everything = list(table)

    def usable(configuration: Configuration) -> bool:
        return table[configuration].weight_byte <= 1000 * limit_kb

    fitting = [configuration for configuration in everything if usable(configuration)]
    found = []
    for seed in range(seeds):
        plain = curve(method(table, everything, usable, False, seed))
        guided = curve(method(table, fitting, usable, True, seed))
        if math.isfinite(plain[-1][1]):  # it found one that may be used
            found.append(compared(plain, guided))
    return found


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and two standard errors."""
    return fmean(values), 2 * stdev(values) / math.sqrt(len(values))


def rows(table: Table) -> Iterator[str]:
    yield f"{len(table):,} networks; {TRIALS} trials; geometric means of speed-ups with two standard errors"
    yield f"{'method':<14} {'limit':>6} {'kept':>6} {'seeds':>5} {'speed-up':>20} {'reached':>8} {'loss lower by':>20}"
    for name, (method, seeds) in METHODS.items():
        for limit_kb in LIMITS_KB:
            kept = fmean(recorded.weight_byte <= 1000 * limit_kb for recorded in table.values())
            found = run(table, method, limit_kb, seeds)
            mean, wide = interval([each.log_speed_up for each in found])
            lower, spread = interval([each.lower_by for each in found])
            shown = f"{math.exp(mean):.2f}x ({math.exp(mean - wide):.2f}-{math.exp(mean + wide):.2f})"
            reached = fmean(each.reached for each in found)
            yield (
                f"{name:<14} {limit_kb:>3} kB {kept:>6.1%} {len(found):>5} {shown:>20} {reached:>8.0%} "
                f"{lower:>11.4f} +- {spread:.4f}"
            )


def main() -> int:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else GRID_FILE
    for row in rows(read(path)):
        print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
