"""The paper's hypervolume indicator (§IV-E): the area between a front and the true one, after dividing both objectives
by their standard deviations.

As the released `plot_hvi` computes it, deviations and the reference point (the largest value of each objective) are of
all samples that fit, of all experiments on the program together: HyperMapper's and the baseline's, the paper's two.
The true front is the exact one in place of the best of all experiments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.paper.problems import Floats
from tests.benchmarks.paper.runs import Run
from tunepass.study.results.pareto import hypervolume, nondominated

CONFIDENCE_80 = 1.2816  # of a normal


@dataclass(frozen=True)
class Indicator:
    deviations: Floats  # (2,)
    reference: Floats  # (2,), in deviations
    volume: float  # of the exact front

    @classmethod
    def of(cls, front: Floats, runs: Sequence[Run]) -> Indicator:
        data = np.concatenate([run.feasible() for run in runs])
        deviations = np.asarray(data.std(axis=0))
        reference = np.maximum(data.max(axis=0), front.max(axis=0)) / deviations
        return cls(deviations, reference, hypervolume(front / deviations, reference.tolist()))

    def at(self, losses: Floats) -> float:
        """Of what fits (n, 2)."""
        if not len(losses):
            return self.volume
        return max(0.0, self.volume - hypervolume(losses / self.deviations, self.reference.tolist()))

    def curve(self, run: Run, counts: Sequence[int]) -> Floats:
        """After each of the counts of evaluations, ascending; only what no earlier sample dominates is carried on."""
        front, last, values = np.empty((0, 2)), 0, list[float]()
        for count in counts:
            fresh = run.losses[last:count][run.fits[last:count]]
            front, last = np.concatenate([front, fresh]), count
            front = front[nondominated(front)] if len(front) else front
            values.append(self.at(front))
        return np.array(values)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half the 80 % confidence interval."""
    half = CONFIDENCE_80 * np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(np.mean(values)), float(half)
