"""tunepass as a strategy of Kernel Tuner, beside Kernel Tuner's own, in its simulation mode on recorded spaces.

    python -m tests.benchmarks.kernel_tuner.simulation [--seeds 12] [--evaluations 60]

TUNEPASS_DATA names the folder of recorded spaces; Kernel Tuner is installed beside tunepass (`pip install
kernel-tuner`). Kernel Tuner's strategy is chosen on three spaces of other families than those that are reported. A
value is the best time over the best recorded one, in geometric mean over the seeds.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import os
import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

import kernel_tuner
from tunepass.evaluators.recorded.table import RecordedSpace, read
from tunepass.integrations.kernel_tuner import TunepassStrategy
from tunepass.interchange.kernel_tuner_results import cache_text
from tunepass.study.outcome import Measured
from tunepass.study.trial import Trial

CHOSEN_ON = ("gemm-Titan", "pnpoly-3090", "conv_bat-2080Ti")
REPORTED = ("convolution-A4000", "convolution-MI250X", "dedispersion-W6600")
THEIRS = (
    "random_sample",
    "genetic_algorithm",
    "simulated_annealing",
    "pso",
    "greedy_ils",
    "mls",
    "diff_evo",
    "firefly_algorithm",
)
KERNEL = "__global__ void k(float *x) { x[0] = 1; }"


def write_cache(table: RecordedSpace, folder: Path) -> Path:
    trials = [Trial(i, c, outcome) for i, (c, outcome) in enumerate(table.outcomes.items())]
    path = folder / f"{table.name}.json"
    path.write_text(cache_text("k", table.name, table.objectives[0], trials))
    return path


def recorded(name: str) -> Path:
    return Path(os.environ["TUNEPASS_DATA"]) / "kernel_tuner" / f"{name}.json"


def restrictions(name: str) -> list[str]:
    """The recorded constraints, as a user of Kernel Tuner has them; parameters of one value are their value."""
    stated = json.loads(recorded(name).read_text())
    texts: list[str] = stated.get("constraints") or []
    for fixed, value in (stated.get("fixed") or {}).items():
        texts = [re.sub(rf"\b{fixed}\b", str(value), text) for text in texts]
    names = {p["name"] for p in stated["parameters"]}
    return [text for text in texts if names & set(re.findall(r"\w+", text))]


def best_time(table: RecordedSpace, cache: Path, strategy: object, seed: int, evaluations: int) -> float:
    """The best time of one simulated search."""
    random.seed(seed)
    np.random.seed(seed)
    values = {p.name: list(p.domain) for p in table.space.parameters}
    with contextlib.redirect_stdout(io.StringIO()):
        results, _ = kernel_tuner.tune_kernel(
            "k",
            KERNEL,
            1,
            [np.zeros(1, np.float32)],
            values,
            restrictions=restrictions(table.name) or None,
            strategy=strategy,
            strategy_options={"max_fevals": evaluations},
            cache=str(cache),
            simulation_mode=True,
            lang="CUDA",
            quiet=True,
        )
    return min(float(r["time"]) for r in results if "__error__" not in r)


def ratios(name: str, strategy: str, options: argparse.Namespace, folder: Path) -> list[float]:
    """Logarithms of the best time over the optimum, by seed."""
    table = read(recorded(name))
    cache = write_cache(table, folder)
    optimum = min(o.values["time"] for o in table.outcomes.values() if isinstance(o, Measured))
    logs = []
    for seed in range(options.seeds):
        chosen = TunepassStrategy(seed=seed) if strategy == "tunepass" else strategy
        logs.append(math.log(best_time(table, cache, chosen, seed, options.evaluations) / optimum))
    print(f"{name:20} {strategy:20} {math.exp(fmean(logs)):7.3f}", flush=True)
    return logs


def compare(names: Sequence[str], theirs: str, options: argparse.Namespace, folder: Path) -> None:
    for name in names:
        ours, others = (ratios(name, strategy, options, folder) for strategy in ("tunepass", theirs))
        differences = [b - a for a, b in zip(ours, others)]
        error = stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
        print(
            f"{name:20} theirs over ours     {math.exp(fmean(differences)):7.3f}, standard error {error:.3f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--evaluations", type=int, default=60)
    parser.add_argument("--theirs", help="this strategy of Kernel Tuner, instead of the best one of other families")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, theirs = Path(name), options.theirs
        if theirs is None:
            means = {
                strategy: fmean(fmean(ratios(space, strategy, options, folder)) for space in CHOSEN_ON)
                for strategy in THEIRS
            }
            theirs = min(means, key=lambda strategy: means[strategy])
        compare(REPORTED, theirs, options, folder)


if __name__ == "__main__":
    main()
