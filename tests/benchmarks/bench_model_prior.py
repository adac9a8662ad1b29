"""Does the model of loop nests pay as a prior mean? Searches of recorded kernels with it, without it, and inverted.

    TUNEPASS_BENCH_CACHE=folder python -m tests.benchmarks.bench_model_prior [--rows 300] [--seeds 10] [--host]

`make bench-model` runs it. The first run compiles and times the kernels (about two minutes each) and keeps what it
measured in the folder that TUNEPASS_BENCH_CACHE names; later ones replay. The space of a search is the recorded rows.
A kernel's number is the mean over seeds of the evaluations until one is within 5 % of the best row, at most --evals.

CALIBRATED are the kernels whose recordings the model's rules were adjusted on; HELD were only reported on. --host uses
the characterised host in place of the default device.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tunepass
from tests.benchmarks.model_prior.recording import Recording, recording
from tests.benchmarks.model_prior.searches import PRIORS, Problem, evaluations
from tunepass.evaluators.process.cores import processor_name
from tunepass.expr.numpy_eval import evaluate
from tunepass.hwmodels.cpu.device import Cpu, load
from tunepass.hwmodels.cpu.host import host
from tunepass.hwmodels.cpu.model import costs
from tunepass.study.trust import rank_correlation

ROOT = Path(__file__).parents[2]
NESTS = ROOT / "tests/benchmarks/nests"
CALIBRATED = ("gemm", "jacobi2d", "syrk", "transpose")
HELD = ("matmul_loops", "mm2", "mvt", "conv2d", "bicg")
WITH_GOAL, INVERTED_GOAL = 0.60, 1.03


def source_of(name: str) -> Path:
    nest = NESTS / f"{name}.c"
    return nest if nest.exists() else ROOT / "samples/c" / f"{name}.c"


def problem(name: str, folder: Path, rows: int, device: Cpu) -> tuple[Problem, Recording]:
    kernel = tunepass.load(source_of(name))
    recorded = recording(source_of(name), folder, rows, lambda line: print(f"  {line}", file=sys.stderr, flush=True))
    found = costs(kernel, device)
    assert found is not None, f"{name} has no model"
    return Problem.of(name, kernel.parameters, recorded.times, found.values["time"]), recorded


def correlation(subject: Problem) -> float:
    """Spearman's, of the model and what was measured, over the rows that did not fail."""
    measured = {c: ms for c, ms in subject.times.items() if ms is not None}
    columns = {p.name: p.column([c[p.name] for c in measured]) for p in subject.space.parameters}
    return rank_correlation(evaluate(subject.model, columns, len(measured)).values, list(measured.values()))


def ratios(counts: dict[str, dict[str, NDArray[np.float64]]], names: tuple[str, ...], kind: str) -> tuple[float, float]:
    """The geometric mean over the kernels of the ratio to searches without a model, and its standard error in log."""
    logs = [np.log(counts[n][kind].mean() / counts[n]["without"].mean()) for n in names]
    seeds = [
        sum(counts[n][k].var(ddof=1) / len(counts[n][k]) / counts[n][k].mean() ** 2 for k in (kind, "without"))
        for n in names
    ]
    return float(np.exp(np.mean(logs))), float(np.sqrt(np.sum(seeds)) / len(names))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--evals", type=int, default=80)
    parser.add_argument("--host", action="store_true")
    parser.add_argument("--kernels", default=",".join((*CALIBRATED, *HELD)))
    options = parser.parse_args()
    if "TUNEPASS_BENCH_CACHE" not in os.environ:
        parser.error("TUNEPASS_BENCH_CACHE names the folder for recordings")
    folder = Path(os.environ["TUNEPASS_BENCH_CACHE"])
    device = host(processor_name()) if options.host else load()
    names = tuple(options.kernels.split(","))
    counts: dict[str, dict[str, NDArray[np.float64]]] = {}
    print(f"{'kernel':14} rows  noise  Spearman   without      with  inverted  with/without  inverted/without")
    with ProcessPoolExecutor() as pool:
        for name in names:
            subject, recorded = problem(name, folder, options.rows, device)
            jobs = {
                k: [pool.submit(evaluations, subject, k, s, options.evals) for s in range(options.seeds)]
                for k in PRIORS
            }
            counts[name] = {k: np.array([float(job.result()) for job in found]) for k, found in jobs.items()}
            means = [counts[name][k].mean() for k in PRIORS]
            head = f"{name:14} {len(recorded.times):4} {recorded.noise:6.1%} {correlation(subject):9.2f}"
            middle = f"{means[0]:9.1f} {means[1]:9.1f} {means[2]:9.1f}"
            print(f"{head} {middle} {means[1] / means[0]:13.2f} {means[2] / means[0]:17.2f}", flush=True)
    good = True
    for title, group in (("calibrated", CALIBRATED), ("held", HELD), ("all", names)):
        chosen = tuple(n for n in group if n in counts)
        if chosen:
            (with_, error), (inverted, wrong) = (ratios(counts, chosen, kind) for kind in ("with", "inverted"))
            print(f"{title:10} with {with_:.2f} (+- {error:.0%}), inverted {inverted:.2f} (+- {wrong:.0%})")
            good = good and with_ <= WITH_GOAL and inverted <= INVERTED_GOAL
    print(f"goals: with at most {WITH_GOAL}, inverted at most {INVERTED_GOAL}: {'met' if good else 'missed'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
