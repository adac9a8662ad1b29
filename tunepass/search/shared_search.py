"""A study that several builds search at once: none loses the default, and each ends with the trials of all.

The default is evaluated by each of them, whoever began with it: what it tells of limits and of the reference serves all
others, and the first outcome stands. Other configurations are evaluated by one process; where nothing else is left,
those that others still evaluate are waited for, and evaluated here too when that takes too long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tunepass.evaluators.process.cores import NOTICE_AFTER_S
from tunepass.search.budget import Budget
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration

POLL_S = 0.05


class SharedSearch:
    """Suggestions of a study that other processes may search too."""

    def __init__(
        self, trial_log: TrialLog, budget: Budget, pause: Callable[[float], None], notify: Callable[[str], None]
    ):
        self.trial_log, self.budget, self.pause, self.notify = trial_log, budget, pause, notify

    @property
    def default_known(self) -> bool:
        """Has the default a trial, of this process or another?"""
        default = self.trial_log.default
        return any(trial.configuration == default for trial in self.trial_log.trials)

    def suggest(self, n: int, first: Sequence[Configuration]) -> list[Configuration]:
        """The next configurations to evaluate, the default alone; none when nothing is left to evaluate or wait for."""
        study = self.trial_log.study
        if self.default_known:
            suggested = study.suggest(n, first)
        else:
            suggested = study.suggest(1, first, shared=[self.trial_log.default])
        while not suggested and study.elsewhere:
            late = self._wait()
            if self.budget.over():
                return []
            suggested = study.suggest(n, (), shared=late)
        self.trial_log.catch_up()
        return suggested

    def _wait(self) -> list[Configuration]:
        """Until other processes have ended an evaluation. Those that they still evaluate when patience ends."""
        study, began, notified = self.trial_log.study, self.budget.elapsed(), False
        others, patience_s = study.elsewhere, self.budget.patience_s()
        while (now := study.elsewhere) == others and not self.budget.over():
            waited_s = self.budget.elapsed() - began
            if waited_s > patience_s:
                return now
            if waited_s > NOTICE_AFTER_S and not notified:
                notified = True
                self.notify("waiting for another build of this kernel to end its evaluations")
            self.pause(POLL_S)
        return []
