"""Turns of a search with a prior mean and a search without it: a rule that was tried and is not in the product.

Both searches learn from all trials. The second suggestion is the prior mean's best configuration. The search with the
prior mean continues while its suggestions improve on the best trial; each one that does not is a failure. From the
second failure on the search without the prior mean takes over for a while, three times as long after each further one.

    symbol   meaning
    f        failures of the prior mean: settings.failures at first
    g        gain of a suggestion: how far its loss is below the least one before, in standard deviations of the losses
             measured so far, on their log scale; 0 if it is not below
    tau      settings.gain
    n        trials before the suggestion: one at random improves on them with a probability of 1 / (n + 1)
    wait     suggestions without the prior mean before its next one

    f <- max(0, f + 1 - min(g / tau, log2(n + 1)))      after each suggestion with the prior mean
    wait = 0 if f < 2, else settings.growth^(f - 1), rounded

Ranks and likelihoods over all trials do not show a prior mean that is wrong only among its best configurations, and a
prior mean that is sure of what it knows never refutes itself; failures in a row show both. The turns depend on the
trials' losses in their order only, so that an interrupted study continues as an undisturbed one. A suggestion under
evaluation counts as a failure until it is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.design import informed_design
from tunepass.strategies.history import TrialHistory
from tunepass.strategies.sequential import SequentialStrategy
from tunepass.strategies.transforms import log_scale
from tunepass.surrogates.base import Floats

FIRST_WAIT = 2.0  # failures from which on the prior mean waits


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSettings:
    """Settings of the turns; see the equations of this module."""

    failures: float = 1.0
    gain: float = 0.05
    growth: float = 3.0


class TurnOrder:
    """The order of suggestions with the prior mean and without it, from the losses so far."""

    def __init__(self, settings: TurnSettings):
        self.settings = settings
        self.failures, self.wait, self.trials = settings.failures, 0, 0

    @property
    def prior_is_next(self) -> bool:
        """Is the next suggestion made with the prior mean? The first one, the default, is not."""
        return self.trials > 0 and self.wait == 0

    def add(self, gain: float) -> None:
        """The next trial improved on those before by `gain`."""
        with_prior, s = self.prior_is_next, self.settings
        surprise = math.log2(self.trials + 1)
        self.trials += 1
        if not with_prior:
            self.wait = max(0, self.wait - 1)
            return
        self.failures = max(0.0, self.failures + 1 - min(gain / s.gain, surprise))
        if self.failures >= FIRST_WAIT:
            self.wait = round(s.growth ** (self.failures - 1))


def scheduled(losses: Floats, pending: int, settings: TurnSettings) -> TurnOrder:
    """The schedule after trials with `losses` (n,), infinite where nothing was measured, and `pending` suggestions."""
    schedule = TurnOrder(settings)
    least = math.inf
    for number, loss in enumerate(losses.tolist()):
        schedule.add(gain_of(losses[: number + 1]) if loss < least else 0.0)
        least = min(least, loss)
    for _ in range(pending):
        schedule.add(0.0)
    return schedule


def gain_of(losses: Floats) -> float:
    """g of the last of `losses` (n,), infinite if it is the first one that is finite."""
    before = losses[:-1][np.isfinite(losses[:-1])]
    if not len(before) or not losses[-1] < before.min():
        return math.inf if len(before) == 0 and np.isfinite(losses[-1]) else 0.0
    scaled = log_scale(np.append(before, losses[-1])[:, None])[:, 0]
    unit = float(scaled.std())
    return float(scaled[:-1].min() - scaled[-1]) / unit if np.isfinite(unit) and unit > 0 else math.inf


class InformedSearch(Bayesian):
    """The search with the prior mean: no design of its own beyond the default and the prior mean's best."""

    def _warm_up(self) -> list[Configuration]:
        super()._warm_up()
        if self.prior is None or self._design is None:
            return []
        plan = informed_design(self._design, self.prior, self.embedding, self.settings.residual)
        return plan if len(self.history) < len(plan) else []

    def _spared_design(self) -> Configuration | None:
        return None


class TakingTurns(SequentialStrategy):
    """Bayesian optimisation of one objective with a prior mean and without it, in turns."""

    def __init__(self, task: Task, settings: BayesianSettings, turns: TurnSettings | None = None):
        super().__init__(task)
        self.turns = turns or TurnSettings()
        self.informed = InformedSearch(task, settings)
        self.plain = Bayesian(replace(task, prior_mean=None), settings)
        self.informed.history = self.plain.history = self.history

    def _next(self) -> Configuration | None:
        if self.informed.prior is not None:
            self.informed.prior.renew(self.history)  # before each suggestion, so that it depends on the trials alone
        return self._due._next()

    @property
    def _schedule(self) -> TurnOrder:
        return scheduled(losses_of(self.history), len(self.history.pending), self.turns)

    @property
    def _due(self) -> Bayesian:
        return self.informed if self._schedule.prior_is_next else self.plain


def losses_of(history: TrialHistory) -> Floats:
    """Losses (n,) of all trials in order, infinite where nothing was measured."""
    losses = np.full(len(history), math.inf)
    measured: Sequence[bool] = history.measured.tolist()
    if any(measured):
        losses[np.array(measured)] = history.losses[:, 0]
    return losses
