"""Does the CPU model pay as a prior mean for modules of MLIR? Recorded modules searched with it, without and inverted.

    TUNEPASS_BENCH_CACHE=folder python -m tests.benchmarks.bench_mlir_prior [--seeds 12] [--evals 40]

`make bench-mlir-prior` runs it. The first run measures every configuration of each module in the folder that
TUNEPASS_BENCH_CACHE names (twenty minutes on two cores); later ones replay. A module's number is the mean over seeds of
the evaluations until one is within 5 % of the best, at most --evals; a difference is that of the same seed with and
without, with its standard error.

CALIBRATED are the modules that the model was written with; HELD were only reported on. Because of SCALAR a search is
started from the model by default only where tiles are vectors. Needs torch-mlir's wheel.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from torch_mlir import ir

from tests.benchmarks.bench_model_prior import correlation
from tests.benchmarks.mlir_prior.recording import kernel_and_knobs, recording
from tests.benchmarks.model_prior.searches import PRIORS, Problem, evaluations
from tunepass.integrations.mlir.model import time_of
from tunepass.integrations.mlir.schedule_rules import nests_of

ROOT = Path(__file__).parents[2]
CALIBRATED = ("matmul", "stencil")
SCALAR = ("transposed_sum",)
HELD = ("batch_matmul", "heat3d", "vecmat", "convolution", "doitgen", "scaled_sum")


def source_of(name: str) -> Path:
    sample = ROOT / f"samples/mlir/{name}.mlir"
    return sample if sample.exists() else Path(__file__).parent / f"mlir_prior/{name}.mlir"


def problem(name: str, folder: Path) -> tuple[Problem, float]:
    """The module's recorded space, and the noise of the recording."""
    recorded = recording(source_of(name), folder, lambda line: print(f"  {line}", file=sys.stderr, flush=True))
    times = {c: None if ms is None else min(ms, recorded.repeats.get(c, ms)) for c, ms in recorded.times.items()}
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(source_of(name).read_text())
        kernel, knobs = kernel_and_knobs(module)
        types = {parameter.name: parameter.type for parameter in kernel.parameters}
        alternatives = nests_of(module.operation, knobs, types)
        return Problem.of(name, kernel.parameters, times, time_of(alternatives, kernel)), recorded.noise


def paired(differences: NDArray[np.float64]) -> str:
    return f"{differences.mean():+6.1f} +- {differences.std(ddof=1) / np.sqrt(len(differences)):4.1f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--evals", type=int, default=40)
    parser.add_argument("--modules", default=",".join((*CALIBRATED, *SCALAR, *HELD)))
    options = parser.parse_args()
    if "TUNEPASS_BENCH_CACHE" not in os.environ:
        parser.error("TUNEPASS_BENCH_CACHE names the folder for recordings")
    folder = Path(os.environ["TUNEPASS_BENCH_CACHE"])
    print("module          rows  noise  Spearman  without   with  inverted  with - without  inverted - without")
    differences: dict[str, NDArray[np.float64]] = {}
    for name in options.modules.split(","):
        subject, noise = problem(name, folder)
        counts = {
            kind: np.array([evaluations(subject, kind, seed, options.evals) for seed in range(options.seeds)], float)
            for kind in PRIORS
        }
        without, with_, inverted = (counts[kind] for kind in PRIORS)
        differences[name] = with_ - without
        head = f"{name:15} {len(subject.times):4} {noise:6.1%} {correlation(subject):9.2f}"
        means = f"{without.mean():8.1f} {with_.mean():6.1f} {inverted.mean():9.1f}"
        print(f"{head} {means}  {paired(with_ - without):>15} {paired(inverted - without):>18}", flush=True)
    for title, group in (("calibrated", CALIBRATED), ("scalar", SCALAR), ("held", HELD)):
        chosen = [differences[name] for name in group if name in differences]
        if chosen:
            of_modules = np.array([each.mean() for each in chosen])
            error = of_modules.std(ddof=1) / np.sqrt(len(chosen)) if len(chosen) > 1 else float("nan")
            print(
                f"{title:10} with - without {paired(np.mean(chosen, axis=0))} over seeds, +- {error:.1f} over modules"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
