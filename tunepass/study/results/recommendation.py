"""Recommendation of a trial under noise, and trials to measure again, from beliefs about each trial.

symbol   meaning
m, t2    believed mean and variance of a trial's true loss (n,), on the scale of the surrogates
v        variance of one more measurement
s        deviation of what one more measurement moves the believed mean by: t2 / sqrt(t2 + v)
d        how far m is behind the best of the others (of the best: ahead of the second)
KG       s h(-d / s),  h(z) = phi(z) + z Phi(z): what one more measurement of the trial is expected to improve the
         recommended trial by          (knowledge gradient, Frazier, Powell & Dayanik 2008, independent beliefs)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.results.distance import distance_from_default
from tunepass.study.trial import Trial

Floats = NDArray[np.float64]
PROBE = 12  # trials after which the best is measured again where there is no budget
LEAST_PROBED = 80  # evaluations of a study that spends one, unasked, on whether measurements differ
LAST = 0.2  # of the budget, at most, goes to the trials that may be the best
REPEATS = 4  # measurements again that say how large the noise is; with fewer the search does not go on
LEAST_GAIN = 0.001  # KG on the log scale that is worth an evaluation; off it, of the deviation of the losses
TAIL = 1.96  # deviations on either side of an interval that holds 95 %


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Beliefs:
    """Beliefs about the measured trials, in order. `sign` is 0 on the scale of the losses; on a log scale it is 1
    for positive losses, -1 for negative ones. `single` is the variance of one more measurement on that scale; None if
    no trial states it."""

    mean: Floats
    variance: Floats
    single: float | None
    sign: int

    @staticmethod
    def of_losses(losses: Sequence[float]) -> Beliefs:
        """Each is believed as it is."""
        return Beliefs(mean=np.array(losses, np.float64), variance=np.zeros(len(losses)), single=None, sign=0)

    def of(self, rows: Sequence[int]) -> Beliefs:
        """Beliefs about some of the trials."""
        return replace(self, mean=self.mean[rows], variance=self.variance[rows])

    def times(self, unit: float) -> Beliefs:
        """The same of losses that are `unit` times as large."""
        if unit == 1.0:
            return self
        if self.sign:
            return replace(self, mean=self.mean + self.sign * math.log(unit))
        with np.errstate(over="ignore"):  # of the largest losses the square is infinite
            single = None if self.single is None else float(np.float64(self.single) * unit * unit)
            return replace(self, mean=self.mean * unit, variance=self.variance * unit * unit, single=single)

    def loss(self, scaled: float) -> float:
        return self.sign * math.exp(self.sign * scaled) if self.sign else scaled


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The trial that is expected to be best, in spite of noise.

    Args:
        trial: the trial.
        value: its expected value, in the objective's unit; the measured one where the noise is unknown.
        interval: the interval that contains the true value with 95 %.

    Example:
        >>> study = tp.Study(space, [tp.Objective("time")])
        >>> trial = study.observe(space.default, tp.Measured({"time": 3.5}))
        >>> study.recommended.value
        3.5
    """

    trial: Trial
    value: float
    interval: tuple[float, float]


def recommend(space: Space, objective: Objective, measured: Sequence[Trial], beliefs: Beliefs) -> Recommendation:
    """The trial of the least believed loss; of equals the one closest to the default, then the earliest."""
    equal: list[int] = np.flatnonzero(beliefs.mean == beliefs.mean.min()).tolist()
    index = int(min(equal, key=lambda i: (distance_from_default(space, measured[i].configuration), measured[i].number)))
    mean, reach = float(beliefs.mean[index]), TAIL * math.sqrt(float(beliefs.variance[index]))
    ends = sorted(objective.value(beliefs.loss(mean + side)) for side in (-reach, reach))
    return Recommendation(trial=measured[index], value=objective.value(beliefs.loss(mean)), interval=(ends[0], ends[1]))


def gain_of_measuring_again(beliefs: Beliefs) -> Floats:
    """KG (n,)."""
    mean, variance, single = beliefs.mean, beliefs.variance, beliefs.single or 0.0
    moved = variance / np.sqrt(np.maximum(variance + single, 1e-300))
    order = np.argsort(mean, kind="stable")
    rival = np.full(len(mean), mean[order[0]])
    rival[order[0]] = mean[order[1]] if len(mean) > 1 else math.inf
    z = -np.abs(mean - rival) / np.maximum(moved, 1e-12)
    density = np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    below = 0.5 * np.array([math.erfc(-value / math.sqrt(2)) for value in z])
    return np.asarray(moved * np.maximum(density + z * below, 0.0))


def is_late(spent: int, most: int | None) -> bool:
    """Is it time to measure configurations again?"""
    return spent >= (PROBE if most is None else (1 - LAST) * most)


def worth_measuring_again(
    measured: Sequence[Trial], beliefs: Beliefs, spent: int, most: int | None, n: int
) -> list[Configuration]:
    """At most `n` of the measured trials' configurations, in a study that `spent` so much of the budget `most`.

    The last of the budget goes to the trials of the largest KG, the first of it to the best one where no trial says yet
    what the noise is, as long as KG is worth an evaluation. Without a budget the best one is measured twice before the
    search goes on. Where repeats never differ nothing is measured again.
    """
    if beliefs.single == 0 or not is_late(spent, most):
        return []
    if beliefs.single is not None and most is not None:
        gain = gain_of_measuring_again(beliefs)
        unit = 1.0 if beliefs.sign else float(beliefs.mean.std())
        worth = LEAST_GAIN * unit if sum(t.measured_again for t in measured) >= REPEATS else 0.0
        order = np.argsort(-gain, kind="stable")[:n]
        return [measured[i].configuration for i in order if gain[i] >= worth]
    best = measured[int(np.argmin(beliefs.mean))]
    return [] if best.measured_again else [best.configuration]
