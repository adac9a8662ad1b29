"""A cheaper measure of an objective as its prior mean: the posterior mean of the trials of a lower fidelity.

    y_low(x) ~ Gaussian process and forest of the cheap trials         y(x) = a + b E[y_low(x)] + residual(x)

Autoregressive co-kriging (Kennedy & O'Hagan 2000) one fidelity at a time; a and b are fitted, and the residual learned,
as of any other prior mean, so that one that misleads is let go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tunepass.space.columns import Columns, length
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.strategies.auto import SETTINGS
from tunepass.strategies.base import Task
from tunepass.strategies.bo.bayesian import Bayesian
from tunepass.strategies.bo.models import last_refit
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.strategies.transforms import log_scale_of
from tunepass.study.trial import Trial
from tunepass.surrogates.base import Floats, Posterior

FEWEST = 4  # measured trials that say anything about the others
WHOLE = replace(SETTINGS, gp=replace(SETTINGS.gp, thompson_rows=0))  # the mixture of all draws, however few the trials


class LowerFidelity(PriorMean):
    """Of `task`, whose trials so far `trials` gives, in order. What it says changes when they have grown by a twelfth,
    so that it depends on how many there are and not on when it was asked."""

    def __init__(self, task: Task, trials: Callable[[], Sequence[Trial]]):
        self.task, self.trials = task, trials
        self._judge = Bayesian(task, WHOLE)
        self._predictor: Callable[[Columns], Posterior] | None = None

    def values(self, space: Space, columns: Columns) -> Floats:
        if self._predictor is None:
            return np.full(length(columns), np.nan)
        scale, mean = log_scale_of(self._judge.history.losses[:, 0]), self._predictor(columns).mean
        losses = scale.sign * np.exp(scale.sign * mean) if scale.sign else mean
        return np.asarray(-losses if self.task.objectives[0].maximise else losses)

    def known(self, space: Space, most: int, *, largest: bool) -> list[Configuration]:
        history = self._judge.history
        if self._predictor is None:
            return []
        measured = [c for c, ok in zip(history.configurations, history.measured) if ok]
        return [measured[i] for i in np.argsort(history.losses[:, 0], kind="stable").tolist()[:most]]

    def renew(self) -> bool:
        """See tunepass.study.capabilities.Renews."""
        trials, history = self.trials(), self._judge.history
        due = last_refit(len(trials)) if trials else 0
        if due <= len(history):
            return False
        for trial in trials[len(history) : due]:
            self._judge.observe(trial)
        if history.measured.sum() >= FEWEST:
            self._predictor = self._judge.predictor()
        return self._predictor is not None
