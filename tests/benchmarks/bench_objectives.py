"""Four to six objectives: the share of the true front's hypervolume, `auto` beside Optuna, SMAC and BoTorch.

    make bench-objectives ARGS="--seeds 12 --first 100 --evals 60"

A peer that cannot be imported is left out, and named. SMAC, with two seconds a suggestion, and BoTorch, with many more,
run when --methods names them. Every run is kept under --keep by the digest of the code, or for a peer by its version,
so that a bench that was stopped goes on. Times are CPU time of the whole search over its evaluations. What the first
method is ahead by is in pairs: the same problem and seed. On problems with a star the settings of `auto` were chosen.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tests.benchmarks.search import panel_objectives
from tests.benchmarks.search.objective_peers import PEERS
from tests.benchmarks.search.objective_problems import MORE, ObjectiveProblem
from tests.benchmarks.search.runs import ROOT, code_version
from tests.benchmarks.search.tables import markdown
from tunepass.study.results.pareto import hypervolume
from tunepass.surrogates.base import Floats

OURS = ("auto", "random")
CHOSEN_ON = ("DTLZ2 of 4", "DTLZ2 moved of 4", "DTLZ2 of 6", "WFG4 of 4")  # with seeds 0 to 3


def main() -> int:
    options = _options()
    methods = [m for m in options.methods.split(",") if m in OURS or _installed(m)]
    problems = [p for p in MORE if not options.problems or p.name in options.problems.split(",")]
    seeds = range(options.first, options.first + options.seeds)
    for seed in seeds:  # by seeds first: a bench that is stopped has all problems
        for problem in problems:
            for method in methods:
                kept_run(options.keep, problem, method, seed, options.evals)
        print(f"seed {seed} done", file=sys.stderr, flush=True)
    print(table(options.keep, problems, methods, seeds, options.evals))
    return 0


def kept_run(keep: Path, problem: ObjectiveProblem, method: str, seed: int, evals: int) -> tuple[Floats, float]:
    """The losses (evaluations, objectives), and CPU seconds an evaluation."""
    made_by = code_version()[:20] if method in OURS else version(PEERS[method][0])
    path = keep / problem.name.replace(" ", "-") / f"{method}-{seed}-{evals}-{made_by}.json"
    if not path.exists():
        search = panel_objectives.ours if method in OURS else PEERS[method][1]
        start = time.process_time()
        losses = search(problem, method, seed, evals)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([losses, (time.process_time() - start) / evals]), encoding="utf-8")
    losses, seconds = json.loads(path.read_text(encoding="utf-8"))
    return np.array(losses), float(seconds)


def table(
    keep: Path, problems: Sequence[ObjectiveProblem], methods: Sequence[str], seeds: Sequence[int], evals: int
) -> str:
    """A row a problem and method: the shares at half of the evaluations and at all."""
    marks, rows = (evals // 2, evals), []
    for problem in problems:
        shares, seconds = {}, {}
        for method in methods:
            runs = [kept_run(keep, problem, method, seed, evals) for seed in seeds]
            shares[method] = np.array([[_share(problem, losses[:mark]) for mark in marks] for losses, _ in runs])
            seconds[method] = float(np.mean([each for _, each in runs]))
        first = shares[methods[0]]
        for method, values in shares.items():
            cells = [with_error(values[:, column]) for column in range(len(marks))]
            lead = "" if method == methods[0] else with_error(first[:, -1] - values[:, -1], signed=True)
            name = f"{problem.name}{' *' if problem.name in CHOSEN_ON else ''}"
            rows.append([name, method, *cells, lead, f"{1e3 * seconds[method]:.0f}"])
    headings = ["problem", "strategy", *(f"at {mark}" for mark in marks), f"{methods[0]} ahead", "CPU ms an evaluation"]
    return markdown(headings, rows)


def with_error(values: Floats, signed: bool = False) -> str:
    """The mean and its standard error."""
    mean = f"{values.mean():{'+' if signed else ''}.3f}"
    return f"{mean} ± {values.std() / np.sqrt(len(values) - 1):.3f}" if len(values) > 1 else mean


def _share(problem: ObjectiveProblem, losses: Floats) -> float:
    corner, volume = problem.corner
    return hypervolume(losses, corner) / volume


def _installed(method: str) -> bool:
    module = PEERS[method][0]
    if find_spec(module) is None:
        print(f"{method} left out: {module} is not installed", file=sys.stderr)
        return False
    return True


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--first", type=int, default=100, help="the first seed; settings were chosen with 0 to 3")
    parser.add_argument("--evals", type=int, default=60)
    parser.add_argument("--problems", default="", help="names, comma-separated; all")
    parser.add_argument(
        "--methods", default="auto,TPE,NSGA-III,random", help="names, comma-separated; also NSGA-II, SMAC and BoTorch"
    )
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "bench-objectives")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
