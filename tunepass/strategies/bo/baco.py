"""The strategy `baco`: BaCO as settings of the Bayesian loop, `BayesianSettings.baco_published`, but for one switch.

As published, a measurement that is luckier than a process that expects noise believes is what nothing is predicted to
improve on, and a search of reals stalls there: on Levy's function of six reals nothing got better from 35 evaluations
to 100. Here an expected improvement is over the best that is predicted of what was measured.
"""

from __future__ import annotations

from dataclasses import replace

from tunepass.strategies.base import Task
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings

SETTINGS = replace(BayesianSettings.baco_published(), incumbent="predicted")


def baco(task: Task) -> Bayesian:
    return Bayesian(task, SETTINGS)
