"""What a suggestion costs on a space of MM_GPU's shape (ten ordinals, 154,888,140 feasible of 1.16e10), and with many
flags."""

from __future__ import annotations

import json
import math
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from tests.benchmarks.search import variants
from tests.benchmarks.search.panel_flags import FlagProblem
from tests.benchmarks.search.tables import markdown, milliseconds
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Ordinal, Parameter
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.study import Study

COUNTS = (60, 1000)
FLAGS = ((60, 100), (120, 100), (404, 100), (1000, 60))  # flags, evaluations of a whole search
SETTINGS = (404, 100)  # switches of two and three values and numbers, with priors: what a compiler can be told
NUMBERS = [4, 8, 16, 32, 64, 128, 256]
LOWEST = {"v3": 4, "v4": 1, "v5": 4, "v6": 4, "v7": 4, "v8": 1, "ls0": 1, "ls1": 1, "gs0": 1, "gs1": 1}


def mm_gpu() -> Space:
    """RISE's matrix product on a GPU, as BaCO searches it (BaCO, Table 3)."""
    return Space(
        [Ordinal(n, [2**k for k in range(11) if 2**k >= lo], log=True) for n, lo in LOWEST.items()],
        constraints=[
            "v7 % v3 == 0", "v5 % v4 == 0", "v5 * v8 % v6 == 0", "gs0 % ls0 == 0", "gs1 % ls1 == 0",
            "ls0 * ls1 <= 1024", "49152 - v5 * 4 - v5 * 4 - 4 >= 0", "49152 - v5 * v7 * 4 - v5 * 4 - 4 * v7 >= 0",
            "49152 - v5 * v7 * 4 - v5 * v8 * 4 - 4 * v7 * v8 >= 0",
        ],
    )  # fmt: skip


def price(c: Configuration) -> Outcome:
    """A made-up time with interactions; register pressure and mismatched tiles fail."""
    v = {name: float(str(c[name])) for name in LOWEST}
    registers = v["v3"] * v["v4"] + 2 * (v["v3"] + v["v4"]) + 12
    if registers * v["ls0"] * v["ls1"] > 65536 or v["v6"] > v["v5"] * v["v8"]:
        return Failed("run", "")
    groups = (v["gs0"] / v["ls0"]) * (v["gs1"] / v["ls1"])
    memory = 700 * (1 / v["v7"] + 1 / v["v5"]) * (1 + 0.15 * abs(math.log2(v["v6"]) - math.log2(v["v5"] * v["v8"]) + 2))
    shape = (1 + 0.05 * abs(math.log2(v["ls0"]) - 5)) * max(1.0, 72 / groups) ** 0.5
    return Measured({"time": (memory + 18 * (1 + 3 / (v["v3"] * v["v4"]))) * shape + 2})


def timed(strategy: str, seed: int) -> tuple[dict[int, list[float]], float, float]:
    """CPU seconds of the 10 suggestions up to each of COUNTS (the trials before are random), of building the space, and
    the peak of memory in MB."""
    start = time.process_time()
    space = mm_gpu()
    built = time.process_time() - start
    found: dict[int, list[float]] = {}
    for count in COUNTS:
        study = Study(space, [Objective("time")], strategy=variants.factory(strategy), seed=seed, repeats=False)
        given = space.sample(count - 10, np.random.default_rng(seed))
        study.suggest(1)
        for configuration in given:
            study.observe(configuration, price(configuration))
        found[count] = []
        while len(study.trials) < count:
            start = time.process_time()
            (configuration,) = study.suggest(1)
            asked = time.process_time() - start
            outcome = price(configuration)
            start = time.process_time()
            study.observe(configuration, outcome)
            found[count].append(asked + time.process_time() - start)
    return found, built, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def compiler_settings(count: int) -> Space:
    """A space of the shape that `tunepass flags` prints: a default is as likely as all other values together."""
    switches, values = count * 3 // 5, ["", "on", "off"]
    parameters: list[Parameter] = []
    for i in range(count):
        few = 2 + i % 2
        number = Ordinal(f"n{i}", NUMBERS, default=32, log=True, prior=(12.0, 12.0))
        switch = Categorical(f"s{i}", values[:few], prior=[few - 1.0, *[1.0] * (few - 1)])
        parameters.append(switch if i < switches else number)
    return Space(parameters)


def settings_price(c: Configuration) -> Outcome:
    """A made-up time: one in ten settings matters."""
    changed = [i for i, value in enumerate(c.values()) if i % 10 == 0 and value not in ("", 32)]
    return Measured({"time": math.exp(sum((1 + i % 7) * (-1) ** (i // 20) for i in changed) / 50)})


def searched(flags: int, evals: int, strategy: str, seed: int) -> list[float]:
    """CPU seconds of each suggestion of a search of flags, telling what came of it included."""
    problem = FlagProblem.of(flags, 0)
    return _spent(problem.space, problem.price, evals, strategy, seed)


def searched_settings(count: int, evals: int, strategy: str, seed: int) -> list[float]:
    return _spent(compiler_settings(count), settings_price, evals, strategy, seed)


def _spent(
    space: Space, price: Callable[[Configuration], Outcome], evals: int, strategy: str, seed: int
) -> list[float]:
    study = Study(
        space, [Objective("time")], strategy=variants.factory(strategy), seed=seed, max_evals=evals, repeats=False
    )
    spent = []
    while True:
        start = time.process_time()
        suggested = study.suggest(1)
        asked = time.process_time() - start
        if not suggested:
            return spent
        outcome = price(suggested[0])
        start = time.process_time()
        study.observe(suggested[0], outcome)
        spent.append(asked + time.process_time() - start)


def many_flags(strategy: str = "auto", seeds: int = 3) -> str:
    """The first suggestion, which loads what it needs, is left out."""
    rows = []
    cases = [(f"{flags}", searched, flags, evals) for flags, evals in FLAGS]
    for label, search, flags, evals in [*cases, (f"{SETTINGS[0]} of a compiler", searched_settings, *SETTINGS)]:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            done = list(pool.map(search, [flags] * seeds, [evals] * seeds, [strategy] * seeds, range(seeds)))
        spent = np.array([each[1:] for each in done])
        cells = [milliseconds(float(value)) for value in (spent.mean(), np.median(spent), spent.max())]
        rows.append([label, str(evals), *cells])
    return markdown(["flags", "evaluations", "ms a suggestion: mean", "median", "largest"], rows)


def overhead(peers: Path, strategies: Sequence[str] = ("auto", "baco", "hypermapper"), seeds: int = 3) -> str:
    """Each strategy in a process of its own, so that the memory is its own."""
    rows = []
    for strategy in strategies:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            done = list(pool.map(timed, [strategy] * seeds, range(seeds)))
        cells = []
        for count in COUNTS:
            spent = [s for found, _, _ in done for s in found[count]]
            cells.append(f"{milliseconds(float(np.median(spent)))} ({milliseconds(max(spent))})")
        rows.append([f"**{strategy}**", *cells, f"{max(memory for *_, memory in done):.0f}"])
    path = peers / "results" / "mmgpu.json"
    if path.exists():
        for tuner, entries in sorted(json.loads(path.read_text(encoding="utf-8"))["peers"].items()):
            median = float(np.median([entry["median_seconds_per_suggestion"] for entry in entries]))
            rows.append([tuner, f"{milliseconds(median)} (over {entries[0]['evaluations']} evaluations)", "–", "–"])
    head = ["strategy", *(f"ms at {count} observations: median (largest)" for count in COUNTS), "peak MB"]
    return "\n\n".join([markdown(head, rows), many_flags(seeds=seeds)])
