"""What can be known after some noisy evaluations of drawn flags, by exact inference that is told more than any search.

    symbol    meaning
    z         (r,) of a configuration: 1, the flags, and the products of those pairs that are known to interact
    beta      (r,) effects: normal, independent, their variances told
    P, q      precision (r, r) and precision times mean (r,) of beta given the evaluations
    s         deviation of one evaluation's logarithm, told

"All" is told which flags matter, which interact, and the mean square of either's effects; "single effects" is told the
mean square over all flags, and takes interactions for more noise. Evaluations are uniform draws, or the least of a draw
of beta (Thompson sampling). What is judged is the true time of the least posterior mean over all configurations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.search.drawn import KINDS, SMALL, DrawnProblem
from tests.benchmarks.search.tables import markdown

Floats = NDArray[np.float64]
KINDS_OF_FLAGS = ("60 flags, a quarter matter", "30 to 400 flags")
NOISE = 0.15
STARTS = 20  # of a climb to the least posterior mean; a quarter as many to that of a draw
CEILING_KEY = 0x636569


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What is told beforehand: the pairs (k, 2) that may interact, variances (r,) of beta, and the noise's s^2."""

    pairs: NDArray[np.int64]
    variances: Floats
    noise: float

    @staticmethod
    def everything(problem: DrawnProblem, noise: float = NOISE) -> Told:
        main, joint = problem.main, problem.joint
        matters = np.abs(main) > 5 * SMALL
        single = np.where(matters, _mean_square(main[matters]), SMALL**2)
        return Told(problem.pairs, np.concatenate([[1.0], single, np.full(len(joint), _mean_square(joint))]), noise**2)

    @staticmethod
    def single_effects(problem: DrawnProblem, noise: float = NOISE) -> Told:
        main, joint = problem.main, problem.joint
        unexplained = 3 / 16 * float(joint @ joint)  # the variance of products of two flags that are on by chance
        single = np.full(len(main), _mean_square(main))
        return Told(problem.pairs[:0], np.concatenate([[1.0], single]), noise**2 + unexplained)

    def rows(self, x: Floats) -> Floats:
        """z (n, r) of flags (n, d)."""
        return np.hstack([np.ones((len(x), 1)), x, x[:, self.pairs[:, 0]] * x[:, self.pairs[:, 1]]])

    def least(self, beta: Floats, starts: Floats) -> Floats:
        """Flags (d,) of the least z @ beta that changes of single flags reach from `starts` (n, d)."""
        d = starts.shape[1]
        joint = np.zeros((d, d))
        np.add.at(joint, (self.pairs[:, 0], self.pairs[:, 1]), beta[1 + d :])
        joint += joint.T
        reached = []
        for start in starts:
            x = start.copy()
            slope = beta[1 : 1 + d] + joint @ x
            while (change := (1 - 2 * x) * slope).min() < -1e-12:
                flag = int(change.argmin())
                slope += (1 - 2 * x[flag]) * joint[:, flag]
                x[flag] = 1 - x[flag]
            reached.append(x)
        return np.asarray(reached[int((self.rows(np.array(reached)) @ beta).argmin())])


def _mean_square(effects: Floats) -> float:
    return float(np.mean(effects**2)) if len(effects) else SMALL**2


def chosen_share(
    problem: DrawnProblem, told: Told, evals: int, rng: np.random.Generator, *, thompson: bool, noise: float = NOISE
) -> float:
    """Optimum over the time of the configuration chosen after so many evaluations, the default's being the first."""
    d = len(problem.main)
    precision, weighted = np.diag(1 / told.variances), np.zeros(len(told.variances))
    everything = Told.everything(problem)
    effects = np.concatenate([[0.0], problem.main, problem.joint])

    def starts(count: int) -> Floats:
        return np.vstack([np.zeros(d), rng.integers(0, 2, (count, d))])

    x = np.zeros(d)
    for _ in range(evals):
        z = told.rows(x[None])[0]
        log_time = float(everything.rows(x[None])[0] @ effects) + noise * rng.normal()
        precision += np.outer(z, z) / told.noise
        weighted += z * log_time / told.noise
        if thompson:
            upper = np.linalg.cholesky(precision).T
            drawn = np.linalg.solve(precision, weighted) + np.linalg.solve(upper, rng.normal(size=len(z)))
            x = told.least(drawn, starts(STARTS // 4))
        else:
            x = starts(1)[1]
    chosen = told.least(np.linalg.solve(precision, weighted), starts(STARTS))
    return float(np.exp(problem.best - everything.rows(chosen[None])[0] @ effects))


def table(seeds: Sequence[int], evals: int) -> str:
    """Means over seeds, a problem each, ± standard errors."""
    rows = []
    for kind in KINDS_OF_FLAGS:
        problems = [KINDS[kind](seed) for seed in seeds]
        default = np.mean([problem.optimum / problem.default for problem in problems])
        for name, tell in (("all", Told.everything), ("single effects", Told.single_effects)):
            row = [kind, name]
            for thompson in (False, True):
                shares = np.array([
                    chosen_share(p, tell(p), evals, np.random.default_rng([CEILING_KEY, s]), thompson=thompson)
                    for s, p in zip(seeds, problems)
                ])  # fmt: skip
                row.append(f"{shares.mean():.3f} ± {shares.std(ddof=1) / np.sqrt(len(shares)):.3f}")
            rows.append([*row, f"{default:.3f}"])
    return markdown(["kind", "told", "uniform draws", "Thompson sampling", "default"], rows)
