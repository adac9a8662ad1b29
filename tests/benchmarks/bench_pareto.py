"""Share of the true front's hypervolume after 20, 50, 100, ... evaluations of recorded spaces, median and worst seed.

python tests/benchmarks/bench_pareto.py --evals 100 --seeds 3 --objectives runtime,logic spector/fir.json ...
"""

from __future__ import annotations

import argparse

import numpy as np

from tunepass.evaluators.replay import replay

MARKS = (20, 50, 100, 200, 300, 500)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("spaces", nargs="+", metavar="SPACE.json")
    parser.add_argument("--evals", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--objectives", default="")
    parser.add_argument("--strategies", default="random,hypermapper,auto")
    options = parser.parse_args()
    marks = [mark for mark in MARKS if mark <= options.evals]
    print("| space | strategy |", " | ".join(f"at {mark}" for mark in marks), "| failed | ms a suggestion |")
    print("|---|---|" + "---|" * (len(marks) + 2))
    for space in options.spaces:
        for strategy in options.strategies.split(","):
            objectives = [name for name in options.objectives.split(",") if name]
            report = replay(space, strategy, options.evals, range(options.seeds), objectives=objectives)
            shares = np.array([[run.best_so_far[mark - 1] or 0.0 for mark in marks] for run in report.runs])
            cells = [f"{np.median(column):.4f} ({column.min():.4f})" for column in shares.T]
            failed = np.mean([sum(run.failures.values()) for run in report.runs])
            spent = 1e3 * np.median(np.concatenate([run.strategy_s for run in report.runs]))
            print(f"| {report.name} | {strategy} |", " | ".join(cells), f"| {failed:.0f} | {spent:.0f} |", flush=True)


if __name__ == "__main__":
    main()
