"""Optimum over best after 10, 20 and 40 evaluations of one recorded space, with another as the prior mean.

The source is given as it is, with its values shuffled, with their order inverted, and not at all.

    python tests/benchmarks/bench_transfer.py --seeds 3 SOURCE.json TARGET.json
"""

from __future__ import annotations

import argparse

import numpy as np

from tunepass.evaluators.recorded import RecordedSpace, read
from tunepass.space.configuration import Configuration
from tunepass.strategies.prior_mean import PriorMean
from tunepass.study.outcome import Measured, Outcome
from tunepass.study.study import Study

MARKS = (10, 20, 40)


def source_of(recorded: RecordedSpace, kind: str, seed: int) -> PriorMean | None:
    if kind == "none":
        return None
    objective = recorded.objectives[0]
    measured = {c: o.values[objective.name] for c, o in recorded.outcomes.items() if isinstance(o, Measured)}
    values = np.array(list(measured.values()))
    if kind == "shuffled":
        values = np.random.default_rng(seed).permutation(values)
    elif kind == "inverted":
        values = np.sort(values)[::-1][np.argsort(np.argsort(values))]
    return PriorMean.from_observations(list(measured), values.tolist())


def run(target: RecordedSpace, strategy: str, prior: PriorMean | None, seed: int) -> tuple[list[float], Study]:
    objective = target.objectives[0]
    study = Study(target.space, [objective], strategy=strategy, seed=seed, max_evals=MARKS[-1], prior_mean=prior)
    while suggested := study.suggest(1):
        study.observe(suggested[0], _outcome(target, suggested[0], objective.name))
    optimum, best = target.optimum(objective), study.best_so_far
    shares = [0.0 if value is None else min(value / optimum, optimum / value) for value in best]
    return [shares[min(mark, len(shares)) - 1] for mark in MARKS], study


def _outcome(target: RecordedSpace, configuration: Configuration, name: str) -> Outcome:
    """The recorded outcome, of the one objective."""
    outcome = target.outcome(configuration)
    return Measured({name: outcome.values[name]}) if isinstance(outcome, Measured) else outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--strategy", default="auto")
    options = parser.parse_args()
    source, target = read(options.source), read(options.target)
    print("| source |", " | ".join(f"at {mark}" for mark in MARKS), "| rank correlation | weight |")
    print("|---|" + "---|" * (len(MARKS) + 2))
    for kind in ("none", "as it is", "shuffled", "inverted"):
        runs = [run(target, options.strategy, source_of(source, kind, s), s) for s in range(options.seeds)]
        trusts = [study.trust for _, study in runs if study.trust is not None]
        correlation = f"{np.mean([t.rank_correlation for t in trusts]):.2f}" if trusts else "-"
        weights = [t.weight for t in trusts if t.weight is not None]
        cells = [f"{value:.3f}" for value in np.mean([shares for shares, _ in runs], axis=0)]
        print(
            f"| {kind} |", " | ".join(cells), f"| {correlation} | {np.mean(weights):.2f} |" if weights else "| - | - |"
        )


if __name__ == "__main__":
    main()
