"""The winner's contract as statistics: the default stays unless a finalist is better by more than the noise.

The default and the finalists were measured again in turns; round r gave every one of them a value, and a drift of the
machine within the rounds cancels in the gains.

| symbol  | meaning                                                                          |
|---------|----------------------------------------------------------------------------------|
| n, k    | rounds; finalists                                                                |
| d_r     | log of the gain over the default in round r                                      |
| g       | values trimmed at either end, one in six                                         |
| m       | mean of d without the g least and g greatest                                     |
| s       | standard deviation of d with those replaced by their nearest neighbours (winsor) |
| alpha   | probability that a build keeps anything but the default when all are equal       |

m sqrt(h (h - 1)) / (s sqrt(n - 1)), h = n - 2 g, follows Student's t with h - 1 degrees of freedom (Yuen 1974, "The
two-sample trimmed t for unequal population variances", Biometrika 61, in its paired form). A finalist is better if its
interval at 1 - alpha / k lies above 1 + LEAST_GAIN: what a busy machine or the placement of code does by itself. Of the
better ones that the best does not beat in the same sense, nor by more than TIE in the mean, the closest to the default
wins: where noise hides what is worse, the choice gives away no more than that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from tunepass.study.objective import Objective

BEHIND = 0.01  # probability, in each round, that a finalist as good as the best is left out of further ones
ALPHA = 0.001  # twenty builds of a kernel that nothing changes keep the default twenty times (probability 0.97)
LEAST_GAIN = 0.01
TIE = 0.02
FEWEST_ROUNDS = 3
SHOWN = 0.95  # confidence of the interval that is reported

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Finalist:
    """`values` by round, in the objective's unit; `distance` from the default, in any ordered measure."""

    values: Sequence[float]
    distance: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`chosen` is the finalist's index; None keeps the default. The gain over the default with its 95 % interval
    (of the chosen; of the best finalist where the default was kept; 1 where there was none)."""

    chosen: int | None
    gain: float
    interval: tuple[float, float]

    @property
    def kept_default(self) -> bool:
        return self.chosen is None


def decide_winner(
    objective: Objective, default: Sequence[float], finalists: Sequence[Finalist], *, alpha: float = ALPHA
) -> Decision:
    """Finalists with fewer rounds than the default (they failed meanwhile) or fewer than FEWEST_ROUNDS cannot win."""
    able = [i for i, f in enumerate(finalists) if len(f.values) == len(default) >= FEWEST_ROUNDS]
    logs = {i: log_gains(objective, default, finalists[i].values) for i in able}
    if not logs:
        return Decision(chosen=None, gain=1.0, interval=(1.0, 1.0))
    level = alpha / len(finalists)
    best = max(logs, key=lambda i: trimmed_mean(logs[i]))
    better = [i for i in logs if _significant(logs[i], level)]
    if best not in better:
        return _decision(None, logs[best])
    ties = [
        i
        for i in better
        if i == best or _tied(log_gains(objective, finalists[i].values, finalists[best].values), level)
    ]
    chosen = min(ties, key=lambda i: (finalists[i].distance, i))
    return _decision(chosen, logs[chosen])


def behind(objective: Objective, values: Sequence[Sequence[float]]) -> list[int]:
    """Who of `values` by round, the default's first, is surely worse than the best, and need not be measured on. Who
    has fewer rounds than the default is out already."""
    default, rounds = values[0], len(values[0])
    running = [i for i, each in enumerate(values) if i > 0 and len(each) == rounds]
    if rounds < FEWEST_ROUNDS or not running:
        return []
    best = max(running, key=lambda i: trimmed_mean(log_gains(objective, default, values[i])))
    return [i for i in running if i != best and interval(log_gains(objective, values[i], values[best]), BEHIND)[0] > 1]


def log_gains(objective: Objective, old: Sequence[float], new: Sequence[float]) -> Floats:
    """d (n,). Values of an objective are positive; a zero counts as an endless gain or loss, cut to 1e6."""
    gains = np.array([objective.gain(a, b) for a, b in zip(old, new, strict=True)])
    return np.asarray(np.log(np.clip(gains, 1e-6, 1e6)))


def trimmed_mean(logs: Floats) -> float:
    return float(np.sort(logs)[_trim(logs.size) : logs.size - _trim(logs.size)].mean())


def interval(logs: Floats, tail: float) -> tuple[float, float]:
    """The interval of the gain that leaves probability `tail` on either side."""
    n, g = logs.size, _trim(logs.size)
    h = n - 2 * g
    ordered = np.sort(logs)
    ordered[:g], ordered[n - g :] = ordered[g], ordered[n - g - 1]  # winsorised
    error = float(ordered.std(ddof=1)) * math.sqrt((n - 1) / (h * (h - 1)))
    reach = float(stdtrit(h - 1, 1 - tail)) * error
    middle = trimmed_mean(logs)
    return math.exp(max(middle - reach, -14.0)), math.exp(min(middle + reach, 14.0))


def _trim(n: int) -> int:
    return n // 6


def _significant(logs: Floats, tail: float) -> bool:
    return interval(logs, tail)[0] > 1 + LEAST_GAIN


def _tied(lost: Floats, tail: float) -> bool:
    """Are the gains of the best over another small, or noise?"""
    return not _significant(lost, tail) and trimmed_mean(lost) <= math.log1p(TIE)


def _decision(chosen: int | None, logs: Floats) -> Decision:
    return Decision(chosen=chosen, gain=math.exp(trimmed_mean(logs)), interval=interval(logs, (1 - SHOWN) / 2))
