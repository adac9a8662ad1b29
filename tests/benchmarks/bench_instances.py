"""Races over instances beside evaluations on all of them, at equal numbers of runs, on problems drawn afresh.

    python -m tests.benchmarks.bench_instances [--problems N] [--first SEED]

Each problem has 4 to 30 instances with scales and optima of their own. Printed is the logarithm of the ratio of the
true values of the two best configurations, mean and standard error over the problems, paired.
"""

from __future__ import annotations

import argparse

import numpy as np

import tunepass as tp
from tunepass.study.optimize.running_trial import RunningTrial

ACROSS = {"mean": np.mean, "worst": np.max, "geometric mean": lambda values: np.exp(np.mean(np.log(values)))}
SPACE = tp.Space([*(tp.Real(name, 0, 1) for name in "xyz"), tp.Integer("k", 1, 8)])
RUNS = 15  # an instance


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problems", type=int, default=24)
    parser.add_argument(
        "--first", type=int, default=1000, help="the first problem's seed; settings were chosen on 0 to 11"
    )
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.problems)
    print(f"tunepass, {options.problems} problems from seed {options.first}, {RUNS} runs an instance")
    for across in ACROSS:
        ratios = np.array([np.log(best(s, across, 0.95) / best(s, across, None)) for s in seeds])
        error = ratios.std(ddof=1) / len(ratios) ** 0.5
        print(
            f"  {across:15} {ratios.mean():+.3f} +- {error:.3f}: {1 - np.exp(ratios.mean()):.1%} shorter with races",
            flush=True,
        )


def best(seed: int, across: str, confidence: float | None) -> float:
    """The true value of the best configuration of a study, which ends after RUNS runs an instance."""
    rng = np.random.default_rng([7, seed])
    n = int(rng.choice([4, 8, 16, 30]))
    spread, distance, noise = rng.choice([0, 0.5, 1.5]), rng.choice([0.03, 0.1, 0.3]), rng.choice([0, 0.03, 0.1])
    scale, optima = np.exp(rng.normal(0, spread, n)), rng.uniform(0.2, 0.8, 3) + rng.normal(0, distance, (n, 3))
    errors, runs = np.random.default_rng([8, seed]), 0

    def value(c: tp.Configuration, i: int) -> float:
        squares = sum((float(c[name]) - optimum) ** 2 for name, optimum in zip("xyz", optima[i]))
        return float(scale[i] * (1 + 4 * squares + 0.1 * abs(float(c["k"]) - 5)))

    def run(trial: RunningTrial) -> float:
        nonlocal runs
        runs += 1
        return value(trial, int(trial.instance or 0)) * float(np.exp(noise * errors.normal()))

    def stop(study: tp.Study, _: tp.Trial) -> None:
        if runs >= RUNS * n:
            study.stop()

    instances = tp.Instances(range(n), across=across, confidence=confidence)
    study = tp.Study(SPACE, [tp.Objective("time")], seed=seed, instances=instances)
    study.optimize(run, n_trials=RUNS * n, callbacks=[stop])
    assert study.best is not None
    return float(ACROSS[across]([value(study.best.configuration, i) for i in range(n)]))


if __name__ == "__main__":
    main()
