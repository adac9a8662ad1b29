"""How much of the exact front's hypervolume `auto` reaches on each of the seven programs, its model being free to ask.

    python -m tests.benchmarks.bench_goal [--programs NAME,...] [--seeds N] [--evals N]

The search is what `tunepass build --no-restrictions` does: the raw product of parameters, `fits` known beforehand,
suggestions in batches as the pass asks for them. Shares are those of bench_paper. Exact fronts and runs are kept
under build/, the runs by what they depend on, so that one that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.benchmarks.paper.problems import PROGRAMS, Problem, code_digest, problem
from tunepass.passes.search import model_evaluator
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

ROOT = Path(__file__).parents[2]
AT = (50, 100, 200, 300, 500, 750, 1000, 1500)


def curve(p: Problem, evals: int, seed: int) -> tuple[list[float], float]:
    """The share after each of AT, and the CPU seconds of all."""
    objectives = p.model.backend.objectives()
    run = model_evaluator(p.model.kernel, p.model.costs, objectives)
    study = Study(p.space, objectives, max_evals=evals, seed=seed, feasible=run.fits)
    start, losses, shares = time.process_time(), list[list[float]](), list[float]()
    trials = 0
    while batch := study.suggest(run.worthwhile(trials)):
        for one in batch:
            outcome = run(one).outcome
            study.observe(one, outcome)
            trials += 1
            if isinstance(outcome, Measured):
                losses.append([outcome.values[o.name] for o in objectives])
            if trials in AT:
                shares.append(p.share(np.array(losses)))
    return shares, time.process_time() - start


def kept(p: Problem, evals: int, seed: int, code: str) -> tuple[list[float], float]:
    path = ROOT / "build" / "bench-goal" / f"{p.name}-{p.digest}-{code}-{evals}-{seed}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(curve(p, evals, seed)))
    shares, cpu_s = json.loads(path.read_text())
    return shares, cpu_s


def report(names: Sequence[str], evals: int, seeds: int) -> None:
    at = [n for n in AT if n <= evals]
    print(f"share of the exact hypervolume, median (worst) of {seeds} seed(s)")
    print("| program |" + "".join(f" at {n:,} |" for n in at) + " CPU s |")
    print("|---|" + "---|" * (len(at) + 1))
    for name in names:
        runs = [kept(problem(name), evals, seed, code_digest()) for seed in range(seeds)]
        shares = np.array([shares for shares, _ in runs])
        cells = [f" {m:.4f} ({w:.4f}) |" for m, w in zip(np.median(shares, axis=0), shares.min(axis=0))]
        print(f"| {name} |" + "".join(cells) + f" {np.mean([s for _, s in runs]):.0f} |", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--programs", default=",".join(PROGRAMS))
    arguments.add_argument("--seeds", type=int, default=10)
    arguments.add_argument("--evals", type=int, default=1500)
    given = arguments.parse_args()
    report(given.programs.split(","), given.evals, given.seeds)


if __name__ == "__main__":
    main()
