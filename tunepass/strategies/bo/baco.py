"""The strategy `baco`: BaCO as it is published, as settings of the Bayesian loop.

A Gaussian process with Spearman distances between permutations, log-scaled inputs and output, gamma priors on the
lengthscales (§3.2, §4.1); noise-free EI times the forest's probability of feasibility above a random limit (§3.3,
§4.2); multi-start local search; a uniform random warm-up. The kernel has the factor 1/3 that Eq. 1 as printed lacks.
"""

from __future__ import annotations

from tunepass.strategies.base import Task
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.design import DesignSettings

SETTINGS = BayesianSettings(surrogate="gp", permutation="spearman", design=DesignSettings(kind="random"))


def baco(task: Task) -> Bayesian:
    return Bayesian(task, SETTINGS)
