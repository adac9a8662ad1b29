"""How much better one is than another, looked at again and again while rounds are measured.

Two configurations are measured in turns. If they are equally good, whatever the noise is like, the log of the gain in
a round is as likely to be x as -x: its distribution is symmetric, however skewed the times themselves are.

| symbol  | meaning                                                                          |
|---------|----------------------------------------------------------------------------------|
| n       | rounds                                                                           |
| d       | logs of the gain, by round (n,)                                                  |
| g       | values trimmed at either end, one in six                                         |
| m       | mean of d without the g least and g greatest                                     |
| s       | standard deviation of d with those replaced by their nearest neighbours (winsor) |
| r       | autocorrelation of the winsorised d from one round to the next                   |
| tail    | probability that the truth is ever outside of a bound, on either side            |

m sqrt(h (h - 1)) / (s sqrt(n - 1)), h = n - 2 g, follows Student's t with h - 1 degrees of freedom (Yuen 1974, "The
two-sample trimmed t for unequal population variances", Biometrika 61, in its paired form). What lasts longer than a
round makes the mean of n dependent values vary as that of n / (1 + 2 r) independent ones does (Bayley and Hammersley
1946, "The 'effective' number of independent observations in an autocorrelated time series", JRSS Supplement 8, with
the first term of the sum); s grows by the root of that where r > 0.

Where all of FIRST_CLIPPED rounds or more say the same of who is faster, a round that says so far more strongly than the
others (a process that was slow as a whole) takes nothing from that: d is cut to CLIPPED robust standard deviations from
its median (1.4826 times the median absolute deviation: Hampel 1974, "The influence curve and its role in robust
estimation", JASA 69). Of n rounds of equally good ones all agree once in 2^(n - 1) times.

Who looks several times is wrong more often (Armitage, McPherson and Rowe 1969, "Repeated significance tests on
accumulating data", JRSS A 132). So the tail is spent bit by bit (Lan and DeMets 1983, "Discrete sequential boundaries
for clinical trials", Biometrika 70): each of the INTERIM_ROUNDS has the same part of it, and the rest is for the last
round, which the clock decides and not the values. By Bonferroni's inequality the bounds then hold at all interim
analyses together, however their errors are correlated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from tunepass.study.objective import Objective

INTERIM_ROUNDS = (6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 80, 100)  # of the interim analyses; each a quarter more
MOST_ROUNDS = INTERIM_ROUNDS[-1]
FEWEST_ROUNDS = 4  # that say anything at all, where there is no time for more
LAST = 0.4  # of the tail, for the last round
FIRST_TRIMMED = 8  # rounds: of fewer, one trimmed away at either end leaves too little to see two kinds of rounds
FIRST_CLIPPED = 8  # rounds that agree by chance once in 128 times
CLIPPED = 3.0
MOST_FORECAST = 1000  # rounds
_FORECAST = np.unique(np.geomspace(1, MOST_FORECAST, 80).astype(np.int64))  # a tenth more each time: it is a forecast

Floats = NDArray[np.float64]


def log_gains(objective: Objective, old: Sequence[float], new: Sequence[float]) -> Floats:
    """d (n,), clipped. Values of an objective are positive; a zero counts as an endless gain or loss, cut to 1e6."""
    gains = np.array([objective.gain(a, b) for a, b in zip(old, new, strict=True)])
    return clipped(np.log(np.clip(gains, 1e-6, 1e6)))


def clipped(logs: Floats) -> Floats:
    """`logs` (n,) without what is far from the others, where enough rounds all have the same sign."""
    if logs.size < FIRST_CLIPPED or not ((logs > 0).all() or (logs < 0).all()):
        return logs
    middle = float(np.median(logs))
    reach = CLIPPED * 1.4826 * float(np.median(np.abs(logs - middle)))
    return np.clip(logs, middle - reach, middle + reach)


def trimmed_mean(logs: Floats) -> float:
    """m."""
    g = _trim(logs.size)
    return float(np.sort(logs)[g : logs.size - g].mean())


def midmean(logs: Floats) -> float:
    """The mean of the middle half: by which finalists are put in order, so that a few disturbed rounds do not."""
    g = logs.size // 4
    return float(np.sort(logs)[g : logs.size - g].mean())


def interval(logs: Floats, tail: float) -> tuple[float, float]:
    """The interval of the gain after n rounds that were fixed beforehand, with `tail` on either side."""
    middle, reach = trimmed_mean(logs), float(_reach(logs, tail, np.array([logs.size]))[0])
    return math.exp(max(middle - reach, -14.0)), math.exp(min(middle + reach, 14.0))


def interim_interval(logs: Floats, tail: float) -> tuple[float, float]:
    """Interval of the gain at one of the INTERIM_ROUNDS: all together leave less than `tail` on either side."""
    return interval(logs, tail * (1 - LAST) / len(INTERIM_ROUNDS))


def at_end(logs: Floats, tail: float) -> tuple[float, float]:
    """The interval of the gain after the last round, whenever that was: it leaves the rest of `tail`."""
    return interval(logs, tail * LAST)


def rounds_to_exclude(logs: Floats, tail: float, bound: float) -> int | None:
    """About how many more rounds like these it would take until an interval at a look excludes a gain of `bound`; None
    where those are more than MOST_FORECAST."""
    distance = abs(trimmed_mean(logs) - math.log(bound))
    excludes = _reach(logs, tail * (1 - LAST) / len(INTERIM_ROUNDS), logs.size + _FORECAST) < distance
    return int(_FORECAST[np.argmax(excludes)]) if excludes.any() else None


def _trim(n: int) -> int:
    return n // 6 if n >= FIRST_TRIMMED else 0


def _reach(logs: Floats, tail: float, rounds: NDArray[np.int64]) -> Floats:
    """Half the widths of the intervals of the log of the gain after so many `rounds` that vary as `logs` do."""
    h = rounds - 2 * np.where(rounds >= FIRST_TRIMMED, rounds // 6, 0)
    error = _deviation(logs) * np.sqrt((rounds - 1) / (h * (h - 1)))
    return np.asarray(stdtrit(h - 1, 1 - tail) * error)


def _deviation(logs: Floats) -> float:
    """s sqrt(1 + 2 r)."""
    g = _trim(logs.size)
    ordered = np.sort(logs)
    winsorised = np.clip(logs, ordered[g], ordered[logs.size - 1 - g])
    centred = winsorised - winsorised.mean()
    square = float(centred @ centred)
    follows = float(centred[1:] @ centred[:-1]) / square if square > 0 else 0.0
    return math.sqrt(square / (logs.size - 1) * (1 + 2 * max(0.0, follows)))
