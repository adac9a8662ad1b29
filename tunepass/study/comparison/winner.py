"""The winner's contract as statistics: the default stays unless a finalist is better by more than the noise.

The default and the k finalists are measured again in turns; round r gives each of them a value, and a drift of the
machine within the rounds cancels in the gains. A finalist is better if its interval at ALPHA / k lies above 1 +
LEAST_GAIN (what a busy machine or the placement of code does by itself), at any of the looks that the rounds allow:
tunepass.study.comparison.sequential. So nothing but the default is kept with probability ALPHA at most when all are
equal. Of the better ones that the best does not beat in the same sense, nor by more than TIE in the mean, the closest
to the default wins: where noise hides what is worse, the choice gives away no more than that.

Rounds go where they decide. At a look, who is surely worse than the best makes no more of them; from HALVING rounds on,
while the best is not known to beat the default, only the better half goes on (sequential halving: Karnin, Koren and
Somekh 2013, "Almost optimal exploration in multi-armed bandits", ICML), down to the best one and the default.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.study.comparison.sequential import (
    FEWEST_ROUNDS,
    INTERIM_ROUNDS,
    Floats,
    at_end,
    interim_interval,
    interval,
    log_gains,
    midmean,
    rounds_to_exclude,
    trimmed_mean,
)
from tunepass.study.objective import Objective

ALPHA = 0.005  # of two hundred builds of a kernel that nothing changes, one is expected to choose something else
BEHIND = 0.01  # probability, at each look, that a finalist as good as the best is left out of further rounds
LEAST_GAIN = 0.01
TIE = 0.02
HALVING = 10  # rounds
ENOUGH_ROUNDS = (
    16  # to tell the finalists from one another, and for the gain that is reported, once the default is beaten
)
PRECISE = 0.01  # half the width of the interval of a gain that needs no more rounds
REPORTED_CONFIDENCE = 0.95  # of the interval of a gain


@dataclass(frozen=True, slots=True)
class Finalist:
    """`values` by round, in the objective's unit; `distance` from the default, in any ordered measure."""

    values: Sequence[float]
    distance: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`chosen` is the finalist's index; None keeps the default. `best` is the best finalist's index, None where none
    made enough rounds. The gain over the default with its interval is the chosen one's; of the best where the default
    was kept; 1 where there was none. `more_rounds` would decide whether the best is better than the default; 0 where
    that is known, None where they are too many to say."""

    chosen: int | None
    best: int | None = None
    gain: float = 1.0
    interval: tuple[float, float] = (1.0, 1.0)
    more_rounds: int | None = 0

    @property
    def kept_default(self) -> bool:
        return self.chosen is None


def decide_winner(
    objective: Objective, default: Sequence[float], finalists: Sequence[Finalist], *, alpha: float = ALPHA
) -> Decision:
    """After the last round. Finalists with fewer rounds than the default (they failed meanwhile, or fell behind) or
    fewer than FEWEST_ROUNDS cannot win."""
    logs = _gains_by_index(objective, default, [f.values for f in finalists])
    if not logs:
        return Decision(chosen=None)
    tail = alpha / len(finalists)
    best = _best(logs)
    better = [i for i in logs if at_end(logs[i], tail)[0] > 1 + LEAST_GAIN]
    if best not in better:
        return _decision(logs, None, best, tail)
    ties = [
        i for i in better if i == best or _tied(log_gains(objective, finalists[i].values, finalists[best].values), tail)
    ]
    return _decision(logs, min(ties, key=lambda i: (finalists[i].distance, i)), best, tail)


def unneeded(
    objective: Objective, values: Sequence[Sequence[float]], *, alpha: float = ALPHA, spared: int | None = None
) -> list[int]:
    """Indices of `values`, by round and the default's first, whose further rounds decide nothing; all when the decision
    is made. Finalists with fewer rounds than the default have left already. `spared` leaves only once it is worse than
    the best for sure."""
    rounds = len(values[0])
    running = _gains_by_index(objective, values[0], values[1:]) if rounds in INTERIM_ROUNDS else {}
    if not running:
        return []
    tail, best = alpha / (len(values) - 1), _best(running)
    lost = [i for i in running if i != best and _is_behind(objective, values, i, best)]
    left = [i for i in running if i not in lost]
    if interim_interval(running[best], tail)[0] > 1 + LEAST_GAIN:
        lo, hi = at_end(running[best], (1 - REPORTED_CONFIDENCE) / 2)
        known = len(left) == 1 and hi / lo <= (1 + PRECISE) ** 2
        over = known or rounds >= ENOUGH_ROUNDS
    else:
        over = all(interim_interval(running[i], (1 - REPORTED_CONFIDENCE) / 2)[1] < 1 + LEAST_GAIN for i in left)
        if rounds >= HALVING:
            in_order = sorted(left, key=lambda i: -midmean(running[i]))
            lost += [i for i in in_order[(len(left) + 1) // 2 :] if i + 1 != spared]
    return list(range(len(values))) if over else [i + 1 for i in lost]


def ranked(objective: Objective, values: Sequence[Sequence[float]], running: Sequence[int]) -> list[int]:
    """The `running` indices of `values` by round, the best first."""
    return sorted(running, key=lambda i: -midmean(log_gains(objective, values[0], values[i])))


def reported_gain(
    objective: Objective, default: Sequence[float], values: Sequence[float]
) -> tuple[float, tuple[float, float]] | None:
    """The gain in the rounds of `values`, the first ones of the default's, with the interval that is reported; None
    where they are too few."""
    logs = _gains_by_index(objective, default[: len(values)], [values])
    return (math.exp(trimmed_mean(logs[0])), at_end(logs[0], (1 - REPORTED_CONFIDENCE) / 2)) if logs else None


def _gains_by_index(
    objective: Objective, default: Sequence[float], values: Sequence[Sequence[float]]
) -> Mapping[int, Floats]:
    """The gains of those who made all rounds."""
    able = [i for i, each in enumerate(values) if len(each) == len(default) >= FEWEST_ROUNDS]
    return {i: log_gains(objective, default, values[i]) for i in able}


def _best(logs: Mapping[int, Floats]) -> int:
    return max(logs, key=lambda i: midmean(logs[i]))


def _is_behind(objective: Objective, values: Sequence[Sequence[float]], index: int, best: int) -> bool:
    return interval(log_gains(objective, values[index + 1], values[best + 1]), BEHIND)[0] > 1


def _tied(lost: Floats, tail: float) -> bool:
    """Are the gains of the best over another small, or noise?"""
    return at_end(lost, tail)[0] <= 1 + LEAST_GAIN and trimmed_mean(lost) <= math.log1p(TIE)


def _decision(logs: Mapping[int, Floats], chosen: int | None, best: int, tail: float) -> Decision:
    gains = logs[best if chosen is None else chosen]
    within = at_end(gains, (1 - REPORTED_CONFIDENCE) / 2)
    undecided = chosen is None and within[1] >= 1 + LEAST_GAIN
    return Decision(
        chosen=chosen,
        best=best,
        gain=math.exp(trimmed_mean(gains)),
        interval=within,
        more_rounds=_more_rounds(gains, tail) if undecided else 0,
    )


def _more_rounds(logs: Floats, tail: float) -> int | None:
    """Until a finalist is known to be better than the default, or known not to be."""
    seems_better = trimmed_mean(logs) > math.log1p(LEAST_GAIN)
    return rounds_to_exclude(logs, tail if seems_better else (1 - REPORTED_CONFIDENCE) / 2, 1 + LEAST_GAIN)
