"""From trials to a choice, by the winner's contract: the default stays unless another is better by more than the noise.

The finalists and the default are measured again in turns, so that a drift of the machine reaches all of them alike;
tunepass.study.comparison.winner weighs the rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from tunepass.search.result import Gain, value_of
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.comparison.final_round import Comparison
from tunepass.study.objective import Objective
from tunepass.study.results.distance import distance_from_default
from tunepass.study.results.trial_columns import competing, configurations, first_of, losses
from tunepass.study.trial import Trial, comparable

if TYPE_CHECKING:
    from tunepass.study.comparison.winner import Decision

FINALISTS = 8
ALWAYS = 3  # finalists however far behind; further ones are within WITHIN times the best trial
WITHIN = 1.25
SLIGHT = 1.01  # times worse than the best trial, at most, is the simplest that is a finalist
MANY = 16  # parameters that differ from the default: of more in that one, a finalist too is
SIMPLER = 1.02  # the simplest that is so many times worse, which the winner's contract may call a tie,
LITTLE_WORSE = (
    1.1  # and the best of those that differ in at most as many, since single trials may mistake it by so much
)
LEAST_GAIN = 0.01  # what single trials differ by and does not count


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The configuration that won, and the finalist's paired gain behind it (None: not measured again)."""

    choice: Configuration
    default_value: float | None
    chosen_value: float
    gain: float | None
    interval: tuple[float, float] | None

    def as_gain(self, objective: Objective) -> Gain:
        return Gain(
            objective=objective,
            default=self.default_value,
            chosen=self.chosen_value,
            gain=self.gain,
            interval=self.interval,
        )


def finalists(trials: Sequence[Trial], objective: Objective, space: Space) -> list[Configuration]:
    """The best few measured configurations besides the default, best first, more of them where they are close, and of
    those that are hardly worse the one closest to the default; two of them where that one is far from it, and the best
    of those that are not. Of equal measurements (the same object code) the closest to the default stands for all."""
    alike: dict[float, list[Trial]] = {}
    for trial in comparable(trials):
        if (value := value_of(trial, objective)) is not None:
            alike.setdefault(value, []).append(trial)
    best: dict[Configuration, float] = {}
    for value in sorted(alike, key=objective.loss):
        closest = min((t.configuration for t in alike[value]), key=lambda c: distance_from_default(space, c))
        if closest != space.default:
            best[closest] = value
    first = next(iter(best.values()), 0.0)
    near = sum(value * first <= 0 or objective.gain(first, value) >= 1 / WITHIN for value in best.values())
    chosen = list(best)[: min(max(near, ALWAYS), FINALISTS)]
    simple = simplest(best, objective, space)
    if all(differs_in_much(s, space) for s in simple):
        few = (c for c in best if not differs_in_much(c, space))
        simple += [c for c in islice(few, 1) if is_near(objective, first, best[c], LITTLE_WORSE)]
    simple = [s for s in simple if s not in chosen]
    return [*chosen[: len(chosen) - len(simple)], *simple]


def simplest(values: Mapping[Configuration, float], objective: Objective, space: Space) -> list[Configuration]:
    """Configuration closest to the default among the near-best `values`, which are sorted best first. If it differs in
    more than MANY parameters, the closest one among those a little worse follows."""
    first, simple = next(iter(values.values()), 0.0), list[Configuration]()
    for most in (SLIGHT, SIMPLER):
        near = [c for c, value in values.items() if is_near(objective, first, value, most)]
        closest = min(near, key=lambda c: distance_from_default(space, c), default=None)
        if closest is not None and closest not in simple:
            simple.append(closest)
        if not simple or not differs_in_much(simple[0], space):
            break
    return simple


def differs_in_much(configuration: Configuration, space: Space) -> bool:
    """Does it differ from the default in more parameters than can be put back one by one?"""
    return distance_from_default(space, configuration)[0] > MANY


def is_near(objective: Objective, first: float, value: float, most: float) -> bool:
    """Is the value `most` times worse than the best at most?"""
    return value == first or (value * first > 0 and objective.gain(first, value) >= 1 / most)


def verdict_of_trials(trials: Sequence[Trial], objective: Objective, space: Space) -> Verdict | None:
    """The choice by the values of the trials alone, for when nothing can be measured again."""
    known, loss = configurations(trials), np.where(competing(trials), losses(trials, objective), np.nan)
    if np.isnan(loss).all():
        return None
    best = float(np.nanmin(loss))
    near = [known[i] for i in np.flatnonzero(loss == best).tolist()]
    value, choice = objective.value(best), min(near, key=lambda c: distance_from_default(space, c))
    of_default = first_of(trials, space.default)
    default = None if of_default is None else value_of(of_default, objective)
    gain = None if default is None else objective.gain(default, value)
    if default is not None and gain is not None and gain <= 1 + LEAST_GAIN:
        return Verdict(choice=space.default, default_value=default, chosen_value=default, gain=1.0, interval=None)
    return Verdict(choice=choice, default_value=default, chosen_value=value, gain=gain, interval=None)


def decision_of(comparison: Comparison, objective: Objective, space: Space) -> Decision:
    """Decision after the rounds; `chosen` and `best` are indices of finalists of the comparison."""
    from tunepass.study.comparison.winner import (  # brings scipy, which a build from the lock does without
        Finalist,
        decide_winner,
    )

    finalists = [Finalist(f.values, distance_from_default(space, f.configuration)) for f in comparison.finalists]
    return decide_winner(objective, comparison.default, finalists)


def verdict_of_rounds(comparison: Comparison, objective: Objective, space: Space) -> Verdict:
    """The choice after the default and the finalists were measured again, round by round."""
    decision, default_value = decision_of(comparison, objective, space), median(comparison.default)
    if decision.chosen is None:
        return Verdict(
            choice=space.default, default_value=default_value, chosen_value=default_value, gain=1.0, interval=(1.0, 1.0)
        )
    chosen = comparison.finalists[decision.chosen]
    return Verdict(
        choice=chosen.configuration,
        default_value=default_value,
        chosen_value=median(chosen.values),
        gain=decision.gain,
        interval=decision.interval,
    )
